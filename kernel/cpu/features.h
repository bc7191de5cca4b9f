/* features.h - what this processor has, and what its vendor makes of it. */
#ifndef TOLLGATE_FEATURES_H
#define TOLLGATE_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#define FEATURE(name, leaf, reg, bit, text) FEATURE_##name,
enum feature {
#include "features.def"
        FEATURES
};
#undef FEATURE

/* Which mode a program runs in decides what SYSENTER and SYSCALL do. */
enum mode {
        MODE_LEGACY,
        MODE_LONG,
        MODE_COMPAT,
        MODE_TRUSTED /* the kernel's own mode, at CPL 0 */
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

/* NULL if programs in `mode` can use the mechanism, else the reason in the manual's words. */
const char *mechanism_missing(const char *mechanism, enum mode mode);

#endif
