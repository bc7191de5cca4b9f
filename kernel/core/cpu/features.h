/* features.h - the processor's features and vendor. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* A leaf with subleaves: EAX of subleaf 0 is the number of the last one (SDM 2A, CPUID). */
#define SUBLEAF(leaf, n) ((leaf) | (uint32_t)(n) << 16)
#define ARCH_CAPABILITIES 0x40000000 /* no leaf: the MSR of this name, in EAX and EDX (SDM 4) */
#define FEATURE(name, leaf, reg, bit, text) FEATURE_##name,
enum feature {
#include "features.def"
        FEATURES
};
#undef FEATURE

/* The processor's operating mode. SYSENTER and SYSCALL differ between vendors by mode (SDM 3A,
 * "Modes of Operation"). A mode is not an origin: users of i386 and of amd64 have the same origin
 * and two modes, while amd64's users and trusted programs share a mode. origins.h maps origins to
 * modes. */
enum operating_mode { MODE_LEGACY, MODE_64BIT, MODE_COMPATIBILITY };

struct cpu_identity {
        char vendor[13], brand[49], hypervisor[13];
        unsigned family, model, stepping; /* as displayed: extended fields are added */
};
extern struct cpu_identity cpu_identity;

void features_init(void);
struct cpuid;
struct cpuid cpuid_leaf(uint32_t leaf); /* zeros if the processor lacks the leaf */
extern bool cpu_features[FEATURES];
static inline bool feature_has(enum feature feature)
{
        return cpu_features[feature];
}
bool vendor_intel(void), vendor_amd(void); /* AMD includes Hygon, the same design */

/* The manual's name of the first of these features (bit n = feature n) that is present, or absent
 * if !there; NULL = none. */
const char *features_first(uint32_t features, bool there);
