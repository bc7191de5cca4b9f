/*
 * hand.c - toll_hand(): a word and the processor, straight to a partner, and the word that comes
 * back (kernel/toll.h has the contract).
 *
 * Two that name each other; nothing is queued: a word passes when one gives and the other takes.
 * The partner is looked up, and asked for its kin, when the two first meet.
 */
#include "proc/calls.h"
#include "proc/switch.h"
#include "toll.h"

static bool akin(const struct thread *a, const struct thread *b)
{
        return a->group == b->group || a->parent == b || b->parent == a;
}

/* The partner is another now. 0 or -errno. */
static long meet(struct thread *me, uint32_t tid)
{
        struct thread *partner = thread_find(tid);
        if (!partner)
                return -ESRCH;
        if (partner == me)
                return -EINVAL;
        if (!akin(me, partner))
                return -EPERM;
        me->hand.partner = partner;
        return 0;
}

/* Sleeps until the word has come. */
static long await(struct thread *me, bool asks)
{
        while (me->hand.gives || me->hand.takes) {
                long error = me->hand.partner == me    ? -EPIPE
                             : wait_woken()            ? 0
                             : !asks || me->hand.gives ? call_interrupted(ERESTARTSYS)
                                                       : -EINTR;
                if (error) {
                        me->hand.gives = false;
                        me->hand.takes = NULL;
                        return error;
                }
        }
        return me->hand.word;
}

static __attribute__((cold, noinline)) long hand_slowly(long pid, long number)
{
        struct thread *me = cpu_current;
        uint32_t tid = (uint32_t)pid;
        int word = (int)number;
        long error = me->hand.partner->tid == tid && me->tid != tid ? 0 : meet(me, tid);
        if (error)
                return error;
        struct thread *partner = me->hand.partner;
        bool mutual = partner->hand.partner == me;
        if (word < 0 && word != TOLL_HAND_TAKE)
                return -EINVAL;
        if (word >= 0 && mutual && partner->hand.gives)
                return -EDEADLK;
        if (word >= 0 && partner->hand.takes == me) {
                partner->hand.word = word;
                partner->hand.takes = NULL;
                me->hand.takes = partner;
                wake(partner);
        } else if (word >= 0) {
                me->hand.word = word;
                me->hand.gives = true;
        } else if (mutual && partner->hand.gives) {
                partner->hand.gives = false;
                partner->hand.takes = me;
                return partner->hand.word;
        } else {
                me->hand.takes = partner;
        }
        return await(me, word >= 0);
}

/* The rest of a call that has given its word and was woken without one. */
static __attribute__((cold, noinline)) long hand_refused(void)
{
        return await(cpu_current, true);
}

/* Interrupts are off, and no work is pending: the switch need not look for any. */
static inline __attribute__((always_inline)) long hand(long tid, long word)
{
        struct thread *me = cpu_current, *partner = me->hand.partner;
        if (partner->tid != (uint32_t)tid || (int)word < 0 || cpu_work ||
            partner->hand.takes != me || partner->state != THREAD_SLEEPING)
                return hand_slowly(tid, word);
        partner->hand.word = (int)word;
        partner->hand.takes = NULL;
        partner->state = THREAD_READY;
        me->hand.takes = partner;
        me->state = THREAD_SLEEPING;
        processor_save(me, 0);
        processor_load(me, partner, 0);
        stack_switch(&me->kernel_sp, partner->kernel_sp);
        me = cpu_current;
        return me->hand.takes ? hand_refused() : me->hand.word;
}

long sys_toll_hand(long tid, long word, AFTER_2)
{
        return hand(tid, word);
}

static __attribute__((cold, noinline)) long hand_with_flags(long tid, long word, uintptr_t flags)
{
        flags_back(RFLAGS_FIXED);
        long result = hand(tid, word);
        flags_back(flags);
        return result;
}

long direct_toll_hand(long tid, long word, AFTER_2)
{
        uintptr_t flags = flags_read();
        return flags & FLAGS_OF_PROGRAM ? hand_with_flags(tid, word, flags) : hand(tid, word);
}

void hand_end(struct thread *thread)
{
        for (struct thread *p = threads; p; p = p->next) {
                if (p->hand.partner != thread || p == thread)
                        continue;
                p->hand.partner = p;
                if (p->hand.gives || p->hand.takes)
                        wake(p);
        }
}
