/* table.h - tables sorted by an address at the beginning of each line: binary search. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Sorts lines of `words` words by their first word. */
void table_sort(uintptr_t *table, const uintptr_t *end, size_t words);

/* The last line whose first word is at most `key`, or NULL. */
static inline __attribute__((always_inline)) const void *
table_find(const void *table, const void *end, size_t words, uintptr_t key)
{
        const uintptr_t *line = table;
        size_t lines = (size_t)((const uintptr_t *)end - line) / words;
        if (!lines || *line > key)
                return NULL;
        while (lines > 1) {
                size_t half = lines / 2;
                if (line[half * words] <= key)
                        line += half * words;
                lines -= half;
        }
        return line;
}
