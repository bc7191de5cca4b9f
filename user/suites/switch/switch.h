/* switch.h - shared by the parts of the suite `switch`. */
#pragma once
#include "lib.h"
#include "noise.h"
#include "result.h"

extern const char *origin; /* user, compat, trusted */
extern unsigned samples;
extern int64_t ticks[SAMPLES_MAX];

/* Times `code`, whose number is `round`, into ticks[], `samples` times after some warm-up rounds;
 * `then` is not timed. */
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
/* Begins a row: whether to measure it now (progress.h). */
bool begins(const char *what);
/* A result record of ticks[], minus an empty pair of RDTSC. */
void record(const char *what);
void skip(const char *what, const char *reason);
void quiet(bool on);  /* masks interrupts and clears IF, or restores both */
void end(long child); /* kills it, and is quiet no longer */

void measure_ipc(const void *direct); /* its user half, or NULL */
void measure_ipc_with_tls(void);      /* gives this process TLS */
void measure_turns(void);
void measure_cr3(void);
void measure_task(void);
