/* copy.h - the memory of a fork's child. */
#ifndef TOLLGATE_UNIX_PROCESS_COPY_H
#define TOLLGATE_UNIX_PROCESS_COPY_H

#include "mem/memory.h"

/* Every page shared until one side writes. *to is a thread's, so that a file that is cut
 * meanwhile is cut in it. False = out of memory, or the current thread is to end. */
CAN_FAIL bool memory_copy(struct memory **to, struct memory *from);

#endif
