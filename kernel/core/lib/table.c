/* table.c - sorts a table. */
#include "lib/table.h"

static void exchange(uintptr_t *one, uintptr_t *other, size_t words)
{
        for (size_t i = 0; i < words; i++) {
                uintptr_t word = one[i];
                one[i] = other[i];
                other[i] = word;
        }
}

/* Insertion sort: the linker's output is a few sorted runs. */
void table_sort(uintptr_t *table, const uintptr_t *end, size_t words)
{
        for (uintptr_t *next = table; next < end; next += words)
                for (uintptr_t *to = next; to > table && *to < to[-(ptrdiff_t)words]; to -= words)
                        exchange(to, to - words, words);
}
