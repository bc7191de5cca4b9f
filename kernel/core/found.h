/* found.h - what a page fault finds. */
#ifndef TOLLGATE_CORE_FOUND_H
#define TOLLGATE_CORE_FOUND_H

enum fault {
        FAULT_RESOLVED,  /* the instruction can be tried again */
        FAULT_UNMAPPED,  /* SEGV_MAPERR */
        FAULT_FORBIDDEN, /* SEGV_ACCERR */
        FAULT_NO_MEMORY,
        FAULT_BEYOND,   /* SIGBUS: the file ends before */
        FAULT_NOT_ASKED /* memory_fault() is still to be called: never its answer */
};

#endif
