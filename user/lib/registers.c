/* registers.c - a row's registers, in the order of struct registers; their names. */
#include "registers.h"
#include "lib.h"
#include "toll.h"

unsigned registers_of(unsigned changes)
{
        static const unsigned bits[] = {[REG_BX] = TOLL_BX, [REG_CX] = TOLL_CX, [REG_DX] = TOLL_DX,
                                        [REG_SI] = TOLL_SI, [REG_DI] = TOLL_DI, [REG_BP] = TOLL_BP};
        unsigned set = 0;
        for (unsigned i = 0; i < REGISTERS; i++)
                if (changes & (i < sizeof bits / sizeof *bits ? bits[i] : i < REG_R8 ? 0 : 1u << i))
                        set |= 1u << i;
        return set;
}

/* Lists the `names` whose bits are set. */
static const char *named(char *to, size_t size, const char *const *names, unsigned count,
                         uintptr_t bits, const char *none)
{
        int at = 0;
        snprintf(to, size, "%s", none);
        for (unsigned i = 0; i < count; i++)
                if (names[i] && bits >> i & 1)
                        at += snprintf(to + at, size - (size_t)at, at ? " %s" : "%s", names[i]);
        return to;
}

const char *registers_named(char *to, size_t size, unsigned bits)
{
        static const char *const wide[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", NULL,
                                           "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
        static const char *const narrow[] = {"eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", NULL};
        return named(to, size, sizeof(void *) == 8 ? wide : narrow, REGISTERS, bits, "no register");
}

const char *flags_named(char *to, size_t size, uintptr_t flags)
{
        static const char *const names[] = {"CF", NULL, "PF", NULL,  "AF",   NULL,   "ZF", "SF",
                                            "TF", "IF", "DF", "OF",  "IOPL", "IOPL", "NT", NULL,
                                            "RF", "VM", "AC", "VIF", "VIP",  "ID"};
        if ((flags >> 12 & 3) == 3)
                flags &= ~(uintptr_t)(1 << 13);
        return named(to, size, names, sizeof names / sizeof *names, flags, "no flag");
}
