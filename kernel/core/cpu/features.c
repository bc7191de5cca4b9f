/* features.c - CPUID. Its claims about the mechanisms are also tried out (toll/trial.c). */
#include "features.h"
#include "cpu.h"
#include "lib/string.h"

struct cpu_identity cpu_identity;
bool cpu_features[FEATURES];

/* A leaf that the processor lacks reads as 0 (Intel would return the last leaf's data). */
struct cpuid cpuid_leaf(uint32_t leaf)
{
        uint32_t subleaf = leaf >> 16 & 0xff, last;
        if (leaf == ARCH_CAPABILITIES) {
                uint64_t value = cpuid_leaf(7).dx & 1u << 29 ? msr_read(IA32_ARCH_CAPABILITIES) : 0;
                return (struct cpuid){.ax = (uint32_t)value, .dx = (uint32_t)(value >> 32)};
        }
        leaf &= ~SUBLEAF(0, 0xff);
        last = cpuid(leaf & 0x80000000, 0).ax;
        return leaf <= last && last - leaf < 0x10000 && (!subleaf || subleaf <= cpuid(leaf, 0).ax)
                       ? cpuid(leaf, subleaf)
                       : (struct cpuid){0};
}

static void copy_text(char *to, const uint32_t *words, size_t count)
{
        memcpy(to, words, count * sizeof *words);
        to[count * sizeof *words] = 0;
}

/* Some brands are padded with leading blanks. */
static void trim(char *text)
{
        size_t blanks = 0;
        while (text[blanks] == ' ')
                blanks++;
        memmove(text, text + blanks, strlen(text + blanks) + 1);
}

static void features_identify(void)
{
        struct cpuid r = cpuid(0, 0);
        copy_text(cpu_identity.vendor, (uint32_t[]){r.bx, r.dx, r.cx}, 3);

        r = cpuid(1, 0);
        cpu_identity.stepping = r.ax & 15;
        cpu_identity.model = r.ax >> 4 & 15;
        cpu_identity.family = r.ax >> 8 & 15;
        if (cpu_identity.family == 6 || cpu_identity.family == 15)
                cpu_identity.model |= (r.ax >> 16 & 15) << 4;
        if (cpu_identity.family == 15)
                cpu_identity.family += r.ax >> 20 & 255;

        if (cpuid_leaf(0x80000002).ax) {
                uint32_t words[12];
                for (uint32_t i = 0; i < 3; i++) {
                        r = cpuid(0x80000002 + i, 0);
                        memcpy(words + 4 * i, &r, sizeof r);
                }
                copy_text(cpu_identity.brand, words, 12);
                trim(cpu_identity.brand);
        }
        if (feature_has(FEATURE_HYPERVISOR)) {
                r = cpuid(0x40000000, 0);
                copy_text(cpu_identity.hypervisor, (uint32_t[]){r.bx, r.cx, r.dx}, 3);
                if (!*cpu_identity.hypervisor)
                        memcpy(cpu_identity.hypervisor, "unnamed", sizeof "unnamed");
        }
}

void features_init(void)
{
#define FEATURE(name, leaf, reg, bit, text)                                                        \
        cpu_features[FEATURE_##name] = cpuid_leaf(leaf).reg >> bit & 1;
#include "features.def"
#undef FEATURE
        cpu_features[FEATURE_IBPB] |= feature_has(FEATURE_IBRS); /* that bit says both */
        features_identify();
}

bool vendor_intel(void)
{
        return !strcmp(cpu_identity.vendor, "GenuineIntel");
}

bool vendor_amd(void)
{
        return !strcmp(cpu_identity.vendor, "AuthenticAMD") ||
               !strcmp(cpu_identity.vendor, "HygonGenuine");
}

const char *features_first(uint32_t features, bool there)
{
        static const char *const words[FEATURES][2] = {
#define FEATURE(name, leaf, reg, bit, text) [FEATURE_##name] = {text " = 0", text " = 1"},
#include "features.def"
#undef FEATURE
        };
        for (enum feature f = 0; f < FEATURES; f++)
                if (features >> f & 1 && feature_has(f) == there)
                        return words[f][there];
        return NULL;
}
