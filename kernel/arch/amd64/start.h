/* start.h - how a program begins on amd64: with 64 bits, or with 32 (compat). */
#ifndef TOLLGATE_START_H
#define TOLLGATE_START_H

#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "proc/process.h"
#include "proc/tls.h"

extern char gate32_image[], gate32_size[];

/* QEMU 7.2 keeps 32 bits of RSP in a call gate to the same privilege: a trusted program's stack
 * lies below 4 GiB, so that this way in can be measured there too. */
static inline uintptr_t start_limit(enum mode mode)
{
        return mode == MODE_LONG ? USER_TOP : USER_TOP32;
}

static inline const char *start_mode(unsigned bits, bool trusted, enum mode *mode)
{
        *mode = bits == 32 ? MODE_COMPAT : trusted ? MODE_TRUSTED : MODE_LONG;
        if (bits == 32 && trusted)
                return "a 32-bit program cannot be trusted here: the kernel is 64-bit code";
        return NULL;
}

/* The 64-bit gate and probe page are in the kernel's part of every space; those of 32 bits lie in
 * the program's half. */
static inline bool start_gate_page(const struct memory *memory)
{
        if (memory->mode != MODE_COMPAT)
                return true;
        for (uintptr_t at = 0; at < (uintptr_t)gate32_size; at += PAGE_SIZE)
                if (!space_map(memory->space, GATE_PAGE32 + at, PHYSICAL(gate32_image) + at,
                               PTE_USER))
                        return false;
        return true;
}

/* Its probe page, which is another for each process. */
static inline bool start_probe_page(const struct memory *memory, uintptr_t frame)
{
        return memory->mode != MODE_COMPAT ||
               space_map(memory->space, PROBE_PAGE32, frame, PTE_WRITE | PTE_USER | PTE_NX);
}

/* CLONE_SETTLS: the FS base, or a struct user_desc. */
static inline int start_tls(struct process *process, uintptr_t tls)
{
        if (process->mode == MODE_COMPAT)
                return tls_set(process, tls);
        if (tls >= USER_TOP)
                return -EPERM;
        process->segments.each[2] = 0;
        process->segments.fs_base = tls;
        process->segments.special = true;
        return 0;
}

/* AT_SYSINFO_EHDR of 32-bit programs: entry/vdso.asm */
extern const char clean_compat_vdso[];
static inline uintptr_t start_vdso(enum mode mode)
{
        static const char *const images[] = {
                [MODE_COMPAT] = clean_compat_vdso, [MODE_TRUSTED] = NULL};
        return (uintptr_t)images[mode];
}

static inline void start_frame(struct process *process, struct frame *frame, uintptr_t ip,
                               uintptr_t sp)
{
        *frame = (struct frame){
                .number = NO_CALL,
                .ip = ip,
                .cs = process->trusted               ? KERNEL_CS
                      : process->mode == MODE_COMPAT ? USER_CS32
                                                     : USER_CS,
                .flags = RFLAGS_FIXED | RFLAGS_IF,
                .sp = sp,
                .ss = process->trusted ? KERNEL_DS : USER_DS,
        };
        process->segments = (struct segments){.each = {USER_DS, USER_DS, 0, 0}};
}

#endif
