/* run.h - starts the kernel's own programs. */
#pragma once
/* Runs a program to its end, and ends everything that it left running. Returns the exit status, 128
 * + the signal that killed it, or -errno (with a message) if it could not start. */
int process_run(const char *path, char *const arguments[]);
