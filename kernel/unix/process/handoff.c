/* handoff.c - toll_hand(): passes a word and the processor directly to a partner, and receives a
 * word (kernel/toll.h has the contract).
 *
 * Two threads name each other. Nothing is queued: a word passes when one gives and the other takes.
 * When two first meet, the partner is looked up and their relation is checked. */
#include "process/handoff.h"
#include "cpu/work.h"
#include "calls.h"
#include "process/process.h"
#include "thread/switch.h"
#include "toll.h"

static bool akin(const struct process *a, const struct process *b)
{
        return a->group == b->group || a->parent == b || b->parent == a;
}

/* Changes the partner. 0 or -errno. */
static long meet(struct thread *me, uint32_t tid)
{
        struct thread *partner = thread_find(tid);
        if (!partner)
                return -ESRCH;
        if (partner == me)
                return -EINVAL;
        if (!akin(task_of(me)->process, task_of(partner)->process))
                return -EPERM;
        me->handoff.partner = partner;
        return 0;
}

/* Sleeps until the word arrives. */
static long handoff_await(struct thread *me, bool asks)
{
        while (me->handoff.gives || me->handoff.takes) {
                long error = me->handoff.partner == me    ? -EPIPE
                             : wait_woken()               ? 0
                             : !asks || me->handoff.gives ? call_interrupted(ERESTARTSYS)
                                                          : -EINTR;
                if (error) {
                        me->handoff.gives = false;
                        me->handoff.takes = NULL;
                        return error;
                }
        }
        return me->handoff.word;
}

static __attribute__((cold, noinline)) long handoff_slowly(long pid, long number)
{
        struct thread *me = cpu_current;
        uint32_t tid = (uint32_t)pid;
        int word = (int)number;
        if (me->tid == tid)
                return -EINVAL;
        struct thread *partner = me->handoff.partner;
        bool mutual = partner->handoff.partner == me;
        if (word < 0 && word != TOLL_HAND_TAKE)
                return -EINVAL;
        if (word >= 0 && mutual && partner->handoff.gives)
                return -EDEADLK;
        if (word >= 0 && partner->handoff.takes == me) {
                partner->handoff.word = word;
                partner->handoff.takes = NULL;
                me->handoff.takes = partner;
                wake(partner);
        } else if (word >= 0) {
                me->handoff.word = word;
                me->handoff.gives = true;
        } else if (mutual && partner->handoff.gives) {
                partner->handoff.gives = false;
                partner->handoff.takes = me;
                return partner->handoff.word;
        } else {
                me->handoff.takes = partner;
        }
        return handoff_await(me, word >= 0);
}

/* The end of a call that gave its word, and was woken without one. */
static __attribute__((cold, noinline)) long handoff_refused(void)
{
        return handoff_await(cpu_current, true);
}

/* Interrupts are off, and no work is pending: the switch need not check. */
static inline __attribute__((always_inline)) long hand_to(struct thread *partner, long tid,
                                                          long word)
{
        struct thread *me = cpu_current;
        if ((int)word < 0 || cpu_work || partner->handoff.takes != me ||
            partner->state != THREAD_SLEEPING)
                return handoff_slowly(tid, word);
        partner->handoff.word = (int)word;
        partner->handoff.takes = NULL;
        partner->state = THREAD_READY;
        me->handoff.takes = partner;
        me->state = THREAD_SLEEPING;
        processor_save(me, 0);
        processor_load(me, partner, 0);
        stack_switch(&me->kernel_sp, &partner->kernel_sp);
        me = cpu_current;
        return me->handoff.takes ? handoff_refused() : me->handoff.word;
}

/* A new partner. */
static __attribute__((noinline)) long hand_to_another(long tid, long word)
{
        long error = meet(cpu_current, (uint32_t)tid);
        return error ? error : hand_to(cpu_current->handoff.partner, tid, word);
}

static inline __attribute__((always_inline)) long handoff(long tid, long word)
{
        struct thread *partner = cpu_current->handoff.partner;
        return partner->tid == (uint32_t)tid ? hand_to(partner, tid, word)
                                             : hand_to_another(tid, word);
}

long sys_toll_hand(long tid, long word, AFTER_2)
{
        return handoff(tid, word);
}

static __attribute__((cold, noinline)) long handoff_with_flags(long tid, long word, uintptr_t flags)
{
        flags_back(RFLAGS_FIXED);
        long result = handoff(tid, word);
        flags_back(flags);
        return result;
}

long direct_toll_hand(long tid, long word, AFTER_2)
{
        uintptr_t flags = flags_read();
        return flags & FLAGS_OF_PROGRAM ? handoff_with_flags(tid, word, flags) : handoff(tid, word);
}

void handoff_end(struct thread *thread)
{
        for (struct thread *p = threads; p; p = p->next) {
                if (p->handoff.partner != thread || p == thread)
                        continue;
                p->handoff.partner = p;
                if (p->handoff.gives || p->handoff.takes)
                        wake(p);
        }
}
