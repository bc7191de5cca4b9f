/* ring.c - prints the ring it runs in: the two lowest bits of CS are the CPL (SDM 3A, "Privilege
 * Levels"). */
#include "console.h"

int main(int argc, char **argv)
{
        unsigned selector;
        __asm__("mov %%cs, %0" : "=r"(selector));
        put_format(1, "%s runs in ring %u (CS = %04x)\n", argv[0], selector & 3, selector & 0xffff);
        return 0;
}
