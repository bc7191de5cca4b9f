/* clean.h - removes files and processes that deeds have left. */
#ifndef TOLLGATE_USER_TORTURE_CLEAN_H
#define TOLLGATE_USER_TORTURE_CLEAN_H

void clean_files(const char *directory); /* with all its contents */

/* Kills and reaps all processes that a process may kill: only on Tollgate. */
void clean_processes(void);

#endif
