/* posture.c - a thread's processor settings besides stack, memory and registers: its open
 * mechanisms, the pages for stamps, quiet or not, TLS.
 *
 * Programs of different origins have different postures, and so has one that chose rows, registered
 * for stamps or has TLS. All others share one, and a switch between them compares one word. */
#include "thread/posture.h"
#include "machine/quiet.h"
#include "entry/entry.h"
#include "entry/ways.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "thread/thread.h"

uintptr_t probe_save[4] SHOWN; /* save area of the kernel half's stamps */

/* Pages that nobody reads, for the stamps of threads that did not register. */
static uint8_t dummy_pages[2][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

uintptr_t posture_probe_frame(const struct thread *thread)
{
        return thread->probe_frame ? thread->probe_frame : PHYSICAL(dummy_pages[0]);
}

static uintptr_t probes_frame = 1; /* 0 = the dummies, used by all unregistered threads */

static void point_probes(uintptr_t frame)
{
        if (frame == probes_frame)
                return;
        probes_frame = frame;
        space_set_probe(frame ? frame : PHYSICAL(dummy_pages[0]),
                        frame ? frame : PHYSICAL(dummy_pages[1]));
}

/* Sets everything, whatever was set before. The idle kernel, NULL, has the posture of a ring-3
 * program. */
static void set_up(const struct thread *thread)
{
        bool quiet = thread && thread->quiet; /* a quiet kernel would sleep for ever */
        point_probes(thread && thread->registered ? posture_probe_frame(thread) : 0);
        if (thread && thread->choice >> POSTURE_TID)
                ways_load_own(thread->origin, thread->armed);
        else
                ways_load(thread ? thread->ways : &ways_usual[ORIGIN_USER]);
        if (quiet != cpu_quiet)
                quiet_set(quiet);
}

static __attribute__((cold, noinline)) void assume_slowly(const struct thread *to)
{
        set_up(to);
        segments_change(&to->segments);
}

void posture_assume(const struct thread *from, const struct thread *to, uint32_t differs)
{
        if (__builtin_expect(differs & ~POSTURE_ORIGIN, false)) {
                assume_slowly(to);
                return;
        }
        ways_exchange(to->ways, differs & POSTURE_COMPAT);
        segments_switch(&from->segments, &to->segments);
}

void posture_begin(const struct thread *to)
{
        if (to->choice)
                set_up(to);
        segments_change(&to->segments);
}

static void posture_choose(struct thread *thread, bool own)
{
        thread->choice = (own ? thread->tid << POSTURE_TID : 0) |
                         (thread->quiet ? POSTURE_QUIET : 0) | (uint32_t)thread->origin;
        thread->posture = thread->segments.special ? POSTURE_TLS | thread->tid << POSTURE_TID
                                                   : thread->choice;
        thread->ways = &ways_usual[thread->origin];
}

void posture_changed(struct thread *thread)
{
        posture_choose(thread, thread->chooses || thread->registered);
        if (thread == cpu_current)
                set_up(thread);
}

void posture_drop(const struct thread *from)
{
        if (from && from->choice)
                set_up(NULL);
}

void posture_disarm_alone(void)
{
        struct thread *thread = cpu_current;
        for (enum mechanism m = 0; m < MECHANISMS; m++)
                if (thread->armed[m].row && row_is_alone(thread->armed[m].row))
                        thread->armed[m].row = NULL;
        ways_load_own(thread->origin, thread->armed);
}

struct ways *posture_own(struct thread *thread)
{
        posture_choose(thread, true);
        return ways_load_own(thread->origin, thread->armed);
}
