/* frame.c - a table of all frames: the number of users of each, or the next free frame.
 *
 * Frames are handed out cleared, or as copies. On a processor with ERMS REP does that best, in
 * whole cache lines (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Enhanced REP
 * MOVSB and STOSB Operation"). Whether it costs more or fewer instructions depends on how an
 * emulator counts the rounds of a REP: docs/measuring.md. */
#include "mem/frame.h"
#include "arch.h"
#include "cpu/features.h"
#include "lib/string.h"

extern char image_end[];

#define LINE (64 / WORD) /* words of a cache line */

uintptr_t memory_top;
size_t frame_total;
static size_t free_frames;
/* A frame's number; 0 = none is free, as frame 0 never is. Zeroed frames are used last. */
static uint32_t free_list, zeros_list;

/*
 * For each frame below memory_top: its number of users or, if free, the next free frame. Free
 * memory itself is never written: a store to each page at boot would make a host allocate all of
 * the guest's memory, and cost a machine a cache miss each.
 */
static uint32_t *frames;

/* The version without ERMS: one loop round per cache line, word by word. */
static inline void clear_lines(volatile uintptr_t *page)
{
        const volatile uintptr_t *end = page + PAGE_SIZE / WORD;
        for (; page != end; page += LINE)
#pragma GCC unroll 16
                for (size_t i = 0; i < LINE; i++)
                        page[i] = 0;
}

/* (A file of the initrd may begin at any address.) */
static inline void copy_lines(volatile uintptr_t *to, const volatile loose_word *from)
{
        const volatile loose_word *end = from + PAGE_SIZE / WORD;
        for (; from != end; to += LINE, from += LINE)
#pragma GCC unroll 16
                for (size_t i = 0; i < LINE; i++)
                        to[i] = from[i];
}

inline void page_clear(void *page)
{
        if (feature_has(FEATURE_ERMS))
                words_clear(page, PAGE_SIZE / WORD);
        else
                clear_lines(page);
}

inline void page_copy(void *to, const void *from)
{
        if (feature_has(FEATURE_ERMS))
                words_copy(to, from, PAGE_SIZE / WORD);
        else
                copy_lines(to, from);
}

static inline uintptr_t frame_pop(uint32_t *list)
{
        uintptr_t number = *list;
        if (number) {
                *list = frames[number];
                free_frames--;
                frames[number] = 1;
        }
        return number * PAGE_SIZE;
}

uintptr_t frame_allocate_ready(void)
{
        uintptr_t frame = frame_pop(&free_list);
        if (frame)
                page_clear(DIRECT(frame));
        return frame;
}

uintptr_t frame_allocate(void)
{
        uintptr_t frame = frame_allocate_ready();
        return frame ? frame : frame_pop(&zeros_list);
}

uintptr_t frame_of_zeros(void)
{
        uintptr_t frame = frame_pop(&zeros_list);
        return frame ? frame : frame_allocate_ready();
}

uintptr_t frame_take(void)
{
        uintptr_t frame = frame_pop(&free_list);
        return frame ? frame : frame_pop(&zeros_list);
}

uintptr_t frame_copy(uintptr_t frame)
{
        uintptr_t other = frame_pop(&free_list);
        if (other)
                page_copy(DIRECT(other), DIRECT(frame));
        return other;
}

bool frame_refill(void)
{
        if (free_list || !zeros_list)
                return false;
        free_list = zeros_list;
        zeros_list = 0;
        return true;
}

void frame_share(uintptr_t frame)
{
        frames[frame / PAGE_SIZE]++;
}

unsigned frame_users(uintptr_t frame)
{
        return frames[frame / PAGE_SIZE];
}

static void frame_push(uintptr_t frame)
{
        frames[frame / PAGE_SIZE] = free_list;
        free_list = (uint32_t)(frame / PAGE_SIZE);
        free_frames++;
}

void frame_free(uintptr_t frame)
{
        if (!--frames[frame / PAGE_SIZE])
                frame_push(frame);
}

void frame_free_zeros(uintptr_t frame)
{
        frames[frame / PAGE_SIZE] = zeros_list;
        zeros_list = (uint32_t)(frame / PAGE_SIZE);
        free_frames++;
}

size_t frame_count(void)
{
        return free_frames;
}

/* Finds room for the table; 0 = no range is large enough. */
static uint64_t place_table(const struct boot_map *map, size_t size)
{
        for (size_t i = 0; i < map->count; i++)
                if (map->ranges[i].end - map->ranges[i].start >= size)
                        return map->ranges[i].start;
        return 0;
}

void frame_init(const struct boot_info *boot)
{
        struct boot_map map = boot->memory;
        memory_top = map.count ? (uintptr_t)map.ranges[map.count - 1].end : 0;
        map_remove(&map, 0, PHYSICAL(image_end));
        map_remove(&map, boot->initrd.start, boot->initrd.end);
        size_t size = memory_top / PAGE_SIZE * sizeof *frames;
        uint64_t table = place_table(&map, size);
        if (!table)
                return;
        frames = DIRECT(table);
        map_remove(&map, table, table + size);

        /* Starts at the top, so that the lowest frames are handed out first. */
        for (size_t i = map.count; i-- > 0;)
                for (uint64_t frame = map.ranges[i].end; frame > map.ranges[i].start;)
                        frame_push((uintptr_t)(frame -= PAGE_SIZE));
        frame_total = free_frames;
}
