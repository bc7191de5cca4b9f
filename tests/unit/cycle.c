/* cycle.c - the registers that are read on each processor (kernel/toll/cycle.h): those that CPUID
 * or the family names. A missing one is reported, and one that does not count is not believed. */
#include "unit.h"
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

static uint64_t tsc_scripted(void)
{
        return 5000;
}
static void write_scripted(uint32_t msr, uint64_t value);
#define tsc_read tsc_scripted
#define msr_write write_scripted
#define TOLLGATE_CORE_CPU_MSR_H
#include "toll/cycle.c"

struct cpu_identity cpu_identity;
bool cpu_features[FEATURES];

enum { FIXED, GLOBAL, FIRST, SECOND };

static struct cpuid leaves[0x20], extended, power; /* 80000008H and 80000007H */
static uint64_t hwcr;
static unsigned reads;
static uint32_t faults[2];                                    /* registers that raise #GP */
static uint64_t cycles_now, instructions_now, pace, smis_now; /* pace: instructions between reads */
static uint64_t written[4];                                   /* the selected events */
static bool still;                                            /* AMD's second counter */
static uint64_t tried;                                        /* instructions that it counts */

struct cpuid cpuid_leaf(uint32_t leaf)
{
        return leaf < 0x20          ? leaves[leaf]
               : leaf == 0x80000008 ? extended
               : leaf == 0x80000007 ? power
                                    : (struct cpuid){0};
}

/* Counts as selected, unless it stands still. */
static uint64_t second_counts(void)
{
        return written[SECOND] == 0x4300c0 && !still ? tried += pace : smis_now;
}

static bool answers(uint32_t number)
{
        reads++;
        return number != faults[0] && number != faults[1];
}

uint32_t msr_peek(uint32_t msr, uint64_t *value)
{
        *value = msr == 0xc0010004   ? instructions_now += pace
                 : msr == 0xc0010005 ? second_counts()
                 : msr == 0x8b       ? 0xf000000a0
                 : msr == 0xc0010015 ? hwcr
                                     : msr;
        return answers(msr);
}

uint32_t pmc_peek(uint32_t number, uint64_t *value)
{
        *value = number & 1 ? cycles_now : (instructions_now += pace);
        return answers(number);
}

bool vendor_intel(void)
{
        return !strcmp(cpu_identity.vendor, "GenuineIntel");
}

bool vendor_amd(void)
{
        return !strcmp(cpu_identity.vendor, "AuthenticAMD");
}

static void write_scripted(uint32_t msr, uint64_t value)
{
        unsigned n = msr == 0x38d        ? FIXED
                     : msr == 0x38f      ? GLOBAL
                     : msr == 0xc0010000 ? FIRST
                                         : SECOND;
        written[n] = value;
}

static void nothing(void)
{
        memset(leaves, 0, sizeof leaves);
        extended = (struct cpuid){0};
        still = false;
        memset(written, 0, sizeof written);
        faults[0] = faults[1] = 0;
        cycles_now = instructions_now = smis_now = pace = 0;
        cpu_features[FEATURE_MSR] = true;
}

static struct cycle_counts found(const char *vendor, unsigned family, bool is_counted)
{
        struct cycle_counts counts;
        strcpy(cpu_identity.vendor, vendor);
        cpu_identity.family = family;
        reads = 0;
        cycle_init(false);
        assert_int_equal(cycle_counted(&counts), is_counted);
        return counts;
}

static void nothing_is_read_that_nobody_names(void **state)
{
        nothing();
        found("AuthenticAMD", 6, false);
        found("GenuineIntel", 15, false);
        found("CentaurHauls", 6, false);
        assert_int_equal(cycle_smis(), -1);
        assert_int_equal(reads, 0);
        leaves[6].cx = 1;
        cpu_features[FEATURE_MSR] = false;
        found("GenuineIntel", 6, false);
        assert_int_equal(reads, 0);
        assert_null(by);
}

static void who_counts_cycles(void **state)
{
        nothing();
        assert_int_equal(found("GenuineIntel", 6, true).smis, 0x34);
        assert_int_equal(cycle_smis(), 0x34);
        assert_null(by);
        leaves[10] = (struct cpuid){.ax = 2, .dx = 1};
        found("GenuineIntel", 6, true);
        assert_null(by); /* counter 0 alone */
        assert_int_equal(written[FIXED], 0x38d | 3);
        leaves[10] = (struct cpuid){.ax = 5, .cx = 2};
        found("GenuineIntel", 6, true);
        assert_string_equal(by, "IA32_FIXED_CTR1");
        leaves[10] = (struct cpuid){.ax = 2, .dx = 3 | 48 << 5};
        cycles_now = 0xfffffffffff0;
        struct cycle_counts counts = found("GenuineIntel", 6, true);
        assert_int_equal(counts.core, 0);
        assert_int_equal(counts.reference, 5000);
        cycles_now = 0x10; /* it has 48 bits */
        cycle_counted(&counts);
        assert_int_equal(counts.core, 0x20);
        cycles_now = 0x30;
        cycle_counted(&counts);
        assert_int_equal(counts.core, 0x40);
        assert_int_equal(written[FIXED], 0x38d | 0x33);
        assert_int_equal(written[GLOBAL], 0x38f | (uint64_t)3 << 32);
        leaves[6].cx = 1;
        counts = found("AuthenticAMD", 6, true);
        assert_int_equal(counts.core, 0xe8);
        assert_int_equal(counts.reference, 0xe7);
        assert_int_equal(counts.smis, 0);
        assert_string_equal(by, "IA32_APERF and IA32_MPERF");
        assert_null(cycle_lost(0));
}

/* The trial reads it twice, and found() once more: no other code does. */
static void who_counts_instructions_is_tried(void **state)
{
        struct cycle_counts counts;
        nothing();
        leaves[10] = (struct cpuid){.ax = 2, .dx = 3 | 48 << 5};
        found("GenuineIntel", 6, true);
        assert_null(retired_by); /* it stands still */
        pace = 100 * TRIAL;
        found("GenuineIntel", 6, true);
        assert_null(retired_by); /* it counts something else */
        pace = 2 * TRIAL;
        assert_int_equal(found("GenuineIntel", 6, true).retired, 6 * TRIAL);
        assert_string_equal(retired_by, "IA32_FIXED_CTR0");
        assert_int_equal(found("AuthenticAMD", 0x17, true).retired, 6 * TRIAL);
        assert_string_equal(retired_by, "PMCx0C0");
        assert_int_equal(written[FIRST], 0x4300c0);
        assert_int_equal(written[SECOND], 0x43002b);
        smis_now = 3;
        cycle_counted(&counts);
        assert_int_equal(counts.smis, 3);
        assert_int_equal(cycle_smis(), 3);
        still = true; /* the second counter is tried, too */
        found("AuthenticAMD", 0x17, true);
        assert_int_equal(cycle_smis(), -1);
        assert_string_equal(retired_by, "PMCx0C0");
        still = false;
        found("AuthenticAMD", 0x10, true);
        assert_int_equal(cycle_smis(), -1); /* PMCx02B is Zen's */
        cycle_init(true);
        cycle_counted(&counts);
        assert_int_equal(counts.retired, 5000); /* this is the TSC's name */
}

static void a_register_that_is_not_there_is_said(void **state)
{
        nothing();
        leaves[6].cx = 1;
        faults[0] = 0xe8;
        struct cycle_counts counts = found("AuthenticAMD", 6, false);
        assert_int_equal(counts.core, 0);
        assert_null(by);
        assert_string_equal(cycle_lost(0), "IA32_APERF");
        assert_null(cycle_lost(1));
        leaves[6].cx = 0;
        leaves[10] = (struct cpuid){.ax = 2, .dx = 3};
        faults[0] = 0x40000001;
        faults[1] = 0x34; /* no manual names it, so it is not missing */
        found("GenuineIntel", 6, false);
        assert_null(by);
        assert_int_equal(cycle_smis(), -1);
        assert_string_equal(cycle_lost(0), "IA32_FIXED_CTR1 (RDPMC)");
        assert_null(cycle_lost(1));
        leaves[10] = (struct cpuid){0};
        faults[0] = 0xc0010004;
        pace = 2 * TRIAL;
        assert_int_equal(found("AuthenticAMD", 0x17, true).smis, 0); /* the second one counts */
        assert_null(retired_by);
        assert_string_equal(cycle_lost(0), "PERF_LEGACY_CTR0");
}

/* The machine's own records beside its figures, in the notation of its manuals. */
static void the_record_says_revision_and_mitigations(void **state)
{
        char line[600];
        struct json json;
        nothing();
        leaves[0x1a].ax = 0x40000001;
        leaves[7].dx = 1u << 29;
        found("GenuineIntel", 6, true);
        json_open(&json, line, sizeof line, "run");
        cycle_record(&json);
        assert_non_null(strstr(line, "\"core_type\":64,\"microcode\":\"0xf\""));
        assert_non_null(strstr(line, "\"arch_capabilities\":\"0x10a\",\"spec_ctrl\":\"\""));
        found("AuthenticAMD", 0x17, false);
        json_open(&json, line, sizeof line, "run");
        cycle_record(&json);
        assert_non_null(strstr(line, "\"microcode\":\"0xf000000a0\""));
}

static void each_mitigation_brings_spec_ctrl(void **state)
{
        static const struct {
                uint32_t dx, bx; /* CPUID.07H:EDX, CPUID.80000008H:EBX */
                bool there;
        } made_up[] = {{1u << 26, 0, true}, {1u << 27, 0, true},  {1u << 31, 0, true},
                       {0, 1u << 14, true}, {0, 1u << 15, true},  {0, 1u << 24, true},
                       {0, 0, false},       {1u << 29, 0, false}, {0, 1u << 12, false}};
        for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++) {
                nothing();
                leaves[7].dx = made_up[i].dx;
                extended.bx = made_up[i].bx;
                found("AuthenticAMD", 6, false);
                assert_int_equal(there[SPEC_CTRL], made_up[i].there);
                faults[0] = 0x48;
                found("AuthenticAMD", 6, false);
                assert_false(there[SPEC_CTRL]);
                assert_int_equal(cycle_lost(0) && !strcmp(cycle_lost(0), "IA32_SPEC_CTRL"),
                                 made_up[i].there);
        }
}

static void amd_names_its_boost(void **state)
{
        nothing();
        found("AuthenticAMD", 0x17, false);
        assert_string_equal(turbo(), "");
        power.dx = 1u << 9;
        assert_string_equal(turbo(), "on");
        hwcr = 1u << 25;
        assert_string_equal(turbo(), "off");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_is_read_that_nobody_names),
                cmocka_unit_test(who_counts_cycles),
                cmocka_unit_test(who_counts_instructions_is_tried),
                cmocka_unit_test(the_record_says_revision_and_mitigations),
                cmocka_unit_test(each_mitigation_brings_spec_ctrl),
                cmocka_unit_test(a_register_that_is_not_there_is_said),
                cmocka_unit_test(amd_names_its_boost)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
