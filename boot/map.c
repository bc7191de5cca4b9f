/* map.c - firmware may name the same memory twice, and call it free and reserved at once. */
#include "map.h"
#include <stdbool.h>
#include "arch.h"
#include "lib/string.h"

#define LOWEST 0x100000
#define FRAME ((uint64_t)PAGE_SIZE)

static uint64_t down(uint64_t address)
{
        return address & ~(FRAME - 1);
}

static uint64_t up(uint64_t address)
{
        return address > UINT64_MAX - FRAME ? UINT64_MAX : down(address + FRAME - 1);
}

static bool is_empty(struct boot_range range)
{
        return range.start >= range.end;
}

/* If the table is full, one range is dropped: the new one, or the last. */
static void insert(struct boot_map *map, size_t index, struct boot_range range)
{
        if (map->count < MAP_RANGES)
                map->count++;
        for (size_t i = map->count - 1; i > index; i--)
                map->ranges[i] = map->ranges[i - 1];
        if (index < MAP_RANGES)
                map->ranges[index] = range;
}

void map_add(struct boot_map *map, uint64_t start, uint64_t end)
{
        struct boot_range range = {up(start > LOWEST ? start : LOWEST),
                                   down(end < DIRECT_SIZE ? end : DIRECT_SIZE)};
        size_t index = 0;
        if (is_empty(range))
                return;
        map_remove(map, range.start, range.end);
        while (index < map->count && map->ranges[index].start < range.start)
                index++;
        insert(map, index, range);
}

void map_remove(struct boot_map *map, uint64_t start, uint64_t end)
{
        struct boot_range hole = {down(start), up(end)};
        for (size_t i = 0; start < end && i < map->count; i++) {
                struct boot_range below = map->ranges[i], above = below;
                if (below.start >= hole.end || hole.start >= below.end)
                        continue;
                below.end = hole.start;
                above.start = hole.end;
                map->count--;
                memmove(map->ranges + i, map->ranges + i + 1,
                        (map->count - i) * sizeof *map->ranges);
                if (!is_empty(above))
                        insert(map, i, above);
                if (!is_empty(below))
                        insert(map, i, below);
                i--;
        }
}
