/* ucontext.h - what a signal handler is given: struct ucontext of Linux on i386. */
#ifndef TOLLGATE_UCONTEXT_H
#define TOLLGATE_UCONTEXT_H

#include <stdint.h>

struct ucontext {
        unsigned long flags_of_context;
        void *link;
        struct {
                void *base;
                int flags;
                unsigned long size;
        } stack;
        uintptr_t gs, fs, es, ds;
        uintptr_t di, si, bp, sp, bx, dx, cx, ax, trap, error, ip, cs, flags, sp_at_signal, ss;
};

/* Flat data segments, whatever the interrupted code had loaded. */
#define CONTEXT_FLAT(context)                                                                      \
        ((context)->ds = (context)->es = (context)->ss, (context)->fs = (context)->gs = 0)

#endif
