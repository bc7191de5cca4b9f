/* wild.h - processes and threads that do as they like, until they are ended. */
#ifndef TOLLGATE_USER_TORTURE_WILD_H
#define TOLLGATE_USER_TORTURE_WILD_H

#include "torture.h"

/* On Tollgate; elsewhere it would do harm, and is nothing. The first of them, or 0. */
long wild_start(struct random random);
void wild_end(long first); /* all of them, whatever has become of them */

/* Kills and reaps all that a process may kill: on Tollgate; elsewhere nothing. */
void wild_bury(void);

/* The work of a program that a wild one has started: `word` is its seed. */
void wild_program(const char *word);

#endif
