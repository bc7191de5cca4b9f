/*
 * exec.c - a file becomes a program: its segments in a new address space, the gate page, and the
 * start-up stack (System V ABI, "Process Initialization"; auxiliary vector as Linux's).
 */
#include "cpu/cpu.h"
#include "dev/console.h"
#include "file/tree.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "origins.h"
#include "proc/elf.h"
#include "proc/process.h"
#include "start.h"

#define ARGUMENTS 32
#define TRUSTED_FOLDER "/trusted/" /* programs below it run at CPL 0 (KML) */

enum {
        AT_NULL,
        AT_PHDR = 3,
        AT_PHENT = 4,
        AT_PHNUM = 5,
        AT_PAGESZ = 6,
        AT_ENTRY = 9,
        AT_RANDOM = 25,
        AT_SYSINFO = 32
};

extern struct tree kernel_tree;

static bool enters_code(const struct elf *elf)
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

static const char *load_segments(struct memory *memory, const struct elf *elf,
                                 const struct tree_file *file)
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
                memory->heap = memory->heap_end = (uintptr_t)end;
        }
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (!memory_fill(memory, (uintptr_t)s->address, file->data + s->offset,
                                 (size_t)s->file_size))
                        return "out of memory";
        }
        return NULL;
}

/* One word of the start-up stack; programs of 32 bits have half the width. */
static bool put_word(struct memory *memory, const struct elf *elf, uintptr_t *at, uint64_t value)
{
        size_t width = elf->bits / 8;
        bool done = memory_fill(memory, *at, &value, width);
        *at += width;
        return done;
}

/* Strings at the top, then from the stack pointer up: argc, argv, NULL, (no environment) NULL,
 * the auxiliary vector. */
static bool load_stack(struct process *process, const struct elf *elf, char *const arguments[],
                       uintptr_t *sp)
{
        struct memory *memory = process->memory;
        uintptr_t at = memory->limit, places[ARGUMENTS], words;
        size_t count = 0, stack = memory_stack_limit();
        uint8_t random[16];

        if (memory_map(memory, at - stack, stack, AREA_READ | AREA_WRITE | AREA_GROWS_DOWN))
                return false;
        for (uint64_t seed = tsc_read(), i = 0; i < sizeof random; i++) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth's MMIX */
                random[i] = (uint8_t)(seed >> 56);
        }
        at -= sizeof random;
        uintptr_t random_at = at;
        if (!memory_fill(memory, at, random, sizeof random))
                return false;
        for (; arguments[count] && count < ARGUMENTS; count++) {
                size_t size = strlen(arguments[count]) + 1;
                at -= size;
                places[count] = at;
                if (!memory_fill(memory, at, arguments[count], size))
                        return false;
        }

        const struct {
                uint32_t key;
                uint64_t value;
        } vector[] = {
                {AT_PHDR, elf->header_address},
                {AT_PHENT, elf->header_size},
                {AT_PHNUM, elf->headers},
                {AT_PAGESZ, PAGE_SIZE},
                {AT_ENTRY, elf->entry},
                {AT_RANDOM, random_at},
                {AT_SYSINFO, (uintptr_t)row_preferred(process->mode)->call[0]},
                {AT_NULL, 0},
        };
        size_t pairs = sizeof vector / sizeof *vector;
        words = (1 + count + 1 + 1 + 2 * pairs) * (elf->bits / 8);
        at = *sp = (at - words) & ~(uintptr_t)15;
        bool done = put_word(memory, elf, &at, count);
        for (size_t i = 0; i < count; i++)
                done &= put_word(memory, elf, &at, places[i]);
        done &= put_word(memory, elf, &at, 0) && put_word(memory, elf, &at, 0);
        for (size_t i = 0; i < pairs; i++)
                done &= put_word(memory, elf, &at, vector[i].key) &&
                        put_word(memory, elf, &at, vector[i].value);
        return done;
}

static int refuse_program(const char *path, const char *why, int error)
{
        say("%s: not started: %s\n", path, why);
        return -error;
}

int exec_load(struct process *process, const char *path, char *const arguments[],
              struct frame *frame)
{
        struct tree_file file;
        struct elf elf;
        uintptr_t sp;
        process->trusted = !strncmp(path, TRUSTED_FOLDER, strlen(TRUSTED_FOLDER));
        if (tree_find(&kernel_tree, path, &file))
                return refuse_program(path, "there is no such file", ENOENT);
        const char *wrong = elf_read(&elf, file.data, file.size);
        if (!wrong)
                wrong = start_mode(process, elf.bits);
        if (wrong)
                return refuse_program(path, wrong, ENOEXEC);
        process->memory = memory_create(process->mode);
        if (!process->memory)
                return refuse_program(path, "out of memory", ENOMEM);
        if (!enters_code(&elf))
                return refuse_program(path, "its entry lies outside the program's code", ENOEXEC);
        wrong = load_segments(process->memory, &elf, &file);
        if (wrong)
                return refuse_program(path, wrong, ENOEXEC);
        if (!load_stack(process, &elf, arguments, &sp) || !start_probe_page(process))
                return refuse_program(path, "out of memory", ENOMEM);
        start_frame(process, frame, (uintptr_t)elf.entry, sp);
        return 0;
}
