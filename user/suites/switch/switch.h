/* switch.h - what the parts of the suite `switch` share. */
#ifndef TOLLGATE_USER_SUITES_SWITCH_SWITCH_H
#define TOLLGATE_USER_SUITES_SWITCH_SWITCH_H

#include "lib.h"
#include "noise.h"
#include "result.h"

extern const char *origin; /* user, compat, trusted */
extern unsigned samples;
extern int64_t ticks[SAMPLES_MAX];

/* The time of `code`, which knows its number as `round`, into ticks[], `samples` times after some
 * that are thrown away; `then` is not timed. */
#define MEASURE(code, then)                                                                        \
        do {                                                                                       \
                noise_try();                                                                       \
                for (unsigned round = 0; noise.kept < WARM_UP + samples; round++) {                \
                        uint64_t start = tsc();                                                    \
                        code;                                                                      \
                        keep((int64_t)(tsc() - start));                                            \
                        then;                                                                      \
                }                                                                                  \
        } while (noise_again(true))

void keep(int64_t took); /* into ticks[], unless it was disturbed */
/* The row begins: whether it is to be measured now (progress.h). */
bool begins(const char *what);
/* A result record of ticks[], less what a pair of RDTSC with nothing between reads. */
void record(const char *what);
void skip(const char *what, const char *reason);
void quiet(bool on); /* interrupts masked and off, or on again */

void measure_ipc(const void *direct); /* the user half of a function call, or NULL */
void measure_ipc_with_tls(void);      /* from there on this process has TLS */
void measure_turns(void);
void measure_cr3(void);
void measure_task(void);

#endif
