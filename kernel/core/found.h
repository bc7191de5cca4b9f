/* found.h - outcomes of a page fault. */
#ifndef TOLLGATE_CORE_FOUND_H
#define TOLLGATE_CORE_FOUND_H

enum fault {
        FAULT_RESOLVED,  /* the instruction can be retried */
        FAULT_UNMAPPED,  /* SEGV_MAPERR */
        FAULT_FORBIDDEN, /* SEGV_ACCERR */
        FAULT_NO_MEMORY,
        FAULT_BEYOND,   /* SIGBUS: beyond the end of the file */
        FAULT_NOT_ASKED /* memory_fault() must still be called, which returns another */
};

#endif
