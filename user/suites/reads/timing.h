/* timing.h - shared by all timed reads: the number of samples, the wanted rows, their output, and
 * the gate for a program's calls. */
#pragma once
#include "const.h"
#include "file/ladder.h"
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"
#include "reads.h"

#define LIMIT_NONE UINTPTR_MAX

/* Kernel functions for a trusted program (file/ladder.h, process/limit.h); NULL in ring 3. */
extern long (*kernel_ladder_read)(const struct ladder *ask);
extern uintptr_t (*kernel_limit_get)(void);
extern void (*kernel_limit_set)(uintptr_t limit);
extern uint8_t *kernel_ladder_buffer;

extern const char *suite, *origin;
extern unsigned samples;
extern uint32_t stamps[WARM_UP + SAMPLES_MAX];
extern uint8_t own_buffer[LADDER_ROOM];

/* False = not named on the command line, or not Tollgate. */
bool begin(char **argv, const char *name);
unsigned sample_count(char **argv); /* as on the command line */
bool wanted(const char *id);        /* a row: whether to measure it now (progress.h) */
/* Writes a record and a line for the stamps, minus the cost of a pair. */
void note(const char *id, const char *label, int64_t pair);
int64_t median_of_stamps(void);
int64_t pair_cost(void);

/* Whether it is `ORIGIN/GATE/standard` of the toll, for a gate of this program's origin. */
bool is_gate(const struct toll_row *row, char gate[16]);
bool is_usual(const char *gate);    /* the mechanism that programs of this kind use */
const void *usual_half(int *index); /* its clean user half, and its row */
