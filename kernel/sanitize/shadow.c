/* shadow.c - finds accesses to unallocated memory: heap objects, frames and local arrays.
 *
 * A byte of the shadow stands for 8 bytes of the kernel's memory: 0 = all are allocated, 1 to 7 =
 * that many, below 0 = none. gcc inserts a check before each load and store
 * (-fsanitize=kernel-address), and marks the bytes around local arrays. As gcc requires, the shadow
 * is at (address >> 3) + SHADOW, and ends at WINDOW_END.
 *
 * Not detected: loads and stores in assembly, except copies; an object of exactly a page, or of
 * 1,009 to 1,024 bytes, has no marked bytes behind it; a small object is used again once QUARANTINE
 * others have been freed, a frame at once; static variables; a local variable used after its block;
 * frames that were never handed out, and device memory. */
#include "sanitize/sanitize.h"
#include <stdbool.h>
#include "boot.h"
#include "cpu/cpu.h"
#include "lib/string.h"
#include "machine/console.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/space.h"
#include "process/resource.h"
#include "thread/thread.h"

#define GRAIN 8
#define OF(address) ((int8_t *)(((uintptr_t)(address) >> 3) + SHADOW))
#define IMAGE_MOST (6u << 20)                   /* the image is smaller */
#define STACKS (256 * (STACK_SIZE + PAGE_SIZE)) /* bytes from WINDOW_BASE on (mem/space.c) */
#define LARGEST 1024                            /* larger ones do not share a page (mem/heap.c) */
#define ROOM 16                                 /* bytes behind an object */
#define QUARANTINE 128

enum { FREED = -1, BEHIND = -2 };

extern char image_end[], boot_stack_top[];
extern pte_t early_windows[]; /* arch/<arch>/start.asm */

static int8_t image_shadow[IMAGE_MOST / GRAIN] __attribute__((aligned(PAGE_SIZE)));
static pte_t early_table[PAGE_SIZE / sizeof(pte_t)] __attribute__((aligned(PAGE_SIZE)));
static uint8_t *owners;                 /* an enum owner for each frame */
static uintptr_t shadow_frames;         /* the first one behind the image's shadow */
static size_t memory_size, stacks_size; /* mapped from KERNEL_BASE and WINDOW_BASE; 0 = not yet */

static inline bool is_covered(uintptr_t at)
{
        return at - KERNEL_BASE < memory_size || at - WINDOW_BASE < stacks_size;
}

static bool is_marked(uintptr_t at)
{
        int8_t mark = *OF(at);
        return mark && (int8_t)(at % GRAIN) >= mark;
}

static const char *meaning(int8_t mark)
{
        return mark == FREED   ? "is free"
               : mark < BEHIND ? "lies beside a local variable"
                               : "lies behind an object";
}

static __attribute__((cold, noinline)) void look_closely(const struct frame *caller, uintptr_t at,
                                                         size_t size)
{
        for (uintptr_t end = at + size; at < end; at++)
                if (is_marked(at)) {
                        const int8_t mark = *OF(at);
                        memory_size = stacks_size = 0; /* no checks in a panic */
                        panic(caller, "%p is touched, which %s (%u bytes)", (void *)at,
                              meaning(mark), (unsigned)size);
                }
}

#define LOOK(at, size)                                                                             \
        do {                                                                                       \
                if (is_covered(at) && (*OF(at) | *OF((at) + (size)-1)))                            \
                        look_closely(CALLER, at, size);                                            \
        } while (0)

#define ASKED(size)                                                                                \
        void __asan_load##size##_noabort(uintptr_t at);                                            \
        void __asan_load##size##_noabort(uintptr_t at)                                             \
        {                                                                                          \
                LOOK(at, size);                                                                    \
        }                                                                                          \
        void __asan_store##size##_noabort(uintptr_t at);                                           \
        void __asan_store##size##_noabort(uintptr_t at)                                            \
        {                                                                                          \
                LOOK(at, size);                                                                    \
        }
ASKED(1)
ASKED(2)
ASKED(4)
ASKED(8)
ASKED(16)

static bool is_range_marked(uintptr_t at, size_t size)
{
        const int8_t *mark = OF(at), *last = OF(at + size - 1);
        while (mark < last && !*mark)
                mark++;
        return *mark;
}

#define LOOK_AT_RANGE(at, size)                                                                    \
        do {                                                                                       \
                if ((size) && is_covered((uintptr_t)(at)) &&                                       \
                    is_range_marked((uintptr_t)(at), size))                                        \
                        look_closely(CALLER, (uintptr_t)(at), size);                               \
        } while (0)

void __asan_loadN_noabort(uintptr_t at, size_t size);
void __asan_loadN_noabort(uintptr_t at, size_t size)
{
        LOOK_AT_RANGE(at, size);
}

void __asan_storeN_noabort(uintptr_t at, size_t size);
void __asan_storeN_noabort(uintptr_t at, size_t size)
{
        LOOK_AT_RANGE(at, size);
}

WRAP(void *, memcpy, void *to, const void *from, size_t count)
{
        LOOK_AT_RANGE(to, count);
        LOOK_AT_RANGE(from, count);
        return __real_memcpy(to, from, count);
}

WRAP(void *, memset, void *to, int byte, size_t count)
{
        LOOK_AT_RANGE(to, count);
        return __real_memset(to, byte, count);
}

static bool copying;

WRAP(size_t, user_copy, void *to, const void *from, size_t count)
{
        LOOK_AT_RANGE(to, count);
        LOOK_AT_RANGE(from, count);
        copying = true;
        size_t left = __real_user_copy(to, from, count);
        copying = false;
        return left;
}

/* What the copy is a part of has looked already, and others would change it. Of a thread that has
 * left its memory's tables others would find half. */
static void may_give_turn(void)
{
        if (copying)
                panic(NULL, "a copy from or to a program gives others a turn");
        if (cpu_current && cpu_current->memory && cr3_read() == kernel_space)
                panic(NULL, "a thread that ends gives others a turn");
}

WRAP(void, schedule, void)
{
        may_give_turn();
        __real_schedule();
}

WRAP(bool, work_goes_on, void)
{
        may_give_turn();
        return __real_work_goes_on();
}

static void mark(const void *at, size_t size, int8_t as)
{
        if (is_covered((uintptr_t)at))
                __real_memset(OF(at), as, size / GRAIN);
}

/* A function that does not return leaves the marks of all its callers. */
void __asan_handle_no_return(void);
void __asan_handle_no_return(void)
{
        uintptr_t at = (uintptr_t)__builtin_frame_address(0), in = at - WINDOW_BASE;
        const size_t pitch = STACK_SIZE + PAGE_SIZE;
        uintptr_t end = in < stacks_size ? at - in % pitch + pitch : at + STACK_SIZE;
        mark((const void *)(at & ~(uintptr_t)(GRAIN - 1)), end - at, 0);
}

WRAP(uintptr_t, stack_create, void)
{
        uintptr_t top = __real_stack_create();
        if (top)
                mark((const void *)(top - STACK_SIZE), STACK_SIZE, 0);
        return top;
}

static uintptr_t handed(uintptr_t frame, enum owner owner)
{
        if (frame) {
                owners[frame / PAGE_SIZE] = (uint8_t)owner;
                mark(DIRECT(frame), PAGE_SIZE, 0);
        }
        return frame;
}

static void gone(uintptr_t frame)
{
        owners[frame / PAGE_SIZE] = OWNER_NONE;
        mark(DIRECT(frame), PAGE_SIZE, FREED);
}

enum owner sanitize_owner(uintptr_t frame)
{
        return frame < memory_top ? owners[frame / PAGE_SIZE] : OWNER_NONE;
}

/* Every Nth allocation for a process fails; N is its RLIMIT_RSS, which has no other meaning. Page
 * faults are excepted, because few programs would survive. */
static bool is_scarce(void)
{
        static uint64_t asked;
        uint64_t every = resource_limit(RLIMIT_RSS);
        if (every == RLIM_INFINITY || ++asked < every)
                return false;
        asked = 0;
        return true;
}

WRAP(uintptr_t, frame_allocate, void)
{
        if (is_scarce())
                return 0;
        return handed(__real_frame_allocate(), OWNER_PROGRAM);
}

WRAP(uintptr_t, frame_allocate_ready, void)
{
        return handed(__real_frame_allocate_ready(), OWNER_PROGRAM);
}

WRAP(uintptr_t, frame_copy, uintptr_t frame)
{
        return handed(__real_frame_copy(frame), OWNER_PROGRAM);
}

WRAP(uintptr_t, frame_take, void)
{
        if (is_scarce())
                return 0;
        return handed(__real_frame_take(), OWNER_KERNEL);
}

WRAP(uintptr_t, frame_of_zeros, void)
{
        if (is_scarce())
                return 0;
        return handed(__real_frame_of_zeros(), OWNER_KERNEL);
}

WRAP(void, frame_free, uintptr_t frame)
{
        if (frame_users(frame) == 1)
                gone(frame);
        __real_frame_free(frame);
}

/* Otherwise the next page table seems to map them. */
WRAP(void, frame_free_zeros, uintptr_t frame)
{
        const uintptr_t *word = DIRECT(frame), *end = word + PAGE_SIZE / WORD;
        while (word < end && !*word)
                word++;
        if (word < end)
                panic(CALLER, "a page table that goes has %p at %p", (void *)*word, (void *)word);
        gone(frame);
        __real_frame_free_zeros(frame);
}

static void *quarantine[QUARANTINE];
static unsigned quarantine_next;

static const void *page_of(const void *object)
{
        return (const void *)((uintptr_t)object & ~(uintptr_t)(PAGE_SIZE - 1));
}

static size_t asked(size_t size)
{
        return size + ROOM <= LARGEST ? size + ROOM : size;
}

static void *given(void *object, size_t size)
{
        if (!object)
                return NULL;
        uint8_t *owner = &owners[PHYSICAL(object) / PAGE_SIZE];
        if (*owner != OWNER_KERNEL) { /* a page that was just cut */
                *owner = OWNER_KERNEL;
                mark(page_of(object), PAGE_SIZE, FREED);
        }
        mark(object, heap_room(asked(size)), BEHIND);
        mark(object, size, 0);
        if (size % GRAIN && is_covered((uintptr_t)object))
                OF(object)[size / GRAIN] = (int8_t)(size % GRAIN);
        return object;
}

WRAP(void *, heap_take, size_t size)
{
        if (is_scarce())
                return NULL;
        return given(__real_heap_take(asked(size)), size);
}

WRAP(void *, heap_allocate, size_t size)
{
        if (is_scarce())
                return NULL;
        return given(__real_heap_allocate(asked(size)), size);
}

/* Objects in quarantine count as free. When a page is freed, its objects are dropped. */
WRAP(void, heap_free, void *object)
{
        if (!object)
                return;
        LOOK_AT_RANGE(object, 1);
        if ((uintptr_t)object % PAGE_SIZE == 0)
                return __real_heap_free(object);
        mark(object, (size_t)1 << *(const size_t *)page_of(object), FREED);
        void **place = &quarantine[quarantine_next++ % QUARANTINE], *oldest = *place;
        *place = object;
        heap_objects--;
        if (oldest) {
                heap_objects++;
                __real_heap_free(oldest);
        }
}

/* Local arrays are marked from the first function on, so the image needs its shadow earlier. */
WRAP(_Noreturn void, kernel_main, uint32_t magic, uint32_t information)
{
        const uintptr_t at = (uintptr_t)OF(KERNEL_BASE);
        for (size_t i = 0; i < sizeof image_shadow / PAGE_SIZE; i++)
                early_table[i] = (PHYSICAL(image_shadow) + i * PAGE_SIZE) | PTE_PRESENT | PTE_WRITE;
        early_windows[at >> (12 + PAGE_INDEX_BITS) & ((1u << PAGE_INDEX_BITS) - 1)] =
                PHYSICAL(early_table) | PTE_PRESENT | PTE_WRITE;
        __real_kernel_main(magic, information);
}

/* Bytes of shadow beyond the image's: for memory and stacks. */
static size_t rest_of_memory(void)
{
        return memory_top > IMAGE_MOST ? (memory_top - IMAGE_MOST) / GRAIN : 0;
}

/* The shadow and the table of owners are allocated before everything else. */
WRAP(void, frame_init, const struct boot_info *boot)
{
        static struct boot_info less;
        struct boot_map *map = &less.memory;
        less = *boot;
        memory_top = map->count ? (uintptr_t)map->ranges[map->count - 1].end : 0;
        map_remove(map, 0, PHYSICAL(image_end));
        map_remove(map, boot->initrd.start, boot->initrd.end);
        size_t size = ((rest_of_memory() + STACKS / GRAIN) | (PAGE_SIZE - 1)) + 1 +
                      memory_top / PAGE_SIZE;
        for (size_t i = 0; i < map->count && !shadow_frames; i++)
                if (map->ranges[i].end - map->ranges[i].start >= size)
                        shadow_frames = (uintptr_t)map->ranges[i].start;
        if (!shadow_frames || PHYSICAL(image_end) > IMAGE_MOST)
                refuse("there is no room for a shadow of %u KiB", (unsigned)(size >> 10));
        __real_memset(DIRECT(shadow_frames), 0, size);
        owners = (uint8_t *)DIRECT(shadow_frames) + size - memory_top / PAGE_SIZE;
        less.memory = boot->memory;
        map_remove(&less.memory, shadow_frames, shadow_frames + size);
        __real_frame_init(&less);
}

static void map_shadow(const int8_t *at, uintptr_t physical, size_t size)
{
        for (size_t i = 0; i < size; i += PAGE_SIZE)
                space_map_kernel((uintptr_t)at + i, physical + i, PTE_WRITE | PTE_NX);
}

/* The last mapping before the page tables are used. */
WRAP(void, space_map_trusted_gate, void)
{
        size_t rest = rest_of_memory();
        __real_space_map_trusted_gate();
        map_shadow(OF(KERNEL_BASE), PHYSICAL(image_shadow), sizeof image_shadow);
        map_shadow(OF(KERNEL_BASE) + sizeof image_shadow, shadow_frames, rest);
        map_shadow(OF(WINDOW_BASE), shadow_frames + ((rest | (PAGE_SIZE - 1)) + 1), STACKS / GRAIN);
}

WRAP(void, space_init, void)
{
        __real_space_init();
        memory_size = memory_top;
        stacks_size = STACKS;
}
