/* frame.c - a list of free frames, each holding the address of the next. */
#include "mem/frame.h"
#include "lib/string.h"

extern char image_end[];

uintptr_t memory_top;
static uintptr_t free_list;
static size_t free_frames;

void frame_free(uintptr_t frame)
{
        *(uintptr_t *)DIRECT(frame) = free_list;
        free_list = frame;
        free_frames++;
}

uintptr_t frame_allocate(void)
{
        uintptr_t frame = free_list;
        if (frame) {
                free_list = *(uintptr_t *)DIRECT(frame);
                free_frames--;
                memset(DIRECT(frame), 0, PAGE_SIZE);
        }
        return frame;
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

void frame_init(const struct boot_info *boot)
{
        /* From the top down, so that the lowest frames are handed out first. */
        for (size_t i = boot->memory_ranges; i-- > 0;) {
                const struct boot_range *range = &boot->memory[i];
                uint64_t end = range->end < DIRECT_SIZE ? range->end : DIRECT_SIZE;
                uint64_t start = range->start > 0x100000 ? range->start : 0x100000;
                if (start >= end)
                        continue;
                start = (start + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
                end &= ~(uint64_t)(PAGE_SIZE - 1);
                if (end > memory_top)
                        memory_top = (uintptr_t)end;
                for (uint64_t frame = end; frame > start;) {
                        frame -= PAGE_SIZE;
                        if (!inside(frame, 0x100000, PHYSICAL(image_end)) &&
                            !inside(frame, boot->module.start, boot->module.end) &&
                            !named_before(boot, i, frame))
                                frame_free((uintptr_t)frame);
                }
        }
}
