/* export.c - finds kernel functions and data by name, and checks that a program may use them. */
#include "program/export.h"
#include "cpu/window.h"
#include "node/node.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/memory.h"
#include "thread/thread.h"

/* The program's pointers point to entry/function.asm, which switches stacks, or to data. */
#define FUNCTION(name, words) extern char clean_trusted_function_##name[];
#define DATA(name) extern char name[];
#include "program/export.def"
#undef DATA
#undef FUNCTION

static const struct export
{
        const char *name, *address;
}
exports[] = {
#define FUNCTION(name, words) {#name, clean_trusted_function_##name},
#define DATA(name) {#name, name},
#include "program/export.def"
#undef DATA
#undef FUNCTION
};

/* A note in an ELF file. Names and descriptors are padded to 32-bit words. */
struct note {
        uint32_t name_size, size, type;
};
struct wish {
        uint32_t pointer;
        char name[EXPORT_NAME];
};

/* Bytes of notes in a trusted program's segment; a larger one is ignored. */
#define NOTES_MOST 16384

static uint64_t export_padded(uint32_t size)
{
        return ((uint64_t)size + 3) & ~(uint64_t)3;
}

static bool lies_in_data(const struct elf *elf, uint64_t address, unsigned size)
{
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (s->flags & ELF_WRITE && address >= s->address && s->memory_size >= size &&
                    address - s->address <= s->memory_size - size)
                        return true;
        }
        return false;
}

static const char *grant(struct memory *memory, const struct elf *elf, const struct wish *wish)
{
        static char why[EXPORT_NAME + 64];
        unsigned width = elf->bits / 8;
        for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
                if (strcmp(exports[i].name, wish->name))
                        continue;
                if (!lies_in_data(elf, wish->pointer, width))
                        return "its pointer to a kernel function lies outside its data";
                uintptr_t address = (uintptr_t)exports[i].address;
                return memory_fill(memory, wish->pointer, &address, width) ? NULL : "out of memory";
        }
        snprintf(why, sizeof why, "it needs the kernel's `%s`, and there is no such function",
                 wish->name);
        return why;
}

/* Reads the note at `at`; false = it has another type. */
static bool read_wish(struct wish *wish, const struct note *note, struct node *node, uint64_t at)
{
        char owner[sizeof EXPORT_NOTE];
        uint64_t descriptor = at + sizeof *note + export_padded(note->name_size);
        if ((note->type != EXPORT_TYPE && note->type != EXPORT_TYPE_MAYBE) ||
            note->name_size != sizeof owner ||
            !node_read(node, at + sizeof *note, owner, sizeof owner) ||
            memcmp(owner, EXPORT_NOTE, sizeof owner))
                return false;
        memset(wish, 0, sizeof *wish);
        return note->size > sizeof wish->pointer && note->size < sizeof *wish &&
               node_read(node, descriptor, wish, note->size);
}

static const char *link_notes(struct memory *memory, const struct elf *elf,
                              const struct elf_notes *notes, struct node *node, bool trusted)
{
        struct note note;
        struct wish wish;
        const char *wrong = NULL;
        uint64_t at = notes->offset, end = at + notes->size;
        if (notes->size > NOTES_MOST)
                return trusted ? "its notes are larger than 16 KiB" : NULL;
        while (!wrong && end - at >= sizeof note && node_read(node, at, &note, sizeof note)) {
                work_goes_on();
                uint64_t size =
                        sizeof note + export_padded(note.name_size) + export_padded(note.size);
                if (size > end - at)
                        break;
                if ((trusted || note.type == EXPORT_TYPE) && read_wish(&wish, &note, node, at))
                        wrong = trusted ? grant(memory, elf, &wish)
                                        : "it calls kernel functions, and is not trusted";
                at += size;
        }
        return wrong;
}

const char *export_link(struct memory *memory, const struct elf *elf, struct node *node,
                        bool trusted)
{
        const char *wrong = NULL;
        for (size_t i = 0; !wrong && i < elf->note_count; i++)
                wrong = link_notes(memory, elf, &elf->notes[i], node, trusted);
        return wrong;
}

extern const char functions_start[], functions_end[]; /* entry/function.asm */

/* The program's stack pointer is below the return address and at most this many arguments. */
#define ARGUMENTS_MOST 6

bool export_running(void)
{
        const uintptr_t *top = (const uintptr_t *)cpu_stack;
        for (int i = 2; cpu_trusted && i <= 2 + ARGUMENTS_MOST; i++)
                if (top[-i] >= (uintptr_t)functions_start && top[-i] < (uintptr_t)functions_end)
                        return true;
        return false;
}
