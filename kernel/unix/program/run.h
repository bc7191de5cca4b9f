/* run.h - programs that the kernel starts itself. */
#ifndef TOLLGATE_UNIX_PROGRAM_RUN_H
#define TOLLGATE_UNIX_PROGRAM_RUN_H

/* Runs a program to its end, and ends all that it has left running. The exit status, 128 + the
 * signal that killed it, or -errno if it could not start (said why). */
int process_run(const char *path, char *const arguments[]);

#endif
