/* features.h - the features of this processor, and its vendor. */
#ifndef TOLLGATE_CORE_CPU_FEATURES_H
#define TOLLGATE_CORE_CPU_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/* A leaf with a subleaf, of which the leaf's subleaf 0 says in EAX how many there are (SDM 2A,
 * CPUID). */
#define SUBLEAF(leaf, n) ((leaf) | (uint32_t)(n) << 16)
#define ARCH_CAPABILITIES 0x40000000 /* no leaf: IA32_ARCH_CAPABILITIES in EAX and EDX (SDM 4) */
#define FEATURE(name, leaf, reg, bit, text) FEATURE_##name,
enum feature {
#include "features.def"
        FEATURES
};
#undef FEATURE

/* The processor's, which decides what vendors make of SYSENTER and SYSCALL (SDM 3A, "Modes of
 * Operation"). It is not a second name for an origin: users of i386 and of amd64 are of one origin
 * and in two modes, and amd64's users and trusted programs are in one. origins.h has an origin's
 * mode. */
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
struct cpuid;
struct cpuid cpuid_leaf(uint32_t leaf); /* zeros, if the processor has no such leaf */
extern bool cpu_features[FEATURES];
static inline bool feature_has(enum feature feature)
{
        return cpu_features[feature];
}
bool vendor_intel(void), vendor_amd(void); /* or Hygon, which is AMD's design */

/* The first of these (bit n = feature n) that is there, or that is not, in the manual's words; NULL
 * = none. */
const char *features_first(uint32_t features, bool there);

#endif
