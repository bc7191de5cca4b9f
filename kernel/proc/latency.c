/*
 * latency.c - the longest stretch with interrupts off of each call, in counts of the TSC.
 *
 * Every entry of the call tables is led through one function, which stamps the start. The end is
 * the call's, or a window's (window.c), or wherever the processor was handed to: on the way out of
 * another thread, or in the idle loop. What the entry and the way out do themselves, some fifty
 * instructions, is not in it.
 */
#include "proc/latency.h"
#include "cpu/cpu.h"
#include "lib/string.h"
#include "mem/space.h"
#include "proc/calls.h"
#include "proc/process.h"
#include "toll.h"

#define TABLES (sizeof tables / sizeof *tables)

extern call *const clean_compat_calls[CALLS] __attribute__((weak)); /* amd64's */

static call *const *const tables[] = {clean_calls, clean_compat_calls};
static call *kept[2][CALLS];
static struct toll_latency seen[2][CALLS], *of;
static uint64_t since;
bool latency_on;

void latency_start(void)
{
        since = tsc_read();
}

bool latency_stop(void)
{
        uint64_t began = since;
        if (!began)
                return false;
        since = 0;
        if (tsc_read() - began > of->longest)
                of->longest = tsc_read() - began;
        return true;
}

static long measured(long a, long b, long c, long d, long e, long f)
{
        unsigned number = (unsigned)thread_frame(cpu_current)->number % CALLS;
        unsigned table = WORD == 8 && call_narrow();
        of = &seen[table][number];
        of->calls++;
        latency_start();
        long result = kept[table][number](a, b, c, d, e, f);
        latency_stop();
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

void latency_measure(bool on)
{
        since = 0;
        if (on != latency_on)
                write_tables(on);
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
        return user_write((uintptr_t)to, &seen[WORD == 8 && call_narrow()][index],
                          sizeof(struct toll_latency));
}
