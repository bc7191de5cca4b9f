/* features.h - what this processor has, and what its vendor makes of it. */
#ifndef TOLLGATE_FEATURES_H
#define TOLLGATE_FEATURES_H

#include <stdbool.h>
#include <stdint.h>
#include "entry/mechanism.h"
#include "origin.h"

#define FEATURE(name, leaf, reg, bit, text) FEATURE_##name,
enum feature {
#include "features.def"
        FEATURES
};
#undef FEATURE

/* The processor's, which decides what SYSENTER and SYSCALL do (SDM 3A, "Modes of Operation"). */
enum operating_mode {
        MODE_LEGACY,
        MODE_64BIT,
        MODE_COMPATIBILITY
};

struct cpu_identity {
        char vendor[13], brand[49], hypervisor[13];
        unsigned family, model, stepping; /* as displayed: extended fields added in */
};
extern struct cpu_identity cpu_identity;

void features_init(void);
extern bool cpu_features[FEATURES];
static inline bool feature_has(enum feature feature)
{
        return cpu_features[feature];
}
bool vendor_amd(void); /* or Hygon, which is AMD's design */

/* NULL if programs of that origin can use the mechanism, else the reason in the manual's words.
 * `needs`: what it needs of CPUID, bit n = feature n. */
const char *mechanism_missing(enum mechanism mechanism, uint32_t needs, enum origin origin);

#endif
