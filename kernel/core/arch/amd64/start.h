/* start.h - how a program begins on amd64: with 64 bits, or with 32 (compat). */
#ifndef TOLLGATE_CORE_ARCH_AMD64_START_H
#define TOLLGATE_CORE_ARCH_AMD64_START_H

#include "clock/image.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "thread/thread.h"
#include "process/tls.h"

extern char gate32_image[], gate32_size[];

/* QEMU 7.2 keeps 32 bits of RSP in a call gate to the same privilege: a trusted program's stack
 * lies below 4 GiB, so that this way in can be measured there too. */
static inline uintptr_t start_limit(enum origin origin)
{
        return origin == ORIGIN_USER ? USER_TOP : USER_TOP32;
}

static inline const char *start_mode(unsigned bits, bool trusted, enum origin *origin)
{
        *origin = bits == 32 ? ORIGIN_COMPAT : trusted ? ORIGIN_TRUSTED : ORIGIN_USER;
        if (bits == 32 && trusted)
                return "a 32-bit program cannot be trusted here: the kernel is 64-bit code";
        return NULL;
}

/* The 64-bit gate and probe page are in the kernel's part of every space; those of 32 bits lie in
 * the program's half. */
static inline bool start_gate_page(const struct memory *memory)
{
        if (memory->origin != ORIGIN_COMPAT)
                return true;
        for (uintptr_t at = 0; at < (uintptr_t)gate32_size; at += PAGE_SIZE)
                if (!space_map(memory->space, GATE_PAGE32 + at, PHYSICAL(gate32_image) + at,
                               PTE_USER))
                        return false;
        return vdso_map(memory->space, ORIGIN_COMPAT);
}

/* Its probe page, which is another for each process. */
static inline bool start_probe_page(const struct memory *memory, uintptr_t frame)
{
        return memory->origin != ORIGIN_COMPAT ||
               space_map(memory->space, PROBE_PAGE32, frame, PTE_WRITE | PTE_USER | PTE_NX);
}

/* CLONE_SETTLS: the FS base, or a struct user_desc. */
static inline int start_tls(struct thread *thread, uintptr_t tls)
{
        if (thread->origin == ORIGIN_COMPAT)
                return tls_set(thread, tls);
        if (tls >= USER_TOP)
                return -EPERM;
        thread->segments.each[2] = 0;
        thread->segments.fs_base = tls;
        thread->segments.special = true;
        return 0;
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

#endif
