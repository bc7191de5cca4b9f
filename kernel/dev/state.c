/* state.c - control registers, MSRs, the firmware's names and CPUID.
 *
 * A register is in hexadecimal: "" where neither CPUID nor the family promises it, "unreadable"
 * where they do and it raises #GP (an emulator, a hypervisor). The firmware's serial numbers and
 * the processor's are left out. */
#include "dev/state.h"
#include "arch.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/protect.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/space.h"

static void record_hex(struct json *json, const char *name, uint64_t value)
{
        char text[20];
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
        json_text(json, name, text);
}

static bool has_efer(void)
{
        return feature_has(FEATURE_SYSCALL) || feature_has(FEATURE_NX);
}

static bool has_pat(void)
{
        return feature_has(FEATURE_PAT);
}

static bool has_hwcr(void)
{
        return vendor_amd() && cpu_identity.family >= 0x0f;
}

static const struct {
        const char *name;
        uint32_t number;
        bool (*named)(void);
} registers[] = {
        {"efer", IA32_EFER, has_efer},
        {"pat", 0x277, has_pat},
        {"de_cfg", AMD_DE_CFG, lfence_needs_msr}, /* bit 1: LFENCE serialises */
        {"hwcr", AMD_HWCR, has_hwcr},             /* bit 25: no boost */
};

static void record_register(struct json *json, const char *name, uint32_t number, bool named)
{
        uint64_t value;
        if (!named)
                json_text(json, name, "");
        else if (!msr_peek(number, &value))
                json_text(json, name, "unreadable");
        else
                record_hex(json, name, value);
}

/* XGETBV needs CR4.OSXSAVE, which no program has here (cpu/protect.c). QEMU 7.2 as an Opteron_G5,
 * of which CPUID.0DH.01H:EAX is 0, never ends the MOV that sets it. */
static void record_xcr0(struct json *json)
{
        uint32_t low, high;
        uintptr_t cr4 = cr4_read();
        if (!(cpuid(1, 0).cx >> 26 & 1) || !cpuid_leaf(SUBLEAF(0xd, 1)).ax) {
                json_text(json, "xcr0", "");
                return;
        }
        cr4_write(cr4 | CR4_OSXSAVE);
        __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
        cr4_write(cr4);
        record_hex(json, "xcr0", low | (uint64_t)high << 32);
}

#define SERIAL_NUMBER 3 /* a leaf */
#define LEAVES 0x40     /* of one kind */
#define SUBLEAVES 32

static bool is_empty(struct cpuid r)
{
        return !(r.ax | r.bx | r.cx >> 8); /* CL has the level's number, even of a missing one */
}

static void record_leaf(struct json *json, uint32_t leaf, uint32_t subleaf, struct cpuid r)
{
        const uint32_t words[] = {leaf, subleaf, r.ax, r.bx, r.cx, r.dx};
        json_begin(json, NULL, '[');
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                json_number(json, NULL, words[i]);
        json_end(json, ']');
}

/* A leaf without subleaves gives the same answer to each of them. */
static void record_leaves(struct json *json, uint32_t from)
{
        uint32_t last = cpuid(from, 0).ax;
        for (uint32_t leaf = from; leaf <= last && leaf - from < LEAVES; leaf++) {
                struct cpuid first = cpuid(leaf, 0);
                if (leaf == SERIAL_NUMBER || !(first.ax | first.bx | first.cx | first.dx))
                        continue;
                record_leaf(json, leaf, 0, first);
                for (uint32_t sub = 1; sub < SUBLEAVES; sub++) {
                        struct cpuid r = cpuid(leaf, sub);
                        if (memcmp(&r, &first, sizeof r) && !is_empty(r))
                                record_leaf(json, leaf, sub, r);
                }
        }
}

/* --- SMBIOS (DMTF DSP0134): the firmware's tables, by an anchor in the BIOS's memory or UEFI's
 * configuration table ---------------------------------------------------------------------------
 */

#define BIOS_FROM 0xf0000
#define BIOS_TO 0x100000
#define TABLE_MOST 0x10000
#define NAME 60          /* characters of a name that are recorded */
#define ENTRIES_MOST 256 /* of UEFI's configuration table */

static const uint8_t *table, *table_end;

static uint64_t number_at(const uint8_t *at, size_t size)
{
        uint64_t value = 0;
        memcpy(&value, at, size);
        return value;
}

static const uint8_t *map(uint64_t physical, size_t size)
{
        return physical >= BIOS_FROM && physical + size <= BIOS_TO ? DIRECT((uintptr_t)physical)
                                                                   : window_map(physical, size, 0);
}

/* Takes the table from its entry point, if this is one. */
static bool open_table(const uint8_t *entry)
{
        bool new = !memcmp(entry, "_SM3_", 5);
        uint8_t sum = 0;
        if (!new &&memcmp(entry, "_SM_", 4))
                return false;
        for (unsigned i = 0; i < entry[new ? 6 : 5]; i++)
                sum += entry[i];
        size_t size = (size_t)(new ? number_at(entry + 12, 4) : number_at(entry + 22, 2));
        size = size < TABLE_MOST ? size : TABLE_MOST;
        table = sum || !size ? NULL
                             : map(new ? number_at(entry + 16, 8) : number_at(entry + 24, 4), size);
        table_end = table + size;
        return table;
}

/* UEFI, "EFI System Table" and "EFI Configuration Table": places for pointers of 8 and 4 bytes. */
static void find_by_uefi(const struct boot_info *boot)
{
        static const uint8_t guids[][16] = {
                {0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a, 0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20,
                 0xe3, 0x94},
                {0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f,
                 0xc1, 0x4d},
        };
        size_t word = boot->uefi_word, size = 16 + word;
        const uint8_t *system = word ? map(boot->uefi, 120) : NULL;
        size_t count = system ? (size_t)number_at(system + 40 + 8 * word, word) : 0;
        const uint8_t *at = count && count < ENTRIES_MOST
                                    ? map(number_at(system + 40 + 9 * word, word), count * size)
                                    : NULL;
        for (size_t i = 0; at && i < 2 * count && !table; i++) {
                const uint8_t *entry = at + i % count * size, *found;
                if (!memcmp(entry, guids[i / count], 16) &&
                    (found = map(number_at(entry + 16, word), 32)))
                        open_table(found);
        }
}

/* The text that a field of a structure names by its number. */
static const char *text_of(const uint8_t *structure, unsigned field)
{
        static char none[1];
        unsigned n = field < structure[1] ? structure[field] : 0;
        const uint8_t *at = structure + structure[1];
        for (; n > 1; n--)
                while (at < table_end && *at++) {
                }
        const uint8_t *end = at;
        while (end < table_end && *end)
                end++;
        return n && end < table_end ? (const char *)at : none;
}

/* The first structure of a type, or NULL. */
static const uint8_t *find_structure(uint8_t type)
{
        for (const uint8_t *at = table;
             at && table_end - at > 4 && at[1] >= 4 && at[1] < table_end - at;) {
                if (*at == type)
                        return at;
                at += at[1];
                while (table_end - at > 2 && (at[0] || at[1]))
                        at++;
                at += 2;
        }
        return NULL;
}

static void record_names(struct json *json, const char *key, uint8_t type, const uint8_t fields[3])
{
        const uint8_t *at = find_structure(type);
        char text[3 * NAME + 8] = "";
        if (at)
                snprintf(text, sizeof text, "%.*s; %.*s; %.*s", NAME, text_of(at, fields[0]), NAME,
                         text_of(at, fields[1]), NAME, text_of(at, fields[2]));
        json_text(json, key, text);
}

static void record_firmware(struct json *json, const struct boot_info *boot)
{
        for (uintptr_t at = BIOS_FROM; at < BIOS_TO && !table; at += 16)
                open_table(DIRECT(at));
        if (!table)
                find_by_uefi(boot);
        record_names(json, "bios", 0, (const uint8_t[]){4, 5, 8});   /* maker, version, date */
        record_names(json, "system", 1, (const uint8_t[]){4, 5, 6}); /* maker, product, version */
        record_names(json, "board", 2, (const uint8_t[]){4, 5, 6});
}

void state_record(struct json *json, const struct boot_info *boot)
{
        json_begin(json, "state", '{');
        record_hex(json, "cr0", cr0_read());
        record_hex(json, "cr4", cr4_read());
        record_xcr0(json);
        for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
                record_register(json, registers[i].name, registers[i].number, registers[i].named());
        record_firmware(json, boot);
        json_begin(json, "cpuid", '[');
        record_leaves(json, 0);
        record_leaves(json, 0x80000000);
        json_end(json, ']');
        json_end(json, '}');
}
