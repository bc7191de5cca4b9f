/*
 * cycle.c - which registers are read on which processor (kernel/toll/cycle.h): those that CPUID or
 * the table of models names and no other; and one that is not there is said.
 */
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

static struct cpuid leaf_6, leaf_10;
static unsigned reads;
static uint32_t faults; /* the register that raises #GP */
static uint64_t counter;
static uint64_t control, global_control;

struct cpuid cpuid_leaf(uint32_t leaf)
{
        return leaf == 6 ? leaf_6 : leaf == 10 ? leaf_10 : (struct cpuid){0};
}

uint32_t msr_peek(uint32_t msr, uint64_t *value)
{
        reads++;
        if (msr == faults)
                return 0;
        *value = msr;
        return 1;
}

uint32_t pmc_peek(uint32_t number, uint64_t *value)
{
        reads++;
        if (number == faults)
                return 0;
        assert_int_equal(number, 0x40000001);
        *value = counter;
        return 1;
}

static void write_scripted(uint32_t msr, uint64_t value)
{
        *(msr == 0x38d ? &control : &global_control) = value;
}

static struct cycle_counts found(const char *vendor, unsigned model, bool is_counted)
{
        struct cycle_counts counts;
        strcpy(cpu_identity.vendor, vendor);
        cpu_identity.family = 6;
        cpu_identity.model = model;
        by = NULL;
        reads = 0;
        fixed_all = 0;
        cycle_init();
        assert_int_equal(cycle_counted(&counts), is_counted);
        return counts;
}

static void nothing_is_read_that_nobody_names(void **state)
{
        (void)state;
        cpu_features[FEATURE_MSR] = true;
        faults = 0;
        leaf_6 = leaf_10 = (struct cpuid){0};
        found("AuthenticAMD", 0x5e, false);
        assert_int_equal(cycle_smis(), -1);
        assert_int_equal(reads, 0);
        found("GenuineIntel", 0x0f, false); /* Core 2: before the table */
        found("GenuineIntel", 0xfe, false); /* behind it */
        assert_int_equal(reads, 0);
        leaf_6.cx = 1;
        cpu_features[FEATURE_MSR] = false;
        found("GenuineIntel", 0x5e, false);
        assert_int_equal(reads, 0);
        assert_null(cycle_by());
}

static void who_counts(void **state)
{
        (void)state;
        cpu_features[FEATURE_MSR] = true;
        leaf_6 = (struct cpuid){0};
        leaf_10 = (struct cpuid){0};
        assert_int_equal(found("GenuineIntel", 0x5e, true).smis, 0x34);
        assert_int_equal(cycle_smis(), 0x34);
        assert_null(cycle_by());
        leaf_10 = (struct cpuid){.ax = 2, .dx = 1};
        found("GenuineIntel", 0x5e, true);
        assert_null(cycle_by()); /* counter 0 alone */
        leaf_10 = (struct cpuid){.ax = 5, .cx = 2};
        found("GenuineIntel", 0x5e, true);
        assert_string_equal(cycle_by(), "IA32_FIXED_CTR1");
        leaf_10 = (struct cpuid){.ax = 2, .dx = 3 | 48 << 5};
        counter = 0xfffffffffff0;
        struct cycle_counts counts = found("GenuineIntel", 0x5e, true);
        assert_int_equal(counts.core, 0);
        assert_int_equal(counts.reference, 5000);
        counter = 0x10; /* it has 48 bits */
        cycle_counted(&counts);
        assert_int_equal(counts.core, 0x20);
        counter = 0x30;
        cycle_counted(&counts);
        assert_int_equal(counts.core, 0x40);
        assert_int_equal(control, 0x38d | 0x30);
        assert_int_equal(global_control, 0x38f | (uint64_t)1 << 33);
        leaf_6.cx = 1;
        counts = found("AuthenticAMD", 1, true);
        assert_int_equal(counts.core, 0xe8);
        assert_int_equal(counts.reference, 0xe7);
        assert_int_equal(counts.smis, 0);
        assert_string_equal(cycle_by(), "IA32_APERF and IA32_MPERF");
        assert_null(cycle_lost(0));
}

static void a_register_that_is_not_there_is_said(void **state)
{
        (void)state;
        leaf_6.cx = 1;
        leaf_10 = (struct cpuid){0};
        faults = 0xe8;
        struct cycle_counts counts = found("AuthenticAMD", 1, false);
        assert_int_equal(counts.core, 0);
        assert_null(cycle_by());
        assert_string_equal(cycle_lost(0), "IA32_APERF");
        assert_null(cycle_lost(1));
        faults = 0x34;
        found("GenuineIntel", 0x8e, true);
        assert_string_equal(cycle_lost(0), "MSR_SMI_COUNT");
        leaf_6.cx = 0;
        leaf_10 = (struct cpuid){.ax = 2, .dx = 3};
        faults = 0x40000001;
        found("GenuineIntel", 0x8e, true);
        assert_null(cycle_by());
        assert_string_equal(cycle_lost(0), "IA32_FIXED_CTR1 (RDPMC)");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_is_read_that_nobody_names),
                cmocka_unit_test(who_counts),
                cmocka_unit_test(a_register_that_is_not_there_is_said),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
