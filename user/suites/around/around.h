/* around.h - shared by the parts of the suite `around`: paths, and the conditions under which they
 * are measured. */
#pragma once
#include "lib.h"
#include "noise.h"

/* Paths, in the order in which a process measures them. */
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
        SAMPLES = 20,                    /* samples of a path, per set of conditions ... */
        TAKEN = WARM_UP_SHORT + SAMPLES, /* ... and the pages that they need */
        MESSAGE_MAX = 65536
};

/* Settings of the conditions. Both sides of a message have the same ones. */
extern struct around {
        const char *partner;  /* its program */
        int descriptor;       /* lowest descriptor of a path; 0: the free ones */
        unsigned size, align; /* size of a message (0: 1) or read; its buffer's offset in a page */
        bool floats;          /* one floating-point instruction before each sample */
        bool handler_stack;
        uintptr_t page;  /* page of the first fault ... */
        uintptr_t other; /* ... and of the second, if every second one is in another area */
        long step;       /* distance from one page to the next */
} around;

/* Memory shared by this program's processes, except partners, which are another program's. */
extern struct shared {
        int64_t ticks[PATHS]; /* a process's figures; -1: none */
        long asleep;          /* processes asleep, or about to be */
} * shared;

struct path {
        const char *name;
        bool (*begin)(void);            /* false: cannot be measured */
        void (*before)(unsigned round); /* before each sample, untimed */
        void (*once)(void);             /* the timed part */
        bool (*right)(void);            /* whether it had the right result */
        void (*end)(void);
        int64_t (*net)(int64_t ticks); /* subtracts from a median all cost outside the path */
};
extern const struct path paths[PATHS];

void path_floats(void); /* one floating-point instruction, and its end */
void paths_init(char **argv, char **environment);
/* Ticks of a path, or -1: not possible, or a wrong result. */
int64_t path_ticks(const struct path *path);
/* Runs this program as the other side of a message: does not return. */
_Noreturn void partner_run(char **argv);

/* A set of conditions has a bit for each. */
extern const unsigned condition_count;
#define CONDITIONS_MAX 32
extern uint32_t conditions_now; /* conditions of this process */

const char *condition_words(unsigned condition);
bool condition_is_here(unsigned condition);
unsigned condition_paths(unsigned condition); /* paths it can affect: a bit for each */
unsigned condition_kind(unsigned condition);  /* conditions of one kind exclude one another */
/* Sets conditions up in a process that must end afterwards. False: not possible. */
bool conditions_set_up(uint32_t set, bool partner);
void conditions_end(void); /* undoes conditions that would outlive the process */
