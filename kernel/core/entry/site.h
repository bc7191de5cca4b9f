/* site.h - the record of a SYSCALL site that was turned into a call (entry/site_standard.asm). */
#pragma once
#include <stdint.h>

/* A record in the layout that programs have (SITE_RECORD) */
struct site {
        uintptr_t stub;   /* target of its jump */
        uintptr_t number; /* system call number */
        uintptr_t back;   /* where the program continues */
        uintptr_t start;  /* start of the site */
};
extern struct site site_row; /* the record of the row `site`; its program is its user half */
