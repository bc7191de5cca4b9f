/* thread.h - threads of programs, and the list of all threads. */
#pragma once
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
        THREAD_READY, /* running or ready */
        THREAD_SLEEPING,
        THREAD_STOPPED, /* SIGSTOP, until SIGCONT */
        THREAD_ENDED,   /* or not yet complete: it may have no process */
        THREAD_NONE     /* a list entry that is not a thread (schedule.h) */
};

/* The hand-off, toll_hand() (process/handoff.c). */
struct handoff {
        struct thread *partner; /* partner of the last call; itself = none, or ended */
        struct thread *takes;   /* waits for a word from this thread */
        bool gives;             /* `word`, when the partner takes it */
        int word;
};

/* A Unix process's part of a thread follows it in memory (unix/process/task.h). */
struct thread {
        uint32_t pid;          /* process id, for getpid. THREAD_PID: entry/service.asm reads it */
        uint32_t faults;       /* resolved page faults. THREAD_FAULTS: arch's vectors.asm */
        struct memory *memory; /* THREAD_MEMORY: arch's vectors.asm. clone() shares or copies it */
        void *kernel_sp;       /* while not running; behind it (arch/stacks.asm) */
        uint32_t tid;
        enum origin origin;
        enum thread_state state;
        uint8_t work;            /* WORK_ bits while not running; cpu_work while running */
        bool trusted;            /* runs at CPL 0, on supervisor pages */
        bool measures;           /* may select rows, be quiet, register (toll.h) */
        bool quiet;              /* devices masked, IF off */
        bool chooses;            /* a row is selected in `armed` */
        bool registered;         /* stamps are written to its probe page */
        uint32_t choice;         /* of these and its origin: equal = same mechanisms (posture.c) */
        uint32_t posture;        /* plus segments: equal = the processor's state can stay */
        const struct ways *ways; /* its origin's */
        uintptr_t limit;         /* upper bound for pointers in its calls (thread/user.h) */
        uintptr_t stack_top;     /* kernel stack */
        uintptr_t probe_frame;
        struct selection armed[MECHANISMS];

        struct thread *next, **back; /* in the list of all threads */
        struct thread *next_ready;   /* in the scheduler's list */
        struct thread *next_waiter;  /* in a struct waiters */
        struct thread *next_timed;   /* among sleepers with a timeout */
        struct waiters *waits_on;
        struct handoff handoff;
        uint64_t wakes_at; /* a moment (clock/page.h), if `timed` */
        bool timed;
        struct segments segments;                      /* while not running (arch's context.h) */
        uint8_t fpu[512] __attribute__((aligned(16))); /* FXSAVE, or FNSAVE on older processors */
};
_Static_assert(offsetof(struct thread, pid) == THREAD_PID, "thread");
_Static_assert(offsetof(struct thread, memory) == THREAD_MEMORY, "thread");
_Static_assert(offsetof(struct thread, kernel_sp) == THREAD_MEMORY + WORD, "thread");
_Static_assert(offsetof(struct thread, faults) == THREAD_FAULTS, "thread");

/* A thread's WORK_ bits: cpu_work while it runs. */
static inline uint8_t *work_of(struct thread *thread)
{
        return thread == cpu_current ? &cpu_work : &thread->work;
}

/* Whether the current program uses 32-bit structures. */
static inline bool call_narrow(void)
{
        return WORD == 4 || cpu_current->origin == ORIGIN_COMPAT;
}

/* Size of the current program's pointers and longs. */
static inline unsigned program_word(void)
{
        return call_narrow() ? 4 : 8;
}

struct thread *thread_find(uint32_t tid);                /* if it has not ended; NULL = none */
struct frame *thread_frame(const struct thread *thread); /* at the top of its kernel stack */

#define THREADS 200     /* limited by kernel stacks (mem/space.c) */
#define PID_MAX 4194304 /* Linux's on 64 bits; then numbers start again */
unsigned thread_count(void), thread_ready_count(void); /* number of all threads, of ready ones */
extern uint32_t thread_last;                           /* the last tid in use */

/* A new thread without a process, not yet ready; an empty frame is on its kernel stack. NULL = no
 * room. */
struct thread *thread_create(void);
/* Frees everything it holds; it must have ended or never run. */
void thread_destroy(struct thread *thread);
/* Frees all but the kernel stack and the thread itself: a zombie needs no more. */
void thread_let_go(struct thread *thread);
