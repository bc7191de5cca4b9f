/* space.c - page tables, one walk for two and four levels (PAGE_LEVELS, PAGE_INDEX_BITS). */
#include "mem/space.h"
#include "context.h"
#include "cpu/current.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/msr.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "errno.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "above.h"

#define INDEXES (1u << PAGE_INDEX_BITS)
#define USER_INDEXES (KERNEL_BASE >> (12 + (PAGE_LEVELS - 1) * PAGE_INDEX_BITS) & (INDEXES - 1))
#define LARGE ((uintptr_t)PAGE_SIZE << PAGE_INDEX_BITS) /* a page of the first page tables */
#define PTE_LARGE 0x80
#define STACK_PITCH (STACK_SIZE + PAGE_SIZE) /* a stack and its guard page */
#define STACKS 256
/* The reset value, but entry 6, used by PTE_COMBINING, is write-combining (SDM 3A, "Page Attribute
 * Table (PAT)"). A processor that ignores the PAT bit uses entry 2, PTE_UNCACHED's. */
#define PAT 0x0001040600070406

extern char image_start[], text_end[], gate_image[], rodata_end[], image_end[];
extern char gate_size[];

uintptr_t kernel_space;
extern pte_t early_windows[]; /* arch/<arch>/start.asm */
static uintptr_t window_next = WINDOW_BASE + STACKS * STACK_PITCH;
static struct {
        uintptr_t start, physical;
        size_t pages;
        pte_t type;
} early;                     /* windows mapped before space_init */
static size_t kernel_tables; /* nobody asks for it */
static bool stack_used[STACKS];
static unsigned stack_first; /* lowest stack number that may be free */

static unsigned index_at(uintptr_t address, int level)
{
        return address >> (12 + level * PAGE_INDEX_BITS) & (INDEXES - 1);
}

/* The entry at the lowest level. Makes the tables and counts them in *made; NULL = makes none.
 * Tables above user pages are user too: the lowest entry decides. */
static pte_t *walk(uintptr_t root, uintptr_t address, size_t *made, pte_t user)
{
        pte_t *table = DIRECT(root);
        for (int level = PAGE_LEVELS - 1; level > 0; level--) {
                pte_t *entry = &table[index_at(address, level)];
                if (!(*entry & PTE_PRESENT)) {
                        uintptr_t frame = made ? frame_of_zeros() : 0;
                        if (!frame)
                                return NULL;
                        ++*made;
                        *entry = frame | PTE_PRESENT | PTE_WRITE;
                }
                *entry |= user;
                table = DIRECT(*entry & PTE_ADDRESS);
        }
        return &table[index_at(address, 0)];
}

bool space_map(uintptr_t root, uintptr_t address, uintptr_t frame, pte_t bits)
{
        pte_t *entry = walk(root, address, &kernel_tables, bits & PTE_USER);
        if (!entry)
                return false;
        *entry = frame | PTE_PRESENT | bits;
        page_forget(address);
        return true;
}

void space_map_kernel(uintptr_t address, uintptr_t frame, pte_t bits)
{
        if (!space_map(kernel_space, address, frame, bits))
                __builtin_trap(); /* a panic that names this function */
}

pte_t *space_entry(uintptr_t root, uintptr_t address)
{
        pte_t *entry = walk(root, address, NULL, 0);
        return entry && *entry & PTE_PRESENT ? entry : NULL;
}

/* Its arguments are its caller's, which then needs no registers for them. */
__attribute__((cold, noinline)) static pte_t *reach_by_walk(struct memory *memory,
                                                            uintptr_t address, pte_t user)
{
        return walk(memory->space, address, &memory->tables, user);
}

pte_t *space_reach(struct memory *memory, uintptr_t address, pte_t user)
{
        pte_t *table = DIRECT(memory->space);
#pragma GCC unroll 4
        for (int level = PAGE_LEVELS - 1; level > 0; level--) {
                pte_t entry = table[index_at(address, level)];
                if (!(entry & PTE_PRESENT))
                        return reach_by_walk(memory, address, user);
                table = DIRECT(entry & PTE_ADDRESS);
        }
        return &table[index_at(address, 0)];
}

#define GROUP 8

static bool is_free(const pte_t *group)
{
        return !(group[0] | group[1] | group[2] | group[3] | group[4] | group[5] | group[6] |
                 group[7]);
}

/* The first used entry from `entry` on, or `end`: most of a table is empty. */
static inline pte_t *next_used(pte_t *entry, pte_t *end)
{
        while (entry < end && !*entry) {
                entry++;
                while (!((uintptr_t)entry % (GROUP * sizeof *entry)) && end - entry >= GROUP &&
                       is_free(entry))
                        entry += GROUP;
        }
        return entry;
}

static uintptr_t step_of(int level)
{
        return (uintptr_t)PAGE_SIZE << level * PAGE_INDEX_BITS;
}

/* next_used() in a table of pages, below the address `end`, or NULL; advances *address. */
static pte_t *next_in_table(pte_t *entry, uintptr_t *address, uintptr_t end)
{
        size_t most = INDEXES - index_at(*address, 0), pages = (end - *address) / PAGE_SIZE;
        pte_t *last = entry + (pages < most ? pages : most), *next = next_used(entry, last);
        *address += (uintptr_t)(next - entry) * PAGE_SIZE;
        return next < last ? next : NULL;
}

pte_t *space_next(uintptr_t root, uintptr_t *address, uintptr_t end, bool turns)
{
        for (bool first = true; *address < end; first = false) {
                int level = PAGE_LEVELS - 1;
                interrupt_window();
                if (turns && !first && cpu_work & WORK_RESCHEDULE)
                        break;
                pte_t *entry = (pte_t *)DIRECT(root) + index_at(*address, level);
                while (level > 0 && *entry & PTE_PRESENT)
                        entry = (pte_t *)DIRECT(*entry & PTE_ADDRESS) + index_at(*address, --level);
                if (level) {
                        *address = (*address & ~(step_of(level) - 1)) + step_of(level);
                } else if ((entry = next_in_table(entry, address, end))) {
                        return entry;
                }
        }
        return NULL;
}

/* A program maps from the top down, so remaining entries are usually at the table's end. */
static bool is_empty(const pte_t *table)
{
        for (unsigned i = INDEXES; i--;)
                if (table[i])
                        return false;
        return true;
}

/* Prunes the entry for `address`, and counts tables in *gone. True = the table is empty then. */
static bool prune(pte_t *table, int level, uintptr_t address, size_t *gone)
{
        if (level > 0) {
                pte_t *entry = &table[index_at(address, level)];
                pte_t *below = DIRECT(*entry & PTE_ADDRESS);
                if (*entry & PTE_PRESENT) {
                        if (!prune(below, level - 1, address, gone))
                                return false;
                        *entry = 0;
                        page_forget(address); /* flushes cached tables, too */
                        frame_free_zeros(PHYSICAL(below));
                        ++*gone;
                }
        }
        return is_empty(table);
}

void space_prune(struct memory *memory, uintptr_t address)
{
        size_t gone = 0;
        prune(DIRECT(memory->space), PAGE_LEVELS - 1, address, &gone);
        memory->tables -= gone;
}

/* W^X: the rights of a page of the direct map, by its section. Read-only pages are dirty already,
 * because Bochs 3.0 does not set the bit with CR0.WP off (cpu/alternatives.c). */
static pte_t image_bits(uintptr_t address)
{
        if (address >= (uintptr_t)image_start && address < (uintptr_t)text_end)
                return PTE_DIRTY;
        if (address >= (uintptr_t)text_end && address < (uintptr_t)rodata_end)
                return PTE_DIRTY | PTE_NX;
        return PTE_WRITE | PTE_NX;
}

static bool map_window(uintptr_t start, uintptr_t physical, size_t pages, pte_t type)
{
        bool good = true;
        if (!feature_has(FEATURE_PAT))
                type = PTE_UNCACHED;
        for (size_t i = 0; i < pages; i++)
                good &= space_map(kernel_space, start + i * PAGE_SIZE, physical + i * PAGE_SIZE,
                                  PTE_WRITE | PTE_NX | type);
        return good;
}

void space_init(void)
{
        kernel_space = frame_allocate();
        uintptr_t guard = (uintptr_t)boot_stack_top - STACK_SIZE - PAGE_SIZE;
        uintptr_t top = memory_top > PHYSICAL(image_end) ? memory_top : PHYSICAL(image_end);
        for (uintptr_t frame = 0; frame < top; frame += PAGE_SIZE) {
                uintptr_t address = frame + KERNEL_BASE;
                if (address != guard)
                        space_map_kernel(address, frame, image_bits(address));
        }
        /* Every space shares these tables, so they are made before the first space. */
        for (uintptr_t i = 0; i < STACKS; i++)
                walk(kernel_space, WINDOW_BASE + i * STACK_PITCH, &kernel_tables, 0);
        for (uintptr_t at = 0; at < (uintptr_t)gate_size; at += PAGE_SIZE)
                space_map_kernel(GATE_PAGE + at, PHYSICAL(gate_image) + at, PTE_USER);
        if (feature_has(FEATURE_PAT))
                msr_write(IA32_PAT, PAT);
        map_window(early.start, early.physical, early.pages, early.type);
        space_map_trusted_gate();
        above.map_images(kernel_space, ORIGIN_USER);
        above.map_images(kernel_space, ORIGIN_TRUSTED);
        space_load(kernel_space);
}

uintptr_t space_create(void)
{
        uintptr_t root = frame_take();
        if (root) {
                pte_t *to = DIRECT(root), *from = DIRECT(kernel_space);
                words_clear(to, USER_INDEXES * sizeof *to / WORD);
                words_copy(to + USER_INDEXES, from + USER_INDEXES,
                           (INDEXES - USER_INDEXES) * sizeof *to / WORD);
        }
        return root;
}

/* Copies a table's entries from `start` to `last`; higher address bits are ignored. */
static bool copy_level(pte_t *to, pte_t *from, int level, uintptr_t start, uintptr_t last,
                       struct memory *copied)
{
        pte_t *first = &from[index_at(start, level)], *end = &from[index_at(last, level)] + 1;
        for (pte_t *entry = first; (entry = next_used(entry, end)) < end; entry++) {
                pte_t *copy = &to[entry - from];
                if (!level) {
                        frame_share(*entry & PTE_ADDRESS);
                        if (!(*entry & PTE_SHARED))
                                *entry &= ~(pte_t)PTE_WRITE;
                        *copy = *entry;
                        copied->resident++;
                        if (!((uintptr_t)entry % (PAGE_SIZE / 4)))
                                interrupt_window();
                        continue;
                }
                uintptr_t table = *copy ? *copy & PTE_ADDRESS : frame_of_zeros();
                copied->tables += !*copy;
                interrupt_window();
                if (!table)
                        return false;
                *copy = table | (*entry & ~(pte_t)PTE_ADDRESS);
                if (!copy_level(DIRECT(table), DIRECT(*entry & PTE_ADDRESS), level - 1,
                                entry == first ? start : 0, entry == end - 1 ? last : ~0ul, copied))
                        return false;
        }
        return true;
}

bool space_copy(struct memory *to, uintptr_t from, uintptr_t start, uintptr_t end)
{
        return copy_level(DIRECT(to->space), DIRECT(from), PAGE_LEVELS - 1, start, end - 1, to);
}

static void drop_level(pte_t *table, int level, uintptr_t start, uintptr_t last, uintptr_t next)
{
        pte_t *first = &table[index_at(start, level)], *end = &table[index_at(last, level)] + 1;
        for (pte_t *entry = first; (entry = next_used(entry, end)) < end; entry++) {
                uintptr_t frame = *entry & PTE_ADDRESS;
                if (level) {
                        interrupt_window();
                        drop_level(DIRECT(frame), level - 1, entry == first ? start : 0,
                                   entry == end - 1 ? last : ~0ul, next);
                        if (entry == end - 1 && (last ^ next) < step_of(level))
                                continue;
                        frame_free_zeros(frame);
                } else if (*entry & PTE_OWNED) {
                        frame_free(frame);
                }
                *entry = 0;
        }
}

void space_drop(uintptr_t root, uintptr_t start, uintptr_t end, uintptr_t next)
{
        drop_level(DIRECT(root), PAGE_LEVELS - 1, start, end - 1, next);
}

void space_destroy(uintptr_t root, uintptr_t start)
{
        uintptr_t end = (uintptr_t)USER_INDEXES * step_of(PAGE_LEVELS - 1);
        space_drop(root, start, end, end);
        frame_free(root);
}

void space_set_probe(uintptr_t user, uintptr_t kernel)
{
        space_map_kernel(PROBE_PAGE, user, PTE_WRITE | PTE_USER | PTE_NX);
        space_map_kernel(PROBE_ALIAS, kernel, PTE_WRITE | PTE_NX);
}

uintptr_t stack_create(void)
{
        for (unsigned i = stack_first; i < STACKS; i++) {
                if (stack_used[i])
                        continue;
                uintptr_t base = WINDOW_BASE + i * STACK_PITCH + PAGE_SIZE;
                for (uintptr_t at = base; at < base + STACK_SIZE; at += PAGE_SIZE) {
                        uintptr_t frame = frame_take();
                        if (!frame) {
                                stack_destroy(base + STACK_SIZE);
                                return 0;
                        }
                        space_map_kernel(at, frame, PTE_WRITE | PTE_NX);
                }
                stack_used[i] = true;
                stack_first = i + 1;
                return base + STACK_SIZE;
        }
        return 0;
}

void stack_destroy(uintptr_t top)
{
        for (uintptr_t at = top - STACK_SIZE; at < top; at += PAGE_SIZE) {
                pte_t *entry = space_entry(kernel_space, at);
                if (entry) {
                        frame_free(*entry & PTE_ADDRESS);
                        *entry = 0;
                        page_forget(at);
                }
        }
        unsigned i = (unsigned)((top - WINDOW_BASE) / STACK_PITCH) - 1;
        stack_used[i] = false;
        if (i < stack_first)
                stack_first = i;
}

/* Maps before there are frames for tables, in one window, which space_init maps to the same
 * place. */
static bool map_early(uintptr_t start, uintptr_t physical, size_t pages, pte_t type)
{
        uintptr_t end = start + pages * PAGE_SIZE;
        if (early.pages)
                return false;
        early.start = start;
        early.physical = physical;
        early.pages = pages;
        early.type = type;
        physical -= start & (LARGE - 1);
        for (start &= ~(LARGE - 1); start < end; start += LARGE, physical += LARGE)
                early_windows[index_at(start, 1)] =
                        physical | PTE_PRESENT | PTE_WRITE | PTE_UNCACHED | PTE_LARGE;
        return true;
}

/* Beyond this processor's physical addresses: in a page table they would fault. */
static bool is_too_high(uint64_t physical)
{
        unsigned bits = cpuid_leaf(0x80000008).ax & 255;
        return physical & ~(uint64_t)(PTE_ADDRESS | 0xfff) || physical >> (bits ? bits : 36);
}

void *window_map(uint64_t physical, size_t size, pte_t type)
{
        uintptr_t offset = physical & (PAGE_SIZE - 1), start = window_next;
        if (!kernel_space) /* the window is in large pages */
                start = ((start + LARGE - 1) & ~(LARGE - 1)) + (physical & (LARGE - 1)) - offset;
        size_t pages = (offset + size + PAGE_SIZE - 1) / PAGE_SIZE;
        if (size > WINDOW_END - start || /* otherwise `pages` may have overflowed */
            pages > (WINDOW_END - start) / PAGE_SIZE || is_too_high(physical + size - 1))
                return NULL;
        physical -= offset;
        if (kernel_space ? !map_window(start, (uintptr_t)physical, pages, type)
                         : !map_early(start, (uintptr_t)physical, pages, type))
                return NULL;
        window_next = start + pages * PAGE_SIZE;
        return (void *)(start + offset);
}
