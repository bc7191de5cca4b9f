/* around.h - what the parts of the suite `around` share: paths, and the conditions that they are
 * taken under. */
#ifndef TOLLGATE_USER_SUITES_AROUND_AROUND_H
#define TOLLGATE_USER_SUITES_AROUND_AROUND_H

#include "lib.h"
#include "noise.h"

/* In the order that a process takes them. */
enum path_name {
        PATH_getpid,
        PATH_read,
        PATH_clock,
        PATH_hand,
        PATH_pipe,
        PATH_fault,
        PATH_segv,
        PATH_fork,
        PATHS
};
#define ALL_PATHS ((1u << PATHS) - 1)

enum {
        SAMPLES = 20,                    /* of a path, under one set of conditions ... */
        TAKEN = WARM_UP_SHORT + SAMPLES, /* ... and the pages that it takes for them */
        MESSAGE_MAX = 65536
};

/* The choices of the conditions. Both sides of a message are under the same ones. */
extern struct around {
        const char *partner; /* its program */
        int descriptor;      /* the lowest of a path's; 0: those that are free */
        unsigned size,
                align; /* of a message (0: 1), or a read; where its buffer begins in a page */
        bool floats;   /* before each sample */
        bool handler_stack;
        uintptr_t page;  /* that the first fault is in ... */
        uintptr_t other; /* ... and, if every second one is in another area, the second */
        long step;       /* from the page of each to the next one's */
} around;

/* Memory that this program's processes share, but for partners: theirs is of another program. */
extern struct shared {
        int64_t ticks[PATHS]; /* the figures of a process; -1: none */
        long asleep;          /* processes that sleep, or are about to */
} * shared;

struct path {
        const char *name;
        bool (*begin)(void);            /* false: it cannot be taken */
        void (*before)(unsigned round); /* each sample, and not timed */
        void (*once)(void);             /* the timed part */
        bool (*right)(void);            /* whether it did its work */
        void (*end)(void);
        int64_t (*net)(int64_t ticks); /* of a median: without the part that does not belong to
                                        * the path */
};
extern const struct path paths[PATHS];

void path_floats(void); /* one instruction of floating point, and its end */
void paths_init(char **argv, char **environment);
/* Ticks of a path, or -1: it could not be taken, or did not do its work. */
int64_t path_ticks(const struct path *path);
/* This program, started as the other side of a message: does not return. */
_Noreturn void partner_run(char **argv);

/* A set of conditions is a bit for each. */
extern const unsigned condition_count;
#define CONDITIONS_MAX 32
extern uint32_t conditions_now; /* that this process is under */

const char *condition_words(unsigned condition);
bool condition_is_here(unsigned condition);
unsigned condition_paths(unsigned condition); /* that it can concern: a bit for each */
unsigned condition_kind(unsigned condition);  /* those of one kind exclude one another */
/* Sets conditions up in a process that is to end afterwards. False: they cannot be had. */
bool conditions_set_up(uint32_t set, bool partner);
void conditions_end(void); /* undoes those that would outlast the process */

#endif
