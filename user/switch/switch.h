/* switch.h - what the parts of the suite `switch` share. */
#ifndef TOLLGATE_SWITCH_H
#define TOLLGATE_SWITCH_H

#include "lib.h"
#include "statistics.h"

#define WARM_UP 100

extern const char *origin; /* user, compat, trusted */
extern unsigned samples;
extern int64_t ticks[SAMPLES_MAX];

/* `samples` times `code`, after some that are thrown away, into ticks[] */
#define MEASURE(code)                                                                              \
        for (unsigned i_ = 0; i_ < WARM_UP + samples; i_++) {                                      \
                uint64_t start_ = tsc();                                                           \
                code;                                                                              \
                ticks[i_ < WARM_UP ? 0 : i_ - WARM_UP] = (int64_t)(tsc() - start_);                \
        }

/* A result record of ticks[], less what a pair of RDTSC with nothing between reads. */
void record(const char *what);
void skip(const char *what, const char *reason);
void quiet(bool on); /* interrupts masked and off, or on again */

void measure_ipc(void);
void measure_cr3(void);

#endif
