/* load.c - the segments of an ELF file become areas of a program's memory. */
#include "program/load.h"
#include "errno.h"
#include "node/node.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "process/resource.h"
#include "node/mapped.h"

#define ALIGNMENT (1ull << 21) /* the largest alignment of a segment */

uint64_t load_base(uintptr_t limit)
{
        return (uint64_t)(limit / 3 * 2) & ~(ALIGNMENT - 1);
}

bool load_enters_code(const struct elf *elf)
{
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (s->flags & ELF_EXECUTE && elf->entry >= s->address &&
                    elf->entry - s->address < s->memory_size)
                        return true;
        }
        return false;
}

static const char *check_segments(const struct elf *elf, uint64_t limit)
{
        uint64_t room = (uint64_t)frame_count() * PAGE_SIZE;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (s->address < PAGE_SIZE)
                        return "a segment lies in page 0";
                if (s->address < MEMORY_LOWEST)
                        return "a segment lies below 0x110000, where programs have no memory";
                if (s->address + s->memory_size > limit - resource_stack() - STACK_GUARD)
                        return "a segment lies outside the program's half of memory";
                if (s->memory_size > room)
                        return "it is larger than the memory that is free";
                room -= s->memory_size;
        }
        return NULL;
}

static uint64_t first_page(const struct elf_segment *s)
{
        return s->address & ~(uint64_t)(PAGE_SIZE - 1);
}

static uint64_t last_page_end(const struct elf_segment *s)
{
        return (s->address + s->memory_size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

/* From `at` up to this address all pages belong to the same segments. */
static uint64_t next_border(const struct elf *elf, uint64_t at)
{
        uint64_t border = UINT64_MAX;
        for (size_t i = 0; i < elf->segment_count; i++) {
                uint64_t start = first_page(&elf->segments[i]);
                uint64_t end = last_page_end(&elf->segments[i]);
                if (start > at && start < border)
                        border = start;
                if (end > at && end < border)
                        border = end;
        }
        return border;
}

/* If segments share a page, their flags are combined. */
static unsigned flags_at(const struct elf *elf, uint64_t at, unsigned text)
{
        unsigned flags = 0;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (first_page(s) <= at && at < last_page_end(s))
                        flags |= AREA_READ | (s->flags & ELF_WRITE ? AREA_WRITE : 0) |
                                 (s->flags & ELF_EXECUTE ? AREA_EXECUTE | text : 0);
        }
        return flags;
}

/* The segment that owns the pages from `at` on alone, or NULL. */
static const struct elf_segment *only_at(const struct elf *elf, uint64_t at)
{
        const struct elf_segment *only = NULL;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (first_page(s) > at || at >= last_page_end(s))
                        continue;
                if (only)
                        return NULL;
                only = s;
        }
        return only;
}

/* End of a segment's part in the file; its last page continues with the file's next bytes. */
static uint64_t file_end(const struct elf_segment *s)
{
        return s->address + s->file_size;
}

/* End of the pages from `at` on that can be mapped from the file unchanged. */
static uint64_t end_of_mapped(const struct elf_segment *s, uint64_t at, uint64_t end)
{
        uint64_t last = s ? (file_end(s) + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1) : at;
        if (!s || !s->file_size || (s->address - s->offset) % PAGE_SIZE || last < at)
                return at;
        return last < end ? last : end;
}

static const char *map_pages(struct memory *memory, const struct elf_segment *s, uint64_t at,
                             uint64_t end, unsigned flags, struct node *node)
{
        uint64_t border = end_of_mapped(s, at, end);
        if (border > at &&
            memory_map_file(memory, (uintptr_t)at, (size_t)(border - at), flags, node,
                            (s->offset & ~(uint64_t)(PAGE_SIZE - 1)) + (at - first_page(s))))
                return "out of memory";
        if (end > border &&
            memory_map(memory, (uintptr_t)border, (size_t)(end - border), flags & AREA_ACCESS))
                return "out of memory";
        return NULL;
}

/* Reads a segment's bytes from `at` to `end` into its memory. */
static const char *read_pages(struct memory *memory, const struct elf_segment *s, uint64_t at,
                              uint64_t end, struct node *node)
{
        if (at < s->address)
                at = s->address;
        if (end > file_end(s))
                end = file_end(s);
        int error = at < end ? memory_load(memory, (uintptr_t)at, end - at, node,
                                           s->offset + (at - s->address))
                             : 0;
        return !error ? NULL : error == -ENOMEM ? "out of memory" : "it cannot be read to its end";
}

/* From this address on pages are read, not mapped: the last page of a segment that continues with
 * zeros; for a file without frames all pages. */
static uint64_t read_start(const struct elf_segment *s, uint64_t at, uint64_t end,
                           const struct node *node)
{
        if (end_of_mapped(s, at, end) == at || !node->kind->frame)
                return at;
        uint64_t last = file_end(s) & ~(uint64_t)(PAGE_SIZE - 1);
        if (s->memory_size == s->file_size)
                return end;
        return last > at ? last : at;
}

const char *load_segments(struct memory *memory, const struct elf *elf, struct node *node,
                          unsigned text)
{
        const char *wrong = check_segments(elf, memory->limit);
        for (uint64_t at = 0, end; !wrong && (end = next_border(elf, at)) != UINT64_MAX; at = end) {
                unsigned flags = flags_at(elf, at, text);
                const struct elf_segment *only = only_at(elf, at);
                if (flags & AREA_WRITE && flags & AREA_EXECUTE)
                        return "a writable and an executable segment share a page";
                if (flags)
                        wrong = map_pages(memory, only, at, end, flags, node);
                uint64_t start = read_start(only, at, end, node);
                for (size_t i = 0; !wrong && i < elf->segment_count; i++)
                        wrong = read_pages(memory, &elf->segments[i], start, end, node);
                if (!memory->program)
                        memory->program = (uintptr_t)at;
                memory->heap = memory->heap_end = (uintptr_t)end;
        }
        return wrong;
}
