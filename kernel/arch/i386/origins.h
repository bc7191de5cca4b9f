/* origins.h - ORIGINS(X): where calls come from under this kernel, X(origin, mode of the program).
 */
#ifndef TOLLGATE_ORIGINS_H
#define TOLLGATE_ORIGINS_H

#define ORIGINS(X) X(user, MODE_LEGACY) X(trusted, MODE_TRUSTED)

/* The kinds of gate that an exception can have, and their kernel halves (entry/exception.def). */
#define GATE_KINDS(ROW, origin, mechanism, vector, label, manual)                                  \
        ROW(origin, mechanism, plain, here, vector, label, manual)                                 \
        ROW(origin, mechanism, trap, here, vector, label, manual)                                  \
        ROW(origin, mechanism, task, task, vector, label, manual)

#include "arch.h"
#include "cpu/features.h"

/* Where programs of this mode find the stamps of a registered process. */
static inline uintptr_t probe_page_of(enum mode mode)
{
        return mode == MODE_TRUSTED ? PROBE_ALIAS : PROBE_PAGE;
}

#endif
