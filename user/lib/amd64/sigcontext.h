/* sigcontext.h - Linux's sigcontext of amd64 (uapi/asm/sigcontext.h). */
#pragma once
#include <stdint.h>

struct sigcontext {
        uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
        uint64_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
        uint16_t cs, gs, fs, ss;
        uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
};

#define CONTEXT_FXSAVE 0 /* offset from fpstate to FXSAVE's image */
#define CONTEXT_SELECTORS                                                                          \
        {                                                                                          \
                offsetof(struct sigcontext, cs), offsetof(struct sigcontext, ss)                   \
        }
#define USER_DS_ELSEWHERE 0x3b  /* Tollgate's GDT has it, Linux's does not */
#define HALF_WAY 0x800000000000 /* the first non-canonical address */

static inline void context_flatten(struct sigcontext *c)
{
        (void)c; /* DS and ES do not exist, FS and GS are not loaded */
}

/* Reads them in the order of struct registers (registers.h). */
static inline void context_registers(const struct sigcontext *c, uintptr_t *to)
{
        const uint64_t r[] = {c->ax, c->bx, c->cx,  c->dx,  c->si,  c->di,  c->bp,  c->flags,
                              c->r8, c->r9, c->r10, c->r11, c->r12, c->r13, c->r14, c->r15};
        for (unsigned i = 0; i < sizeof r / sizeof *r; i++)
                to[i] = r[i];
}

static inline void context_set_data(struct sigcontext *c, uint16_t selector)
{
        (void)c, (void)selector; /* long mode ignores DS and ES */
}
