/* cycle.c - a table of the registers that define a cycle. */
#include "toll/cycle.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/msr.h"
#include "cpu/protect.h"
#include "lib/printf.h"
#include "lib/string.h"

#define COUNTING 0x33 /* IA32_FIXED_CTR_CTRL: counters 0 and 1 count at every CPL */
#define COUNTING_GLOBAL ((uint64_t)3 << 32)
#define RETIRED 0x4300c0 /* PERF_CTL: instructions retired, at every CPL (AMD's PPR, PMCx0C0) */
#define SMIS 0x43002b    /* system-management interrupts received (PMCx02B) */
#define AMD_WIDTH 48
#define NO_TURBO ((uint64_t)1 << 38) /* IA32_MISC_ENABLE */
#define TRIAL 1000                   /* a counter must count at least this loop's instructions */

/* Family 6: trial shows whether a model has MSR_SMI_COUNT, and bit 38 of IA32_MISC_ENABLE. */
static bool is_intel_6(void)
{
        return vendor_intel() && cpu_identity.family == 6;
}

static bool is_amd(void)
{
        return vendor_amd() && cpu_identity.family >= 0x10;
}

static bool is_amd_17(void)
{
        return vendor_amd() && cpu_identity.family >= 0x17;
}

/* Intel's is loaded by CPUID.01H (SDM 3A, "Microcode Update Signature"), executed earlier. */
static bool has_microcode(void)
{
        return is_intel_6() || is_amd();
}

static bool has_capabilities(void)
{
        return cpuid_leaf(7).dx & 1u << 29;
}

/* IBRS, STIBP or SSBD: each implies the register (SDM 4, IA32_SPEC_CTRL; AMD APM 2, "Speculation
 * Control MSRs"). */
static bool has_spec_ctrl(void)
{
        return cpuid_leaf(7).dx & (1u << 26 | 1u << 27 | 1u << 31) ||
               cpuid_leaf(0x80000008).bx & (1u << 14 | 1u << 15 | 1u << 24);
}

static bool has_aperf(void)
{
        return cpuid_leaf(6).cx & 1;
}

/* SDM 3B, "Architectural Performance Monitoring Version 2": the first `dx` counters; version 5 adds
 * those in a bit list. */
static bool has_fixed(unsigned n)
{
        struct cpuid r = cpuid_leaf(0x0a);
        unsigned version = r.ax & 0xff;
        return version >= 2 && ((r.dx & 0x1f) > n || (version >= 5 && r.cx & 1u << n));
}

static bool has_fixed_0(void)
{
        return has_fixed(0);
}

static bool has_fixed_1(void)
{
        return has_fixed(1);
}

static bool has_any_fixed(void)
{
        return has_fixed(0) || has_fixed(1);
}

enum {
        APERF,
        MPERF,
        FIXED_0,
        FIXED_1,
        FIXED_CONTROL,
        GLOBAL_CONTROL,
        PERF_CTL,
        PERF_CTR,
        SMI_CTL,
        SMI_CTR,
        SMI_COUNT,
        MISC_ENABLE,
        MICROCODE,
        CAPABILITIES,
        SPEC_CTRL,
        REGISTERS
};

static const struct {
        uint32_t number;
        uint32_t (*peek)(uint32_t number, uint64_t *value);
        bool (*named)(void);
        const char *name; /* NULL: no manual names it, so it is never reported missing */
} registers[REGISTERS] = {
        [APERF] = {0xe8, msr_peek, has_aperf, "IA32_APERF"},
        [MPERF] = {0xe7, msr_peek, has_aperf, "IA32_MPERF"},
        [FIXED_0] = {0x40000000, pmc_peek, has_fixed_0, "IA32_FIXED_CTR0 (RDPMC)"},
        [FIXED_1] = {0x40000001, pmc_peek, has_fixed_1, "IA32_FIXED_CTR1 (RDPMC)"},
        [FIXED_CONTROL] = {0x38d, msr_peek, has_any_fixed, "IA32_FIXED_CTR_CTRL"},
        [GLOBAL_CONTROL] = {0x38f, msr_peek, has_any_fixed, "IA32_PERF_GLOBAL_CTRL"},
        [PERF_CTL] = {0xc0010000, msr_peek, is_amd, "PERF_LEGACY_CTL0"},
        [PERF_CTR] = {0xc0010004, msr_peek, is_amd, "PERF_LEGACY_CTR0"},
        [SMI_CTL] = {0xc0010001, msr_peek, is_amd_17, "PERF_LEGACY_CTL1"},
        [SMI_CTR] = {0xc0010005, msr_peek, is_amd_17, "PERF_LEGACY_CTR1"},
        [SMI_COUNT] = {0x34, msr_peek, is_intel_6, NULL},
        [MISC_ENABLE] = {0x1a0, msr_peek, is_intel_6, NULL},
        [MICROCODE] = {0x8b, msr_peek, has_microcode, "IA32_BIOS_SIGN_ID"},
        [CAPABILITIES] = {0x10a, msr_peek, has_capabilities, "IA32_ARCH_CAPABILITIES"},
        [SPEC_CTRL] = {0x48, msr_peek, has_spec_ctrl, "IA32_SPEC_CTRL"},
};

static bool there[REGISTERS];
static uint64_t first[REGISTERS]; /* values at boot */
static const char *by;            /* the counter of the core's cycles, by name, or NULL */
static const char *retired_by;    /* the counter of instructions, by name, or NULL */

/* A counter of fewer than 64 bits with any start value. It is read more often than it wraps. */
struct wide {
        unsigned from; /* a register; REGISTERS: not counted here */
        uint64_t mask, last, all;
};
static struct wide cycles, instructions, interruptions;

static uint64_t cycle_get(unsigned n)
{
        uint64_t value = 0;
        if (there[n])
                registers[n].peek(registers[n].number, &value);
        return value;
}

static void wide_begin(struct wide *wide, unsigned from, unsigned width)
{
        *wide = (struct wide){.from = from, .last = cycle_get(from)};
        wide->mask = width && width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
}

static uint64_t wide_read(struct wide *wide)
{
        if (wide->from == REGISTERS)
                return 0;
        uint64_t now = cycle_get(wide->from);
        wide->all += (now - wide->last) & wide->mask;
        wide->last = now;
        return wide->all;
}

static bool both(unsigned a, unsigned b)
{
        return there[a] && there[b];
}

static void allow(unsigned control, uint64_t bits)
{
        msr_write(registers[control].number, first[control] | bits);
}

static void fixed_init(void)
{
        unsigned width = cpuid_leaf(0x0a).dx >> 5 & 0xff;
        if (!both(FIXED_CONTROL, GLOBAL_CONTROL) || !(there[FIXED_0] || there[FIXED_1]))
                return;
        uint64_t n = there[FIXED_0] | there[FIXED_1] << 1;
        allow(FIXED_CONTROL, COUNTING & (there[FIXED_0] * 0xf | there[FIXED_1] * 0xf0));
        allow(GLOBAL_CONTROL, COUNTING_GLOBAL & n << 32);
        if (there[FIXED_0])
                wide_begin(&instructions, FIXED_0, width);
        if (there[FIXED_1])
                wide_begin(&cycles, FIXED_1, width);
}

static void amd_init(void)
{
        if (both(PERF_CTL, PERF_CTR)) {
                msr_write(registers[PERF_CTL].number, RETIRED);
                wide_begin(&instructions, PERF_CTR, AMD_WIDTH);
        }
        if (both(SMI_CTL, SMI_CTR)) {
                msr_write(registers[SMI_CTL].number, RETIRED);
                wide_begin(&interruptions, SMI_CTR, AMD_WIDTH);
        }
}

/* A register may exist and never change: a hypervisor's often does not, nor an emulator's. */
static bool counts(struct wide *wide)
{
        uint64_t before = wide_read(wide);
        for (unsigned n = TRIAL; n; n--)
                __asm__ volatile("" : "+r"(n));
        uint64_t counted = wide_read(wide) - before;
        return counted > TRIAL && counted < 20 * TRIAL;
}

/* AMD's: a counter that has counted instructions can also count another event. */
static void who_counts_interruptions(void)
{
        if (interruptions.from == REGISTERS || !counts(&interruptions)) {
                interruptions.from = REGISTERS;
                return;
        }
        msr_write(registers[SMI_CTL].number, SMIS);
        wide_begin(&interruptions, SMI_CTR, AMD_WIDTH);
}

static void who_counts_instructions(bool made_up)
{
        if (!made_up && counts(&instructions)) {
                retired_by = instructions.from == FIXED_0 ? "IA32_FIXED_CTR0" : "PMCx0C0";
                return;
        }
        instructions.from = REGISTERS;
        if (made_up)
                retired_by = "the TSC, as the command line says";
}

void cycle_init(bool made_up)
{
        cycles.from = instructions.from = interruptions.from = REGISTERS;
        by = retired_by = NULL;
        for (unsigned n = 0; n < REGISTERS; n++)
                there[n] = feature_has(FEATURE_MSR) && registers[n].named() &&
                           registers[n].peek(registers[n].number, &first[n]);
        fixed_init();
        amd_init();
        if (both(APERF, MPERF))
                by = "IA32_APERF and IA32_MPERF";
        else if (cycles.from == FIXED_1)
                by = "IA32_FIXED_CTR1";
        who_counts_interruptions();
        who_counts_instructions(made_up);
}

static uint64_t cycle_retired(void)
{
        return retired_by && instructions.from == REGISTERS ? tsc_read() : wide_read(&instructions);
}

bool cycle_counted(struct cycle_counts *counts)
{
        bool aperf = both(APERF, MPERF);
        *counts = (struct cycle_counts){
                .core = aperf ? cycle_get(APERF) : wide_read(&cycles),
                .reference = !by     ? 0
                             : aperf ? cycle_get(MPERF)
                                     : tsc_read(),
                .smis = there[SMI_COUNT] ? cycle_get(SMI_COUNT) : wide_read(&interruptions),
                .retired = cycle_retired(),
        };
        return by || retired_by || cycle_smis() >= 0;
}

static const char *turbo(void)
{
        uint64_t hwcr = 0; /* AMD APM 2, "Hardware Configuration Register (HWCR)": CpbDis */
        if (is_amd() && cpuid_leaf(0x80000007).dx >> 9 & 1)
                return msr_peek(AMD_HWCR, &hwcr) && hwcr >> 25 & 1 ? "off" : "on";
        if (!(cpuid_leaf(6).ax & 2))
                return there[MISC_ENABLE] && first[MISC_ENABLE] & NO_TURBO ? "off" : "";
        return "on";
}

const char *cycle_lost(unsigned index)
{
        for (unsigned n = 0; n < REGISTERS; n++)
                if (feature_has(FEATURE_MSR) && registers[n].name && registers[n].named() &&
                    !there[n] && !index--)
                        return registers[n].name;
        return NULL;
}

int64_t cycle_smis(void)
{
        return there[SMI_COUNT]                  ? (int64_t)cycle_get(SMI_COUNT)
               : interruptions.from != REGISTERS ? (int64_t)wide_read(&interruptions)
                                                 : -1;
}

/* Records it in hexadecimal, as manuals and errata do; "" if it does not exist. */
static void record_hex(struct json *json, const char *name, unsigned n, unsigned shift)
{
        char text[20] = "";
        if (there[n])
                snprintf(text, sizeof text, "0x%llx", (unsigned long long)(first[n] >> shift));
        json_text(json, name, text);
}

void cycle_record(struct json *json)
{
        json_flag(json, "invariant", feature_has(FEATURE_INVARIANT_TSC));
        json_text(json, "core", by ? by : "");
        json_text(json, "turbo", turbo());
        json_flag(json, "sleeps_deep", cpuid_leaf(5).dx >> 8);
        json_number(json, "smis", cycle_smis());
        json_text(json, "retired", retired_by ? retired_by : "");
        json_number(json, "core_type", (int64_t)(cpuid_leaf(0x1a).ax >> 24));
        record_hex(json, "microcode", MICROCODE, vendor_intel() ? 32 : 0);
        record_hex(json, "arch_capabilities", CAPABILITIES, 0);
        record_hex(json, "spec_ctrl", SPEC_CTRL, 0);
}
