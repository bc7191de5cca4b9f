/*
 * signal.h - Linux's signals: defaults, handlers, masks, frames. Numbers and flags are in uapi.h.
 *
 * A frame on the program's stack is built by arch/<arch>/sigframe (32-bit programs: Linux's i386
 * layout, under both kernels).
 */
#ifndef TOLLGATE_UNIX_PROCESS_SIGNAL_H
#define TOLLGATE_UNIX_PROCESS_SIGNAL_H

#include <stdbool.h>
#include "arch.h"
#include "uapi.h"

struct signal_info {
        int signal, code;
        uint32_t sender, user; /* pid, of kill and SIGCHLD; its user, as it says itself */
        uintptr_t address;     /* of a fault */
        uintptr_t value;       /* of SIGCHLD the status; of a queued signal what came with it */
        unsigned error;        /* of a fault: as the sigcontext has it, and so the vector */
        uint8_t trap;
        uint8_t flags; /* while it is pending */
};
#define SIGNAL_SHARED 1  /* sent to the process: any of its threads may take it */
#define SIGNAL_FOREIGN 2 /* another program has sent it */

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

#define SIGNAL_QUEUED                                                                              \
        32 /* and above: real-time signals, which all stay until they are delivered                \
            */

/* Per thread. Of a signal below 32 that comes twice before it is delivered, one stays. */
struct signal_state {
        uint64_t pending, mask;
        uint64_t waited; /* what rt_sigtimedwait wakes up for, if it `waits` */
        bool waits;
        struct queued_signal *queue;
        uint64_t saved_mask; /* what rt_sigsuspend puts back, if `suspended` */
        bool suspended;
        struct signal_info info[32];       /* of pending signals 1 to 31 */
        uintptr_t stack_start, stack_size; /* sigaltstack */
        unsigned stack_flags;
};

struct process;
struct thread;

/* Marks a signal pending and wakes the thread if it wants it. An ignored signal is dropped, and so
 * is one from who may not send it: every signal comes this way. 0, or -EAGAIN: there is no room to
 * queue it. */
int signal_send(struct thread *thread, const struct signal_info *info);
/* To one of its threads, one that does not block it if there is one. 0, -ESRCH, -EAGAIN. */
int signal_send_to(const struct process *process, const struct signal_info *info);
int signal_send_process(uint32_t pid, const struct signal_info *info);
/* As a call asks: to that process, or (not 0) to that thread of it; pid 0: of any. Signal 0 sends
 * nothing. 0, -EINVAL, -ESRCH, -EAGAIN. */
long signal_send_checked(uint32_t pid, uint32_t tid, const struct signal_info *info);
/* After the current thread has opened its mask, or begun to wait for these: those sent to the
 * process that wait in another thread, which blocks them, are this one's now. */
void signal_take_over(uint64_t signals);
/* Before a thread ends: those sent to the process that wait in it, in another of its threads. */
void signal_leave_to_others(struct thread *thread);
/* The current thread waits with another mask: its own comes back on its way out, or in the frame of
 * the handler that ends the wait. */
void signal_suspend(uint64_t mask);
/* struct siginfo of the program's: 0 or -EFAULT. siginfo.c */
int siginfo_write(uintptr_t to, const struct signal_info *info);
/* To every process of a process group. 0, or -ESRCH. */
int signal_send_group(uint32_t group, const struct signal_info *info);
/* The process has stopped, or goes on: its parent is told. `signal`: by which. */
void signal_changed(struct process *process, int code, int signal);
/* Whether the ends of a living process's children are none of its business (SIGCHLD ignored:
 * wait(2), "Notes"). */
bool signal_ignores_children(const struct process *process);
bool signal_ignored(const struct thread *thread, int signal);
bool signal_stops(int signal); /* by default */
/* Of one that is delivered: another program's, to that which the kernel started. */
bool signal_spares(const struct thread *thread, int signal);
int signal_first(uint64_t set); /* which of those pending is delivered first */

/* signal_queue.c: what is known of pending signals. Made pending, false = no room; the first of
 * that number, which is pending no more, unless there is another; none of these any more; whether
 * the first one pending was sent to the process. */
bool signal_enqueue(struct signal_state *s, const struct signal_info *info, unsigned flags);
static inline bool signal_note(struct signal_state *s, const struct signal_info *info,
                               unsigned flags)
{
        if (info->signal >= SIGNAL_QUEUED)
                return signal_enqueue(s, info, flags);
        s->pending |= 1u << (info->signal - 1);
        s->info[info->signal] = *info;
        s->info[info->signal].flags = (uint8_t)flags;
        return true;
}
void signal_take(struct signal_state *s, int signal, struct signal_info *info);
/* All of a real-time number that were sent to the process, in order, behind those of the other. */
void signal_move(struct signal_state *from, struct signal_state *to, int signal);
void signal_forget(struct signal_state *s, uint64_t signals);
bool signal_is_shared(const struct signal_state *s, int signal);
/* Whether a signal is pending that the thread neither blocks nor ignores. */
bool signal_wanted(const struct thread *thread);
bool signal_kills(const struct thread *thread); /* one is pending that will be the end of it */

/* On the way out to a program: delivers what is pending by changing the frame, or ends the
 * process. Called by work_do. */
void signal_deliver(struct frame *frame);

struct signal_actions *signal_actions_create(void);
struct signal_actions *signal_actions_copy(const struct signal_actions *from);
void signal_actions_release(struct signal_actions *actions);
void signal_actions_reset(struct signal_actions *actions); /* execve: handlers to default */

#endif
