/* quirks.c - which mechanisms a processor lacks, whatever CPUID says: what vendors make of them. */
#include "entry/quirks.h"
#include "cpu/features.h"
#include "origins.h"

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

/* Differences between vendors, by mechanism. The first row that applies gives the reason. CPUID
 * bits that the mechanism needs (mechanism.def) are checked before. */
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

const char *mechanism_missing(enum mechanism mechanism, uint32_t needs, enum origin origin)
{
        enum operating_mode mode = mode_of(origin);
        const char *reason = quirk_of(mechanism, mode, true);
        if (!reason)
                reason = features_lacking(needs);
        return reason ? reason : quirk_of(mechanism, mode, false);
}
