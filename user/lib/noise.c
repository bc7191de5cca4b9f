/* noise.c - removes disturbed samples from the figures if the counter is not exact. */
#include "noise.h"
#include "lib.h"
#include "statistics.h"

#define CALLS 8          /* length of a yardstick: the kernel slows down more than a loop */
#define BEST_OF 8        /* yardsticks: interrupts only make them longer */
#define FIRST 100        /* readings to find the shortest */
#define PATIENCE 20000   /* readings that a program may wait for full speed, in total ... */
#define REFERENCE 65536  /* ticks */
#define PART_LEAST 20000 /* minimum ticks in a part of a row */
#define FORBEARANCE 2000 /* ... and before one try */
#define PULSE 100        /* rounds of a loop that shows the speed without a call ... */
#define EVERY 16         /* ... after this many samples */
#define PULSES 500000    /* that a program may wait for, in total */

struct noise noise = {.exact = true, .longest = INT64_MAX};

#define SEEN 1100 /* samples of a try of which the next one's must have the same median */

static bool trying; /* between tries of one row */
static int64_t seen[SEEN], median_before;
static int64_t grain;  /* the usual difference of two short readings: the counter's step */
static bool faster;    /* faster than during other rows */
static unsigned speed; /* speed of this try: the lower one, before or after */
static unsigned patience = PATIENCE, pulses = PULSES;
static int64_t pulse = INT64_MAX; /* the shortest */
static char reason[64];

static int64_t read_once(void)
{
        uint64_t start = tsc();
        for (unsigned i = 0; i < CALLS; i++)
                toll_call(NUMBER_getpid);
        return (int64_t)(tsc() - start);
}

static int64_t read_yardstick(void)
{
        int64_t best = INT64_MAX;
        for (unsigned i = 0; i < BEST_OF; i++) {
                int64_t ticks = read_once();
                best = ticks < best ? ticks : best;
        }
        return best;
}

static void take_yardstick(int64_t ticks)
{
        noise.yardstick = ticks;
        noise.longest = NOISE_REACH * ticks;
}

/* The machine's current speed, in percent of the best so far. */
static unsigned speed_now(void)
{
        int64_t now = read_yardstick();
        faster |= noise.yardstick > now + now / NOISE_SPEED;
        if (now < noise.yardstick)
                take_yardstick(now);
        uint64_t hundredths = (uint64_t)noise.yardstick * 100;
        divide64(&hundredths, now ? (uint32_t)now : 1); /* a coarse counter may not change */
        return (unsigned)hundredths;
}

static struct toll_cycles began, part_began; /* counts at the start of a try; of a part */
static uint64_t slowest, fastest;            /* parts: core cycles per REFERENCE ticks */

static struct toll_cycles cycles_now(void)
{
        struct toll_cycles now = {0};
        toll_call(NUMBER_toll_row, TOLL_CYCLES, &now);
        return now;
}

static void begin_part(struct toll_cycles now)
{
        part_began = now;
}

/* Ends a part. A part that is too short does not count. */
static void end_part(struct toll_cycles now)
{
        uint64_t reference = now.reference - part_began.reference;
        uint64_t rate = (now.core - part_began.core) * REFERENCE;
        if (reference < PART_LEAST || reference >> 32)
                return;
        divide64(&rate, (uint32_t)reference);
        slowest = rate < slowest ? rate : slowest;
        fastest = rate > fastest ? rate : fastest;
}

static void begin_cycles(void)
{
        slowest = UINT64_MAX;
        fastest = 0;
        began = cycles_now();
        begin_part(began);
}

/* Why this try is unreliable, or NULL. */
static const char *judge_cycles(void)
{
        struct toll_cycles now = cycles_now();
        end_part(now);
        noise.spent = (struct toll_cycles){now.core - began.core, now.reference - began.reference,
                                           now.smis - began.smis, 0};
        if (noise.spent.smis)
                return "system-management interrupts came while it was timed";
        return fastest > slowest && fastest - slowest > slowest / NOISE_CORE
                       ? "the core's clock and the TSC have not kept step within it"
                       : NULL;
}

#define RETIRED 1000     /* calls: one SMI is divided by all of them */
#define RETIRED_EXACT 50 /* calls if nothing can interrupt */

/* The instructions of additional calls: the code around them is in both passes. */
static int64_t retired_more(void (*pass)(const void *what, unsigned calls), const void *what,
                            unsigned calls)
{
        uint64_t first = cycles_now().retired;
        pass(what, calls);
        uint64_t between = cycles_now().retired;
        pass(what, 2 * calls);
        return (int64_t)(cycles_now().retired - 2 * between + first);
}

void noise_retired(void (*pass)(const void *what, unsigned calls), const void *what,
                   const void *nothing)
{
        unsigned calls = noise.exact ? RETIRED_EXACT : RETIRED;
        noise.has_retired = noise.retires;
        if (noise.retires)
                noise.retired = divide_signed(
                        (retired_more(pass, what, calls) - retired_more(pass, nothing, calls)) *
                                100,
                        calls);
}

bool noise_above(int64_t more, int64_t less)
{
        return more - less > (less > 0 ? divide_signed(less, NOISE_WIDE) : 0) + noise.stamp / 4;
}

const char *noise_within(const struct statistics *s)
{
        if (noise.exact)
                return NULL;
        if (noise_above(s->high - s->low + s->median, s->median))
                return "its median's interval is wider than a tenth";
        return s->p90 - s->min > s->min / 2 + noise.stamp / 4
                       ? "a tenth of its samples is half as long again"
                       : NULL;
}

static bool is_slow_now(void)
{
        uint64_t start = tsc();
        for (volatile unsigned i = 0; i < PULSE; i++)
                ;
        int64_t ticks = (int64_t)(tsc() - start);
        pulse = ticks < pulse ? ticks : pulse;
        return ticks > pulse + divide_signed(pulse, NOISE_SPEED) + grain;
}

void noise_wait(void)
{
        while (!noise.exact && pulses && is_slow_now())
                pulses--;
}

void noise_see(int64_t ticks)
{
        if (!noise.exact && noise.kept < SEEN)
                seen[noise.kept] = ticks;
        if (noise.kept % EVERY == 0)
                noise_wait();
}

/* Whether this try's median is that of the one before: a row is measured twice. */
static bool is_again(void)
{
        unsigned n = noise.kept < SEEN ? noise.kept : SEEN;
        int64_t now = n ? median_of(seen, n) : 0, before = median_before;
        int64_t more = now > before ? now : before, less = now > before ? before : now;
        median_before = now;
        return noise.repeated &&
               more - less <= (less > 0 ? divide_signed(less, NOISE_WIDE) : 0) + grain;
}

static bool is_usual(unsigned percent)
{
        return percent >= 100 - 100 / NOISE_SPEED;
}

void noise_init(char **argv)
{
        noise.exact = option_number(argv, "exact", 0);
        noise.offset = option_number(argv, "offset", 0);
        noise.retires = cycles_now().retired;
        if (noise.exact)
                return;
        for (unsigned i = 0; i < FIRST; i++) {
                uint64_t start = tsc();
                seen[i] = (int64_t)(tsc() - start);
        }
        noise.stamp = median_of(seen, FIRST);
        grain = seen[FIRST * 9 / 10] - seen[FIRST / 10];
        if (!grain)
                grain = noise.stamp;
        take_yardstick(read_yardstick());
        noise.counted = !toll_call(NUMBER_toll_row, TOLL_CYCLES, &began);
        for (unsigned i = 0; i < FIRST; i++) {
                speed_now();
                is_slow_now();
        }
        faster = false;
}

void noise_pass(void)
{
        noise.lowest = INT64_MAX;
        if (noise.counted) {
                end_part(cycles_now());
                begin_part(cycles_now());
        }
}

void noise_try(void)
{
        if (!trying)
                noise.disturbed = noise.repeated = 0;
        trying = true;
        noise.kept = noise.thrown = 0;
        noise.why = NULL;
        noise.moved = noise.small = false;
        noise_pass();
        if (noise.exact)
                return;
        speed = speed_now();
        for (unsigned i = 0; i < FORBEARANCE && patience && !is_usual(speed); i++, patience--)
                speed = speed_now();
        if (noise.counted)
                begin_cycles();
}

bool noise_again(bool good)
{
        noise.disturbed += noise.thrown;
        if (!noise.exact) {
                const char *wrong = noise.counted ? judge_cycles() : NULL;
                bool alike = is_again();
                good &= !wrong && alike;
                unsigned behind = speed_now();
                speed = behind < speed ? behind : speed;
                if (!(is_usual(speed) && good) && noise.repeated < NOISE_TRIES && patience) {
                        noise.repeated++;
                        patience--;
                        return true;
                }
                if (wrong) {
                        noise.why = wrong;
                        noise.moved = true;
                } else if (!is_usual(speed)) {
                        snprintf(reason, sizeof reason, "the machine ran at %u %% of its speed",
                                 speed);
                        noise.why = reason;
                } else if (!alike) {
                        noise.why = "two measurings of it, one after the other, differ";
                } else if (faster) {
                        noise.why = "the machine has become faster since the rows before it";
                }
        }
        trying = faster = false;
        return false;
}

bool noise_disturbed(void)
{
        if (noise.thrown >= NOISE_FREE + noise.kept / NOISE_SHARE) {
                noise.why = "more of its samples were disturbed than are taken again";
                return false;
        }
        noise.thrown++;
        return true;
}
