/* signal_queue.c - information about pending signals: for one below 32 its first instance, for a
 * real-time signal all, in order.
 *
 * When the queue is full a signal still arrives, without information (as on Linux, by
 * RLIMIT_SIGPENDING); a sender of more than a number gets EAGAIN. */
#include "cpu/window.h"
#include "mem/heap.h"
#include "process/signal_queue.h"
#include "thread/thread.h"

#define QUEUED_MOST 1024 /* for all threads together */

struct queued_signal {
        struct queued_signal *next;
        struct signal_info info;
};

static unsigned queued;

static struct queued_signal **signal_queue_find(struct signal_state *s, int signal)
{
        struct queued_signal **link = &s->queue;
        while (*link && (*link)->info.signal != signal)
                link = &(*link)->next;
        return link;
}

static void signal_queue_drop(struct queued_signal **link)
{
        struct queued_signal *gone = *link;
        *link = gone->next;
        heap_free(gone);
        queued--;
}

bool signal_enqueue(struct signal_state *s, const struct signal_info *info, unsigned flags)
{
        struct queued_signal **link = &s->queue;
        struct queued_signal *one = queued < QUEUED_MOST ? heap_allocate(sizeof *one) : NULL;
        s->pending |= SIGNAL_BIT(info->signal);
        if (!one)
                return false;
        while (*link)
                link = &(*link)->next;
        one->info = *info;
        one->info.flags = (uint8_t)flags;
        *link = one;
        queued++;
        return true;
}

void signal_take(struct signal_state *s, int signal, struct signal_info *info)
{
        s->pending &= ~SIGNAL_BIT(signal);
        if (signal < SIGNAL_QUEUED) {
                *info = s->info[signal];
                return;
        }
        struct queued_signal **link = signal_queue_find(s, signal);
        *info = *link ? (*link)->info : (struct signal_info){.signal = signal, .code = SI_USER};
        if (*link)
                signal_queue_drop(link);
        if (*signal_queue_find(s, signal))
                s->pending |= SIGNAL_BIT(signal);
}

void signal_move(struct signal_state *from, struct signal_state *to, uint64_t signals)
{
        struct queued_signal **link = &from->queue, **end = &to->queue;
        uint64_t moved = 0, left = 0;
        while (*end)
                end = &(*end)->next;
        from->pending &= ~signals;
        while (*link) {
                struct queued_signal *one = *link;
                uint64_t bit = SIGNAL_BIT(one->info.signal) & signals;
                interrupt_window();
                if (!bit || !(one->info.flags & SIGNAL_SHARED)) {
                        left |= bit;
                        link = &one->next;
                        continue;
                }
                moved |= bit;
                *link = one->next;
                one->next = NULL;
                *end = one;
                end = &one->next;
        }
        from->pending |= left;
        to->pending |= moved | (signals & ~left);
}

void signal_forget(struct signal_state *s, uint64_t signals)
{
        s->pending &= ~signals;
        for (struct queued_signal **link = &s->queue; *link;) {
                interrupt_window();
                if (signals & SIGNAL_BIT((*link)->info.signal))
                        signal_queue_drop(link);
                else
                        link = &(*link)->next;
        }
}
