/* fault.h - an exception that the current program caused. */
#ifndef TOLLGATE_UNIX_PROCESS_FAULT_H
#define TOLLGATE_UNIX_PROCESS_FAULT_H

#include "mem/memory.h"

struct frame;

/* A signal to its handler, or said in a sentence, and the end of it. A page fault's by what it has
 * found. */
void process_fault(unsigned vector, struct frame *frame);
void process_page_fault(struct frame *frame, enum fault found);
void process_bus_error(struct frame *frame); /* FAULT_BEYOND */
/* The same for a stack that could not take the words of a way out (arch/i386/return.asm). */
void process_stack_fault(struct frame *frame);

#endif
