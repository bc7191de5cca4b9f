/* thread.h - threads of programs, and the list of all. */
#ifndef TOLLGATE_CORE_THREAD_THREAD_H
#define TOLLGATE_CORE_THREAD_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include "arch.h"
#include "context.h"
#include "cpu/current.h"
#include "cpu/work.h"
#include "entry/entry.h"
#include "origin.h"
#include "thread/schedule.h"

struct memory;
struct ways;

enum thread_state {
        THREAD_READY, /* runs, or waits for its turn */
        THREAD_SLEEPING,
        THREAD_STOPPED, /* SIGSTOP, until SIGCONT */
        THREAD_ENDED,   /* or it is still being made: it may have no process yet */
        THREAD_NONE     /* an entry in a list of waiters that is no thread (schedule.h) */
};

/* The hand-off, toll_hand() (process/handoff.c). */
struct handoff {
        struct thread *partner; /* of the last call; itself = none, or it has ended */
        struct thread *takes;   /* waits for a word from this one */
        bool gives;             /* `word`, when the partner comes to take it */
        int word;
};

/* The part of a Unix process's thread follows it in memory (unix/process/task.h). */
struct thread {
        uint32_t pid;    /* its process's: getpid. THREAD_PID: entry/service.asm reads it */
        uint32_t faults; /* page faults that were resolved. THREAD_FAULTS: arch's vectors.asm */
        struct memory
                *memory; /* THREAD_MEMORY: arch's vectors.asm. Shared or copied as clone() says */
        uint32_t tid;
        enum origin origin;
        enum thread_state state;
        uint8_t work;            /* WORK_ bits while it does not run; cpu_work while it does */
        bool trusted;            /* runs at CPL 0, on supervisor pages */
        bool measures;           /* may select rows, be quiet, register (toll.h) */
        bool quiet;              /* devices masked, IF off */
        bool chooses;            /* a row is selected in `armed` */
        bool registered;         /* the stamps come to its probe page */
        uint32_t choice;         /* of these and its origin: equal = the same ways in (posture.c) */
        uint32_t posture;        /* with the segments: equal = the processor need not change */
        const struct ways *ways; /* its origin's */
        uintptr_t limit;         /* bound of the pointers of its calls (thread/user.h) */
        uintptr_t stack_top;     /* kernel stack */
        void *kernel_sp;         /* while it does not run */
        uintptr_t probe_frame;
        struct selection armed[MECHANISMS];

        struct thread *next, **back; /* in the list of all */
        struct thread *next_ready;   /* in the scheduler's list */
        struct thread *next_waiter;  /* in a struct waiters */
        struct thread *next_timed;   /* among sleepers with an end */
        struct waiters *waits_on;
        struct handoff handoff;
        uint64_t wakes_at; /* a moment (clock/page.h), if `timed` */
        bool timed;
        struct segments segments; /* while it does not run (arch's context.h) */
        uint8_t fpu[512] __attribute__((aligned(16))); /* FXSAVE, or FNSAVE where there is none */
};
_Static_assert(offsetof(struct thread, pid) == THREAD_PID, "thread");
_Static_assert(offsetof(struct thread, memory) == THREAD_MEMORY, "thread");
_Static_assert(offsetof(struct thread, faults) == THREAD_FAULTS, "thread");

/* Where the WORK_ bits of a thread are: cpu_work while it runs. */
static inline uint8_t *work_of(struct thread *thread)
{
        return thread == cpu_current ? &cpu_work : &thread->work;
}

/* Whether the current program's structures are those of 32 bits. */
static inline bool call_narrow(void)
{
        return WORD == 4 || cpu_current->origin == ORIGIN_COMPAT;
}

/* Bytes of a pointer, and of a long, of the current program. */
static inline unsigned program_word(void)
{
        return call_narrow() ? 4 : 8;
}

struct thread *thread_find(uint32_t tid);                /* one that has not ended; NULL = none */
struct frame *thread_frame(const struct thread *thread); /* on top of its kernel stack */

#define THREADS 200     /* kernel stacks are the scarcest they need (mem/space.c) */
#define PID_MAX 4194304 /* Linux's on 64 bits; behind it the numbers begin again */
unsigned thread_count(void), thread_ready_count(void); /* of all; of those that run or could */
uint32_t thread_last(void);                            /* the last tid that was given */

/* A new thread, of no process yet, not yet ready: its kernel stack has an empty frame on top. NULL
 * = no room for one more. */
struct thread *thread_create(void);
/* Gives back all that it holds; it must have ended, or never have run. */
void thread_destroy(struct thread *thread);
/* The same but for the kernel stack and the thread itself: a zombie needs no more. */
void thread_let_go(struct thread *thread);

#endif
