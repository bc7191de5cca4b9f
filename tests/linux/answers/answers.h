/* answers.h - questions to the kernel, one per line, with the same answers on Linux and Tollgate.
 * Values that differ by chance (pids, addresses, times) are described in words. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Prints the question and the result: a number, or -errno. */
#define ASK(call) (errno = 0, answer(#call, (long)(call)))
void answer(const char *question, long result);
void note(const char *text, const char *word); /* prints a result in words */

void nap(long milliseconds);
pid_t child(void (*run)(void)); /* a process that does it and exits with 0 */
int status_of(pid_t pid);       /* the status as in waitpid() */
void catch (int signal, void (*handler)(int), int flags);

extern char *program; /* argv[0] */
int show_arguments(char **arguments);
void show_ids(void);

/* The parts, one file each. */
void ask_calls(void);
void ask_files(void);
void ask_limits(void);
void ask_memory(void);
void ask_numbers(void);
void ask_poll(void);
void ask_programs(void);
void ask_small(void);
void ask_threads(void);
