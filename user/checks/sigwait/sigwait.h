/* sigwait.h - shared by the tests of signals between processes and threads. */
#pragma once
#include "signals.h"
#include "toll.h"

extern long pid;
extern const char *self; /* this program's path */

/* The signals that a handler has counted since act(), and the thread of the last. */
extern volatile int count;
extern volatile long handled_by;
void without_info(int signal);
long act(int signal, const void *handler, unsigned long flags);

#define EXITED(code) ((code) << 8)
int status_of(long child, int options); /* wait4()'s status, -1 = it failed */
void end(long child);
long nag(void); /* a child that sends its parent SIGUSR1 again and again */

void try_read(void); /* sleep.c */
void try_wait(void);
void try_sleep(void);
void try_suspend(void);
void try_direction(void);
void try_rows(void);
void try_stop(void); /* children.c */
void try_groups(void);
void try_pipe(void);
void try_threads(void); /* threads.c */
void try_left_signals(void);
void try_execve(void);
int pending_life(void); /* runs after execve in a thread: an exit code */
int second_life(void);  /* runs after execve: an exit code */
