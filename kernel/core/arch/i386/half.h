/* half.h - kernel pages in a program's half of the address space, and where that half ends. */
#pragma once
#include "mem/memory.h"
#include "mem/space.h"

static inline uintptr_t start_limit(enum origin origin __attribute__((unused)))
{
        return USER_TOP;
}

/* Gate and probe page are in the kernel's part of every space. */
static inline bool start_gate_page(const struct memory *memory __attribute__((unused)))
{
        return true;
}

static inline bool start_probe_page(const struct memory *memory, uintptr_t frame)
{
        return true;
}
