/* sanitize.h - a kernel that checks itself: make SANITIZE=1. Other kernels contain none of this.
 *
 * undefined.c reports undefined behaviour of C, shadow.c accesses to memory that is not allocated,
 * and pages.c errors in a program's page tables. Each report is a panic. shadow.c can also make
 * allocations fail for processes that ask for it. */
#pragma once
#include "arch.h"
#include "trap/panic.h"

/* WRAP(type, name, parameters) begins the wrapper of name(), which it calls as __real_name(): the
 * linker's --wrap. Only calls from other source files reach it. */
#define WRAP(type, name, ...)                                                                      \
        type __real_##name(__VA_ARGS__);                                                           \
        type __wrap_##name(__VA_ARGS__);                                                           \
        type __wrap_##name(__VA_ARGS__)

/* Address of the caller of the function that uses it, for a backtrace. */
#define CALLER                                                                                     \
        (&(const struct frame){.bp = *(uintptr_t *)__builtin_frame_address(0),                     \
                               .ip = (uintptr_t)__builtin_return_address(0)})

/* The owner of each frame of the mapped memory. */
enum owner {
        OWNER_NONE,    /* free, or never allocated */
        OWNER_KERNEL,  /* page tables, stacks, objects */
        OWNER_PROGRAM, /* a page of a program or file */
};
enum owner sanitize_owner(uintptr_t frame);
