/* large.h - what the parts of the suite large share. */
#pragma once
#include "child.h"
#include "linux.h"
#include "result.h"
#include "signals.h"

#define SIZE (64u << 20)
#define SLEEP 1000000 /* ns */
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define POLLERS 20
#define POLLED 1000

/* ways.c: a call whose length depends on a program's memory, or on what it has open. */
struct way {
        const char *name;
        bool (*run)(void);
        bool beside; /* a thread */
};
extern const struct way ways[];
extern const unsigned way_count;
extern size_t bytes; /* that the next one uses */
extern unsigned mappings;
extern bool counted;               /* records were counted: no more may appear */
extern const struct timespec span; /* SLEEP */
extern uint8_t thread_stack[4096];

uintptr_t touch(uintptr_t at, size_t size); /* writes to each page; returns `at` */
uintptr_t mapped(void);                     /* new pages: `bytes` */

int large_file(long *error); /* of 3/2 `bytes` */
bool removes_mapped(void);   /* one; its last user is a mapping */

/* execs.c */
bool executes(void), executes_nothing(void), executes_beside_locks(void), executes_mapped(void),
        executes_in_thread(void), waits_for_locks(void);

/* races.c */
void try_chains(void), try_wakes(void), try_misses(void), try_room(void), try_copies(void),
        try_written(const char *self), try_seek(void), try_appends(void), try_words(void),
        try_ends(void), try_parts(void), try_shared_position(void);
