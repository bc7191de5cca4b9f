/*
 * exec.c - a file becomes a program: its segments in a new address space, the gate page, and the
 * start-up stack (System V ABI, "Process Initialization"; auxiliary vector as Linux's).
 */
#include "cpu/cpu.h"
#include "dev/console.h"
#include "errno.h"
#include "file/path.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "origins.h"
#include "proc/elf.h"
#include "proc/process.h"
#include "start.h"

#define USER_STACK 65536
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

/* The page at `address` of the program, made if it is not there; the bits of segments that share
 * it add up. */
static uint8_t *page_of(const struct process *process, uintptr_t address, pte_t bits)
{
        pte_t *entry = space_entry(process->memory->space, address);
        if (entry) {
                if (bits & PTE_WRITE)
                        *entry |= PTE_WRITE;
                if (!(bits & PTE_NX))
                        *entry &= ~(pte_t)PTE_NX;
                return DIRECT(*entry & PTE_ADDRESS);
        }
        uintptr_t frame = frame_allocate();
        if (!frame)
                return NULL;
        if (!space_map(process->memory->space, address & ~(uintptr_t)(PAGE_SIZE - 1), frame,
                       bits | (process->trusted ? 0 : PTE_USER) | PTE_OWNED)) {
                frame_free(frame);
                return NULL;
        }
        return DIRECT(frame);
}

/* Copies into the new program's memory, or makes it zero where `from` is NULL. */
static bool fill(const struct process *process, uintptr_t to, const void *from, size_t size,
                 pte_t bits)
{
        const uint8_t *data = from;
        while (size) {
                size_t offset = to & (PAGE_SIZE - 1);
                size_t part = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
                uint8_t *page = page_of(process, to, bits);
                if (!page)
                        return false;
                if (data) {
                        memcpy(page + offset, data, part);
                        data += part;
                }
                to += part;
                size -= part;
        }
        return true;
}

/* Pages are shared by segments that meet in one; W^X must hold for the sum. */
static bool shares_page(const struct elf *elf, size_t index)
{
        const struct elf_segment *s = &elf->segments[index];
        uint64_t first = s->address / PAGE_SIZE,
                 last = (s->address + s->memory_size - 1) / PAGE_SIZE;
        uint32_t flags = s->flags;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *other = &elf->segments[i];
                uint64_t end = other->address + other->memory_size - 1;
                if (other->address / PAGE_SIZE <= last && end / PAGE_SIZE >= first)
                        flags |= other->flags;
        }
        return flags & ELF_WRITE && flags & ELF_EXECUTE;
}

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

static bool read_program(const void *node, uint64_t offset, void *to, size_t size)
{
        return regular_read(node, offset, to, size);
}

/* A segment's part of the file. */
static bool fill_from(const struct process *process, const struct elf_segment *s,
                      const struct node *node, pte_t bits)
{
        for (uint64_t done = 0, left = s->file_size; left;) {
                size_t run;
                const void *from = regular_look(node, s->offset + done, &run);
                if (run > left)
                        run = (size_t)left;
                if (!from || !fill(process, (uintptr_t)(s->address + done), from, run, bits))
                        return false;
                done += run;
                left -= run;
        }
        return true;
}

static const char *load_segments(struct process *process, const struct elf *elf,
                                 const struct node *node)
{
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (s->address < PAGE_SIZE)
                        return "a segment lies in page 0";
                if (s->address + s->memory_size > process->memory->limit - USER_STACK)
                        return "a segment lies outside the program's half of memory";
                if (s->memory_size > (uint64_t)frame_count() * PAGE_SIZE)
                        return "it is larger than the memory that is free";
                if (shares_page(elf, i))
                        return "a writable and an executable segment share a page";
                pte_t bits = (s->flags & ELF_WRITE ? PTE_WRITE : 0) |
                             (s->flags & ELF_EXECUTE ? 0 : PTE_NX);
                uintptr_t address = (uintptr_t)s->address;
                if (!fill_from(process, s, node, bits) ||
                    !fill(process, address + (size_t)s->file_size, NULL,
                          (size_t)(s->memory_size - s->file_size), bits))
                        return "out of memory";
        }
        return NULL;
}

/* One word of the start-up stack; programs of 32 bits have half the width. */
static bool put_word(const struct process *process, const struct elf *elf, uintptr_t *at,
                     uint64_t value)
{
        size_t width = elf->bits / 8;
        bool done = fill(process, *at, &value, width, PTE_WRITE | PTE_NX);
        *at += width;
        return done;
}

/* Strings at the top, then from the stack pointer up: argc, argv, NULL, (no environment) NULL,
 * the auxiliary vector. */
static bool load_stack(struct process *process, const struct elf *elf, char *const arguments[],
                       uintptr_t *sp)
{
        uintptr_t at = process->memory->limit, places[ARGUMENTS], words;
        size_t count = 0;
        uint8_t random[16];

        if (!fill(process, at - USER_STACK, NULL, USER_STACK, PTE_WRITE | PTE_NX))
                return false;
        for (uint64_t seed = tsc_read(), i = 0; i < sizeof random; i++) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth's MMIX */
                random[i] = (uint8_t)(seed >> 56);
        }
        at -= sizeof random;
        uintptr_t random_at = at;
        if (!fill(process, at, random, sizeof random, PTE_WRITE | PTE_NX))
                return false;
        for (; arguments[count] && count < ARGUMENTS; count++) {
                size_t size = strlen(arguments[count]) + 1;
                at -= size;
                places[count] = at;
                if (!fill(process, at, arguments[count], size, PTE_WRITE | PTE_NX))
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
        bool done = put_word(process, elf, &at, count);
        for (size_t i = 0; i < count; i++)
                done &= put_word(process, elf, &at, places[i]);
        done &= put_word(process, elf, &at, 0) && put_word(process, elf, &at, 0);
        for (size_t i = 0; i < pairs; i++)
                done &= put_word(process, elf, &at, vector[i].key) &&
                        put_word(process, elf, &at, vector[i].value);
        return done;
}

static int refuse_program(const char *path, const char *why, int error)
{
        say("%s: not started: %s\n", path, why);
        return -error;
}

/* What to run, or NULL and -errno (said why). */
static const struct node *find_program(const char *path, int *error)
{
        const struct node *node = path_find(path, error);
        if (!node)
                refuse_program(path,
                               *error == -ENOENT ? "there is no such file" : "no path leads to it",
                               0);
        else if (!node_is(node, MODE_FILE))
                *error = refuse_program(path, "it is no regular file", EACCES);
        else if (!(node->mode & MODE_EXECUTE))
                *error = refuse_program(path, "its mode forbids to execute it", EACCES);
        return *error ? NULL : node;
}

/* By where it really lies, whatever symbolic links led there. */
static bool is_trusted(const struct node *node)
{
        static char path[PATH_MOST];
        return !node_path(node, path) && !strncmp(path, TRUSTED_FOLDER, strlen(TRUSTED_FOLDER));
}

int exec_load(struct process *process, const char *path, char *const arguments[],
              struct frame *frame)
{
        struct elf elf;
        uintptr_t sp;
        int error;
        const struct node *node = find_program(path, &error);
        if (!node)
                return error;
        process->trusted = is_trusted(node);
        const char *wrong = elf_read(&elf, read_program, node, node->size);
        if (!wrong)
                wrong = start_mode(process, elf.bits);
        if (wrong)
                return refuse_program(path, wrong, ENOEXEC);
        process->memory = memory_create(process->mode);
        if (!process->memory)
                return refuse_program(path, "out of memory", ENOMEM);
        if (!enters_code(&elf))
                return refuse_program(path, "its entry lies outside the program's code", ENOEXEC);
        wrong = load_segments(process, &elf, node);
        if (wrong)
                return refuse_program(path, wrong, ENOEXEC);
        if (!load_stack(process, &elf, arguments, &sp) || !start_probe_page(process))
                return refuse_program(path, "out of memory", ENOMEM);
        start_frame(process, frame, (uintptr_t)elf.entry, sp);
        return 0;
}
