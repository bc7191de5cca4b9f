/* noise.c - what is kept out of the figures where the counter is not exact. */
#include "noise.h"
#include "lib.h"

#define CALLS 8          /* of a yardstick: memory and the kernel slow down more than a loop does */
#define BEST_OF 8        /* yardsticks: interrupts make some longer, nothing makes one shorter */
#define FIRST 100        /* readings that find the shortest */
#define PATIENCE 20000   /* readings that a program may wait for its speed, in all ... */
#define FORBEARANCE 2000 /* ... and before one try */

struct noise noise = {.exact = true, .longest = INT64_MAX};

static bool trying;    /* between two tries of one row */
static bool faster;    /* than it was when other rows were taken */
static unsigned speed; /* of this try, the lower of before and behind */
static unsigned patience = PATIENCE;
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

/* The machine's speed now, in percent of the best that was seen. */
static unsigned speed_now(void)
{
        int64_t now = read_yardstick();
        faster |= noise.yardstick > now + now / NOISE_SPEED;
        if (now < noise.yardstick)
                take_yardstick(now);
        uint64_t hundredths = (uint64_t)noise.yardstick * 100;
        divide64(&hundredths, (uint32_t)now);
        return (unsigned)hundredths;
}

static bool is_usual(unsigned percent)
{
        return percent >= 100 - 100 / NOISE_SPEED;
}

void noise_init(char **argv)
{
        noise.exact = option_number(argv, "exact", 0);
        if (noise.exact)
                return;
        take_yardstick(read_yardstick());
        for (unsigned i = 0; i < FIRST; i++) {
                int64_t now = read_yardstick();
                if (now < noise.yardstick)
                        take_yardstick(now);
        }
}

void noise_pass(void)
{
        noise.lowest = INT64_MAX;
}

void noise_try(void)
{
        if (!trying)
                noise.disturbed = noise.repeated = 0;
        trying = true;
        noise.kept = noise.thrown = 0;
        noise.why = NULL;
        noise_pass();
        if (noise.exact)
                return;
        speed = speed_now();
        for (unsigned i = 0; i < FORBEARANCE && patience && !is_usual(speed); i++, patience--)
                speed = speed_now();
}

bool noise_again(bool good)
{
        noise.disturbed += noise.thrown;
        if (!noise.exact) {
                unsigned behind = speed_now();
                speed = behind < speed ? behind : speed;
                if (!(is_usual(speed) && good) && noise.repeated < NOISE_TRIES && patience) {
                        noise.repeated++;
                        patience--;
                        return true;
                }
                if (!is_usual(speed)) {
                        snprintf(reason, sizeof reason, "the machine ran at %u %% of its speed",
                                 speed);
                        noise.why = reason;
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
