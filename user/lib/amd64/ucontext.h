/* ucontext.h - what a signal handler is given: struct ucontext of Linux on amd64. */
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
        uintptr_t r8, r9, r10, r11, r12, r13, r14, r15;
        uintptr_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
        uint16_t cs, gs, fs, ss;
        uintptr_t error, trap, mask, cr2;
};

#define CONTEXT_FLAT(context) (void)(context) /* DS, ES, FS and GS are not in it */

#endif
