/* fault.h - an exception that the current program caused. */
#ifndef TOLLGATE_TRAP_FAULT_H
#define TOLLGATE_TRAP_FAULT_H

#include "mem/memory.h"

struct frame;

/* A signal to its handler, or said in a sentence, and the end of it. `found`: what a page fault has
 * found. */
void process_fault(unsigned vector, struct frame *frame, enum fault found);
/* The same for a stack that could not take the words of a way out (arch/i386/return.asm). */
void process_stack_fault(struct frame *frame);

#endif
