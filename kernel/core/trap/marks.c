/* marks.c - sorts the tables of marked instructions. */
#include "trap/marks.h"

void marks_sort(void)
{
#define SORT(table, words) table_sort((uintptr_t *)table, (const uintptr_t *)table##_end, words)
        SORT(fault_fixups, 2);
        SORT(fault_fixups_of_sets, 2);
        SORT(waits, 2);
        SORT(program_states, 2);
        SORT(segment_pops, 1);
        SORT(ways_out, 1);
#undef SORT
}
