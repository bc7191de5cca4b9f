/* process.h - programs: one at a time, each in its own address space. */
#ifndef TOLLGATE_PROCESS_H
#define TOLLGATE_PROCESS_H

#include <stdbool.h>
#include "arch.h"
#include "entry/entry.h"
#include "proc/schedule.h"
#include "proc/signal.h"

struct memory;
struct files;
struct node;

enum process_state {
        PROCESS_READY, /* runs, or waits for its turn */
        PROCESS_SLEEPING,
        PROCESS_STOPPED, /* SIGSTOP, until SIGCONT */
        PROCESS_ENDED    /* waits for its parent to ask */
};

/* A thread; threads of one program share memory, files, signal actions, and the pid. */
struct process {
        uint32_t pid; /* of the program: getpid. PROCESS_PID: entry/service.asm reads it */
        uint32_t tid;
        uint32_t group, session; /* process group, session: the pids of their leaders */
        const char *path;        /* heap */
        enum mode mode;
        enum process_state state;
        uint8_t work;    /* WORK_ bits while it does not run; cpu_work while it does */
        bool trusted;    /* runs at CPL 0, on supervisor pages */
        bool measures;   /* may select rows, be quiet, register: it came from the command line */
        bool quiet;      /* devices masked, IF off */
        bool registered; /* the stamps come to its probe page */
        uintptr_t stack_top; /* kernel stack */
        void *kernel_sp;     /* while it does not run */
        uintptr_t probe_frame;
        struct selection armed[MECHANISMS];

        struct memory *memory;
        struct files *files;
        struct node *folder; /* the current one, NULL = / */
        struct signal_actions *actions;
        struct signal_state signals;

        struct process *parent, *next; /* `next` in the list of all */
        struct process *next_ready;    /* in the scheduler's list */
        struct process *next_waiter;   /* in a struct waiters */
        struct waiters *waits_on;
        uint32_t wakes_at; /* timer_ticks, if `timed` */
        bool timed;
        struct waiters children; /* woken when a child ends or stops */
        int status;              /* as wait4() gives it */
        uintptr_t clear_tid;     /* CLONE_CHILD_CLEARTID: zeroed, and its futex woken, at the end */
        uintptr_t thread_base;   /* amd64: FS base; i386 and compat: the TLS segment's base */
        uint64_t thread_segments[3]; /* i386 and compat: descriptors of the GDT's TLS entries */
        uint8_t fpu[512] __attribute__((aligned(16))); /* FXSAVE, or FNSAVE where there is none */
};
_Static_assert(offsetof(struct process, pid) == PROCESS_PID, "process");

/* Of the one processor, at absolute addresses (entry/ uses them before it has a stack). */
extern struct process *cpu_current; /* NULL while the kernel itself runs */
extern uintptr_t cpu_stack;         /* the top of the kernel stack that entries start on */
extern uint8_t cpu_work;            /* WORK_ bits that the way out must see to */
extern uint8_t cpu_trusted;         /* 1 while a trusted program is current */

#define WORK_SINGLE_STEP 1 /* TF was taken off at the entry: leave by IRET with it */
#define WORK_EXIT 2        /* the process has ended in an interrupt or in its last call */
#define WORK_SIGNAL 8      /* a signal may be due */

/* In one instruction: interrupts add work, too. */
static inline void work_add(uint8_t bits)
{
        __asm__ volatile("orb %1, %0" : "+m"(cpu_work) : "ri"(bits));
}

/* Runs a program to its end. The exit status, or -errno if it could not start (said why). */
int process_run(const char *path, char *const arguments[]);

/* Directs the kernel half's stamps to the process's page if it is registered. */
void process_point_probes(const struct process *process);

/* Ends the current process: at the latest on its way out of the kernel. */
void process_end(int status);
void process_end_by(int signal);  /* the same, killed by a signal */
extern struct process *processes; /* all, linked by `next` */

/* kernel/proc/fault.c: an exception that the current program caused: a signal to its handler, or
 * said in a sentence, and the end of it. */
void process_fault(unsigned vector, struct frame *frame);

/* Out to the program by IRET with the frame that a FRAME_CALL has made anew, whatever row it came
 * through. */
_Noreturn void frame_leave(void);

/* IRET or SYSEXIT refused what the program gave it to return with: the end of the program. */
_Noreturn void process_refused(void);

/* What is pending on the way out (cpu_work): ends the process, or mends the frame. */
void work_do(struct frame *frame);

/* Whether the interrupted code is a program's: CPL 3; or, where a trusted program runs, an
 * instruction pointer in its half or where an entry uses its stack. Never the stack pointer, which
 * a program can move. */
bool from_user(const struct frame *frame);

/* kernel/proc/exec.c: fills the new process's space and first frame. 0 or -errno (said why). */
int exec_load(struct process *process, const char *path, char *const arguments[],
              struct frame *frame);

#endif
