/* run.h - starts the kernel's own programs. */
#ifndef TOLLGATE_UNIX_PROGRAM_RUN_H
#define TOLLGATE_UNIX_PROGRAM_RUN_H

/* Runs a program to its end, and ends everything that it left running. Returns the exit status, 128
 * + the signal that killed it, or -errno (with a message) if it could not start. */
int process_run(const char *path, char *const arguments[]);

#endif
