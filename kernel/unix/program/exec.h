/* exec.h - a file becomes a program. */
#ifndef TOLLGATE_UNIX_PROGRAM_EXEC_H
#define TOLLGATE_UNIX_PROGRAM_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct script;
struct thread;

/* Where execve() finds its strings: the kernel's own, or a program's. */
struct exec_strings {
        const struct script *script;                        /* its words stand for the first */
        uintptr_t arguments, environment;                   /* arrays of pointers, 0 at the end */
        unsigned width;                                     /* of a pointer, in bytes */
        int (*read)(void *to, uintptr_t from, size_t size); /* user_read() or the like */
};
/* A new memory, and the registers to begin with in `frame`. 0 or -errno (said why, if `aloud`); the
 * thread is as it was then. */
int exec_load(struct thread *thread, const char *path, const struct exec_strings *strings,
              struct frame *frame, bool aloud);

#endif
