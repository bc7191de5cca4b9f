/* frame.c - a table of all frames: how many use one, or which is the next that is free. */
#include "mem/frame.h"
#include "lib/string.h"

extern char image_end[];

#define UNROLLED 256 /* words; a page is a whole number of these */

uintptr_t memory_top;
size_t frame_total;
static size_t free_frames;
static uint32_t free_list; /* a frame's number; 0 = none is free, and frame 0 never is */

/*
 * Of each frame below memory_top: its users or, where it is free, the number of the next that is.
 * Free memory itself is never written: a store to each page at the start would cost a host all of
 * the memory that a guest was promised, and a machine a cache miss for each.
 */
static uint32_t *frames;

/* Words one by one: QEMU counts every round of a REP as an instruction, and one more. */
static void page_zero(volatile uintptr_t *page)
{
        for (size_t at = 0; at < PAGE_SIZE / WORD; at += UNROLLED, page += UNROLLED) {
#pragma GCC unroll 256
                for (size_t i = 0; i < UNROLLED; i++)
                        page[i] = 0;
        }
}

static void page_copy(volatile uintptr_t *to, const volatile uintptr_t *from)
{
        for (size_t at = 0; at < PAGE_SIZE / WORD; at += UNROLLED) {
#pragma GCC unroll 256
                for (size_t i = 0; i < UNROLLED; i++)
                        to[i] = from[i];
                to += UNROLLED, from += UNROLLED;
        }
}

static uintptr_t take(void)
{
        uintptr_t number = free_list;
        if (number) {
                free_list = frames[number];
                free_frames--;
                frames[number] = 1;
        }
        return number * PAGE_SIZE;
}

uintptr_t frame_allocate(void)
{
        uintptr_t frame = take();
        if (frame)
                page_zero(DIRECT(frame));
        return frame;
}

uintptr_t frame_copy(uintptr_t frame)
{
        uintptr_t copy = take();
        if (copy)
                page_copy(DIRECT(copy), DIRECT(frame));
        return copy;
}

void frame_share(uintptr_t frame)
{
        frames[frame / PAGE_SIZE]++;
}

unsigned frame_users(uintptr_t frame)
{
        return frames[frame / PAGE_SIZE];
}

static void give(uintptr_t frame)
{
        frames[frame / PAGE_SIZE] = free_list;
        free_list = (uint32_t)(frame / PAGE_SIZE);
        free_frames++;
}

void frame_free(uintptr_t frame)
{
        if (!--frames[frame / PAGE_SIZE])
                give(frame);
}

size_t frame_count(void)
{
        return free_frames;
}

/* Where the table is; 0 = nowhere is so much room. */
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

        /* From the top down, so that the lowest frames are handed out first. */
        for (size_t i = map.count; i-- > 0;)
                for (uint64_t frame = map.ranges[i].end; frame > map.ranges[i].start;)
                        give((uintptr_t)(frame -= PAGE_SIZE));
        frame_total = free_frames;
}
