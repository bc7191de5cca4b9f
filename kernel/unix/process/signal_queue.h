/* signal_queue.h - a signal's information, and a thread's pending signals. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "uapi.h"

struct signal_info {
        int signal, code;
        uint32_t sender, user; /* sender of kill and SIGCHLD: pid and user, as claimed */
        uintptr_t address;     /* address of a fault */
        uintptr_t value;       /* SIGCHLD's status; a queued signal's value */
        unsigned error;        /* a fault's error code and vector, for the sigcontext */
        uint8_t trap;
        uint8_t flags; /* while pending */
};
#define SIGNAL_SHARED 1  /* sent to the process: any thread may take it */
#define SIGNAL_FOREIGN 2 /* sent by another program */

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

#define SIGNAL_QUEUED 32 /* and above: real-time signals, which all stay until delivered */

/* Per thread. A second signal below 32 before the delivery of the first is dropped. */
struct signal_state {
        uint64_t pending, mask;
        uint64_t waited; /* the signals rt_sigtimedwait waits for, if `waits` */
        bool waits;
        struct queued_signal *queue;
        uint64_t saved_mask; /* the mask that rt_sigsuspend restores, if `suspended` */
        union {
                struct {
                        bool suspended;
                        bool alarm; /* its process's timer sent SIGALRM, and is stopped (alarm.h) */
                };
                uint16_t after; /* work pending after a delivery */
        };
        struct signal_info info[32];       /* information about pending signals 1 to 31 */
        uintptr_t stack_start, stack_size; /* sigaltstack */
        unsigned stack_flags;
};

/* Adds a signal, false = no room; removes the first of a number, which stays pending if there is
 * another; removes all in a set. */
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
/* Moves all of these pending real-time numbers that were sent to the process, in order, behind
 * existing ones. */
void signal_move(struct signal_state *from, struct signal_state *to, uint64_t signals);
void signal_forget(struct signal_state *s, uint64_t signals);
