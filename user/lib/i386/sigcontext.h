/* sigcontext.h - Linux's sigcontext of i386 (uapi/asm/sigcontext.h). */
#pragma once
#include <stdint.h>

struct sigcontext {
        uint16_t gs, gs_high, fs, fs_high, es, es_high, ds, ds_high;
        uint32_t di, si, bp, sp, bx, dx, cx, ax;
        uint32_t trapno, err, ip;
        uint16_t cs, cs_high;
        uint32_t flags, sp_at_signal;
        uint16_t ss, ss_high;
        uint32_t fpstate, oldmask, cr2;
};

#define CONTEXT_FXSAVE 112 /* offset from fpstate to FXSAVE's image */
#define CONTEXT_SELECTORS                                                                          \
        {                                                                                          \
                offsetof(struct sigcontext, cs), offsetof(struct sigcontext, ss),                  \
                        offsetof(struct sigcontext, ds), offsetof(struct sigcontext, es),          \
                        offsetof(struct sigcontext, fs), offsetof(struct sigcontext, gs)           \
        }
#define USER_DS_ELSEWHERE 0x3b /* Tollgate's amd64 GDT has it, Linux's does not */
#define HALF_WAY NOWHERE       /* lib.h */

/* Sets flat data segments, because the interrupted code may have had others. */
static inline void context_flatten(struct sigcontext *c)
{
        c->ds = c->es = c->ss;
        c->fs = c->gs = 0;
}

/* Reads them in the order of struct registers (registers.h). */
static inline void context_registers(const struct sigcontext *c, uintptr_t *to)
{
        const uint32_t r[] = {c->ax, c->bx, c->cx, c->dx, c->si, c->di, c->bp, c->flags};
        for (unsigned i = 0; i < sizeof r / sizeof *r; i++)
                to[i] = r[i];
}

static inline void context_set_data(struct sigcontext *c, uint16_t selector)
{
        c->ds = c->es = selector;
}
