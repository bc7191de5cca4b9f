/*
 * posture.c - what the processor is set up for beside stack, memory and registers: the rows that
 * are armed, where the stamps go, quiet or not, TLS.
 *
 * It differs between programs of different origins, and for one that has chosen rows, registered
 * for stamps or has TLS. All others share a posture, and a switch between them compares one word.
 */
#include "proc/posture.h"
#include "cpu/descriptor.h"
#include "dev/timer.h"
#include "entry/entry.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "proc/thread.h"

/* A posture is a number. Below FIRST_OWN it says origin and quiet, and threads share it. From there
 * up it is one thread's, with its tid: for its rows or stamps, or with HAS_TLS for its TLS. */
#define FIRST_OWN 16
#define HAS_TLS 0x80000000u
#define TRUSTED 0x40000000u

uintptr_t probe_save[4]; /* where the kernel half of a stamp keeps its registers */
uint32_t posture_now, ways_now;

/* A process that has not registered stamps into pages that nobody reads. */
static uint8_t dummy_pages[2][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

uintptr_t posture_probe_frame(const struct thread *thread)
{
        return thread->probe_frame ? thread->probe_frame : PHYSICAL(dummy_pages[0]);
}

static void point_probes(const struct thread *thread)
{
        static uintptr_t user_now, kernel_now;
        uintptr_t frame = thread->registered ? posture_probe_frame(thread) : 0;
        uintptr_t user = frame ? frame : PHYSICAL(dummy_pages[0]);
        uintptr_t kernel = frame ? frame : PHYSICAL(dummy_pages[1]);
        if (user != user_now || kernel != kernel_now)
                space_set_probe(user_now = user, kernel_now = kernel);
}

static uint32_t ways_of(const struct thread *thread)
{
        uint32_t ways = thread->chooses || thread->registered
                                ? FIRST_OWN + thread->tid
                                : 1 + 2 * (uint32_t)thread->origin + thread->quiet;
        return thread->trusted ? ways | TRUSTED : ways;
}

static void set_up(const struct thread *thread)
{
        ways_now = thread->ways;
        entry_arm(thread);
        point_probes(thread);
        if (thread->quiet != cpu_quiet)
                timer_quiet(thread->quiet);
}

static void trust(bool trusted)
{
        ways_now = trusted ? ways_now | TRUSTED : ways_now & ~TRUSTED;
        if (cpu_trusted == trusted)
                return;
        cpu_trusted = trusted;
        descriptor_trust(trusted);
}

void posture_assume(const struct thread *from, const struct thread *to)
{
        posture_now = to->posture;
        trust(to->trusted);
        if (from)
                segments_switch(&from->segments, &to->segments);
        else
                segments_change(&to->segments);
        if (ways_now != to->ways)
                set_up(to);
}

void posture_changed(struct thread *thread)
{
        thread->ways = ways_of(thread);
        thread->posture = thread->segments.special ? HAS_TLS | thread->tid : thread->ways;
        if (thread != cpu_current)
                return;
        posture_now = thread->posture;
        trust(thread->trusted);
        set_up(thread);
}

void posture_drop(void)
{
        posture_now = 0;
        trust(false);
        if (cpu_quiet) { /* it would sleep for ever */
                timer_quiet(false);
                ways_now = 0;
        }
}
