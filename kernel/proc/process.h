/* process.h - programs: one at a time, each in its own address space. */
#ifndef TOLLGATE_PROCESS_H
#define TOLLGATE_PROCESS_H

#include <stdbool.h>
#include "arch.h"
#include "entry/entry.h"

struct process {
        uint32_t pid; /* PROCESS_PID: entry/service.asm reads it */
        const char *path;
        enum mode mode;
        uintptr_t space;     /* root page table */
        uintptr_t limit;     /* end of the memory it may name to the kernel */
        uintptr_t stack_top; /* kernel stack */
        void *kernel_sp;     /* while it does not run */
        uintptr_t probe_frame;
        struct selection armed[MECHANISMS];
        bool trusted;  /* runs at CPL 0, on supervisor pages */
        bool measures; /* may select rows, be quiet, register: it came from the command line */
        bool quiet;
        bool registered;
        int status; /* of exit, or 128 + the signal that would have killed it */
};
_Static_assert(offsetof(struct process, pid) == PROCESS_PID, "process");

/* Of the one processor, at absolute addresses (entry/ uses them before it has a stack). */
extern struct process *cpu_current; /* NULL while the kernel itself runs */
extern uintptr_t cpu_stack;         /* the top of the kernel stack that entries start on */
extern uint8_t cpu_work;            /* WORK_ bits that the way out must see to */
extern uint8_t cpu_trusted;         /* 1 while a trusted program is current */

#define WORK_SINGLE_STEP 1 /* TF was taken off at the entry: leave by IRET with it */
#define WORK_EXIT 2        /* the process has ended in an interrupt or in its last call */

/* Runs a program to its end. The exit status, or -errno if it could not start (said why). */
int process_run(const char *path, char *const arguments[]);

/* Directs the kernel half's stamps to the process's page if it is registered. */
void process_point_probes(const struct process *process);

/* Ends the current process: at the latest on its way out of the kernel. */
void process_end(int status);
/* An exception that the current program caused: said in a sentence, and the end of it. */
void process_fault(unsigned vector, struct frame *frame);

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
