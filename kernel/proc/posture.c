/*
 * posture.c - what the processor is set up for beside stack, memory and registers: the rows that
 * are armed, where the stamps go, quiet or not, TLS.
 *
 * It differs between programs of different modes, and for one that has chosen rows, registered for
 * stamps or has TLS. All others share a posture, and a switch between them compares one word.
 */
#include "dev/timer.h"
#include "mem/frame.h"
#include "mem/space.h"
#include "proc/process.h"

#define ITS_OWN 16          /* and its tid: above all that is shared */
#define HAS_TLS 0x80000000u /* and its tid */

uintptr_t probe_save[4]; /* where the kernel half of a stamp keeps its registers */
uint32_t posture_now;
static uint32_t ways_now; /* a posture, without TLS */

/* A process that has not registered stamps into pages that nobody reads. */
static uint8_t dummy_pages[2][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

uintptr_t process_probe_frame(const struct process *process)
{
        return process->probe_frame ? process->probe_frame : PHYSICAL(dummy_pages[0]);
}

static void point_probes(const struct process *process)
{
        static uintptr_t user_now, kernel_now;
        uintptr_t frame = process->registered ? process_probe_frame(process) : 0;
        uintptr_t user = frame ? frame : PHYSICAL(dummy_pages[0]);
        uintptr_t kernel = frame ? frame : PHYSICAL(dummy_pages[1]);
        if (user != user_now || kernel != kernel_now)
                space_set_probe(user_now = user, kernel_now = kernel);
}

static uint32_t ways_of(const struct process *process)
{
        return process->chooses || process->registered
                       ? ITS_OWN + process->tid
                       : 1 + 2 * (uint32_t)process->mode + process->quiet;
}

static void set_up(const struct process *process)
{
        ways_now = ways_of(process);
        entry_arm(process);
        point_probes(process);
        if (process->quiet != timer_is_quiet)
                timer_quiet(process->quiet);
}

void posture_assume(const struct process *process)
{
        posture_now = process->posture;
        cpu_trusted = process->trusted;
        segments_change(&process->segments);
        if (ways_now != ways_of(process))
                set_up(process);
}

void posture_changed(struct process *process)
{
        process->posture = process->segments.special ? HAS_TLS | process->tid : ways_of(process);
        if (process != cpu_current)
                return;
        posture_now = process->posture;
        cpu_trusted = process->trusted;
        set_up(process);
}

void posture_drop(void)
{
        posture_now = 0;
        cpu_trusted = 0;
        if (timer_is_quiet) { /* it would sleep for ever */
                timer_quiet(false);
                ways_now = 0;
        }
}
