/* start.h - how a program begins on amd64: with 64 bits, or with 32 (compat). */
#ifndef TOLLGATE_START_H
#define TOLLGATE_START_H

#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "proc/process.h"

extern char gate32_image[], gate32_size[];

/* QEMU 7.2 keeps 32 bits of RSP in a call gate to the same privilege: a trusted program's stack
 * lies below 4 GiB, so that this way in can be measured there too. */
static inline uintptr_t start_limit(enum mode mode)
{
        return mode == MODE_LONG ? USER_TOP : USER_TOP32;
}

static inline const char *start_mode(struct process *process, unsigned bits)
{
        process->mode = bits == 32 ? MODE_COMPAT : process->trusted ? MODE_TRUSTED : MODE_LONG;
        if (bits == 32 && process->trusted)
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
static inline bool start_probe_page(const struct process *process)
{
        return process->mode != MODE_COMPAT ||
               space_map(process->memory->space, PROBE_PAGE32, process->probe_frame,
                         PTE_WRITE | PTE_USER | PTE_NX);
}

static inline void start_frame(const struct process *process, struct frame *frame, uintptr_t ip,
                               uintptr_t sp)
{
        *frame = (struct frame){
                .ip = ip,
                .cs = process->trusted               ? KERNEL_CS
                      : process->mode == MODE_COMPAT ? USER_CS32
                                                     : USER_CS,
                .flags = RFLAGS_FIXED | RFLAGS_IF,
                .sp = sp,
                .ss = process->trusted ? KERNEL_DS : USER_DS,
        };
        __asm__ volatile("mov %0, %%ds; mov %0, %%es; mov %1, %%fs; mov %1, %%gs"
                         :
                         : "r"(USER_DS), "r"(0));
}

#endif
