/* process.h - programs: one at a time, each in its own address space. */
#ifndef TOLLGATE_PROCESS_H
#define TOLLGATE_PROCESS_H

#include <stdbool.h>
#include "arch.h"
#include "context.h"
#include "entry/entry.h"
#include "mem/memory.h"
#include "proc/schedule.h"
#include "proc/signal.h"

struct memory;
struct files;
struct node;

/* A word of memory that threads wait on: in the memory of one program, or (NULL) in a frame that
 * programs share. */
struct futex_key {
        const struct memory *memory;
        uintptr_t address; /* 0 = none */
};

enum thread_state {
        THREAD_READY, /* runs, or waits for its turn */
        THREAD_SLEEPING,
        THREAD_STOPPED, /* SIGSTOP, until SIGCONT */
        THREAD_ENDED    /* waits for its parent to ask */
};

/* Of toll_hand() (hand.c). */
struct hand {
        struct thread *partner; /* of the last call; itself = none, or it has ended */
        struct thread *takes;   /* waits for a word from this one */
        bool gives;             /* `word`, when the partner comes to take it */
        int word;
};

/* A thread; threads of one program share memory, files, signal actions, and the pid. */
struct thread {
        uint32_t pid; /* of the program: getpid. THREAD_PID: entry/service.asm reads it */
        uint32_t tid;
        uint32_t group, session; /* process group, session: the pids of their leaders */
        const char *path;        /* heap */
        enum origin origin;
        enum thread_state state;
        uint8_t work;        /* WORK_ bits while it does not run; cpu_work while it does */
        bool trusted;        /* runs at CPL 0, on supervisor pages */
        bool measures;       /* may select rows, be quiet, register (toll.h) */
        bool quiet;          /* devices masked, IF off */
        bool chooses;        /* a row is selected in `armed` */
        bool registered;     /* the stamps come to its probe page */
        uint32_t posture;    /* of these, origin, segments: equal = the processor need not change */
        uintptr_t stack_top; /* kernel stack */
        void *kernel_sp;     /* while it does not run */
        uintptr_t probe_frame;
        struct selection armed[MECHANISMS];

        struct memory *memory;
        struct files *files;
        struct node *folder; /* the current one, NULL = / */
        struct signal_actions *actions;
        struct signal_state signals;

        struct thread *parent, *next; /* `next` in the list of all */
        struct thread *next_ready;    /* in the scheduler's list */
        struct thread *next_waiter;   /* in a struct waiters */
        struct thread *next_timed;    /* among sleepers with an end */
        struct waiters *waits_on;
        struct hand hand;
        uint32_t wakes_at; /* timer_ticks, if `timed` */
        bool timed;
        bool resumes; /* a sleep that a signal interrupted is made again: it ends at `wakes_at` */
        struct waiters children; /* woken when a child ends or stops */
        int status;              /* as wait4() gives it */
        bool changed;            /* it has stopped or gone on, and nobody has asked yet */
        bool kept;               /* process_run() takes it apart */
        bool adopted;            /* its parent is not who made it */
        bool forgotten;          /* it has ended, and nobody will ask */
        uint32_t ticks;          /* of the timer, while it ran */
        uintptr_t clear_tid;     /* CLONE_CHILD_CLEARTID: zeroed, and its futex woken, at the end */
        struct futex_key futex;  /* what it waits for in FUTEX_WAIT */
        uint32_t futex_bits;     /* who may wake it */
        struct segments segments; /* while it does not run (arch's context.h) */
        uint8_t fpu[512] __attribute__((aligned(16))); /* FXSAVE, or FNSAVE where there is none */
};
_Static_assert(offsetof(struct thread, pid) == THREAD_PID, "thread");

/* Of the one processor, at absolute addresses (entry/ uses them before it has a stack). */
extern struct thread *cpu_current; /* NULL while the kernel itself runs */
extern uintptr_t cpu_stack;        /* the top of the kernel stack that entries start on */
extern uint8_t cpu_work;           /* WORK_ bits that the way out must see to */
extern uint8_t cpu_trusted;        /* 1 while a trusted program is current */

/* Timer and terminal set bits in interrupts; all others are set in process context. */
#define WORK_SINGLE_STEP 1       /* TF was taken off at the entry: leave by IRET with it */
#define WORK_EXIT 2              /* the process has ended in an interrupt or in its last call */
#define WORK_INPUT 4             /* the terminal has bytes to look at */
#define WORK_SIGNAL 8            /* a signal is pending that it wants */
#define WORK_RESCHEDULE 16       /* it is somebody else's turn */
#define WORK_STOP 32             /* another thread of it took a signal that stops */
#define WORK_GLOBAL (WORK_INPUT) /* nobody's in particular: goes on with the next process */

/* Where the WORK_ bits of a process are: cpu_work while it runs. */
static inline uint8_t *work_of(struct thread *thread)
{
        return thread == cpu_current ? &cpu_work : &thread->work;
}

/* In one instruction: interrupts add work, too. */
static inline void work_add(uint8_t bits)
{
        __asm__ volatile("orb %1, %0" : "+m"(cpu_work) : "ri"(bits));
}

extern struct thread *threads;                             /* all of them */
bool process_in_session(uint32_t group, uint32_t session); /* one of that group */
struct thread *thread_find(uint32_t pid);                  /* by tid; NULL = none */
struct thread *process_first_thread(uint32_t pid);         /* of a program, ended or not */

/* Runs a program to its end, and ends all that it has left running. The exit status, 128 + the
 * signal that killed it, or -errno if it could not start (said why). */
int process_run(const char *path, char *const arguments[]);

/* A new process or thread with the current one as its parent, not yet ready: its kernel stack has
 * an empty frame on top. NULL = no room for one more. fork.c, process_run. */
struct thread *thread_create(void);
struct frame *thread_frame(const struct thread *thread);
/* Gives back all that it holds; it must have ended, or never have run. */
void thread_destroy(struct thread *thread);
/* The same but for the kernel stack and itself: what waits to be asked for needs no more. */
void thread_let_go(struct thread *thread);
/* Whether no other thread of its program lives. */
bool process_is_last(const struct thread *thread);
/* Takes apart what has ended and nobody asks for. */
void threads_reap(void);

/* The page that the user half stamps. */
uintptr_t thread_probe_frame(const struct thread *thread);

/* posture.c: after a change to origin, trusted, quiet, chooses, registered or segments.special; the
 * processor follows if it is the current process. */
void posture_changed(struct thread *thread);
/* At a process switch, if it differs from what the processor is set up for. */
extern uint32_t posture_now;
void posture_assume(const struct thread *thread);
void posture_drop(void); /* no program's: the kernel alone */

void hand_end(struct thread *thread); /* hand.c: it hands nothing over any more */

/* Ends the current process with a wait status, as wait4() gives it: at the latest on its way out
 * of the kernel. _group: and all its threads. */
void process_end(int status);
void process_end_group(int status);
void process_stop(void);         /* this thread, until SIGCONT or SIGKILL comes to the program */
void process_end_by(int signal); /* the whole program, killed by a signal */
#define STATUS_EXIT(code) (((code)&0xff) << 8)
#define STATUS_SIGNAL(signal) (signal)
#define STATUS_STOPPED(signal) ((signal) << 8 | 0x7f)
#define STATUS_CONTINUED 0xffff

/* Zeroes clear_tid for who joins this thread (proc/futex.c). */
void thread_clear_tid(struct thread *thread);

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

/* What a call returns that a signal has interrupted: -ERESTARTSYS or -ERESTARTNOHAND, as `how` says
 * without the sign, which the way out settles; -EINTR where it may not look for work. */
static inline long call_interrupted(long how)
{
        return cpu_current->chooses ? -EINTR : -how;
}

/* No frame was left for a page that the current program asked for: said, and the end of it. */
void process_out_of_memory(void);

/* kernel/proc/fault.c: an exception that the current program caused: a signal to its handler, or
 * said in a sentence, and the end of it. `found`: what a page fault has found. */
void process_fault(unsigned vector, struct frame *frame, enum fault found);
/* The same for a stack that could not take the words of a way out (arch/i386/return.asm). */
void process_stack_fault(struct frame *frame);

/* Out to the program by IRET with the frame that a FRAME_CALL has made anew, whatever row it came
 * through. */
_Noreturn void frame_leave(void);

/* IRET or SYSEXIT refused what the program gave it to return with: the end of the program. */
_Noreturn void process_refused(void);

/* A trusted program jumped into the kernel's half, and what it found there faulted. The first on
 * the program's stack (arch/exit.asm). */
_Noreturn void entry_strayed(void);
_Noreturn void process_strayed(void);
/* Whether code of the kernel's half runs on a stack of the program's, as only a jump makes it. */
static inline bool process_has_strayed(uintptr_t sp)
{
        return cpu_trusted && sp < KERNEL_BASE;
}

/* Ends the current program by SIGSEGV at once, from any depth of the kernel. */
_Noreturn void process_kill(const char *why);

/* What is pending on the way out (cpu_work): ends the process, or mends the frame. */
void work_do(struct frame *frame);

/* Whether the interrupted code is a program's: CPL 3; or, where a trusted program runs, an
 * instruction pointer in its half or where an entry uses its stack. Never the stack pointer, which
 * a program can move. */
bool from_user_elsewhere(const struct frame *frame);
static inline bool from_user(const struct frame *frame)
{
        return frame->cs & 3 || (cpu_trusted && frame->ip < KERNEL_BASE) ||
               from_user_elsewhere(frame);
}

/* Where execve() finds its strings: the kernel's own, or a program's. */
struct exec_strings {
        uintptr_t arguments, environment;                   /* arrays of pointers, 0 at the end */
        unsigned width;                                     /* of a pointer, in bytes */
        int (*read)(void *to, uintptr_t from, size_t size); /* user_read() or the like */
};
/* kernel/proc/exec.c: a new memory, and the registers to begin with in `frame`. 0 or -errno (said
 * why, if `aloud`); the process is as it was then. */
int exec_load(struct thread *thread, const char *path, const struct exec_strings *strings,
              struct frame *frame, bool aloud);

#endif
