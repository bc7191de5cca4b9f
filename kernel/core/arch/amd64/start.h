/* start.h - how a program begins on amd64: with 64 bits, or with 32 (compat). */
#pragma once
#include "thread/thread.h"

static inline const char *start_mode(unsigned bits, bool trusted, enum origin *origin)
{
        *origin = bits == 32 ? ORIGIN_COMPAT : trusted ? ORIGIN_TRUSTED : ORIGIN_USER;
        if (bits == 32 && trusted)
                return "a 32-bit program cannot be trusted here: the kernel is 64-bit code";
        return NULL;
}

static inline void start_frame(struct thread *thread, struct frame *frame, uintptr_t ip,
                               uintptr_t sp)
{
        *frame = (struct frame){
                .number = NO_CALL,
                .ip = ip,
                .cs = thread->trusted                   ? KERNEL_CS
                      : thread->origin == ORIGIN_COMPAT ? USER_CS32
                                                        : USER_CS,
                .flags = RFLAGS_FIXED | RFLAGS_IF,
                .sp = sp,
                .ss = thread->trusted ? KERNEL_DS : USER_DS,
        };
        thread->segments = (struct segments){.each = {USER_DS, USER_DS, 0, 0}};
}
