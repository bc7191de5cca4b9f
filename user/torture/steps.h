/* steps.h - single steps of chaos, on a few names, descriptors, pages and signals. */
#ifndef TOLLGATE_USER_TORTURE_STEPS_H
#define TOLLGATE_USER_TORTURE_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include "torture.h"

/* The result of a step: an errno or 0, and its answer. */
struct answer {
        const char *step; /* in words, until the next one */
        unsigned error;
        uint32_t value;
};

/* The first time, and in every new process that is to begin anew: no descriptors but the standard
 * ones and `kept`, an empty directory, no pages, no signals. */
void steps_begin(const char *directory, int kept);
void steps_end(const char *directory); /* takes the directory away */
/* Makes no process and never waits. `alone`: no thread beside it might take its signals. */
struct answer step(struct random *random, bool alone);

/* For a program that execve() has started: what it finds of descriptors and signals. */
uint32_t steps_inherited(void);

#endif
