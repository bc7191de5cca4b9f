/* start.h - how a program begins on i386. */
#ifndef TOLLGATE_START_H
#define TOLLGATE_START_H

#include "mem/memory.h"
#include "mem/space.h"
#include "proc/process.h"
#include "proc/tls.h"

static inline uintptr_t start_limit(enum mode mode)
{
        (void)mode;
        return USER_TOP;
}

static inline const char *start_mode(unsigned bits, bool trusted, enum mode *mode)
{
        *mode = trusted ? MODE_TRUSTED : MODE_LEGACY;
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
static inline int start_tls(struct process *process, uintptr_t tls)
{
        return tls_set(process, tls);
}

/* AT_SYSINFO_EHDR: entry/vdso.asm */
extern const char clean_user_vdso[], clean_trusted_vdso[];
static inline uintptr_t start_vdso(enum mode mode)
{
        return (uintptr_t)(mode == MODE_TRUSTED ? clean_trusted_vdso : clean_user_vdso);
}

static inline void start_frame(struct process *process, struct frame *frame, uintptr_t ip,
                               uintptr_t sp)
{
        *frame = (struct frame){
                .number = NO_CALL,
                .es = USER_DS,
                .ds = USER_DS,
                .ip = ip,
                .cs = process->trusted ? KERNEL_CS : USER_CS,
                .flags = RFLAGS_FIXED | RFLAGS_IF,
                .sp = sp,
                .ss = process->trusted ? KERNEL_DS : USER_DS,
        };
        process->segments = (struct segments){.tls = {0}};
}

#endif
