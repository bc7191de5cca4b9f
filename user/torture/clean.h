/* clean.h - what deeds leave goes. */
#ifndef TOLLGATE_USER_TORTURE_CLEAN_H
#define TOLLGATE_USER_TORTURE_CLEAN_H

void clean_files(const char *directory); /* with all its contents */

/* Kills and reaps all that a process may kill: on Tollgate; elsewhere nothing. */
void clean_processes(void);

#endif
