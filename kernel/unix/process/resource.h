/* resource.h - limits that a process sets for itself (setrlimit(2)).
 *
 * Enforced limits: descriptors (NOFILE); the growth of a stack made by execve(), or later by mmap()
 * (STACK); all memory (AS); private writable memory (DATA). NPROC reports how many processes there
 * can be; as on Linux, root may exceed it. Other limits are stored without effect. So RLIMIT_CPU
 * and RLIMIT_FSIZE, on which programs rely, cannot be set. */
#pragma once
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

enum { REAL, EFFECTIVE, SAVED, IDS };

/* Settings of a process, which its children inherit. */
struct settings {
        struct resource limits[RLIMITS];
        uint32_t ids[2][IDS]; /* ids of users, of groups: ids.c */
        int nice;             /* reported only: priority.c */
        bool undumpable;      /* prctl.c */
        bool adopts;          /* adopts orphaned descendants; not inherited */
};

struct memory;
struct process;

const struct settings *settings_of(const struct process *process); /* but for the limits */
/* A process's own settings, for changes. NULL = out of memory. */
struct settings *resource_settings(struct process *process);
/* Inherits the parent's settings. False = out of memory. */
bool resource_begin(struct process *process, const struct process *parent);
struct resource resource_of(const struct process *process, unsigned which);
/* The current process's limit; no process, no limit. */
uint64_t resource_limit(unsigned which);
/* Bytes that its stack may grow to: 8 MiB, less on a small machine, or its setting. */
size_t resource_stack(void);
/* Whether its memory may grow by this size, `data`: by private writable memory. */
bool resource_has_room(const struct memory *memory, size_t size, bool data);
/* The same if it replaces the areas there. */
bool resource_has_room_in_place(const struct memory *memory, uintptr_t start, size_t size,
                                bool data);
/* Whether read-only memory there may become private writable memory. */
bool resource_may_write(const struct memory *memory, uintptr_t start, size_t size);
