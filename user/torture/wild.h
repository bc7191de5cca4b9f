/* wild.h - processes and threads that act freely until they are ended. */
#ifndef TOLLGATE_USER_TORTURE_WILD_H
#define TOLLGATE_USER_TORTURE_WILD_H

#include "torture.h"

/* Only on Tollgate; elsewhere it could do harm and does nothing. The first process, or 0. */
long wild_start(struct random random);
void wild_end(long first); /* ends all of them, whatever their state */

/* Kills and reaps all processes that it may kill: only on Tollgate. */
void wild_bury(void);

/* Runs a program started by a wild process: `word` is its seed. */
void wild_program(const char *word);

#endif
