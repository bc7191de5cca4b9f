/* quirks.c - which mechanisms a processor lacks: by its vendor's manual, by CPUID, or because a
 * trial failed (toll/trial.c).
 *
 * A manual counts for its own vendor's processors only, because emulators allow more. */
#include "cpu/features.h"
#include "entry/entry.h"
#include "origins.h"

char mechanism_failed[MECHANISMS][3][64];

static const struct quirk {
        enum mechanism mechanism;
        bool (*vendor)(void);
        enum operating_mode mode; /* the only mode with it */
        const char *reason;
} quirks[] = {
        {MECHANISM_sysenter, vendor_amd, MODE_LEGACY,
         "AMD: SYSENTER is #UD in long mode (AMD APM 3, SYSENTER)"},
        {MECHANISM_syscall, vendor_intel, MODE_64BIT,
         "Intel: SYSCALL is #UD outside 64-bit mode (SDM 2B, SYSCALL)"},
};

const char *mechanism_missing(enum mechanism mechanism, uint32_t needs, enum origin origin)
{
        enum operating_mode mode = mode_of(origin);
        const char *reason = features_first(needs, false);
        for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
                const struct quirk *q = &quirks[i];
                if (q->mechanism == mechanism && q->mode != mode && q->vendor())
                        return q->reason;
        }
        return reason || !*mechanism_failed[mechanism][mode] ? reason
                                                             : mechanism_failed[mechanism][mode];
}
