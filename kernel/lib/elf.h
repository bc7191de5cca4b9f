/* elf.h - reads a static ELF executable, which may be position-independent (System V ABI, "Object
 * Files"; its i386 and x86-64 supplements). Needs no hardware: also built on the host for tests. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SEGMENTS 16
#define ELF_NOTES 4
#define ELF_EXECUTE 1 /* p_flags */
#define ELF_WRITE 2
#define ELF_READ 4

struct elf_segment {
        uint64_t address, memory_size; /* in memory */
        uint64_t offset, file_size;    /* in the file */
        uint32_t flags;
};

/* PT_NOTE: offset in the file. */
struct elf_notes {
        uint64_t offset, size;
};

struct elf {
        unsigned bits; /* 32 (EM_386) or 64 (EM_X86_64) */
        bool anywhere; /* ET_DYN: elf_move() places it */
        uint64_t entry;
        uint64_t header_address; /* address of the loaded program headers, 0 = not loaded */
        uint32_t header_size, headers;
        struct elf_segment segments[ELF_SEGMENTS];
        size_t segment_count;
        struct elf_notes notes[ELF_NOTES];
        size_t note_count;
};

/* Reads part of a file, within its size. False = unreadable. */
typedef bool elf_source(const void *file, uint64_t offset, void *to, size_t size);

/* NULL, or a sentence about a fault in the file of `size` bytes. */
const char *elf_read(struct elf *elf, elf_source *source, const void *file, uint64_t size);
/* Places a position-independent one at `base`. NULL, or a sentence. */
const char *elf_move(struct elf *elf, uint64_t base);
