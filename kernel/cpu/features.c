/*
 * features.c - CPUID, and the quirks in which vendors differ.
 *
 * Vendor and CPUID decide, never "it did not fault": emulators are too permissive.
 */
#include "features.h"
#include "cpu.h"
#include "lib/string.h"
#include "origins.h"

struct cpu_identity cpu_identity;
bool cpu_features[FEATURES];

#define CPUID_dx(r) (r).dx
#define CPUID_cx(r) (r).cx
#define CPUID_bx(r) (r).bx

/* A leaf the processor does not have reads as 0 (Intel returns the last leaf's data instead). */
static struct cpuid leaf_or_zero(uint32_t leaf)
{
        uint32_t last = cpuid(leaf & 0x80000000, 0).ax;
        return leaf <= last && last - leaf < 0x10000 ? cpuid(leaf, 0) : (struct cpuid){0};
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

static void identify(void)
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

        if (leaf_or_zero(0x80000002).ax) {
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
        }
}

void features_init(void)
{
#define FEATURE(name, leaf, reg, bit, text)                                                        \
        cpu_features[FEATURE_##name] = CPUID_##reg(leaf_or_zero(leaf)) >> bit & 1;
#include "features.def"
#undef FEATURE
        identify();
}

static const char *const lacks[] = {
#define FEATURE(name, leaf, reg, bit, text) [FEATURE_##name] = text " = 0",
#include "features.def"
#undef FEATURE
};

bool vendor_amd(void)
{
        return !strcmp(cpu_identity.vendor, "AuthenticAMD") ||
               !strcmp(cpu_identity.vendor, "HygonGenuine");
}

static bool vendor_other(void)
{
        return !vendor_amd();
}

/* SDM 2B, SYSENTER: the Pentium Pro reports SEP and has no SYSENTER. */
static bool early_family_6(void)
{
        return vendor_other() && cpu_identity.family == 6 &&
               (cpu_identity.model < 3 || (cpu_identity.model == 3 && cpu_identity.stepping < 3));
}

/* What vendors make of a mechanism, in one place. The first that applies is the reason, and the
 * bits of CPUID that the mechanism needs (mechanism.def) come before those that a vendor reports in
 * vain. */
static const struct quirk {
        enum mechanism mechanism;
        unsigned modes; /* 1 << enum operating_mode */
        bool (*applies)(void);
        bool unreported; /* CPUID's bit says nothing here, so this is asked first */
        const char *reason;
} quirks[] = {
#define LEGACY (1 << MODE_LEGACY)
#define LONG (1 << MODE_64BIT)
#define COMPAT (1 << MODE_COMPATIBILITY)
        {MECHANISM_sysenter, LEGACY, early_family_6, false,
         "CPUID.01H:EAX < 633H: SEP is reported, SYSENTER is missing (SDM 2B, SYSENTER)"},
        {MECHANISM_sysenter, LONG | COMPAT, vendor_amd, false,
         "AMD: SYSENTER is #UD in long mode (AMD APM 3, SYSENTER)"},
        {MECHANISM_syscall, LEGACY | COMPAT, vendor_other, true,
         "Intel: SYSCALL is #UD outside 64-bit mode (SDM 2B, SYSCALL)"},
};

static const char *quirk_of(enum mechanism mechanism, enum operating_mode mode, bool unreported)
{
        for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
                const struct quirk *q = &quirks[i];
                if (q->mechanism == mechanism && q->modes >> mode & 1 &&
                    q->unreported == unreported && q->applies())
                        return q->reason;
        }
        return NULL;
}

static const char *bit_missing(uint32_t needs)
{
        for (enum feature f = 0; f < FEATURES; f++)
                if (needs >> f & 1 && !feature_has(f))
                        return lacks[f];
        return NULL;
}

const char *mechanism_missing(enum mechanism mechanism, uint32_t needs, enum origin origin)
{
        enum operating_mode mode = mode_of(origin);
        const char *reason = quirk_of(mechanism, mode, true);
        if (!reason)
                reason = bit_missing(needs);
        return reason ? reason : quirk_of(mechanism, mode, false);
}
