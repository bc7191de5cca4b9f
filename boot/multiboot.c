/* multiboot.c - reads Multiboot 1 and 2 information into struct boot_info.
 *
 * Multiboot Specification 0.6.96, "Boot information format"; 2.0, "Boot information". Everything
 * is copied: the loader's memory is given to the frame allocator afterwards. */
#include "boot.h"
#include "lib/string.h"

#define AT(physical, type) ((const type *)(uintptr_t)((physical) + KERNEL_BASE))
#define REACHABLE(physical, size) ((uint64_t)(physical) + (size) <= DIRECT_SIZE)

#define AVAILABLE 1 /* the type of a range, in both protocols */

/* The map is read twice: first available memory, then the rest, which takes precedence. */
static void read_range(struct boot_info *boot, bool available, uint32_t type, uint64_t start,
                       uint64_t length)
{
        uint64_t end = start + length < start ? UINT64_MAX : start + length;
        if ((type == AVAILABLE) != available)
                return;
        if (available)
                map_add(&boot->memory, start, end);
        else
                map_remove(&boot->memory, start, end);
}

static void set_text(char *to, size_t size, const char *from, bool *cut)
{
        size_t length = strlen(from);
        if (cut)
                *cut = length >= size;
        length = length < size ? length : size - 1;
        memcpy(to, from, length);
        to[length] = 0;
}

/* QEMU passes the kernel's path first, and its folder may contain a space; GRUB does not. */
static const char *skip_name(const char *line)
{
        const char *end = strstr(line, ".elf"), *word = strchr(line, '=');
        while (end && end[4] && end[4] != ' ')
                end = strstr(end + 1, ".elf");
        if (!end || (word && word < end && *line != '/'))
                return line;
        return end + 4 + (end[4] == ' ');
}

static void set_screen(struct boot_info *boot, uint64_t address, uint32_t pitch, uint32_t width,
                       uint32_t height, uint8_t bits, uint8_t type, const uint8_t colours[6])
{
        enum boot_screen_kind kind = SCREEN_OTHER;
        if (type == 2)
                kind = SCREEN_TEXT;
        else if (type == 1 && bits >= 15 && bits <= 32)
                kind = SCREEN_PIXELS;
        boot->screen = (struct boot_screen){kind, address, pitch, width, height, bits, {{0, 0}}};
        memcpy(boot->screen.colours, colours, sizeof boot->screen.colours);
}

static const struct boot_screen vga_text = {
        .kind = SCREEN_TEXT, .address = 0xb8000, .pitch = 160, .width = 80, .height = 25};

struct multiboot1 {
        uint32_t flags, memory_lower, memory_upper, boot_device, line;
        uint32_t modules, module_list, symbols[4], map_length, map, drives[2], configuration;
        uint32_t loader, apm, vbe[4];
        uint64_t screen;
        uint32_t screen_pitch, screen_width, screen_height;
        uint8_t screen_bits, screen_type, screen_colours[6];
} __attribute__((packed));

struct multiboot1_range {
        uint32_t size;
        uint64_t start, length;
        uint32_t type;
} __attribute__((packed));

struct multiboot1_module {
        uint32_t start, end, line, reserved;
};

static const char *read_map1(struct boot_info *boot, const struct multiboot1 *mb, bool available)
{
        for (uint32_t at = mb->map; at < mb->map + mb->map_length;) {
                const struct multiboot1_range *r = AT(at, struct multiboot1_range);
                if (r->size < sizeof *r - 4 || r->size > PAGE_SIZE)
                        return "the loader's memory map has an entry of a strange size";
                read_range(boot, available, r->type, r->start, r->length);
                at += r->size + 4;
        }
        return NULL;
}

static const char *read_multiboot1(struct boot_info *boot, uint32_t information)
{
        const struct multiboot1 *mb = AT(information, struct multiboot1);
        if ((mb->flags >> 2 & 1 && !REACHABLE(mb->line, BOOT_LINE)) ||
            (mb->flags >> 9 & 1 && !REACHABLE(mb->loader, sizeof boot->loader)) ||
            (mb->flags >> 3 & 1 && !REACHABLE(mb->module_list, PAGE_SIZE)) ||
            (mb->flags >> 6 & 1 && !REACHABLE(mb->map, mb->map_length)))
                return "the loader put its information out of reach";
        boot->firmware = "multiboot1";
        boot->screen = vga_text; /* this protocol implies a BIOS */
        if (mb->flags >> 2 & 1)
                set_text(boot->line, BOOT_LINE, skip_name(AT(mb->line, char)), &boot->line_cut);
        if (mb->flags >> 9 & 1)
                set_text(boot->loader, sizeof boot->loader, AT(mb->loader, char), NULL);
        if (mb->flags >> 3 & 1 && mb->modules) {
                const struct multiboot1_module *m = AT(mb->module_list, struct multiboot1_module);
                boot->modules = mb->modules;
                boot->initrd = (struct boot_range){m->start, m->end};
        }
        if (mb->flags >> 12 & 1)
                set_screen(boot, mb->screen, mb->screen_pitch, mb->screen_width, mb->screen_height,
                           mb->screen_bits, mb->screen_type, mb->screen_colours);
        if (mb->flags >> 6 & 1) {
                const char *wrong = read_map1(boot, mb, true);
                return wrong ? wrong : read_map1(boot, mb, false);
        }
        if (mb->flags & 1)
                read_range(boot, true, AVAILABLE, 0x100000, (uint64_t)mb->memory_upper << 10);
        return NULL;
}

struct multiboot2_tag {
        uint32_t type, size;
        union {
                char text[4];
                uint8_t bytes[4];
                struct {
                        uint32_t start, end;
                } module;
                struct {
                        uint32_t lower, upper;
                } basic;
                struct {
                        uint32_t entry_size, version;
                        unsigned char entries[4];
                } map;
                struct {
                        uint64_t address;
                        uint32_t pitch, width, height;
                        uint8_t bits, type;
                        uint16_t reserved;
                        uint8_t colours[6];
                } __attribute__((packed)) screen;
        };
};

struct multiboot2_range {
        uint64_t start, length;
        uint32_t type, reserved;
};

enum {
        TAG_END,
        TAG_LINE = 1,
        TAG_LOADER = 2,
        TAG_MODULE = 3,
        TAG_MEMORY = 6,
        TAG_SCREEN = 8,
        TAG_EFI32 = 11,
        TAG_EFI64 = 12,
};

static const char *read_map2(struct boot_info *boot, const struct multiboot2_tag *tag,
                             bool available)
{
        const uint32_t head = offsetof(struct multiboot2_tag, map.entries);
        if (tag->map.entry_size < sizeof(struct multiboot2_range) || tag->size < head)
                return "the loader's memory map has entries of a strange size";
        for (uint32_t at = head; tag->size - at >= tag->map.entry_size; at += tag->map.entry_size) {
                const struct multiboot2_range *range = (const void *)((const char *)tag + at);
                read_range(boot, available, range->type, range->start, range->length);
        }
        return NULL;
}

static const char *read_multiboot2(struct boot_info *boot, uint32_t information)
{
        uint32_t end = information + *AT(information, uint32_t);
        boot->firmware = "multiboot2 bios";
        if (!REACHABLE(end, 0))
                return "the loader put its information out of reach";
        for (uint32_t at = information + 8; at < end;) {
                const struct multiboot2_tag *tag = AT(at, struct multiboot2_tag);
                if (tag->size < 8 || tag->size > end - at)
                        return "the loader's information has a tag of a strange size";
                switch (tag->type) {
                case TAG_END: return NULL;
                case TAG_LINE:
                        set_text(boot->line, BOOT_LINE, skip_name(tag->text), &boot->line_cut);
                        break;
                case TAG_LOADER:
                        set_text(boot->loader, sizeof boot->loader, tag->text, NULL);
                        break;
                case TAG_MODULE:
                        if (!boot->modules++)
                                boot->initrd =
                                        (struct boot_range){tag->module.start, tag->module.end};
                        break;
                case TAG_MEMORY: {
                        const char *wrong = read_map2(boot, tag, true);
                        if (!wrong)
                                wrong = read_map2(boot, tag, false);
                        if (wrong)
                                return wrong;
                        break;
                }
                case TAG_SCREEN:
                        set_screen(boot, tag->screen.address, tag->screen.pitch, tag->screen.width,
                                   tag->screen.height, tag->screen.bits, tag->screen.type,
                                   tag->screen.colours);
                        break;
                case TAG_EFI32:
                case TAG_EFI64:
                        boot->firmware = "multiboot2 uefi";
                        boot->uefi_word = tag->type == TAG_EFI64 ? 8 : 4;
                        memcpy(&boot->uefi, tag->bytes, boot->uefi_word);
                        break;
                default: break;
                }
                at += (tag->size + 7) & ~7u;
        }
        return "the loader's information has no end tag";
}

static const char *multiboot_read(struct boot_info *boot, uint32_t magic, uint32_t information)
{
        if (!REACHABLE(information, PAGE_SIZE))
                return "the loader put its information out of reach";
        switch (magic) {
        case MULTIBOOT1_MAGIC: return read_multiboot1(boot, information);
        case MULTIBOOT2_MAGIC: return read_multiboot2(boot, information);
        default: return "the loader is neither Multiboot 1 nor 2";
        }
}

/* Errors must be visible: if the loader names no screen, use the usual one. */
const char *boot_read(struct boot_info *boot, uint32_t magic, uint32_t information)
{
        *boot = (struct boot_info){.firmware = "unknown"};
        const char *wrong = multiboot_read(boot, magic, information);
        if (wrong && boot->screen.kind == SCREEN_NONE)
                boot->screen = vga_text;
        return wrong;
}
