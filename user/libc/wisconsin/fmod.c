/* fmod.c - SQLite's mod() takes it, and the libm.a for i386 of glibc 2.38 and 2.39 has none (their
 * bug 31488), so a static program of 32 bits does not link there. SDM 2A, FPREM: the rest is exact,
 * and C2 says that there is more to do. */
#include <stdint.h>

#define C2 0x400

__attribute__((weak)) double fmod(double dividend, double divisor)
{
        long double rest = dividend;
        uint16_t status;
        do
                __asm__("fprem\n\tfnstsw %%ax"
                        : "+t"(rest), "=a"(status)
                        : "u"((long double)divisor)
                        : "cc");
        while (status & C2);
        return (double)rest;
}
