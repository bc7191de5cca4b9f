/* half.h - kernel pages in a program's half of the address space, and where that half ends. */
#pragma once
#include "above.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "mem/frame.h"

extern char gate32_image[], gate32_size[];

/* QEMU 7.2 keeps 32 bits of RSP in a call gate to the same privilege. So a trusted program's stack
 * is below 4 GiB, and this gate can be measured there, too. */
static inline uintptr_t start_limit(enum origin origin)
{
        return origin == ORIGIN_USER ? USER_TOP : USER_TOP32;
}

/* The 64-bit gate and probe page are in the kernel's part of every space; the 32-bit ones are in
 * the program's half. */
static inline bool start_gate_page(const struct memory *memory)
{
        if (memory->origin != ORIGIN_COMPAT)
                return true;
        for (uintptr_t at = 0; at < (uintptr_t)gate32_size; at += PAGE_SIZE)
                if (!space_map(memory->space, GATE_PAGE32 + at, PHYSICAL(gate32_image) + at,
                               PTE_USER))
                        return false;
        return above.map_images(memory->space, ORIGIN_COMPAT);
}

/* The probe page of the first thread of this memory. Other threads that share the memory may
 * outlive it, so the memory holds a reference, too. (A thread without one gets a page of the
 * kernel's image, which has no count.) */
static inline bool start_probe_page(const struct memory *memory, uintptr_t frame)
{
        pte_t owned = frame_users(frame) ? PTE_OWNED : 0;
        if (memory->origin != ORIGIN_COMPAT)
                return true;
        if (!space_map(memory->space, PROBE_PAGE32, frame, PTE_WRITE | PTE_USER | PTE_NX | owned))
                return false;
        if (owned)
                frame_share(frame);
        return true;
}
