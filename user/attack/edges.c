/* edges.c - code at the end of a page before an unmapped one, and at the end of a program's memory:
 * the instruction, or the return address, is beyond. */
#include "attack.h"

#define LONGEST 15

void jump_with_stack(uintptr_t code, long number, uintptr_t sp); /* stubs.asm */
#define STACK_WORDS 2048
static uintptr_t stack[STACK_WORDS] __attribute__((aligned(16)));

/* Ends of memory on any kernel that runs this program: the highest mappable one counts. */
static const uintptr_t last_pages[] = {(uintptr_t)(WIDE ? 0x7fffffffe000 : 0xffffe000),
                                       (uintptr_t)(WIDE ? 0x7fffffffd000 : 0xffffd000),
                                       (uintptr_t)(WIDE ? 0x7fffffffc000 : 0xbffff000), 0xbfffe000};

static long page_at(uintptr_t address)
{
        return call(LIBC_mmap, address, PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED : 0), -1);
}

static uintptr_t last_page(void)
{
        for (unsigned i = 0; i < sizeof last_pages / sizeof *last_pages; i++)
                if ((uintptr_t)page_at(last_pages[i]) == last_pages[i])
                        return last_pages[i];
        not_here();
}

/* A page without a mapped page behind it. */
static uintptr_t lonely_page(void)
{
        long at = call(LIBC_mmap, 0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1);
        call(NUMBER_munmap, at + PAGE, PAGE);
        return (uintptr_t)at;
}

/* Runs code in the last bytes of the page. */
static void run_at_end(uintptr_t page, const uint8_t *code, unsigned size)
{
        uintptr_t at = page + PAGE - size;
        memcpy((void *)at, code, size);
        call(NUMBER_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
        jump_with_stack(at, NUMBER_getpid, (uintptr_t)(stack + STACK_WORDS / 2));
}

/* MOV EAX, [disp32] with prefixes: 15 bytes, the maximum */
static const uint8_t long_instruction[LONGEST] = {0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e,
                                                  0x8b, 0x84, 0x24, 0,    0,    0,    0};

static void split(uintptr_t size)
{
        run_at_end(lonely_page(), long_instruction, (unsigned)size);
}

static const struct {
        const char *name;
        uint8_t code[3];
        unsigned size, ends;
} lasts[] = {{"nop", {0x90}, 1, SEGV},
             {"int80", {0xcd, 0x80}, 2, SEGV},
             {"int3", {0xcc}, 1, TRAP},
             {"ud2", {0x0f, 0x0b}, 2, ILL},
             {"syscall", {0x0f, 0x05}, 2, SEGV | (WIDE ? 0 : ILL)},
             {"sysenter", {0x0f, 0x34}, 2, SEGV | ILL},
             {"popf_nop", {0x9d, 0x90}, 2, SEGV},
             {"half_syscall", {0x0f}, 1, SEGV},
             {"half_int", {0xcd}, 1, SEGV},
             {"call_next", {0xff, 0xd0}, 2, SEGV}};
#define LASTS (sizeof lasts / sizeof *lasts)

static void at_page_end(uintptr_t index)
{
        run_at_end(lonely_page(), lasts[index].code, lasts[index].size);
}

static uintptr_t chosen;

static void replace_last_page(void)
{
        run_at_end(last_page(), lasts[chosen].code, lasts[chosen].size);
}

/* Runs code there, although the current stack may be in the same page. */
static void at_memory_end(uintptr_t index)
{
        chosen = index;
        jump_with_stack((uintptr_t)replace_last_page, 0, (uintptr_t)(stack + STACK_WORDS) - 8);
}

static unsigned count(void)
{
        return LONGEST - 1 + 2 * LASTS;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        if (i < LONGEST - 1) {
                snprintf(name, ATTACK_NAME, "edge/split/%u", i + 1);
                *attack = (struct attack){name, SEGV, split, i + 1};
                return;
        }
        i -= LONGEST - 1;
        bool page = i < LASTS;
        i %= LASTS;
        snprintf(name, ATTACK_NAME, "edge/%s/%s", page ? "page" : "memory", lasts[i].name);
        *attack = (struct attack){name, lasts[i].ends, page ? at_page_end : at_memory_end, i};
}

const struct row edges_row = {.name = "edges", .at = at, .whole = count};
