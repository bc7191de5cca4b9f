/* dispatch.h - exceptions and interrupts: the handlers of each vector. */
#ifndef TOLLGATE_CORE_TRAP_DISPATCH_H
#define TOLLGATE_CORE_TRAP_DISPATCH_H

#include <stdbool.h>
#include "arch.h"
#include "mem/memory.h"

struct exception {
        const char *name; /* the manual's mnemonic and title */
        const char *signal_name;
        int signal;   /* Linux's number */
        uint8_t code; /* si_code, 0 = SI_KERNEL */
        bool at_ip;   /* si_addr is the instruction's, else 0 */
};
extern const struct exception exceptions[32];

/* arch/<arch>/vectors.asm calls these: for every vector (true = the frame is a program's); on amd64
 * for a vector that hit the kernel on a bad stack; on i386 for the three tasks. */
bool trap_dispatch(uintptr_t vector, struct frame *frame);

/* #PF has a way of its own there, where the stack is the kernel's: memory_fault() at once, with
 * fault_access[the error code's low byte]; and only if that has not resolved it, or if work is
 * pending, the whole frame and trap_page_fault(). Where it answers
 * FAULT_NOT_ASKED `vector` is given it like any vector. */
typedef enum fault fault_function(struct memory *memory, uintptr_t address, unsigned access);
struct trap_way {
        bool (*vector)(uintptr_t vector, struct frame *frame);
        fault_function *memory;
};
extern struct trap_way trap_way;
/* The usual way is trap_dispatch() and `memory`. A recorder of vectors (chain.c, toll/latency.c)
 * takes its place, one at a time, until NULL. */
void trap_init(fault_function *memory);
void trap_by(const struct trap_way *way);
extern const uint8_t fault_access[];
bool trap_page_fault(enum fault found, struct frame *frame);
void trap_stack_fault(struct frame *frame);
void trap_bad_stack(uintptr_t vector, struct frame *frame);
/* The vector that a #DF began with, if it is a trusted program's that had no stack; 0 = it is not.
 */
unsigned trap_starved(struct frame *frame);
/* Whether selectors that a program left have made the kernel fault, and now will not again. */
bool segments_fixed_up(unsigned vector, struct frame *frame);
void task_nmi(void), task_debug(void), task_double_fault(void);

/* The code that the last interrupt interrupted: a program's, or the kernel's. */
extern const struct frame *interrupted_frame;
extern bool interrupted_user;

_Noreturn void process_refused(void), process_jumped_wild(void);

extern unsigned trap_nmis, trap_single_steps;
extern unsigned trap_lost_interrupts, trap_starvations; /* kernel/toll.h, struct toll_counts */

#endif
