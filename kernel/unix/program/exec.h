/* exec.h - runs a file as a program. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct script;
struct thread;

/* The source of execve()'s strings: the kernel, or a program. */
struct exec_strings {
        const struct script *script;                        /* a script's words are first */
        uintptr_t arguments, environment;                   /* arrays of pointers that end with 0 */
        unsigned width;                                     /* size of a pointer */
        int (*read)(void *to, uintptr_t from, size_t size); /* user_read() or the like */
};
/* Loads a program: a new memory, and in `frame` the initial registers. 0 or -errno (with a message
 * if `aloud`); then the thread is unchanged. */
int exec_load(struct thread *thread, const char *path, const struct exec_strings *strings,
              struct frame *frame, bool aloud);
