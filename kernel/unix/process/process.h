/* process.h - what the threads of one program have together, from its first to its reaping. */
#ifndef TOLLGATE_UNIX_PROCESS_PROCESS_H
#define TOLLGATE_UNIX_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include "process/task.h"
#include "thread/schedule.h"

struct node;
struct settings;

/* ITIMER_REAL's in moments (clock/page.h); the others' in ticks that the process has, all of them
 * or those in its own code. */
enum {
        ITIMER_REAL,
        ITIMER_VIRTUAL,
        ITIMER_PROF,
        ITIMERS
};
struct alarm {
        uint64_t left, interval; /* left: ITIMER_REAL's end; 0 = it is not set */
        bool rests; /* ITIMER_REAL: it has ended, and goes on when its signal is taken */
};

/* A process. The threads point to its memory, files, directory and signal actions, because clone()
 * may share these between processes. */
struct process {
        uint32_t pid;
        uint32_t group, session;      /* process group, session: the pids of their leaders */
        const char *path;             /* heap */
        struct node *program;         /* the file that path led to, held */
        uint64_t started;             /* when it was made: ticks of the timer since the boot */
        struct thread *leader;        /* the thread whose tid is the pid, ended or not */
        struct thread *members;       /* all its threads, ended or not, the newest first */
        unsigned threads;             /* that have not ended */
        struct process *parent;       /* NULL = the kernel */
        struct process *next, **back; /* in the list of all */
        struct process *child;        /* the newest of its children, ended or not; NULL = none */
        struct process *sibling, **sibling_back; /* among its parent's */
        struct waiters children;                 /* woken when a child ends or stops */
        int status;                              /* as wait4() gives it */
        int changed;              /* it has stopped or gone on, and nobody has asked: that status */
        struct usage usage;       /* its own, that of its threads that have ended among it */
        struct usage of_children; /* that have ended and been asked for, and of theirs */
        struct alarm alarms[ITIMERS];
        struct settings *settings; /* heap; NULL: it has set nothing */
        bool without_terminal;     /* it has left its session's (TIOCNOTTY) */
        bool kept;                 /* process_run() reaps it */
        bool reparented;           /* its parent is not who made it */
        bool ending;               /* all its threads have been told: its status stands */
        bool forgotten;            /* it has ended, and nobody will ask */
};

extern struct process *processes;           /* all of them, the newest first */
struct process *process_find(uint32_t pid); /* ended or not; NULL = none */

/* Reads any process's memory (remote.c). False = something is not mapped. */
bool memory_read(const struct memory *memory, uintptr_t from, void *to, size_t size);

/* What a thread is called: its own name, or its program's. */
void task_name(const struct thread *thread, char name[TASK_NAME]);

/* Gives a new thread a process of its own, or (not NULL) that one. False = out of memory. */
bool thread_join(struct thread *thread, struct process *process);
/* A process with `leader` as its first thread, and the current one's as its parent. NULL = out of
 * memory. */
struct process *process_create(struct thread *leader);
/* Gives back all that it and its threads hold; they must have ended, or never have run. */
void process_reap(struct process *process);
void process_adopt(struct process *process, struct process *parent);
/* It has ended, and nobody will ask for it, or for one of its threads. */
void process_forget(struct process *process), thread_forget(void);
/* Frees ended threads that are not the first, and processes that no parent waits for. */
void process_reap_forgotten(void);
/* The core asks these (core/above.h). */
void process_without(struct thread *thread);
void process_make_room(void);
bool process_number_taken(uint32_t number);
bool process_in_session(uint32_t group, uint32_t session); /* one of that group */
/* The session of a group, or of the process of that number; 0 = there is none. */
uint32_t process_session_of(uint32_t group);

#endif
