/* load.c - the segments of an ELF file become areas of a program's memory. */
#include "proc/load.h"
#include "cpu/window.h"
#include "file/node.h"
#include "mem/frame.h"
#include "mem/memory.h"

#define ALIGNMENT (1ull << 21) /* the largest that a segment asks for */

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
                if (s->address + s->memory_size > limit - memory_stack_limit() - STACK_GUARD)
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

/* From `at` on the same segments share each page, up to where the next one begins or ends. */
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

/* The flags of the segments that share a page add up. */
static unsigned flags_at(const struct elf *elf, uint64_t at)
{
        unsigned flags = 0;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (first_page(s) <= at && at < last_page_end(s))
                        flags |= AREA_READ | (s->flags & ELF_WRITE ? AREA_WRITE : 0) |
                                 (s->flags & ELF_EXECUTE ? AREA_EXECUTE : 0);
        }
        return flags;
}

/* A segment's part of the file, read to where it will be. NULL, or a sentence. */
static const char *fill_from(struct memory *memory, const struct elf_segment *s, struct node *node)
{
        for (uint64_t done = 0; done < s->file_size;) {
                uintptr_t at = (uintptr_t)(s->address + done), in_page = at & (PAGE_SIZE - 1);
                uint64_t part = PAGE_SIZE - in_page, left = s->file_size - done;
                uint8_t *page = memory_page(memory, at);
                if (part > left)
                        part = left;
                interrupt_window();
                if (!page)
                        return "out of memory";
                if (!node_read(node, s->offset + done, page + in_page, (size_t)part))
                        return "it cannot be read to its end";
                done += part;
        }
        return NULL;
}

const char *load_segments(struct memory *memory, const struct elf *elf, struct node *node)
{
        const char *wrong = check_segments(elf, memory->limit);
        if (wrong)
                return wrong;
        for (uint64_t at = 0, end; (end = next_border(elf, at)) != UINT64_MAX; at = end) {
                unsigned flags = flags_at(elf, at);
                if (flags & AREA_WRITE && flags & AREA_EXECUTE)
                        return "a writable and an executable segment share a page";
                if (flags && memory_map(memory, (uintptr_t)at, (size_t)(end - at), flags))
                        return "out of memory";
                if (!memory->program)
                        memory->program = (uintptr_t)at;
                memory->heap = memory->heap_end = (uintptr_t)end;
        }
        for (size_t i = 0; !wrong && i < elf->segment_count; i++)
                wrong = fill_from(memory, &elf->segments[i], node);
        return wrong;
}
