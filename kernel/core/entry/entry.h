/* entry.h - the rows of mechanism.def, entry.def and exception.def, and which of them a process has
 * armed.
 *
 * SYSENTER and SYSCALL have one entry point each, so a process chooses: toll_select() arms one
 * row's kernel half for its mechanism, and a process switch restores the choice (ways.h). By
 * default every mechanism is armed with its standard row, clean (on i386 SYSCALL is not armed at
 * all), and no exception's row is. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "entry/mechanism.h"
#include "origin.h"
#include "toll.h"

struct gates;
struct ways;

/* One of VARIANT in mechanism.def or GATE in exception.def. */
struct variant {
        enum toll_answers answers;
        bool looks; /* checks for pending work */
        bool quiet; /* not a call: needs a quiet machine */
        void (*set_gate)(struct gates *, unsigned vector, const void *half); /* an exception's */
};

struct selection;

struct row {
        const char *suite, *id, *label;
        enum mechanism mechanism;
        const struct variant *variant;
        enum origin origin;                /* origin of the programs that can use it */
        const void *entry[2];              /* kernel half: clean, probed */
        const void *call[2];               /* user half: clean, probed */
        unsigned vector;                   /* of its INT or exception; 0 = none */
        uint32_t clobbers_64, clobbers_32; /* in addition to those of all its mechanism's rows */
        bool reads_ds;
        bool getpid;     /* always calls getpid, whatever the number */
        const char *set; /* end of its id, if it has parts (part.def) */
        uint32_t needs,
                spared; /* required features (1 << enum feature); features that make it idle */
        void (*prepare)(struct selection); /* sets up parts that are more than code */
        void (*service[2])(void);          /* clean, probed: own copy, if a part needs one */
        bool swaps;                        /* by SWAPGS */
        /* NULL, or for a part that ISOLATES: false = out of memory */
        bool (*isolate)(struct ways *, const struct selection *armed);
};

/* The calibrating user halves of entry/pair.asm, per origin. */
struct control {
        enum origin origin;
        const void *pair[2], *loop[2], *twice[2]; /* clean, probed */
};

struct selection {
        const struct row *row; /* NULL = the default */
        enum flavour flavour;
};

/* The rows for programs of `origin`, counted from 0; NULL past the last. */
const struct row *row_at(enum origin origin, size_t index);
/* The mechanism for AT_SYSINFO: the direct call if there is one, else INT 80h. */
const struct row *row_preferred(enum origin origin);
const struct control *control_of(enum origin origin);
/* End of the kernel half that starts at `entry`: the next one's start, or the text's end. */
const char *row_entry_end(const char *entry);
/* Whether it can be selected only while the machine is quiet. */
bool row_needs_quiet(const struct row *row);
/* Whether all other mechanisms are closed while it is armed. */
bool row_is_alone(const struct row *row);
void set_prepare(struct selection selected); /* arch's set.c */
void lazy_prepare(struct selection selected);
/* Sets up `ways` for a thread whose row has a part that ISOLATES. Without `ways`, gives its memory
 * the second page table. Arch's isolation.c */
bool ways_isolate(struct ways *ways, const struct selection *armed);
/* Registers that the call changes besides the result: TOLL_CHANGES of toll.h. */
uint32_t row_clobbers(const struct row *row);
/* Registers that its halves use and restore. */
uint32_t row_uses(const struct row *row);
/* Whether its user half reads memory through DS. */
bool row_reads_ds(const struct row *row);
/* NULL, or why this processor has no such row. */
const char *row_missing(const struct row *row);
/* The same for a mechanism that needs these features (1 << enum feature): quirks.c. */
const char *mechanism_missing(enum mechanism mechanism, uint32_t needs, enum origin origin);
/* For each operating mode: a trial that failed, in words; "" = none. */
extern char mechanism_failed[MECHANISMS][3][64];
