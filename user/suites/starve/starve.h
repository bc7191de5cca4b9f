/* starve.h - a trusted program with a bad stack: the stacks, the events, and the expected
 * results. */
#pragma once
#include "const.h"
#include "layout.h"
#include "lib.h"
#include "registers.h"
#include "toll.h"

extern const char *origin; /* user, compat or trusted */
extern bool trusted;

enum { REG_SP = REGISTERS, STARVE_REGISTERS };
#define STORE_BELOW 64

/* ways.asm */
extern uintptr_t starve_in[STARVE_REGISTERS], starve_out[STARVE_REGISTERS];
extern uintptr_t starve_way, starve_step_flags, starve_sp;
extern char starve_back[], starve_called[];
void starve_go(void);
unsigned long starve_timed(void);

/* A bad stack pointer. */
struct stack {
        const char *name;
        /* The stack pointer for the i-th try, at a page boundary. */
        uintptr_t (*make)(unsigned i);
        bool wide;      /* only in 64-bit programs */
        bool fixed_up;  /* the kernel has or allocates a page for it */
        uintptr_t word; /* if fixed_up: the value of every word in the page */
};
extern const struct stack stacks[];
extern const unsigned stack_count;
const struct stack *stack_named(const char *name);
void stacks_init(void);
void stacks_end(void);

/* Interrupts per second for the event `interrupt`: a period is 4,000 instructions of Bochs, enough
 * for a tick and everything up to the next one (try.c). */
#define TIMER_HITS 5000

/* The event that happens while the stack is bad. */
struct way {
        const char *name;
        void (*code)(void);
        unsigned pushes; /* words pushed */
        bool privileged; /* only at CPL 0; IF is off, so there are no other interrupts */
};
extern const struct way ways[];
extern const unsigned way_count;

volatile uint32_t *apic(unsigned offset); /* a register; an NMI works if way_missing() is NULL */

/* The expected signal, 0 = the program continues. */
unsigned end_expected(const struct way *way, const struct stack *stack);
const char *way_missing(const struct way *way); /* NULL: possible */
#define NO_DOUBLE_FAULT "no #DF: a fault in ring 0 that finds no stack ends this machine"

void try_init(void);
/* NULL, or a description of the difference. */
const char *try_once(const struct way *way, const struct stack *stack, unsigned i);
/* The same with x87 and SSE state, if any. */
const char *try_with_fpu(const struct way *way, const struct stack *stack);
/* The signal of the last try; the signal of the child without an alternate stack. */
extern volatile unsigned try_signal;
extern unsigned try_ticks; /* ticks of the timer just before the event `interrupt` */
unsigned die_alone(const struct way *way, const struct stack *stack, unsigned i);

/* The vectors of try number CHAINED. */
#define CHAINED 1
void chain_start(void);
void chain_stop(void);
void chain_print(const char *what, const char *end);

void try_lost(unsigned n); /* lost.c */
void try_red_zone(void);   /* protection.c */
void try_reentry(void);
void try_refused(void);
void starve_unprotected(void);
void measure_recovery(unsigned n); /* time.c */
void timer(long hertz);
