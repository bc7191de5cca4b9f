/* cycle.c - the registers that say what a cycle is, by a table. */
#include "toll/cycle.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/msr.h"
#include "cpu/protect.h"
#include "lib/string.h"

#define COUNTING 0x30 /* IA32_FIXED_CTR_CTRL: counter 1 counts at every CPL */
#define COUNTING_GLOBAL ((uint64_t)1 << 33)
#define NO_TURBO ((uint64_t)1 << 38) /* IA32_MISC_ENABLE */

/* Intel's family 6 from Nehalem and Silvermont on (SDM 4, tables of the models' own registers):
 * they have MSR_SMI_COUNT, and bit 38 of IA32_MISC_ENABLE. */
static const uint8_t models[] = {
        0x1a, 0x1e, 0x1f, 0x25, 0x2a, 0x2c, 0x2d, 0x2e, 0x2f, 0x37, 0x3a, 0x3c, 0x3d, 0x3e,
        0x3f, 0x45, 0x46, 0x47, 0x4a, 0x4c, 0x4d, 0x4e, 0x4f, 0x55, 0x56, 0x5a, 0x5c, 0x5d,
        0x5e, 0x5f, 0x66, 0x6a, 0x6c, 0x7a, 0x7d, 0x7e, 0x86, 0x8c, 0x8d, 0x8e, 0x8f, 0x96,
        0x97, 0x9a, 0x9c, 0x9e, 0xa5, 0xa6, 0xa7, 0xaa, 0xac, 0xb7, 0xba, 0xbe, 0xbf, 0xcf,
};

static bool known_model(void)
{
        if (strcmp(cpu_identity.vendor, "GenuineIntel") != 0 || cpu_identity.family != 6)
                return false;
        for (size_t i = 0; i < sizeof models / sizeof *models; i++)
                if (cpu_identity.model == models[i])
                        return true;
        return false;
}

static bool has_aperf(void)
{
        return cpuid_leaf(6).cx & 1;
}

/* SDM 3B, "Architectural Performance Monitoring Version 2": counter 1 is among the first fixed
 * ones, or by version 5 in the list of them. */
static bool has_fixed(void)
{
        struct cpuid r = cpuid_leaf(0x0a);
        unsigned version = r.ax & 0xff;
        return version >= 2 && ((r.dx & 0x1f) >= 2 || (version >= 5 && r.cx & 2));
}

enum {
        APERF,
        MPERF,
        FIXED_1,
        FIXED_CONTROL,
        GLOBAL_CONTROL,
        SMI_COUNT,
        MISC_ENABLE,
        REGISTERS
};

static const struct {
        uint32_t number;
        uint32_t (*peek)(uint32_t number, uint64_t *value);
        bool (*named)(void);
        const char *name;
} registers[REGISTERS] = {
        [APERF] = {0xe8, msr_peek, has_aperf, "IA32_APERF"},
        [MPERF] = {0xe7, msr_peek, has_aperf, "IA32_MPERF"},
        [FIXED_1] = {0x40000001, pmc_peek, has_fixed, "IA32_FIXED_CTR1 (RDPMC)"},
        [FIXED_CONTROL] = {0x38d, msr_peek, has_fixed, "IA32_FIXED_CTR_CTRL"},
        [GLOBAL_CONTROL] = {0x38f, msr_peek, has_fixed, "IA32_PERF_GLOBAL_CTRL"},
        [SMI_COUNT] = {0x34, msr_peek, known_model, "MSR_SMI_COUNT"},
        [MISC_ENABLE] = {0x1a0, msr_peek, known_model, "IA32_MISC_ENABLE"},
};

static bool there[REGISTERS];
static uint64_t first[REGISTERS]; /* as the boot found them */
static const char *by;            /* who counts the core's cycles, or NULL */
static uint64_t fixed_last, fixed_all, fixed_mask;

static uint64_t get(unsigned n)
{
        uint64_t value = 0;
        if (there[n])
                registers[n].peek(registers[n].number, &value);
        return value;
}

/* The fixed counter has less than 64 bits, and begins anywhere: it is read more often than it wraps
 * around. */
static uint64_t get_fixed(void)
{
        uint64_t now = get(FIXED_1);
        fixed_all += (now - fixed_last) & fixed_mask;
        fixed_last = now;
        return fixed_all;
}

static bool both(unsigned a, unsigned b)
{
        return there[a] && there[b];
}

void cycle_init(void)
{
        for (unsigned n = 0; n < REGISTERS; n++)
                there[n] = feature_has(FEATURE_MSR) && registers[n].named() &&
                           registers[n].peek(registers[n].number, &first[n]);
        if (both(APERF, MPERF)) {
                by = "IA32_APERF and IA32_MPERF";
        } else if (both(FIXED_CONTROL, GLOBAL_CONTROL) && there[FIXED_1]) {
                by = "IA32_FIXED_CTR1";
                msr_write(registers[FIXED_CONTROL].number, first[FIXED_CONTROL] | COUNTING);
                msr_write(registers[GLOBAL_CONTROL].number,
                          first[GLOBAL_CONTROL] | COUNTING_GLOBAL);
                unsigned width = cpuid_leaf(0x0a).dx >> 5 & 0xff;
                fixed_mask = width && width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
                fixed_last = first[FIXED_1];
        }
}

bool cycle_counted(struct cycle_counts *counts)
{
        bool aperf = both(APERF, MPERF);
        *counts = (struct cycle_counts){
                .core = !by     ? 0
                        : aperf ? get(APERF)
                                : get_fixed(),
                .reference = !by     ? 0
                             : aperf ? get(MPERF)
                                     : tsc_read(),
                .smis = get(SMI_COUNT),
        };
        return by || there[SMI_COUNT];
}

static const char *turbo(void)
{
        if (!(cpuid_leaf(6).ax & 2))
                return there[MISC_ENABLE] && first[MISC_ENABLE] & NO_TURBO ? "off" : "";
        return "on";
}

const char *cycle_by(void)
{
        return by;
}

const char *cycle_lost(unsigned index)
{
        for (unsigned n = 0; n < REGISTERS; n++)
                if (feature_has(FEATURE_MSR) && registers[n].named() && !there[n] && !index--)
                        return registers[n].name;
        return NULL;
}

int64_t cycle_smis(void)
{
        return there[SMI_COUNT] ? (int64_t)get(SMI_COUNT) : -1;
}

void cycle_record(struct json *json)
{
        json_flag(json, "invariant", feature_has(FEATURE_INVARIANT_TSC));
        json_text(json, "core", by ? by : "");
        json_text(json, "turbo", turbo());
        json_flag(json, "sleeps_deep", cpuid_leaf(5).dx >> 8);
        json_number(json, "smis", cycle_smis());
}
