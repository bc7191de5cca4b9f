/* start.h - how a program begins on i386. */
#pragma once
#include "thread/thread.h"

static inline const char *start_mode(unsigned bits, bool trusted, enum origin *origin)
{
        *origin = trusted ? ORIGIN_TRUSTED : ORIGIN_USER;
        return bits == 32 ? NULL : "a 64-bit program needs the amd64 kernel";
}

static inline void start_frame(struct thread *thread, struct frame *frame, uintptr_t ip,
                               uintptr_t sp)
{
        *frame = (struct frame){
                .number = NO_CALL,
                .es = USER_DS,
                .ds = USER_DS,
                .ip = ip,
                .cs = thread->trusted ? KERNEL_CS : USER_CS,
                .flags = RFLAGS_FIXED | RFLAGS_IF,
                .sp = sp,
                .ss = thread->trusted ? KERNEL_DS : USER_DS,
        };
        thread->segments = (struct segments){.tls = {0}};
}
