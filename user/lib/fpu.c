/* fpu.c - patterns for the state of x87 and SSE. */
#include "fpu.h"
#include "signals.h"

#define FNSAVE_TAGS 8
#define FNSAVE_REGISTERS 28
#define FNSAVE_SIZE 108
#define FXSAVE_TAGS 4
#define ROUNDING(seed) ((seed)&3)

void fpu_save(struct fpu *to)
{
        if (has_fxsr())
                __asm__ volatile("fxsave %0" : "=m"(*to));
        else
                __asm__ volatile("fnsave %0; frstor %0" : "=m"(*to));
}

void fpu_load(const struct fpu *from)
{
        if (has_fxsr())
                __asm__ volatile("fxrstor %0" : : "m"(*from));
        else
                __asm__ volatile("frstor %0" : : "m"(*from));
}

void fpu_fill(struct fpu *f, unsigned seed)
{
        uint16_t control = (uint16_t)(CONTROL_WORD | ROUNDING(seed) << 10);
        uint32_t mxcsr = MXCSR | ROUNDING(seed) << 13;
        fpu_save(f);
        memcpy(f->bytes, &control, sizeof control);
        if (!has_fxsr()) {
                f->bytes[FNSAVE_TAGS] = f->bytes[FNSAVE_TAGS + 1] = 0; /* all registers in use */
                memset(f->bytes + FNSAVE_REGISTERS, (int)seed, FNSAVE_SIZE - FNSAVE_REGISTERS);
                return;
        }
        f->bytes[FXSAVE_TAGS] = 0xff;
        memcpy(f->bytes + FXSAVE_MXCSR, &mxcsr, sizeof mxcsr);
        for (unsigned i = 0; i < 8; i++)
                memset(f->bytes + FXSAVE_ST + 16 * i, (int)(seed + i), 10);
        for (unsigned i = 0; i < XMM_SIZE; i++)
                f->bytes[FXSAVE_XMM + i] = (uint8_t)(seed * 7 + i);
}

static bool differ(const struct fpu *a, const struct fpu *b, unsigned from, unsigned size)
{
        return memcmp(a->bytes + from, b->bytes + from, size);
}

unsigned fpu_differs(const struct fpu *a, const struct fpu *b)
{
        unsigned control = differ(a, b, 0, 2) ? FPU_CONTROL : 0;
        if (!has_fxsr())
                return control |
                       (differ(a, b, FNSAVE_REGISTERS, FNSAVE_SIZE - FNSAVE_REGISTERS) ? FPU_X87
                                                                                       : 0);
        bool x87 = differ(a, b, FXSAVE_TAGS, 1);
        for (unsigned at = FXSAVE_ST; at < FXSAVE_XMM; at += 16)
                x87 |= differ(a, b, at, 10);
        return control | (x87 ? FPU_X87 : 0) | (differ(a, b, FXSAVE_MXCSR, 4) ? FPU_MXCSR : 0) |
               (differ(a, b, FXSAVE_XMM, XMM_SIZE) ? FPU_XMM : 0);
}
