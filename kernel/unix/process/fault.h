/* fault.h - an exception that the current program caused. */
#pragma once
#include "mem/memory.h"

struct frame;

/* Sends a signal to its handler, or ends it with a message. For a page fault `found` matters. */
void process_fault(unsigned vector, struct frame *frame);
void process_page_fault(struct frame *frame, enum fault found);
void process_bus_error(struct frame *frame); /* FAULT_BEYOND */
