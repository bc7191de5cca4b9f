/* noise.h - removes disturbances from the figures if the counter counts more than this machine's
 * instructions: samples that contain something else (an SMI, a host that took the processor away),
 * and rows taken while the machine ran at another speed. Samples wait for the end of a slow phase.
 *
 * A yardstick, a few system calls timed before and after a row, shows the speed. A sample that is
 * longer than the row's shortest by many yardsticks was disturbed. Both are repeated and counted,
 * up to a limit; beyond it they stay, and the row is noisy. Each row is taken twice at least, until
 * two tries, one after the other, have the same median. If the counter is exact nothing is
 * repeated. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "toll.h"

#define NOISE_REACH 8 /* yardsticks above the shortest: longer samples are disturbed */
#define NOISE_SHARE 4 /* at most one in this many of a row's samples is repeated ... */
#define NOISE_FREE 25 /* ... plus this many ... */
#define NOISE_TRIES 4 /* ... and the row this many times */
#define NOISE_CORE 32 /* parts of a row whose core clocks differ by one in so many: it moved */
#define NOISE_WIDE 10 /* a median's interval wider than one part in so many, and 1/4 of a stamp */
#define NOISE_SMALL 4 /* rows shorter than a stamp less one part in so many are uncertain */
#define NOISE_SPEED 8 /* yardsticks within one part in this many: same speed */

/* Calls before every row's samples: they fill caches and tables. */
#define WARM_UP 100
#define WARM_UP_SHORT 5 /* for each of many conditions (the suite around) */
#define WARM_UP_LONG 10 /* for a row whose sample is a process, a request or a time of day */

extern struct noise {
        bool exact;
        unsigned offset;              /* excess of each sample's reading, if exact */
        int64_t yardstick;            /* the shortest yardstick so far */
        int64_t stamp;                /* two adjacent readings of the counter */
        int64_t lowest;               /* lowest sample of this pass */
        int64_t longest;              /* longer samples are disturbed */
        unsigned kept, thrown;        /* samples of this try */
        unsigned disturbed, repeated; /* this row's repeated samples, and repeated tries */
        const char *why;              /* why this row is noisy, or NULL */
        bool counted;                 /* the core's clock or SMIs are counted */
        struct toll_cycles spent;     /* spent in this try, if they are counted */
        bool moved;                   /* `why` is based on them: a control has changed */
        bool small;                   /* `why` is the row's own shortness: no verdict */
        bool retires;                 /* the processor counts instructions */
        bool has_retired;             /* ... and has counted them for this row: */
        int64_t retired;              /* per call, in hundredths */
} noise;

/* Finds the yardstick. `argv` has exact=1 if the counter is exact, and offset= if a sample has
 * one. */
void noise_init(char **argv);

/* Takes a row in tries: do noise_try(); ... while (noise_again(good)). The last try is one that the
 * caller found `good`, too. */
void noise_try(void);
bool noise_again(bool good);
/* The reason why a row's samples leave its median uncertain, or NULL: the median's interval is
 * wide, or a tenth of the samples is 1.5 times as long as the shortest. */
struct statistics;
const char *noise_within(const struct statistics *s);
/* Whether one figure exceeds another by more than equal rows may differ. */
bool noise_above(int64_t more, int64_t less);
/* Ends one kind of samples in a try, before the next. */
void noise_pass(void);

/* For the next result record: a call's instructions minus those of `nothing`, if the processor
 * counts them. `pass` makes that many calls of either. */
void noise_retired(void (*pass)(const void *what, unsigned calls), const void *what,
                   const void *nothing);

/* Waits until a loop without a call is as fast as it was. */
void noise_wait(void);

bool noise_disturbed(void); /* for noise_keeps() */
void noise_see(int64_t ticks);

/* False: disturbed, repeat it. */
static inline bool noise_keeps(int64_t ticks)
{
        if (ticks < noise.lowest)
                noise.lowest = ticks;
        if (ticks - noise.lowest > noise.longest && noise_disturbed())
                return false;
        noise_see(ticks);
        noise.kept++;
        return true;
}

/* A row of `n` samples of `code`, for a caller who accepts every try. */
#define NOISE_TAKE(ticks, n, code)                                                                 \
        do {                                                                                       \
                noise_try();                                                                       \
                for (unsigned i_ = 0; i_ < (n);) {                                                 \
                        uint64_t start_ = tsc();                                                   \
                        code;                                                                      \
                        (ticks)[i_] = (int64_t)(tsc() - start_);                                   \
                        i_ += noise_keeps((ticks)[i_]);                                            \
                }                                                                                  \
        } while (noise_again(true))
