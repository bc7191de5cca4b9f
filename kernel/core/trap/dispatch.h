/* dispatch.h - exceptions and interrupts: the handlers of each vector. */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "mem/memory.h"

struct exception {
        const char *name; /* the manual's mnemonic and title */
        const char *signal_name;
        int signal;   /* Linux's number */
        uint8_t code; /* si_code, 0 = SI_KERNEL */
        bool at_ip;   /* si_addr is the instruction's address, else 0 */
};
extern const struct exception exceptions[32];

/* Called by arch/<arch>/vectors.asm: for every vector (true = the frame is a program's); on amd64
 * for a vector that hit the kernel on a bad stack; on i386 for the three tasks. */
bool trap_dispatch(uintptr_t vector, struct frame *frame);

/* On the kernel's stack #PF has its own path there: memory_fault() at once, with fault_access[the
 * error code's low byte]. Only if that does not resolve it, or if work is pending, the full frame
 * is built for trap_page_fault(). On FAULT_NOT_ASKED `vector` handles it like any vector. */
typedef enum fault fault_function(struct memory *memory, uintptr_t address, unsigned access);
struct trap_way {
        bool (*vector)(uintptr_t vector, struct frame *frame);
        fault_function *memory;
};
extern struct trap_way trap_way;
/* Normally trap_dispatch() and `memory` are called. A recorder of vectors (chain.c, toll/latency.c)
 * replaces it until NULL is set; one at a time. */
void trap_init(fault_function *memory);
void trap_by(const struct trap_way *way);
extern const uint8_t fault_access[];
bool trap_page_fault(enum fault found, struct frame *frame);
void trap_stack_fault(struct frame *frame);
void trap_bad_stack(uintptr_t vector, struct frame *frame);
/* The vector that led to a #DF, if a trusted program had no usable stack; otherwise 0. */
unsigned trap_starved(struct frame *frame);
/* Whether a program's stale selectors made the kernel fault; they are then replaced. */
bool segments_fixed_up(unsigned vector, struct frame *frame);
void task_nmi(void), task_debug(void), task_double_fault(void);

/* The frame of the last interrupt: a program's code, or the kernel's. */
extern const struct frame *interrupted_frame;
extern bool interrupted_user;

_Noreturn void process_refused(void), process_jumped_wild(void);

extern unsigned trap_nmis, trap_single_steps;
extern unsigned trap_lost_interrupts, trap_starvations; /* kernel/toll.h, struct toll_counts */
