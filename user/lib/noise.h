/*
 * noise.h - what is kept out of the figures where the counter counts more than this machine's
 * instructions: a sample that something else lies in (an SMI, a host that took the processor away),
 * and a row that was taken while the machine ran at another speed.
 *
 * A yardstick, a few system calls that are timed before and behind a row, tells the speed; a sample
 * that is longer than the row's shortest by many yardsticks was disturbed. Both are taken again,
 * counted, and within a bound; beyond it they stay, and the row is noisy. Where the counter is
 * exact nothing is ever taken again.
 */
#ifndef TOLLGATE_USER_LIB_NOISE_H
#define TOLLGATE_USER_LIB_NOISE_H

#include <stdbool.h>
#include <stdint.h>
#include "toll.h"

#define NOISE_REACH 8 /* yardsticks above the shortest: a longer sample was disturbed */
#define NOISE_SHARE 4 /* at most one in so many of a row's samples is taken again ... */
#define NOISE_FREE 25 /* ... and so many more ... */
#define NOISE_TRIES 4 /* ... and the row so many times */
#define NOISE_CORE                                                                                 \
        32 /* parts of a row whose core clock differs by one part in so many: it moved             \
            */
#define NOISE_WIDE                                                                                 \
        10 /* a median's interval as wide as one part in so many, and two stamps: uncertain */
#define NOISE_SPEED 8 /* yardsticks that differ by one part in so many: the same speed */

/* Calls that every row begins with, and that are no samples: they fill caches and tables. */
#define WARM_UP 100
#define WARM_UP_SHORT 5 /* under each condition of many (the suite around) */
#define WARM_UP_LONG 10 /* of a row whose sample is a process, a request or a time of day */

extern struct noise {
        bool exact;
        unsigned offset;              /* the excess of a sample's reading, where it is exact */
        int64_t yardstick;            /* the shortest that was seen */
        int64_t stamp;                /* two readings of the counter, nothing between */
        int64_t lowest;               /* of this pass */
        int64_t longest;              /* above that a sample may be */
        unsigned kept, thrown;        /* of this try */
        unsigned disturbed, repeated; /* of this row: samples, tries that were taken again */
        const char *why;              /* this row is noisy, or NULL */
        bool counted;                 /* the core's clock or SMIs are counted here */
        struct toll_cycles spent;     /* in this try, if so */
        bool moved;                   /* `why` is what these say: a control has moved */
        bool retires;                 /* the processor's own counter of instructions is there */
        bool has_retired;             /* ... and has counted this row: */
        int64_t retired;              /* of a call, in hundredths */
} noise;

/* Finds the yardstick. `argv` says exact=1 where the counter is, and offset= if a sample has one.
 */
void noise_init(char **argv);

/* A row is taken in tries, do noise_try(); ... while (noise_again(good)): a try that was `good` in
 * the caller's eyes, too, is the last one. */
void noise_try(void);
bool noise_again(bool good);
/* The reason why a row's own samples leave its median uncertain, or NULL: the median's interval is
 * wide, or a tenth of the samples is half as long again as the shortest. */
struct statistics;
const char *noise_within(const struct statistics *s);
/* Whether one figure is above another by more than rows may differ that are the same. */
bool noise_above(int64_t more, int64_t less);
/* Ends one kind of samples in a try; another begins. */
void noise_pass(void);

/* For the next result record: the instructions of a call, less one of `nothing`, if the processor
 * counts them. `pass` makes that many calls of either. */
void noise_retired(void (*pass)(const void *what, unsigned calls), const void *what,
                   const void *nothing);

bool noise_disturbed(void); /* for noise_keeps() */

/* False: it was disturbed, take it again. */
static inline bool noise_keeps(int64_t ticks)
{
        if (ticks < noise.lowest)
                noise.lowest = ticks;
        if (ticks - noise.lowest > noise.longest && noise_disturbed())
                return false;
        noise.kept++;
        return true;
}

/* A row of `n` samples of a piece of code, for a caller who thinks every try good. */
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

#endif
