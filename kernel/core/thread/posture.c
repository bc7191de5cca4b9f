/*
 * posture.c - what the processor is set up for beside stack, memory and registers: the ways in that
 * are open, where the stamps go, quiet or not, TLS.
 *
 * It differs between programs of different origins, and for one that has chosen rows, registered
 * for stamps or has TLS. All others share a posture, and a switch between them compares one word.
 */
#include "thread/posture.h"
#include "machine/quiet.h"
#include "entry/entry.h"
#include "entry/ways.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "thread/thread.h"

uintptr_t probe_save[4] SHOWN; /* where the kernel half of a stamp keeps its registers */

/* A process that has not registered stamps into pages that nobody reads. */
static uint8_t dummy_pages[2][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

uintptr_t posture_probe_frame(const struct thread *thread)
{
        return thread->probe_frame ? thread->probe_frame : PHYSICAL(dummy_pages[0]);
}

static uintptr_t probes_frame =
        1; /* 0 = the dummies: as they are for all that have not registered */

static void point_probes(uintptr_t frame)
{
        if (frame == probes_frame)
                return;
        probes_frame = frame;
        space_set_probe(frame ? frame : PHYSICAL(dummy_pages[0]),
                        frame ? frame : PHYSICAL(dummy_pages[1]));
}

/* Sets everything up, whatever was there before. The kernel alone, NULL, has the posture of a
 * program of ring 3. */
static void set_up(const struct thread *thread)
{
        bool quiet = thread && thread->quiet; /* the kernel would sleep for ever */
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

static void choose(struct thread *thread, bool own)
{
        thread->choice = (own ? thread->tid << POSTURE_TID : 0) |
                         (thread->quiet ? POSTURE_QUIET : 0) | (uint32_t)thread->origin;
        thread->posture = thread->segments.special ? POSTURE_TLS | thread->tid << POSTURE_TID
                                                   : thread->choice;
        thread->ways = &ways_usual[thread->origin];
}

void posture_changed(struct thread *thread)
{
        choose(thread, thread->chooses || thread->registered);
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
        choose(thread, true);
        return ways_load_own(thread->origin, thread->armed);
}
