/* fmod.c - SQLite's mod() needs fmod(), which glibc 2.38's and 2.39's libm.a for i386 lacks (their
 * bug 31488), so a static 32-bit program does not link there. SDM 2A, FPREM: the remainder is
 * exact, and C2 means that it is incomplete. */
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
