/* origins.h - ORIGINS(X): the origins of calls under this kernel, X(name, enum origin). */
#pragma once
#define ORIGINS(X) X(user, ORIGIN_USER) X(trusted, ORIGIN_TRUSTED)

#include "arch.h"
#include "cpu/features.h"

/* Where programs of this origin find their thread's stamps. */
static inline uintptr_t probe_page_of(enum origin origin)
{
        return origin == ORIGIN_TRUSTED ? PROBE_ALIAS : PROBE_PAGE;
}

static inline enum operating_mode mode_of(enum origin origin __attribute__((unused)))
{
        return MODE_LEGACY;
}
