/* clean.h - removes files and processes that deeds have left. */
#pragma once
void clean_files(const char *directory); /* with all its contents */

/* Kills and reaps all processes that a process may kill: only on Tollgate. */
void clean_processes(void);
