/* origins.h - ORIGINS(X): where calls come from under this kernel, X(origin, mode of the program).
 */
#ifndef TOLLGATE_ORIGINS_H
#define TOLLGATE_ORIGINS_H

#define ORIGINS(X) X(user, MODE_LEGACY) X(trusted, MODE_TRUSTED)

#include "arch.h"
#include "cpu/features.h"

/* Where programs of this mode find the stamps of a registered process. */
static inline uintptr_t probe_page_of(enum mode mode)
{
        return mode == MODE_TRUSTED ? PROBE_ALIAS : PROBE_PAGE;
}

#endif
