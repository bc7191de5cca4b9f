/* map.h - usable memory: sorted ranges of whole frames that do not overlap. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define MAP_RANGES 64

struct boot_range {
        uint64_t start, end; /* physical, end exclusive */
};

struct boot_map {
        struct boot_range ranges[MAP_RANGES];
        size_t count;
};

/* Adds the whole frames in the range that are above the first megabyte and in the direct map. If
 * the table is full some are lost. */
void map_add(struct boot_map *map, uint64_t start, uint64_t end);
/* Removes the frames that the range touches. */
void map_remove(struct boot_map *map, uint64_t start, uint64_t end);
