/* step.c - updates the page one store at a time, so that a test can put its readers where a timer
 * interrupt rarely or never does.
 *
 * The page describes a line: a moment at a TSC count, and a rate. The update describes the same
 * clock from a moment some seconds back, with a rate that meets the clock's current value; the
 * moment is different each time. So a reading that mixes two updates is wrong by whole seconds, or
 * by the rate's difference over that time. */
#include "clock/clock.h"
#include "calls.h"
#include "errno.h"
#include "lib/string.h"

#define RATE_SHIFT 11 /* rates differ by 2^-11 */

#define STORE(word) {offsetof(struct clock_page, word), sizeof clock_update.word},
static const struct {
        uint8_t offset, size;
} stores[] = {CLOCK_STORES(STORE)};
#undef STORE
#define STORES (long)(sizeof stores / sizeof *stores)

static struct clock_page staged;

static void stage(void)
{
        static bool odd;
        uint64_t now = tsc_read();
        odd = !odd;
        uint64_t counts = odd ? (uint64_t)5 << 30 : (uint64_t)3 << 30; /* with, without high bits */
        uint32_t multiplier = clock_update.multiplier;
        staged = clock_update;
        staged.number_1 = staged.number_2 = ++clock_update.number_2;
        clock_update.number_1 = clock_update.number_2;
        staged.multiplier = odd ? multiplier : multiplier + (multiplier >> RATE_SHIFT);
        staged.tsc = now - counts;
        staged.moment += clock_span(now - clock_update.tsc, multiplier) -
                         clock_span(counts, staged.multiplier);
        clock_told = 0; /* the next tick makes all its stores again */
        clock_set_end(&staged);
        if (staged.end > now + counts) /* before the machine's start */
                staged.end = 0;
}

/* Makes store `step` of an update, counted from 0 in the order of CLOCK_STORES (page.h), and
 * returns the number of stores; -EINVAL if it is not next. The update has another moment and rate
 * than the last one and is as accurate: complete readings differ by less than 2 us. */
static long clock_step(long step)
{
        static long next;
        if (step == 0)
                stage();
        else if (step != next || step >= STORES)
                return -EINVAL;
        uint8_t offset = stores[step].offset;
        memcpy((char *)&clock_frame.page + offset, (char *)&staged + offset, stores[step].size);
        next = step + 1;
        return STORES;
}

static __attribute__((noinline)) void no_tick(void)
{
        __asm__ volatile("");
}

/* Only a program without a tick may see half an update: other programs, and the kernel, would wait
 * for the rest. */
long sys_toll_clock(long step, AFTER_1)
{
        if (!cpu_current->measures)
                return -EPERM;
        if (!cpu_quiet)
                return -EINVAL;
        if ((int)step >= 0)
                return clock_step((int)step);
        ((int)step == TOLL_TICK ? clock_tick : no_tick)();
        return 0;
}
