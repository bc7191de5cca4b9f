/* registers.h - calls with every register chosen (registers.asm and arch's). */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
        REG_AX,
        REG_BX,
        REG_CX,
        REG_DX,
        REG_SI,
        REG_DI,
        REG_BP,
        REG_FLAGS,
        REG_R8,
        REGISTERS = sizeof(void *) == 8 ? 16 : 8
};

struct registers {
        uintptr_t r[REGISTERS];
};

unsigned registers_of(unsigned changes); /* TOLL_CHANGES (toll.h), as bits 1 << REG_ */
/* The names of such bits, or of flags, separated by blanks; "no register", "no flag". NAMES_SIZE is
 * enough. */
enum { NAMES_SIZE = 80 };
const char *registers_named(char *to, size_t size, unsigned bits);
const char *flags_named(char *to, size_t size, uintptr_t flags);

void registers_call(const void *half, struct registers *registers);
long segments_call(const void *half, long number, unsigned selector);
/* i386 at CPL 0, otherwise no effect: selectors that the kernel has to fix up. */
long null_es_call(const void *half, long number, long a, void *b);
long stale_es(void);
/* Changed bytes of the red zone (System V ABI, amd64: 128 below the stack pointer). */
long red_zone(unsigned way, unsigned long rounds);
long red_zone_int(unsigned vector); /* for an INT of a vector from 0x34 to 0x7e */
void bad_stack(void);
enum stackless {
        STACKLESS_push,
        STACKLESS_call,
        STACKLESS_store,
        STACKLESS_loop,
        STACKLESS_step,
        STACKLESS_syscall
};
long without_stack(enum stackless what, unsigned long rounds); /* returns SYSCALL's result */
void bad_sysenter(void);
void enter_v86(void);
void fpu_call(const void *half, long number, void *before, void *after); /* 16-byte aligned */
