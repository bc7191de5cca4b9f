/* process.h - state shared by the threads of a program, from its first one until it is reaped. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "process/task.h"
#include "thread/schedule.h"

struct node;
struct settings;

/* ITIMER_REAL is in moments (clock/page.h). The others are in ticks of the process: all ticks, or
 * those in its own code. */
enum { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF, ITIMERS };
struct alarm {
        uint64_t left, interval; /* left: ITIMER_REAL's expiry; 0 = not set */
        bool rests;              /* ITIMER_REAL: expired, continues when its signal is taken */
};

/* A process. The threads point to its memory, files, directory and signal actions, because clone()
 * may share these between processes. */
struct process {
        uint32_t pid;
        uint32_t group, session;      /* ids of process group and session: their leaders' pids */
        uint32_t left_in_front;       /* a leader's: the foreground group of its lost terminal */
        const char *path;             /* heap */
        struct node *program;         /* the program's file, held */
        uint64_t started;             /* creation time: timer ticks since the boot */
        struct thread *leader;        /* its first thread, whose tid is the pid; ended or not */
        struct thread *members;       /* all its threads, ended or not, newest first */
        unsigned threads;             /* threads that have not ended */
        struct thread *executes;      /* waits in execve() until the others have ended */
        struct process *parent;       /* NULL = the kernel */
        struct process *next, **back; /* in the list of all processes */
        struct process *child;        /* its newest child, ended or not; NULL = none */
        struct process *sibling, **sibling_back; /* in its parent's list */
        struct waiters children;                 /* woken when a child ends or stops */
        int status;                              /* as for wait4() */
        int changed;                             /* status of an unreported stop or continue */
        struct usage usage;                      /* its own use, with its ended threads */
        struct usage of_children; /* use of children that ended and were waited for, and theirs */
        struct alarm alarms[ITIMERS];
        struct settings *settings; /* heap; NULL: all defaults */
        bool without_terminal;     /* gave up its session's terminal (TIOCNOTTY) */
        bool kept;                 /* process_run() reaps it */
        bool reparented;           /* its parent did not create it */
        bool ending;               /* all its threads must end: its status is final */
        bool forgotten;            /* ended, and no parent will wait for it */
};

extern struct process *processes;           /* list of all, newest first */
struct process *process_find(uint32_t pid); /* ended or not; NULL = none */

/* Reads any process's memory (remote.c). False = part of it is not mapped. */
bool memory_read(const struct memory *memory, uintptr_t from, void *to, size_t size);

/* A thread's name: its own, or its program's. */
void task_name(const struct thread *thread, char name[TASK_NAME]);

/* Puts a new thread into a new process, or (not NULL) into that one. False = out of memory. */
bool thread_join(struct thread *thread, struct process *process);
/* A process with `leader` as its first thread and the current process as its parent. NULL = out of
 * memory. */
struct process *process_create(struct thread *leader);
/* Frees everything that it and its threads hold; they must have ended, or never have run. */
void process_reap(struct process *process);
void process_adopt(struct process *process, struct process *parent);
/* Marks a process, or a thread, as ended and not to be waited for. */
void process_forget(struct process *process), thread_forget(void);
/* Frees ended threads other than the first, and processes without a waiting parent. */
void process_reap_forgotten(void);
/* interrupt_window(), also in the kernel's own loop (program/run.c). */
void process_window(void);
/* Called by the core (core/above.h). */
void process_without(struct thread *thread);
void process_make_room(void);
bool process_number_taken(uint32_t number);
bool process_in_session(uint32_t group, uint32_t session); /* whether a member exists */
/* The session of a group, or of the process with this number; 0 = none. */
uint32_t process_session_of(uint32_t group);
