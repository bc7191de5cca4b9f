/* site.h - the record of a system call's site that a call replaces (entry/site_standard.asm). */
#ifndef TOLLGATE_CORE_ENTRY_SITE_H
#define TOLLGATE_CORE_ENTRY_SITE_H

#include <stdint.h>

/* As programs have it (SITE_RECORD) */
struct site {
        uintptr_t stub;   /* where its jump leads */
        uintptr_t number; /* of the call */
        uintptr_t back;   /* where the program goes on */
        uintptr_t start;  /* where the site begins */
};
extern struct site site_row; /* the record of the row `site`, whose program is its user half */

#endif
