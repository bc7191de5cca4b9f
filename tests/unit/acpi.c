/*
 * acpi.c - what the firmware says of the way off (kernel/dev/acpi.c): tables as machines have them,
 * and as none must. Each piece of memory that is looked at is a copy of that size, so that a step
 * beyond it is seen.
 */
#include "unit.h"
#include "arch.h"
#undef KERNEL_BASE
#define KERNEL_BASE 0
#include "dev/acpi.c"

#define MEMORY 0x200000
#define XSDT 0x101000
#define FADT 0x102010
#define DSDT 0x103020
#define SSDT 0x104000
#define NONE 0

uintptr_t memory_top;
static uint8_t memory[MEMORY];
static void *pieces[1024];
static unsigned looked;
static struct boot_acpi loader;

void *window_map(uint64_t physical, size_t size, pte_t type)
{
        assert_int_equal(type, PTE_UNCACHED);
        if (physical > MEMORY || size > MEMORY - physical || looked == 1024)
                return NULL;
        return pieces[looked++] = exact_copy(memory + physical, size);
}

static const char *find(struct acpi_off *off)
{
        memset(off, 0, sizeof *off);
        acpi_init(&loader);
        const char *wrong = acpi_off_find(off);
        while (looked)
                free(pieces[--looked]);
        return wrong;
}

static void put(size_t at, uint64_t value, size_t bytes)
{
        memcpy(memory + at, &value, bytes);
}

static void seal(uint8_t *from, size_t size, size_t at)
{
        from[at] = 0;
        for (size_t i = 0; i < size; i++)
                if (i != at)
                        from[at] -= from[i];
}

static void table(size_t at, const char *name, uint32_t size)
{
        memcpy(memory + at, name, 4);
        put(at + 4, size, 4);
        seal(memory + at, size, 9);
}

static const char name_s5[] = "\x08_S5_\x12\x08\x04\x0a\x05\x0a\x06\x00\x00";

/* A machine of today: everything is in the fields of 64 bits. */
static void machine(size_t root, const char *code, size_t size)
{
        memset(memory, 0, 0x1000);
        memset(memory + 0x9f000, 0, SSDT + 0x1000 - 0x9f000);
        loader.size = 0;
        memcpy(memory + root, "RSD PTR ", 8);
        memory[root + 15] = 2;
        put(root + 24, XSDT, 8);
        seal(memory + root, 20, 8);
        seal(memory + root, 36, 32);
        put(XSDT + 36, SSDT, 8);
        put(XSDT + 44, FADT, 8);
        table(XSDT, "XSDT", 52);
        put(FADT + 48, 0xb2, 4);
        put(FADT + 52, 0xa0, 1);
        put(FADT + 140, DSDT, 8);
        put(FADT + 172, 1, 1);
        put(FADT + 176, 0x1804, 8);
        table(FADT, "FACP", 244);
        memcpy(memory + DSDT + 40, code, size);
        table(DSDT, "DSDT", 40 + (uint32_t)size);
        table(SSDT, "SSDT", 36);
}

static void is_found(unsigned a, unsigned b)
{
        struct acpi_off off;
        const char *wrong = find(&off);
        assert_null(wrong);
        assert_int_equal(off.port[0], 0x1804);
        assert_int_equal(off.port[1], 0);
        assert_int_equal(off.type[0], a);
        assert_int_equal(off.type[1], b);
        assert_int_equal(off.command, 0xb2);
        assert_int_equal(off.enable, 0xa0);
}

static void is_refused(const char *why)
{
        struct acpi_off off;
        const char *wrong = find(&off);
        assert_sentence(wrong);
        assert_non_null(strstr(wrong, why));
}

#define PLAIN name_s5, sizeof name_s5 - 1

static void where_the_root_is(void **state)
{
        (void)state;
        machine(0xf5a40, PLAIN);
        is_found(5, 6);
        machine(0xfffc0, PLAIN);
        is_found(5, 6);
        put(0x40e, 0x9fc0, 2);
        machine(0x9ffd0, PLAIN);
        put(0x40e, 0x9fc0, 2);
        is_found(5, 6);
        machine(NONE + 0x800, PLAIN); /* the loader's copy alone */
        memcpy(loader.bytes, memory + 0x800, sizeof loader.bytes);
        loader.size = sizeof loader.bytes;
        is_found(5, 6);
        loader.bytes[8]++;
        is_refused("it has no ACPI");
        machine(0x800, PLAIN);
        is_refused("it has no ACPI");
}

static void the_older_fields(void **state)
{
        struct acpi_off off;
        (void)state;
        machine(0xf0000, PLAIN);
        memory[0xf000f] = 0;
        put(0xf0010, 0x100000, 4);
        seal(memory + 0xf0000, 20, 8);
        put(0x100024, FADT, 4);
        table(0x100000, "RSDT", 40);
        memset(memory + FADT, 0, 244);
        put(FADT + 40, DSDT, 4);
        put(FADT + 64, 0x604, 4);
        put(FADT + 68, 0x608, 4);
        table(FADT, "FACP", 116);
        assert_null(find(&off));
        assert_int_equal(off.port[0], 0x604);
        assert_int_equal(off.port[1], 0x608);
}

static void numbers_of_s5(void **state)
{
        static const struct {
                const char *code;
                size_t size;
                int a, b; /* -1: refused */
        } all[] = {
#define CODE(text) text, sizeof text - 1
                {CODE("\x08\\_S5_\x12\x06\x04\x01\x01\x00\x00"), 1, 1},
                {CODE("\x08_S5_\x12\x40\x01\x04\x0a\x07\x0b\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00"
                      "\x00"),
                 7, 7},
                {CODE("\x08_S5_\x12\x04\x01\x0b\x05\x03"), -1, -1}, /* one byte too few */
                {CODE("\x08_S5_\x12\x05\x01\x0b\x05\x03"), 5, 3},
                {CODE("\x08_S5_\x12\x07\x01\x0c\x05\x03\x00\x00"), 5, 3},
                {CODE("_S5_\x12\x06\x04\x01\x01\x00\x00"), -1, -1},
                {CODE("\x14_S5_\x12\x06\x04\x01\x01\x00\x00"), -1, -1},
                {CODE("\x08_S5_\x12\x06\x04\x0a\x08\x00\x00"), -1, -1}, /* three bits */
                {CODE("\x08_S5_\x12\x06\x04\x0d\x01\x00\x00"), -1, -1}, /* a string */
                {CODE("\x08_S5_\x12\x02\x00"), -1, -1},
                {CODE("\x08_S5_\x12\x3f\x02\x00\x00"), -1, -1},
                {CODE("\x08_S5_\x12\xff\xff\xff\xff\x02\x00\x00"), -1, -1},
                {CODE("\x08_S5_\x12"), -1, -1},
                {CODE("\x08_S5_\x12\xc0"), -1, -1},
                {CODE("\x08_S5_\x12\x02\x01"), -1, -1},
        };
        (void)state;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                machine(0xe0000, all[i].code, all[i].size);
                if (all[i].a < 0)
                        is_refused("\\_S5");
                else
                        is_found((unsigned)all[i].a, (unsigned)all[i].b);
        }
        machine(0xe0000, "\x08_S4_", 5); /* in another table */
        memcpy(memory + SSDT + 36, PLAIN);
        table(SSDT, "SSDT", 36 + sizeof name_s5 - 1);
        is_found(5, 6);
}

static void registers_that_are_none(void **state)
{
        (void)state;
        machine(0xe0000, PLAIN);
        put(FADT + 172, 0, 1); /* memory */
        table(FADT, "FACP", 244);
        is_refused("no port");
        put(FADT + 172, 1, 1);
        put(FADT + 176, 0x10000, 8);
        table(FADT, "FACP", 244);
        is_refused("no port");
        put(FADT + 176, 0, 8);
        table(FADT, "FACP", 244);
        is_refused("no port");
        put(FADT + 176, 0x1804, 8);
        put(FADT + 112, 1u << 20, 4);
        table(FADT, "FACP", 244);
        is_refused("HW_REDUCED_ACPI");
}

/* Whatever a byte of it becomes, and wherever it ends: found, or refused in words. */
static void damage(void **state)
{
        static const struct {
                size_t at, size;
        } parts[] = {{0xe0000, 36}, {XSDT, 52}, {FADT, 244}, {DSDT, 53}};
        struct acpi_off off;
        (void)state;
        for (unsigned round = 0; round < 1000; round++) {
                machine(0xe0000, PLAIN);
                for (size_t n = 1 + chance_below(3); n; n--) {
                        size_t part = chance_below(4);
                        size_t at = parts[part].at + chance_below(parts[part].size);
                        memory[at] = (uint8_t)chance();
                        if (part && chance_below(2))
                                seal(memory + parts[part].at, parts[part].size, 9);
                        else if (chance_below(2))
                                seal(memory + 0xe0000, 36, 32);
                }
                const char *wrong = find(&off);
                if (wrong)
                        assert_sentence(wrong);
                else
                        assert_true(off.type[0] <= 7 && off.type[1] <= 7 && off.port[0]);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(where_the_root_is),
                cmocka_unit_test(the_older_fields),
                cmocka_unit_test(numbers_of_s5),
                cmocka_unit_test(registers_that_are_none),
                cmocka_unit_test(damage),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
