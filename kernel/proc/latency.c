/*
 * latency.c - the longest stretch with interrupts off of each call, in counts of the TSC.
 *
 * Every entry of the call tables is led through one function, which stamps the start. The end is
 * the call's, or a window's (cpu/window.c), or wherever the processor was handed to: on the way out
 * of another thread, or in the idle loop. Where none of these has seen it the timer's tick drops
 * it: interrupts are on. What the entry and the way out do themselves, some fifty instructions, is
 * not in it.
 */
#include "proc/latency.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "dev/timer.h"
#include "lib/string.h"
#include "mem/user.h"
#include "proc/calls.h"
#include "proc/process.h"
#include "toll.h"

#define TABLES (sizeof tables / sizeof *tables)

extern call *const clean_compat_calls[CALLS] __attribute__((weak)); /* amd64's */

static call *const *const tables[] = {clean_calls, clean_compat_calls};
static call *kept[2][CALLS];
static void (*kept_tick)(bool);
static struct toll_latency seen[2][CALLS];
bool latency_on;

static bool returns_by_frame(call *entry)
{
        return entry == sys_rt_sigreturn || entry == sys_sigreturn;
}

static long measured(long a, long b, long c, long d, long e, long f)
{
        unsigned number = (unsigned)thread_frame(cpu_current)->number % CALLS;
        unsigned table = WORD == 8 && call_narrow();
        struct toll_latency *of = &seen[table][number];
        of->calls++;
        stretch_begin(&of->longest);
        if (returns_by_frame(kept[table][number])) /* the work on its way out ends the stretch */
                work_add(WORK_RESCHEDULE);
        long result = kept[table][number](a, b, c, d, e, f);
        stretch_end();
        return result;
}

/* The tables are constants to everybody else. */
static void write_tables(bool on)
{
        uintptr_t cr0 = cr0_read();
        cr0_write(cr0 & ~(uintptr_t)CR0_WP);
        for (size_t table = 0; table < TABLES; table++)
                for (size_t i = 0; tables[table] && i < CALLS; i++) {
                        call **entry = (call **)&tables[table][i];
                        if (on)
                                kept[table][i] = *entry;
                        *entry = on ? measured : kept[table][i];
                }
        cr0_write(cr0);
}

/* It came in, so interrupts are on, and a stretch that seems to last has ended unseen. */
static void tick(bool whole)
{
        stretch_drop();
        kept_tick(whole);
}

void latency_measure(bool on)
{
        stretch_end();
        if (on != latency_on) {
                write_tables(on);
                if (on)
                        kept_tick = timer_asked;
                timer_asked = on ? tick : kept_tick;
        }
        if (on)
                memset(seen, 0, sizeof seen);
        latency_on = on;
}

long sys_toll_latency(long index, long to, AFTER_2)
{
        if (!cpu_current->process->measures)
                return -EPERM;
        if ((int)index == TOLL_BEGIN) {
                latency_measure(true);
                return 0;
        }
        if ((unsigned long)index >= CALLS)
                return -ENOENT;
        return user_put((uintptr_t)to, &seen[WORD == 8 && call_narrow()][index]);
}
