/* samples.h - a small program, made byte by byte, and the properties of an accepted one. */
#ifndef TOLLGATE_TESTS_UNIT_SAMPLES_H
#define TOLLGATE_TESTS_UNIT_SAMPLES_H

#include <stdbool.h>
#include "lib/elf.h"

static inline void put_field(uint8_t *bytes, size_t offset, size_t size, uint64_t value)
{
        for (size_t i = 0; i < size; i++)
                bytes[offset + i] = (uint8_t)(value >> 8 * i);
}

static inline size_t put_bytes(uint8_t *to, const void *from, size_t size)
{
        for (size_t i = 0; i < size; i++)
                to[i] = ((const uint8_t *)from)[i];
        return size;
}

/* Offset and size of each field, by class (System V ABI, "ELF Header", "Program Header"). The
 * fields that a loader does not use are last. */
struct sample_field {
        const char *name;
        uint8_t at32, size32, at64, size64;
};

static const struct sample_field file_fields[] = {
        {"e_ident[EI_MAG]", 0, 4, 0, 4},   {"e_ident[EI_CLASS]", 4, 1, 4, 1},
        {"e_ident[EI_DATA]", 5, 1, 5, 1},  {"e_type", 16, 2, 16, 2},
        {"e_machine", 18, 2, 18, 2},       {"e_entry", 24, 4, 24, 8},
        {"e_phoff", 28, 4, 32, 8},         {"e_phentsize", 42, 2, 54, 2},
        {"e_phnum", 44, 2, 56, 2},         {"e_ident[EI_VERSION]", 6, 1, 6, 1},
        {"e_ident[EI_OSABI]", 7, 1, 7, 1}, {"e_ident[EI_PAD]", 8, 8, 8, 8},
        {"e_version", 20, 4, 20, 4},       {"e_shoff", 32, 4, 40, 8},
        {"e_flags", 36, 4, 48, 4},         {"e_ehsize", 40, 2, 52, 2},
        {"e_shentsize", 46, 2, 58, 2},     {"e_shnum", 48, 2, 60, 2},
        {"e_shstrndx", 50, 2, 62, 2},
};

static const struct sample_field segment_fields[] = {
        {"p_type", 0, 4, 0, 4},    {"p_offset", 4, 4, 8, 8},   {"p_vaddr", 8, 4, 16, 8},
        {"p_paddr", 12, 4, 24, 8}, {"p_filesz", 16, 4, 32, 8}, {"p_memsz", 20, 4, 40, 8},
        {"p_flags", 24, 4, 4, 4},  {"p_align", 28, 4, 48, 8},
};

#define FILE_FIELDS (sizeof file_fields / sizeof *file_fields)
#define SEGMENT_FIELDS (sizeof segment_fields / sizeof *segment_fields)

enum file_field {
        E_MAGIC,
        E_CLASS,
        E_DATA,
        E_TYPE,
        E_MACHINE,
        E_ENTRY,
        E_PHOFF,
        E_PHENTSIZE,
        E_PHNUM
};
enum segment_field {
        P_TYPE,
        P_OFFSET,
        P_VADDR,
        P_PADDR,
        P_FILESZ,
        P_MEMSZ,
        P_FLAGS
};

static inline size_t file_header_size(unsigned bits)
{
        return bits == 64 ? 64 : 52;
}

static inline size_t segment_header_size(unsigned bits)
{
        return bits == 64 ? 56 : 32;
}

static inline void put_file_field(uint8_t *program, unsigned bits, size_t f, uint64_t value)
{
        put_field(program, bits == 64 ? file_fields[f].at64 : file_fields[f].at32,
                  bits == 64 ? file_fields[f].size64 : file_fields[f].size32, value);
}

/* Sets a field in segment header n. */
static inline void put_segment_field(uint8_t *program, unsigned bits, unsigned n, size_t f,
                                     uint64_t value)
{
        size_t header = file_header_size(bits) + n * segment_header_size(bits);
        put_field(program, header + (bits == 64 ? segment_fields[f].at64 : segment_fields[f].at32),
                  bits == 64 ? segment_fields[f].size64 : segment_fields[f].size32, value);
}

static inline void put_segment(uint8_t *program, unsigned bits, unsigned n, uint32_t type,
                               uint64_t offset, uint64_t address, uint64_t file_size,
                               uint64_t memory_size, uint32_t flags)
{
        const uint64_t values[SEGMENT_FIELDS] = {type,      offset,      address, address,
                                                 file_size, memory_size, flags,   4096};
        for (size_t f = 0; f < SEGMENT_FIELDS; f++)
                put_segment_field(program, bits, n, f, values[f]);
}

/* A static program of three headers: text (with the headers in it), PT_GNU_STACK, data with a tail
 * of zeroes; the data ends where the file ends. Returns its size; PROGRAM_MOST is enough. */
#define PROGRAM_MOST 512
#define PROGRAM_TEXT 0x8048000
#define PROGRAM_DATA 0x804a000

static inline size_t make_program(uint8_t *program, unsigned bits)
{
        const uint64_t values[FILE_FIELDS] = {0x464c457f,
                                              bits / 32,
                                              1,
                                              2,
                                              bits == 64 ? 62 : 3,
                                              PROGRAM_TEXT + 0x100,
                                              file_header_size(bits),
                                              segment_header_size(bits),
                                              3,
                                              1,
                                              0,
                                              0,
                                              1,
                                              0,
                                              0,
                                              file_header_size(bits),
                                              bits == 64 ? 64 : 40,
                                              0,
                                              0};
        for (size_t i = 0; i < PROGRAM_MOST; i++)
                program[i] = 0x90;
        for (size_t f = 0; f < FILE_FIELDS; f++)
                put_file_field(program, bits, f, values[f]);
        put_segment(program, bits, 0, 1, 0, PROGRAM_TEXT, 0x140, 0x140, ELF_READ | ELF_EXECUTE);
        put_segment(program, bits, 1, 0x6474e551, 0, 0, 0, 0, ELF_READ | ELF_WRITE);
        put_segment(program, bits, 2, 1, 0x140, PROGRAM_DATA + 0x140, 0x20, 0x1000,
                    ELF_READ | ELF_WRITE);
        return 0x160;
}

/* Here a program's file is its bytes: the reader's source, and elf_read() with it. */
static inline bool read_bytes(const void *file, uint64_t offset, void *to, size_t size)
{
        put_bytes((uint8_t *)to, (const uint8_t *)file + (size_t)offset, size);
        return true;
}

static inline const char *read_elf(struct elf *elf, const uint8_t *bytes, size_t size)
{
        return elf_read(elf, read_bytes, bytes, size);
}

/* The properties that exec.c relies on, of a program that was accepted. */
static inline bool program_is_safe(const struct elf *elf, size_t size)
{
        bool headers_found = !elf->header_address;
        if ((elf->bits != 32 && elf->bits != 64) || !elf->headers || !elf->segment_count ||
            elf->segment_count > ELF_SEGMENTS || elf->header_size != segment_header_size(elf->bits))
                return false;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (!s->memory_size || s->file_size > s->memory_size || s->file_size > size ||
                    s->offset > size || s->file_size > size - s->offset ||
                    s->memory_size - 1 > UINT64_MAX - s->address ||
                    (s->flags & ELF_WRITE && s->flags & ELF_EXECUTE))
                        return false;
                if (elf->bits == 32 && (s->address | s->memory_size) >> 32)
                        return false;
                headers_found |= elf->header_address - s->address < s->file_size;
        }
        for (size_t i = 0; i < elf->note_count; i++)
                if (i >= ELF_NOTES || elf->notes[i].offset > size ||
                    elf->notes[i].size > size - elf->notes[i].offset)
                        return false;
        return headers_found;
}

#endif
