/*
 * map.h - memory that may be used: ranges of whole frames in order, of which no two overlap.
 */
#ifndef TOLLGATE_BOOT_MAP_H
#define TOLLGATE_BOOT_MAP_H

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

/* The frames that lie wholly in it, above the first megabyte and where the direct map shows them.
 * Where the table is full they stay unused. */
void map_add(struct boot_map *map, uint64_t start, uint64_t end);
/* The frames that it touches are not to be used. */
void map_remove(struct boot_map *map, uint64_t start, uint64_t end);

#endif
