/* signal_queue.h - the information of a signal, and the signals that are pending for a thread. */
#ifndef TOLLGATE_UNIX_PROCESS_SIGNAL_QUEUE_H
#define TOLLGATE_UNIX_PROCESS_SIGNAL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include "uapi.h"

struct signal_info {
        int signal, code;
        uint32_t sender, user; /* pid, of kill and SIGCHLD; its user, as it says itself */
        uintptr_t address;     /* of a fault */
        uintptr_t value;       /* of SIGCHLD the status; of a queued signal its value */
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
        uint64_t waited; /* the signals that rt_sigtimedwait waits for, if it `waits` */
        bool waits;
        struct queued_signal *queue;
        uint64_t saved_mask; /* the mask that rt_sigsuspend restores, if `suspended` */
        union {
                struct {
                        bool suspended;
                        bool alarm; /* its process's timer has sent SIGALRM, and rests (alarm.h) */
                };
                uint16_t after; /* a delivery, one of both is to be seen to */
        };
        struct signal_info info[32];       /* of pending signals 1 to 31 */
        uintptr_t stack_start, stack_size; /* sigaltstack */
        unsigned stack_flags;
};

/* Made pending, false = no room; the first of
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
#endif
