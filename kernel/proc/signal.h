/*
 * signal.h - Linux's signals: numbers, defaults, handlers, masks, frames.
 *
 * A frame on the program's stack is built by arch/<arch>/sigframe (32-bit programs: Linux's i386
 * layout, under both kernels).
 */
#ifndef TOLLGATE_SIGNAL_H
#define TOLLGATE_SIGNAL_H

#include <stdbool.h>
#include "arch.h"

enum {
        SIGHUP = 1,
        SIGINT,
        SIGQUIT,
        SIGILL,
        SIGTRAP,
        SIGABRT,
        SIGBUS,
        SIGFPE,
        SIGKILL,
        SIGUSR1,
        SIGSEGV,
        SIGUSR2,
        SIGPIPE,
        SIGALRM,
        SIGTERM,
        SIGCHLD = 17,
        SIGCONT,
        SIGSTOP,
        SIGTSTP,
        SIGTTIN,
        SIGTTOU,
        SIGURG,
        SIGWINCH = 28,
        SIGNALS = 64
};
#define SIGNAL_BIT(signal) ((uint64_t)1 << ((signal)-1))
#define SIGNALS_UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))

#define SIG_DFL 0
#define SIG_IGN 1

/* sa_flags */
#define SA_NOCLDSTOP 0x1
#define SA_NOCLDWAIT 0x2
#define SA_SIGINFO 0x4
#define SA_EXPOSE_TAGBITS 0x800
#define SA_RESTORER 0x04000000
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000

/* ss_flags */
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define SS_AUTODISARM 0x80000000
#define MINSIGSTKSZ 2048

/* si_code (asm-generic/siginfo.h) */
#define SI_USER 0
#define SI_KERNEL 0x80
#define SI_TKILL -6
#define ILL_ILLOPN 2
#define FPE_INTDIV 1
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define BUS_ADRALN 1
#define TRAP_BRKPT 1
#define TRAP_TRACE 2
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_STOPPED 5
#define CLD_CONTINUED 6

struct signal_info {
        int signal, code;
        uintptr_t address;    /* of a fault */
        uint32_t sender;      /* pid, of kill and SIGCHLD */
        int status;           /* of SIGCHLD */
        unsigned trap, error; /* of a fault: vector and error code, as the sigcontext has them */
};

struct signal_action {
        uintptr_t handler; /* 0 = SIG_DFL, 1 = SIG_IGN */
        uint64_t mask;
        unsigned flags; /* SA_ */
        uintptr_t restorer;
};

/* Shared by threads (CLONE_SIGHAND); copied by fork. */
struct signal_actions {
        unsigned users;
        struct signal_action of[SIGNALS + 1];
};

/* Per thread. Of a signal that comes twice before it is delivered, one stays (as Linux's below 32;
 * there is no queue). */
struct signal_state {
        uint64_t pending, mask;
        uint64_t saved_mask; /* what rt_sigsuspend puts back, if `suspended` */
        bool suspended;
        struct signal_info info[32];       /* of pending signals 1 to 31 */
        uintptr_t stack_start, stack_size; /* sigaltstack */
        unsigned stack_flags;
};

struct process;

/* Marks a signal pending and wakes the process if it wants it. An ignored signal is dropped. */
void signal_send(struct process *process, const struct signal_info *info);
/* To one thread of the program `pid`, one that does not block it if there is one. 0, or -ESRCH. */
int signal_send_program(uint32_t pid, const struct signal_info *info);
/* After the current thread has opened its mask: what was sent to the program, and waits in another
 * thread that blocks it, is this one's now. */
void signal_take_over(void);
/* To every process of a process group. 0, or -ESRCH. */
int signal_send_group(uint32_t group, const struct signal_info *info);
void signal_send_all(int signal); /* to every process */
/* The process has stopped, or goes on: its parent is told. `signal`: by which. */
void signal_changed(struct process *process, int code, int signal);
/* Whether the ends of its children are none of its business (SIGCHLD ignored: wait(2), "Notes"). */
bool signal_ignores_children(const struct process *process);
bool signal_ignored(const struct process *process, int signal);
bool signal_stops(int signal); /* by default */
/* Whether a signal is pending that the process neither blocks nor ignores. */
bool signal_wanted(const struct process *process);

/* On the way out to a program: delivers what is pending by changing the frame, or ends the
 * process. Called by work_do. */
void signal_deliver(struct frame *frame);

struct signal_actions *signal_actions_create(void);
struct signal_actions *signal_actions_copy(const struct signal_actions *from);
void signal_actions_release(struct signal_actions *actions);
void signal_actions_reset(struct signal_actions *actions); /* execve: handlers to default */

#endif
