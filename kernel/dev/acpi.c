/*
 * acpi.c - how the machine is switched off, out of the firmware's tables.
 *
 * Anything may stand there: a table is read where its length and its sum are right, and nothing
 * beyond it. No AML is run: \_S5 is looked for as the package of numbers that it is. (Advanced
 * Configuration and Power Interface Specification 6.4, "Root System Description Pointer (RSDP)",
 * "Fixed ACPI Description Table (FADT)", "PM1 Control Registers", "\_Sx System States", "AML
 * Encoding")
 */
#include "dev/acpi.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/space.h"

#define HEADER 36
#define MOST (1u << 20) /* bytes of a table */
#define TABLES 256      /* that the root names */
#define ROOT_1 20       /* bytes of the root pointer of ACPI 1.0 */
#define BIOS 0xe0000
#define BIOS_SIZE 0x20000
#define EBDA_SEGMENT 0x40e /* a word of the BIOS's data: where its other memory begins */
#define EBDA_SIZE 1024
#define LOW_END 0xa0000

static const struct boot_acpi *told;

void acpi_init(const struct boot_acpi *root)
{
        told = root;
}

/* Physical memory, if it can be reached. */
static const uint8_t *look(uint64_t physical, uint32_t size)
{
        if (!physical || physical > UINT64_MAX - size)
                return NULL;
        return physical + size <= memory_top ? DIRECT(physical)
                                             : window_map(physical, size, PTE_UNCACHED);
}

static uint64_t number(const uint8_t *at, unsigned bytes)
{
        uint64_t value = 0;
        while (bytes--)
                value = value << 8 | at[bytes];
        return value;
}

static bool sums_to_zero(const uint8_t *at, uint32_t size)
{
        uint8_t sum = 0;
        while (size--)
                sum += *at++;
        return !sum;
}

/* --- tables ------------------------------------------------------------------------------------
 */

struct table {
        const uint8_t *at;
        uint32_t size;
};

static bool table_open(struct table *table, uint64_t physical, const char *signature)
{
        const uint8_t *header = look(physical, HEADER);
        if (!header || memcmp(header, signature, 4))
                return false;
        table->size = (uint32_t)number(header + 4, 4);
        if (table->size < HEADER || table->size > MOST)
                return false;
        table->at = look(physical, table->size);
        return table->at && sums_to_zero(table->at, table->size);
}

/* A field of a table; 0 where the table has none, as that of an older version. */
static uint64_t field(const struct table *table, uint32_t at, unsigned bytes)
{
        return at + bytes <= table->size ? number(table->at + at, bytes) : 0;
}

static bool is_root(const struct boot_acpi *root)
{
        return root->size >= ROOT_1 && !memcmp(root->bytes, "RSD PTR ", 8) &&
               sums_to_zero(root->bytes, ROOT_1);
}

static bool root_in(struct boot_acpi *root, uint64_t physical, uint32_t size)
{
        const uint8_t *at = look(physical, size);
        for (; at && size; at += 16, size -= 16) {
                root->size = size < sizeof root->bytes ? size : sizeof root->bytes;
                memcpy(root->bytes, at, root->size);
                if (is_root(root))
                        return true;
        }
        return false;
}

/* The root pointer: the loader's copy, or where a BIOS leaves it. */
static bool root_find(struct boot_acpi *root)
{
        *root = *told;
        if (root->size)
                return is_root(root);
        if (root_in(root, BIOS, BIOS_SIZE))
                return true;
        const uint8_t *segment = look(EBDA_SEGMENT, 2);
        uint32_t ebda = segment ? (uint32_t)number(segment, 2) << 4 : 0;
        return ebda >= 0x400 && ebda <= LOW_END - EBDA_SIZE && root_in(root, ebda, EBDA_SIZE);
}

/* The tables that the root names. */
struct list {
        struct table table;
        unsigned width; /* of an entry: those of 64 bits where there are such */
};

static bool list_open(struct list *list, const struct boot_acpi *root)
{
        list->width = 8;
        if (root->bytes[15] >= 2 && root->size == sizeof root->bytes &&
            sums_to_zero(root->bytes, sizeof root->bytes) &&
            table_open(&list->table, number(root->bytes + 24, 8), "XSDT"))
                return true;
        list->width = 4;
        return table_open(&list->table, number(root->bytes + 16, 4), "RSDT");
}

static bool list_has(const struct list *list, unsigned n)
{
        return n < TABLES && HEADER + (n + 1) * list->width <= list->table.size;
}

static uint64_t list_entry(const struct list *list, unsigned n)
{
        return number(list->table.at + HEADER + n * list->width, list->width);
}

/* --- \_S5 --------------------------------------------------------------------------------------
 */

#define AML_NAME 0x08
#define AML_PACKAGE 0x12

/* A number of AML. NULL = it is none, or goes beyond the end; else the byte behind it. */
static const uint8_t *aml_number(const uint8_t *at, const uint8_t *end, uint32_t *value)
{
        static const uint8_t sizes[] = {[0x0a] = 1, [0x0b] = 2, [0x0c] = 4};
        if (at == end)
                return NULL;
        uint8_t kind = *at++;
        *value = kind;
        if (kind <= 1)
                return at;
        unsigned size = kind < sizeof sizes ? sizes[kind] : 0;
        if (!size || (size_t)(end - at) < size)
                return NULL;
        *value = (uint32_t)number(at, size);
        return at + size;
}

/* A package of numbers, from its length on: those of PM1a and PM1b; one alone has both. */
static bool aml_types(const uint8_t *at, const uint8_t *end, uint8_t type[2])
{
        uint32_t value[2] = {0};
        if (at == end || end - at <= at[0] >> 6)
                return false;
        unsigned more = at[0] >> 6;
        uint32_t length = more ? at[0] & 0xf : at[0];
        for (unsigned i = 0; i < more; i++)
                length |= (uint32_t)at[1 + i] << (4 + 8 * i);
        if (length > (size_t)(end - at) || length < more + 2)
                return false;
        end = at + length;
        at += 1 + more;
        unsigned count = *at++;
        for (unsigned i = 0; i < 2 && i < count; i++)
                if (!(at = aml_number(at, end, &value[i])))
                        return false;
        if (count == 1)
                value[1] = value[0] >> 8;
        type[0] = (uint8_t)(value[0] & 0xff);
        type[1] = (uint8_t)value[1];
        return count && type[0] <= 7 && value[1] <= 7;
}

/* Name (_S5, Package () {...}), or Name (\_S5, ...) */
static bool s5_in(const struct table *table, uint8_t type[2])
{
        const uint8_t *end = table->at + table->size;
        for (const uint8_t *at = table->at + HEADER; end - at > 6; at++) {
                const uint8_t *name = at + 1;
                if (*at != AML_NAME)
                        continue;
                name += *name == '\\';
                if (end - name > 5 && !memcmp(name, "_S5_", 4) && name[4] == AML_PACKAGE &&
                    aml_types(name + 5, end, type))
                        return true;
        }
        return false;
}

static bool s5_find(const struct list *list, const struct table *fixed, uint8_t type[2])
{
        struct table code;
        uint64_t wide = field(fixed, 140, 8), at = wide ? wide : field(fixed, 40, 4);
        if (table_open(&code, at, "DSDT") && s5_in(&code, type))
                return true;
        for (unsigned n = 0; list_has(list, n); n++)
                if (table_open(&code, list_entry(list, n), "SSDT") && s5_in(&code, type))
                        return true;
        return false;
}

/* --- the registers -----------------------------------------------------------------------------
 */

#define FIXED_LEAST 116
#define FLAG_REDUCED (1u << 20)

/* A register's port: by its generic address, else by the old field. False = it is no port. */
static bool port_of(const struct table *fixed, uint32_t generic, uint32_t old, uint16_t *port)
{
        uint64_t at = field(fixed, generic + 4, 8);
        if (at && field(fixed, generic, 1) != 1)
                return false;
        if (!at)
                at = field(fixed, old, 4);
        *port = (uint16_t)at;
        return at < 0xffff;
}

const char *acpi_off_find(struct acpi_off *off)
{
        struct boot_acpi root;
        struct list list;
        struct table fixed;
        bool found = false;
        if (!root_find(&root))
                return "it has no ACPI";
        if (!list_open(&list, &root))
                return "the root table of its ACPI is damaged";
        for (unsigned n = 0; !found && list_has(&list, n); n++)
                found = table_open(&fixed, list_entry(&list, n), "FACP");
        if (!found || fixed.size < FIXED_LEAST)
                return "its ACPI has no FADT, or a damaged one";
        if (field(&fixed, 112, 4) & FLAG_REDUCED)
                return "its ACPI has no register for that (HW_REDUCED_ACPI)";
        if (!port_of(&fixed, 172, 64, &off->port[0]) || !off->port[0] ||
            !port_of(&fixed, 184, 68, &off->port[1]))
                return "its PM1 control register is no port";
        off->command = (uint16_t)field(&fixed, 48, 4);
        off->enable = (uint8_t)field(&fixed, 52, 1);
        if (!s5_find(&list, &fixed, off->type))
                return "its ACPI has no \\_S5 that is a package of numbers";
        return NULL;
}
