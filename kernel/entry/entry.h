/*
 * entry.h - the rows of entry.def and exception.def, and which of them a process has armed.
 *
 * The MSR ways in have one entry point each, so a process chooses: toll_select() arms one row's
 * kernel half for its mechanism, and a process switch restores the choice. By default every
 * mechanism is armed with its standard row, clean (on i386 SYSCALL is not armed at all), and no
 * exception's row is.
 */
#ifndef TOLLGATE_ENTRY_H
#define TOLLGATE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include "cpu/features.h"

enum variant {
        VARIANT_standard,
        VARIANT_nowork,
        VARIANT_service,
        VARIANT_bare,
        VARIANT_plain, /* kinds of gate, from here on: exception.def */
        VARIANT_trap,
        VARIANT_ist,
        VARIANT_move,
        VARIANT_task
};
enum mechanism {
        MECHANISM_int,
        MECHANISM_callgate,
        MECHANISM_sysenter,
        MECHANISM_syscall,
        MECHANISM_call,
        MECHANISM_samestack,
        MECHANISM_exception,
        MECHANISMS
};

/* Which copies meet: the kernel half without or with probes, the user half without or with MP1
 * and MP8. The headline is taken on `timed`, the sections on `probed`. */
enum flavour {
        FLAVOUR_plain,
        FLAVOUR_timed,
        FLAVOUR_probed,
        FLAVOURS
};

struct row {
        const char *suite, *id, *label;
        enum mechanism mechanism;
        enum variant variant;
        enum origin origin;   /* of the programs that can use it */
        const void *entry[2]; /* kernel half: clean, probed */
        const void *call[2];  /* user half: clean, probed */
        unsigned vector;      /* of an exception's row */
};

/* The calibrating user halves of entry/pair.asm, per origin. */
struct control {
        enum origin origin;
        const void *pair[2], *loop[2]; /* clean, probed */
};

struct selection {
        const struct row *row; /* NULL = the default */
        enum flavour flavour;
};

/* The rows for programs of `origin`, counted from 0; NULL past the last. */
/* The way in that AT_SYSINFO names: the direct call where there is one, else INT 80h. */
const struct row *row_preferred(enum origin origin);
const struct row *row_at(enum origin origin, size_t index);
const struct control *control_of(enum origin origin);
/* Where the kernel half that starts at `entry` ends: at the next one, or with the text. */
const char *row_entry_end(const char *entry);
/* Whether it can be selected only while the machine is quiet. */
bool row_needs_quiet(const struct row *row);
/* NULL, or why this processor has no such row. */
const char *row_missing(const struct row *row);

/* Whether it answers as a system call does; the others can be selected while quiet only. */
static inline bool row_answers(const struct row *row)
{
        return row->variant < VARIANT_bare;
}

struct thread;
void entry_arm(const struct thread *thread);
extern bool cpu_sysenter;          /* IA32_SYSENTER_ESP goes with the process's stack */
void entry_disarm_exception(void); /* kernel/arch/exit.asm, entry_again */

/* The fences of the time stamps, in entry/probe.inc's words. */
enum fence {
        FENCE_none,
        FENCE_lfence,
        FENCE_rdtscp,
        FENCE_cpuid,
        FENCES
};
extern const char *const fence_names[FENCES];
enum fence fence_best(void);
bool fence_possible(enum fence fence);
void fence_set(enum fence fence); /* rewrites every stamp */
extern enum fence fence_boot;     /* the one a program starts with */

void smap_sites_enable(void); /* STAC and CLAC into their places */

#endif
