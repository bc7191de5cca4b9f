/* proc_maps.c - /proc/PID/maps: the areas of a process's memory. What its program lies in has been
 * read from the file, and the offset there is told. */
#include "cpu/window.h"
#include "fs/proc.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "proc/elf.h"
#include "proc/load.h"
#include "proc/process.h"

/* Where in the program's file the bytes come from that an area begins with; -1: from nowhere. */
static int64_t offset_of(const struct elf *elf, const struct area *area)
{
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                uint64_t in_page = s->address & (PAGE_SIZE - 1), start = s->address - in_page;
                if (area->start >= start && area->start < s->address + s->file_size)
                        return (int64_t)(s->offset - in_page + (area->start - start));
        }
        return -1;
}

static const char *purpose_of(const struct memory *memory, const struct area *area)
{
        if (area->flags & AREA_GROWS_DOWN && area->end == memory->limit)
                return "[stack]";
        return area->start >= memory->heap && area->end <= memory->heap_end ? "[heap]" : "";
}

/* No path begins a line of its own: the end of one in it is `\012`, as Linux's. */
static void add_path(struct text *text, const char *path)
{
        for (const char *end = path; *path; path = end) {
                interrupt_window();
                while (*end && *end != '\n')
                        end++;
                text_add(text, path, (size_t)(end - path));
                if (*end) {
                        text_add(text, "\\012", 4);
                        end++;
                }
        }
}

/* A line of an area, as Linux pads it. */
static void map(struct text *text, const struct area *area, const struct node *node, int64_t offset,
                const char *name)
{
        char line[80];
        bool file = offset >= 0;
        uint32_t device = file ? node->device : 0;
        snprintf(line, sizeof line, "%08lx-%08lx %c%c%c%c %08lx %02x:%02x %u ",
                 (unsigned long)area->start, (unsigned long)area->end,
                 area->flags & AREA_READ ? 'r' : '-', area->flags & AREA_WRITE ? 'w' : '-',
                 area->flags & AREA_EXECUTE ? 'x' : '-', area->flags & AREA_SHARED ? 's' : 'p',
                 (unsigned long)(file ? offset : 0), device >> 8, device & 255,
                 file ? node->number : 0);
        text_print(text, *name ? "%-73s" : "%s", line);
        add_path(text, name);
        text_add(text, "\n", 1);
}

static bool read_program(const void *node, uint64_t offset, void *to, size_t size)
{
        interrupt_window();
        return node_read((struct node *)node, offset, to, size);
}

/* The read of the program may sleep: by then the process may be no more, or run another one. */
void proc_maps(struct text *text, const struct process *process)
{
        uint32_t pid = process->pid;
        struct node *program = process->program ? node_hold(process->program) : NULL;
        char *path = heap_allocate(PATH_MAX);
        struct elf *elf = heap_allocate(sizeof *elf);
        bool known = program && path && elf && !node_path(program, path) &&
                     !elf_read(elf, read_program, program, node_facts(program).size);
        process = process_find(pid);
        const struct memory *memory = process ? proc_memory(process) : NULL;
        known = known && memory && process->program == program &&
                !elf_move(elf, load_base(memory->limit));
        for (const struct area *a = memory ? memory->areas : NULL; a; a = a->next) {
                int64_t offset = known && a->start < memory->heap ? offset_of(elf, a) : -1;
                map(text, a, program, offset, offset >= 0 ? path : purpose_of(memory, a));
        }
        node_release(program);
        heap_free(elf);
        heap_free(path);
}
