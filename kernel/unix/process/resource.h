/*
 * resource.h - the limits that a process has set for itself (setrlimit(2)).
 *
 * Kept are those of what there is here: descriptors (NOFILE), the growth of a stack that execve()
 * makes or has made, or mmap() makes from then on (STACK), all memory (AS), private memory that can
 * be written (DATA). NPROC tells how many processes there can be; as on Linux, root's may be more
 * than it says. Others are what somebody has set, and nothing is held to them: so RLIMIT_CPU and
 * RLIMIT_FSIZE, which programs rely on, cannot be set.
 */
#ifndef TOLLGATE_UNIX_PROCESS_RESOURCE_H
#define TOLLGATE_UNIX_PROCESS_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
        RLIMIT_CPU,
        RLIMIT_FSIZE,
        RLIMIT_DATA,
        RLIMIT_STACK,
        RLIMIT_CORE,
        RLIMIT_RSS,
        RLIMIT_NPROC,
        RLIMIT_NOFILE,
        RLIMIT_MEMLOCK,
        RLIMIT_AS,
        RLIMITS = 16
};
#define RLIM_INFINITY UINT64_MAX

#define FILES 1024 /* descriptors of a process */

struct resource {
        uint64_t now, most; /* soft, hard */
};

enum {
        REAL,
        EFFECTIVE,
        SAVED,
        IDS
};

/* What a process has set for itself, and its children begin with. */
struct settings {
        struct resource limits[RLIMITS];
        uint32_t ids[2][IDS]; /* of the user, of the group: ids.c */
        int nice;             /* told, and no more: priority.c */
        bool undumpable;      /* prctl.c */
        bool adopts;          /* the orphans among its descendants: no child begins with that */
};

struct memory;
struct process;

/* A process's own, to be changed. NULL = out of memory. */
struct settings *resource_settings(struct process *process);
/* A process begins with its parent's. False = out of memory. */
bool resource_begin(struct process *process, const struct process *parent);
struct resource resource_of(const struct process *process, unsigned which);
/* The limit of the current process; without a process, no limit. */
uint64_t resource_limit(unsigned which);
/* How far a stack of it may grow, bytes: 8 MiB, less on a small machine, or as it has set. */
size_t resource_stack(void);
/* Whether its memory may have so much more, `data`: of private memory to write to. */
bool resource_has_room(const struct memory *memory, size_t size, bool data);
/* The same if the areas there go first. */
bool resource_has_room_in_place(const struct memory *memory, uintptr_t start, size_t size,
                                bool data);
/* Whether what cannot be written there may become private memory to write to. */
bool resource_may_write(const struct memory *memory, uintptr_t start, size_t size);

#endif
