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

/* Firmware may name the same memory twice. */
static bool named_before(const struct boot_info *boot, size_t index, uint64_t frame)
{
        for (size_t i = index + 1; i < boot->memory_ranges; i++)
                if (frame + PAGE_SIZE > boot->memory[i].start && frame < boot->memory[i].end)
                        return true;
        return false;
}

static bool inside(uint64_t frame, uint64_t start, uint64_t end)
{
        return frame + PAGE_SIZE > start && frame < end;
}

/* The part of a range that the direct map shows, in whole frames, above the first megabyte. */
static struct boot_range usable(const struct boot_range *range)
{
        uint64_t end = range->end < DIRECT_SIZE ? range->end : DIRECT_SIZE;
        uint64_t start = range->start > 0x100000 ? range->start : 0x100000;
        start = (start + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
        end &= ~(uint64_t)(PAGE_SIZE - 1);
        return (struct boot_range){start, end > start ? end : start};
}

/* Past the image or the initrd where the table would meet them; 0 = it does not fit. */
static uint64_t place_in(const struct boot_info *boot, const struct boot_range *range, size_t size)
{
        const struct boot_range taken[] = {{0x100000, PHYSICAL(image_end)}, boot->initrd};
        uint64_t at = range->start;
        for (int round = 0; round < 2; round++)
                for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
                        if (at < taken[i].end && at + size > taken[i].start)
                                at = (taken[i].end + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
        return at + size <= range->end ? at : 0;
}

static struct boot_range place_table(const struct boot_info *boot, size_t size)
{
        for (size_t i = 0; i < boot->memory_ranges; i++) {
                struct boot_range range = usable(&boot->memory[i]);
                uint64_t at = place_in(boot, &range, size);
                if (at)
                        return (struct boot_range){at, at + size};
        }
        return (struct boot_range){0, 0};
}

void frame_init(const struct boot_info *boot)
{
        for (size_t i = 0; i < boot->memory_ranges; i++) {
                struct boot_range range = usable(&boot->memory[i]);
                if (range.start < range.end && range.end > memory_top)
                        memory_top = (uintptr_t)range.end;
        }
        struct boot_range table = place_table(boot, memory_top / PAGE_SIZE * sizeof *frames);
        if (!table.end)
                return;
        frames = DIRECT(table.start);

        /* From the top down, so that the lowest frames are handed out first. */
        for (size_t i = boot->memory_ranges; i-- > 0;) {
                struct boot_range range = usable(&boot->memory[i]);
                for (uint64_t frame = range.end; frame > range.start;) {
                        frame -= PAGE_SIZE;
                        if (!inside(frame, 0x100000, PHYSICAL(image_end)) &&
                            !inside(frame, boot->initrd.start, boot->initrd.end) &&
                            !inside(frame, table.start, table.end) && !named_before(boot, i, frame))
                                give((uintptr_t)frame);
                }
        }
        frame_total = free_frames;
}
