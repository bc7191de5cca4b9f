/* marks.h - marks of single kernel instructions (FIXUP, PROGRAM_STACK and the like), in tables that
 * the linker collects. */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "lib/table.h"

/* An exception at the first address continues at the second. */
struct fixup {
        uintptr_t at, to;
};
extern const struct fixup fault_fixups[], fault_fixups_end[], waits[], waits_end[];
/* Tables for halves with parts, so that searches of the others take no longer */
extern const struct fixup fault_fixups_of_sets[], fault_fixups_of_sets_end[];

/* A place where an entry runs on a trusted program's stack */
struct program_state {
        uintptr_t start, end;
};
extern const struct program_state program_states[], program_states_end[];

extern const uintptr_t segment_pops[], segment_pops_end[]; /* frame.inc, RESTORE_BUT */
extern const uintptr_t ways_out[], ways_out_end[];         /* trusted/origin.inc, sysretx */

/* Whether the frame's instruction is in a table of single instructions. */
static inline bool is_marked(const struct frame *frame, const uintptr_t *from, const uintptr_t *to)
{
        const uintptr_t *at = table_find(from, to, 1, frame->ip);
        return at && *at == frame->ip;
}

/* Sorts the tables: before the first exception, and before they become read-only. */
void marks_sort(void);

/* The line for the frame's instruction, or NULL. */
static inline __attribute__((always_inline)) const struct fixup *
mark_of(const struct frame *frame, const struct fixup *from, const struct fixup *to)
{
        const struct fixup *f = table_find(from, to, sizeof *f / WORD, frame->ip);
        return f && f->at == frame->ip ? f : NULL;
}

/* Moves the frame to the fix-up if the table has its instruction. */
static inline __attribute__((always_inline)) bool
mark_followed(struct frame *frame, const struct fixup *from, const struct fixup *to)
{
        const struct fixup *f = mark_of(frame, from, to);
        if (f)
                frame->ip = f->to;
        return f;
}
