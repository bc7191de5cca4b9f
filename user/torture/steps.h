/* steps.h - single steps of chaos, on a few names, descriptors, pages and signals. */
#ifndef TOLLGATE_USER_TORTURE_STEPS_H
#define TOLLGATE_USER_TORTURE_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include "torture.h"

/* The result of a step: an errno or 0, and a value. */
struct answer {
        const char *step; /* in words; valid until the next one */
        unsigned error;
        uint32_t value;
};

/* Call first, and in every new process that starts afresh: leaves only standard descriptors and
 * `kept`, an empty directory, no pages, no signals. */
void steps_begin(const char *directory, int kept);
void steps_end(const char *directory); /* removes the directory */
/* Creates no process and never waits. `alone`: no other thread can take its signals. */
struct answer step(struct random *random, bool alone);

/* Kills and reaps all that a process may kill: on Tollgate; elsewhere nothing. */
void steps_bury(void);

/* For a program that execve() has started: what it finds of descriptors and signals. */
uint32_t steps_inherited(void);

#endif
