/* copy.h - the memory of a fork's child. */
#pragma once
#include "mem/memory.h"

/* Shares every page until one side writes. *to must be in a thread, so that a cut of a file
 * meanwhile also cuts it there. False = out of memory, or the current thread must end. */
CAN_FAIL bool memory_copy(struct memory **to, struct memory *from);
