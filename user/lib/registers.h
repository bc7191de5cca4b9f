/* registers.h - calls with every register chosen (registers.asm, and arch's). */
#ifndef TOLLGATE_USER_LIB_REGISTERS_H
#define TOLLGATE_USER_LIB_REGISTERS_H

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

void registers_call(const void *half, struct registers *registers);
long segments_call(const void *half, long number, unsigned selector);
/* i386 at CPL 0, else they do nothing: selectors that the kernel has to fix up. */
long null_es_call(const void *half, long number, long a, void *b);
long stale_es(void);
/* Bytes of the red zone (System V ABI, amd64: 128 below the stack pointer) that changed. */
long red_zone(unsigned way, unsigned long rounds);
void bad_stack(void);
enum stackless {
        STACKLESS_push,
        STACKLESS_call,
        STACKLESS_store,
        STACKLESS_loop,
        STACKLESS_step,
        STACKLESS_syscall
};
long without_stack(enum stackless what, unsigned long rounds); /* SYSCALL: its result */
void bad_sysenter(void);
void enter_v86(void);
void fpu_call(const void *half, long number, void *before, void *after); /* 16-byte aligned */

#endif
