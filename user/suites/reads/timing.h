/*
 * timing.h - what all the reads that are timed share: how many samples, what is wanted, where they
 * go, and which gate a program makes its calls by.
 */
#ifndef TOLLGATE_USER_SUITES_READS_TIMING_H
#define TOLLGATE_USER_SUITES_READS_TIMING_H

#include "const.h"
#include "file/ladder.h"
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"
#include "reads.h"

#define LIMIT_NONE UINTPTR_MAX

/* The kernel's functions that a trusted program has (file/ladder.h, process/limit.h); NULL in ring
 * 3. */
extern long (*kernel_ladder_read)(const struct ladder *ask);
extern uintptr_t (*kernel_limit_get)(void);
extern void (*kernel_limit_set)(uintptr_t limit);
extern uint8_t *kernel_ladder_buffer;

extern const char *suite, *origin;
extern unsigned samples;
extern uint32_t stamps[WARM_UP + SAMPLES_MAX];
extern uint8_t own_buffer[LADDER_ROOM];

/* False = this is not what the command line named, or no Tollgate. */
bool begin(char **argv, const char *name);
unsigned sample_count(char **argv); /* as the command line asks */
bool wanted(const char *id);        /* a row: whether it is to be measured, and now (progress.h) */
/* A record and a line of what the stamps hold, less the cost of a pair. */
void note(const char *id, const char *label, int64_t pair);
int64_t median_of_stamps(void);
int64_t pair_cost(void);

/* `ORIGIN/GATE/standard` of the toll, for each gate of this program's origin. */
bool is_gate(const struct toll_row *row, char gate[16]);
bool is_usual(const char *gate);    /* what programs of this kind make their calls by */
const void *usual_half(int *index); /* that one's clean user half, and its row */

#endif
