/* quirks.h - which mechanisms this processor lacks. */
#ifndef TOLLGATE_CORE_ENTRY_QUIRKS_H
#define TOLLGATE_CORE_ENTRY_QUIRKS_H

#include <stdint.h>
#include "entry/mechanism.h"
#include "origin.h"

/* NULL if programs of that origin can use the mechanism, else the reason in the manual's words.
 * `needs`: the features of CPUID that it needs, bit n = feature n. */
const char *mechanism_missing(enum mechanism mechanism, uint32_t needs, enum origin origin);

#endif
