/*
 * sanitize.h - a kernel that checks itself: make SANITIZE=1. No other has anything of this folder.
 *
 * undefined.c reports what C leaves undefined, shadow.c what touches memory that nobody has, and
 * pages.c what a program's page tables must not say. Each report is a panic. shadow.c also lets
 * memory run out for processes that ask it to.
 */
#ifndef TOLLGATE_SANITIZE_SANITIZE_H
#define TOLLGATE_SANITIZE_SANITIZE_H

#include "arch.h"
#include "trap/panic.h"

/* WRAP(type, name, parameters) begins the function that stands before name(), which is
 * __real_name() to it: the linker's --wrap. Only calls from other sources come to it. */
#define WRAP(type, name, ...)                                                                      \
        type __real_##name(__VA_ARGS__);                                                           \
        type __wrap_##name(__VA_ARGS__);                                                           \
        type __wrap_##name(__VA_ARGS__)

/* Where the function that has it was called, for a backtrace. */
#define CALLER                                                                                     \
        (&(const struct frame){.bp = *(uintptr_t *)__builtin_frame_address(0),                     \
                               .ip = (uintptr_t)__builtin_return_address(0)})

/* The owner of each frame of the mapped memory. */
enum owner {
        OWNER_NONE,    /* it is free, or was never handed out */
        OWNER_KERNEL,  /* page tables, stacks, objects */
        OWNER_PROGRAM, /* a page of a program's or of a file's */
};
enum owner sanitize_owner(uintptr_t frame);

#endif
