/*
 * hand.c - toll_hand(): a word and the processor, straight to a partner, and the word that comes
 * back (kernel/toll.h has the contract).
 *
 * Two that name each other; nothing is queued: a word passes when one gives and the other takes. The
 * partner is looked up, and asked for its kin, when the two first meet.
 */
#include "proc/calls.h"
#include "proc/process.h"
#include "toll.h"

static bool akin(const struct process *a, const struct process *b)
{
        return a->group == b->group || a->parent == b || b->parent == a;
}

/* The partner is another now. 0 or -errno. */
static __attribute__((noinline)) long meet(struct process *me, uint32_t pid)
{
        struct process *partner = process_find(pid);
        if (!partner)
                return -ESRCH;
        if (partner == me)
                return -EINVAL;
        if (!akin(me, partner))
                return -EPERM;
        me->hand.partner = partner;
        return 0;
}

/* Sleeps until the hand is empty: then the word has come. */
static __attribute__((noinline)) long await(struct process *me)
{
        while (me->hand.state != HAND_EMPTY) {
                bool given = me->hand.state == HAND_TAKES && me->hand.word >= 0;
                long error = !me->hand.partner ? -EPIPE
                             : wait_woken()    ? 0
                             : given           ? -EINTR
                                               : -ERESTARTSYS;
                if (error) {
                        me->hand.state = HAND_EMPTY;
                        return error;
                }
        }
        return me->hand.word;
}

long sys_toll_hand(long pid, long number, AFTER_2)
{
        struct process *me = cpu_current, *partner = me->hand.partner;
        int word = (int)number;
        if (!partner || partner->tid != (uint32_t)pid) {
                long error = meet(me, (uint32_t)pid);
                if (error)
                        return error;
                partner = me->hand.partner;
        }
        bool mutual = partner->hand.partner == me;
        me->hand.word = word;
        if (word >= 0 && mutual && partner->hand.state == HAND_TAKES) {
                partner->hand.word = word;
                partner->hand.state = HAND_EMPTY;
                me->hand.state = HAND_TAKES;
                if (!cpu_work && partner->state == PROCESS_SLEEPING)
                        schedule_straight(partner);
                else
                        wake(partner);
                return me->hand.state == HAND_EMPTY ? me->hand.word : await(me);
        }
        bool offered = mutual && partner->hand.state == HAND_GIVES;
        if (word >= 0) {
                if (offered)
                        return -EDEADLK;
                me->hand.state = HAND_GIVES;
        } else if (word != TOLL_HAND_TAKE) {
                return -EINVAL;
        } else if (offered) {
                partner->hand.state = HAND_TAKES;
                return partner->hand.word;
        } else {
                me->hand.state = HAND_TAKES;
        }
        return await(me);
}

void hand_end(struct process *process)
{
        for (struct process *p = processes; p; p = p->next) {
                if (p->hand.partner != process)
                        continue;
                p->hand.partner = NULL;
                if (p->hand.state != HAND_EMPTY)
                        wake(p);
        }
}
