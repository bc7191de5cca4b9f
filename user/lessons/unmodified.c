/* unmodified.c - getpid() as compiled for Linux, for the lesson on sites. */
#include "lib.h"

long unmodified(void);
__asm__(".globl unmodified\n"
        "unmodified:\n"
        "        .cfi_startproc\n"
        "        mov $39, %eax\n"
        "        syscall\n"
        "        ret\n"
        "        .cfi_endproc\n");

int main(void)
{
        long pid = toll_call(NUMBER_getpid);
        for (int i = 0; WIDE && i < 3; i++)
                if (unmodified() != pid)
                        return 1;
        return 0;
}
