/* elf.c - reads a static ELF executable; checks every field. */
#include "lib/elf.h"
#include "lib/string.h"

#define HEADER 64 /* the larger of the two file headers; a program header is smaller */
#define ET_EXEC 2
#define ET_DYN 3
#define EM_386 3
#define EM_X86_64 62
#define PT_LOAD 1
#define PT_INTERP 3
#define PT_NOTE 4

/* The two classes differ only in field widths and order: one reader, two tables of offsets. */
struct place {
        uint8_t offset, size;
};
static const struct layout {
        uint8_t class;
        uint16_t machine, bits;
        struct place entry, headers_at, header_size, headers;
        struct place p_type, p_flags, p_offset, p_address, p_file_size, p_memory_size;
        uint8_t p_size;
} layouts[] = {
        {1,
         EM_386,
         32,
         {24, 4},
         {28, 4},
         {42, 2},
         {44, 2},
         {0, 4},
         {24, 4},
         {4, 4},
         {8, 4},
         {16, 4},
         {20, 4},
         32},
        {2,
         EM_X86_64,
         64,
         {24, 8},
         {32, 8},
         {54, 2},
         {56, 2},
         {0, 4},
         {4, 4},
         {8, 8},
         {16, 8},
         {32, 8},
         {40, 8},
         56},
};

static uint64_t elf_field(const uint8_t *at, struct place place)
{
        uint64_t value = 0;
        memcpy(&value, at + place.offset, place.size);
        return value;
}

static const char *read_segment(struct elf *elf, const struct layout *l, const uint8_t *header,
                                uint64_t size)
{
        struct elf_segment s = {
                .address = elf_field(header, l->p_address),
                .memory_size = elf_field(header, l->p_memory_size),
                .offset = elf_field(header, l->p_offset),
                .file_size = elf_field(header, l->p_file_size),
                .flags = (uint32_t)elf_field(header, l->p_flags),
        };
        if (s.file_size > size || s.offset > size - s.file_size)
                return "a segment lies outside the file";
        if (s.file_size > s.memory_size)
                return "a segment is larger in the file than in memory";
        if (s.address + s.memory_size < s.address)
                return "a segment wraps around the end of memory";
        if (s.flags & ELF_WRITE && s.flags & ELF_EXECUTE)
                return "a segment is writable and executable";
        if (elf->segment_count == ELF_SEGMENTS)
                return "it has more than 16 segments";
        if (s.memory_size)
                elf->segments[elf->segment_count++] = s;
        return NULL;
}

static const char *read_notes(struct elf *elf, const struct layout *l, const uint8_t *header,
                              uint64_t size)
{
        struct elf_notes n = {elf_field(header, l->p_offset), elf_field(header, l->p_file_size)};
        if (n.size > size || n.offset > size - n.size)
                return "its notes lie outside the file";
        if (elf->note_count == ELF_NOTES)
                return "it has more than 4 notes";
        elf->notes[elf->note_count++] = n;
        return NULL;
}

/* Finds where the loaded program will see its program headers (AT_PHDR). */
static void find_headers(struct elf *elf, uint64_t offset)
{
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (offset >= s->offset && offset - s->offset < s->file_size)
                        elf->header_address = s->address + offset - s->offset;
        }
}

const char *elf_read(struct elf *elf, elf_source *source, const void *file, uint64_t size)
{
        uint8_t bytes[HEADER], header[HEADER];
        const struct layout *l = NULL;
        *elf = (struct elf){0};
        if (size < HEADER || !source(file, 0, bytes, HEADER) || memcmp(bytes, "\177ELF", 4))
                return "it is no ELF file";
        for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
                if (layouts[i].class == bytes[4])
                        l = &layouts[i];
        if (!l || bytes[5] != 1)
                return "its class or byte order is unknown";
        if (elf_field(bytes, (struct place){18, 2}) != l->machine)
                return "it is for another machine";
        uint64_t type = elf_field(bytes, (struct place){16, 2});
        if (type != ET_EXEC && type != ET_DYN)
                return "it is no executable (ET_EXEC or ET_DYN)";
        elf->anywhere = type == ET_DYN;

        uint64_t headers_at = elf_field(bytes, l->headers_at);
        elf->bits = l->bits;
        elf->entry = elf_field(bytes, l->entry);
        elf->header_size = (uint32_t)elf_field(bytes, l->header_size);
        elf->headers = (uint32_t)elf_field(bytes, l->headers);
        if (elf->header_size != l->p_size || !elf->headers)
                return "its program headers have a strange size";
        if (headers_at > size || (uint64_t)elf->headers * l->p_size > size - headers_at)
                return "its program headers lie outside the file";

        for (uint32_t i = 0; i < elf->headers; i++) {
                if (!source(file, headers_at + (uint64_t)i * l->p_size, header, l->p_size))
                        return "its program headers cannot be read";
                type = elf_field(header, l->p_type);
                if (type == PT_INTERP)
                        return "it wants a dynamic linker";
                const char *wrong = type == PT_LOAD   ? read_segment(elf, l, header, size)
                                    : type == PT_NOTE ? read_notes(elf, l, header, size)
                                                      : NULL;
                if (wrong)
                        return wrong;
        }
        if (!elf->segment_count)
                return "it has nothing to load";
        find_headers(elf, headers_at);
        return NULL;
}

const char *elf_move(struct elf *elf, uint64_t base)
{
        if (!elf->anywhere)
                return NULL;
        for (size_t i = 0; i < elf->segment_count; i++) {
                struct elf_segment *s = &elf->segments[i];
                if (s->address + s->memory_size > UINT64_MAX - base)
                        return "a segment wraps around the end of memory";
                s->address += base;
        }
        elf->entry += base;
        if (elf->header_address)
                elf->header_address += base;
        return NULL;
}
