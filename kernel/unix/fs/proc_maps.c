/* proc_maps.c - /proc/PID/maps: a process's areas, and their files and offsets. */
#include "cpu/window.h"
#include "node/node.h"
#include "fs/proc.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "mem/memory.h"
#include "process/process.h"

static const char *purpose_of(const struct memory *memory, const struct area *area)
{
        if (!area->node && area->flags & AREA_READ_ONLY)
                return area->flags & AREA_CALLS ? "[sites]" : "[vdso]";
        if (area->flags & AREA_GROWS_DOWN && area->end == memory->limit)
                return "[stack]";
        return area->start >= memory->heap && area->end <= memory->heap_end ? "[heap]" : "";
}

/* Escapes a newline in a path as `\012`, as Linux does, so that it cannot begin a line. */
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

/* Writes one area's line, padded as on Linux. */
static void proc_maps_map(struct text *text, const struct area *area, const struct node *node,
                          const char *name)
{
        char line[80];
        uint32_t device = node ? node->device : 0;
        snprintf(line, sizeof line, "%08lx-%08lx %c%c%c%c %08llx %02x:%02x %u ",
                 (unsigned long)area->start, (unsigned long)area->end,
                 area->flags & AREA_READ ? 'r' : '-', area->flags & AREA_WRITE ? 'w' : '-',
                 area->flags & AREA_EXECUTE ? 'x' : '-', area->flags & AREA_SHARED ? 's' : 'p',
                 (unsigned long long)(node ? area->offset : 0), device >> 8, device & 255,
                 node ? node->number : 0);
        text_print(text, *name ? "%-73s" : "%s", line);
        add_path(text, name);
        text_add(text, "\n", 1);
}

/* Outside the program's half, and the same for all 64-bit programs (clock/image.c). */
static const struct area vsyscalls = {
        .start = VSYSCALL_PAGE, .end = VSYSCALL_PAGE + PAGE_SIZE, .flags = AREA_EXECUTE};

/* A thousand paths may be long: other threads run in between, and the memory is held. */
static void map_each(struct text *text, const struct memory *memory, char *path)
{
        const struct area *a;
        for (uintptr_t at = 0; work_goes_on() && (a = memory_area(memory, at)); at = a->end) {
                bool named = a->node && !node_path_told(a->node, path);
                interrupt_window();
                proc_maps_map(text, a, a->node, named ? path : purpose_of(memory, a));
        }
}

void proc_maps(struct text *text, const struct process *process)
{
        struct memory *memory = proc_memory(process);
        char *path = heap_take(PATH_MAX);
        if (memory && path) {
                memory_hold(memory);
                map_each(text, memory, path);
                if (VSYSCALL_PAGE && memory->origin != ORIGIN_COMPAT)
                        proc_maps_map(text, &vsyscalls, NULL, "[vsyscall]");
                memory_release(memory);
        }
        heap_free(path);
}
