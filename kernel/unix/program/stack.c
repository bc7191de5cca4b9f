/* stack.c - a program's initial stack (System V ABI, "Process Initialization"; auxiliary vector as
 * Linux's): from the stack pointer up argc, argv, NULL, environment, NULL, the auxiliary vector;
 * then the strings, up to the end of the program's half.
 *
 * The strings are read twice, first to find their size. If another thread changes them in between,
 * they are cut to that size. */
#include "program/stack.h"
#include "clock/image.h"
#include "cpu/cpu.h"
#include "cpu/window.h"
#include "machine/timer.h"
#include "entry/entry.h"
#include "errno.h"
#include "lib/string.h"
#include "mem/memory.h"
#include "process/identity.h"
#include "process/resource.h"
#include "thread/user.h"
#include "toll.h"
#include "toll/lack.h"
#include "program/exec.h"
#include "program/script.h"
#include "start.h"

#define STRINGS_MOST (32 * PAGE_SIZE) /* total size, pointers included */
#define RANDOM 16
#define PIECE 64
#define STACK_TOUCHED 64 /* pages */

enum {
        AT_NULL,
        AT_IGNORE,
        AT_PHDR = 3,
        AT_PHENT = 4,
        AT_PHNUM = 5,
        AT_PAGESZ = 6,
        AT_ENTRY = 9,
        AT_UID = 11,
        AT_EUID,
        AT_GID,
        AT_EGID,
        AT_CLKTCK = 17,
        AT_SECURE = 23,
        AT_RANDOM = 25,
        AT_EXECFN = 31,
        AT_SYSINFO = 32,
        AT_SYSINFO_EHDR = 33
};

/* Reads one pointer of an array; 0 = the end, or there is no array. */
static int pointer_at(const struct exec_strings *strings, uintptr_t array, size_t index,
                      uintptr_t *pointer)
{
        *pointer = 0;
        return array ? strings->read(pointer, user_element(array, index, strings->width),
                                     strings->width)
                     : 0;
}

/* Reads a piece of a string, up to the end of a page at most: touching the next page could fault
 * needlessly. `*size` excludes the 0; `*last` is true if that was found. */
static int read_piece(const struct exec_strings *strings, uintptr_t from, char piece[PIECE],
                      size_t *size, bool *last)
{
        size_t room = PAGE_SIZE - (from & (PAGE_SIZE - 1)), most = room < PIECE ? room : PIECE;
        if (!work_goes_on() || strings->read(piece, from, most))
                return -EFAULT;
        for (*size = 0; *size < most && piece[*size]; ++*size)
                ;
        *last = *size < most;
        return 0;
}

static int measure(const struct exec_strings *strings, uintptr_t array, size_t *count,
                   size_t *bytes)
{
        for (*count = 0;; ++*count) {
                uintptr_t from;
                bool last = false;
                if (pointer_at(strings, array, *count, &from))
                        return -EFAULT;
                if (!from)
                        return 0;
                while (!last) {
                        char piece[PIECE];
                        size_t size;
                        if (read_piece(strings, from, piece, &size, &last))
                                return -EFAULT;
                        from += size;
                        *bytes += size + last;
                        if (*bytes + (*count + 1) * sizeof(uint64_t) > STRINGS_MOST)
                                return -E2BIG;
                }
        }
}

/* Addresses for the next word and the next string. */
struct writer {
        struct memory *memory;
        unsigned width;
        uintptr_t word, text, end;
        bool full;     /* out of memory */
        uint8_t *page; /* the last page written, and its address */
        uintptr_t page_start;
};

static void stack_put(struct writer *to, uintptr_t at, const void *from, size_t size)
{
        while (size && !to->full) {
                size_t in_page = at & (PAGE_SIZE - 1);
                size_t part = PAGE_SIZE - in_page < size ? PAGE_SIZE - in_page : size;
                if (at - in_page != to->page_start) {
                        to->page = memory_page(to->memory, at);
                        to->page_start = at - in_page;
                        to->full = !to->page;
                }
                if (to->page)
                        memcpy(to->page + in_page, from, part);
                from = (const uint8_t *)from + part;
                at += part;
                size -= part;
        }
}

static void put_word(struct writer *to, uint64_t value)
{
        stack_put(to, to->word, &value, to->width);
        to->word += to->width;
}

static void put_text(struct writer *to, const void *text, size_t size)
{
        size_t room = to->end - to->text;
        if (size > room)
                size = room;
        stack_put(to, to->text, text, size);
        to->text += size;
}

static int put_strings(struct writer *to, const struct exec_strings *strings, uintptr_t array,
                       size_t count)
{
        for (size_t i = 0; i < count; i++) {
                uintptr_t from;
                bool last = false;
                if (pointer_at(strings, array, i, &from) || !from)
                        return -EFAULT;
                put_word(to, to->text);
                while (!last) {
                        char piece[PIECE];
                        size_t size;
                        if (read_piece(strings, from, piece, &size, &last))
                                return -EFAULT;
                        put_text(to, piece, size + last);
                        from += size;
                        last |= to->text == to->end;
                }
        }
        put_word(to, 0);
        return 0;
}

static void put_random(struct writer *to)
{
        uint8_t random[RANDOM];
        for (uint64_t seed = tsc_read(), i = 0; i < sizeof random; i++) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth's MMIX */
                random[i] = (uint8_t)(seed >> 56);
        }
        put_text(to, random, sizeof random);
}

/* The mechanism for AT_SYSINFO: the image's, if it has one. It never changes on this processor. */
static uintptr_t way_in(enum origin origin)
{
        static uintptr_t ways[ORIGIN_TRUSTED + 1];
        uintptr_t here = origin == ORIGIN_TRUSTED ? 0 : vdsos[origin].way_in;
        if (!ways[origin])
                ways[origin] = here ? here : (uintptr_t)row_preferred(origin)->call[0];
        return ways[origin];
}

/* A script's words replace the first argument. */
static size_t first_argument(const struct exec_strings *strings)
{
        uintptr_t there;
        return strings->script && !pointer_at(strings, strings->arguments, 0, &there) && there;
}

static int measure_arguments(const struct exec_strings *strings, size_t *count, size_t *bytes)
{
        const struct script *script = strings->script;
        uintptr_t array = strings->arguments + first_argument(strings) * strings->width;
        int error = measure(strings, strings->arguments ? array : 0, count, bytes);
        for (unsigned i = 0; script && i < script->count; i++)
                *bytes += strlen(script->words[i]) + 1;
        *count += script ? script->count : 0;
        return error;
}

static int put_arguments(struct writer *to, const struct exec_strings *strings, size_t count)
{
        const struct script *script = strings->script;
        for (unsigned i = 0; script && i < script->count; i++) {
                put_word(to, to->text);
                put_text(to, script->words[i], strlen(script->words[i]) + 1);
        }
        return put_strings(to, strings,
                           strings->arguments + first_argument(strings) * strings->width,
                           count - (script ? script->count : 0));
}

/* At CPL 0 a push that needs a page is #DF: without an IST stack, pages are mapped first. */
static void touch_below(struct memory *memory, uintptr_t sp)
{
        for (size_t n = 0; n < STACK_TOUCHED; n++)
                memory_fault(memory, sp - n * PAGE_SIZE, AREA_WRITE);
}

int stack_build(struct memory *memory, const struct elf *elf, const char *path,
                const struct exec_strings *strings, uintptr_t *sp)
{
        size_t arguments, variables, bytes = 0, path_size = strlen(path) + 1;
        int error = measure_arguments(strings, &arguments, &bytes);
        if (!error)
                error = measure(strings, strings->environment, &variables, &bytes);
        if (error)
                return error;

        size_t room = resource_stack();
        if (memory_map(memory, memory->limit - room, room,
                       AREA_READ | AREA_WRITE | AREA_GROWS_DOWN))
                return -ENOMEM;

        uintptr_t random_at = memory->limit - RANDOM, path_at = random_at - path_size;
        uintptr_t text = path_at - bytes;
        const struct {
                uint32_t key;
                uint64_t value;
        } vector[] = {
                {AT_PHDR, elf->header_address},
                {AT_PHENT, elf->header_size},
                {AT_PHNUM, elf->headers},
                {AT_PAGESZ, PAGE_SIZE},
                {AT_ENTRY, elf->entry},
                {AT_UID, id_of(ID_USER, REAL)},
                {AT_EUID, id_of(ID_USER, EFFECTIVE)},
                {AT_GID, id_of(ID_GROUP, REAL)},
                {AT_EGID, id_of(ID_GROUP, EFFECTIVE)},
                {AT_CLKTCK, TIMER_HZ},
                {AT_SECURE, 0},
                {AT_RANDOM, random_at},
                {AT_EXECFN, path_at},
                {AT_SYSINFO, way_in(memory->origin)},
                {AT_SYSINFO_EHDR, vdsos[memory->origin].at},
                {AT_NULL, 0},
        };
        size_t pairs = sizeof vector / sizeof *vector, width = elf->bits / 8;
        size_t words = 1 + arguments + 1 + variables + 1 + 2 * pairs;
        *sp = (text - words * width) & ~(uintptr_t)15;

        struct writer to = {memory, (unsigned)width, *sp, text, path_at, false, NULL, 0};
        put_word(&to, arguments);
        memory->arguments = text;
        memory->strings_end = path_at;
        if (put_arguments(&to, strings, arguments))
                return -EFAULT;
        memory->environment = to.text;
        if (put_strings(&to, strings, strings->environment, variables))
                return -EFAULT;
        for (size_t i = 0; i < pairs; i++) {
                put_word(&to, vector[i].key);
                put_word(&to, vector[i].value);
        }
        to.text = path_at;
        to.end = memory->limit;
        put_text(&to, path, path_size);
        put_random(&to);
        if (memory->origin == ORIGIN_TRUSTED && lacks & TOLL_LACKS_double_fault)
                touch_below(memory, *sp);
        return to.full ? -ENOMEM : 0;
}
