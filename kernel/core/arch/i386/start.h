/* start.h - how a program begins on i386. */
#ifndef TOLLGATE_CORE_ARCH_I386_START_H
#define TOLLGATE_CORE_ARCH_I386_START_H

#include "mem/memory.h"
#include "mem/space.h"
#include "thread/thread.h"
#include "process/tls.h"

static inline uintptr_t start_limit(enum origin origin)
{
        (void)origin;
        return USER_TOP;
}

static inline const char *start_mode(unsigned bits, bool trusted, enum origin *origin)
{
        *origin = trusted ? ORIGIN_TRUSTED : ORIGIN_USER;
        return bits == 32 ? NULL : "a 64-bit program needs the amd64 kernel";
}

/* Gate and probe page are in the kernel's part of every space. */
static inline bool start_gate_page(const struct memory *memory)
{
        (void)memory;
        return true;
}

static inline bool start_probe_page(const struct memory *memory, uintptr_t frame)
{
        (void)memory, (void)frame;
        return true;
}

/* CLONE_SETTLS: a struct user_desc. */
static inline int start_tls(struct thread *thread, uintptr_t tls)
{
        return tls_set(thread, tls);
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

#endif
