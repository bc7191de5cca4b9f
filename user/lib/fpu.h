/* fpu.h - patterns for the state of x87 and SSE. */
#pragma once
#include <stdint.h>

#define FXSAVE_MXCSR 24
#define FXSAVE_ST 32
#define FXSAVE_XMM 160
#define XMM_SIZE (sizeof(void *) == 8 ? 256 : 128)
#define CONTROL_WORD 0x037f
#define MXCSR 0x1f80

/* FXSAVE's area (SDM 2A); without FXSR that of FNSAVE (SDM 1, "x87 State"). */
struct fpu {
        uint8_t bytes[512];
} __attribute__((aligned(16)));

void fpu_save(struct fpu *to);
void fpu_load(const struct fpu *from);
/* A pattern that is different for each seed, with all eight x87 registers in use. */
void fpu_fill(struct fpu *f, unsigned seed);
enum fpu_part { FPU_CONTROL = 1, FPU_X87 = 2, FPU_MXCSR = 4, FPU_XMM = 8 };
unsigned fpu_differs(const struct fpu *a, const struct fpu *b); /* enum fpu_part */
