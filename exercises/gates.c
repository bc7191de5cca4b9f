/* gates.c - HALF vectors have a stack under half of the protection, and none under none. A program
 * in ring 0 that gives up its protection and takes it back finds each gate's IST stack as before,
 * and so does one that chooses an exception's row with an IST. */
#include "lib.h"
#include "linux.h"
#include "toll.h"

#define VECTORS 256
#ifndef HALF
#define HALF 1
#endif

static void note_stacks(uint8_t to[VECTORS])
{
        struct {
                uint16_t limit;
                const uint8_t *base;
        } __attribute__((packed)) table;
        __asm__ volatile("sidt %0" : "=m"(table));
        for (size_t i = 0; i < VECTORS; i++)
                to[i] = table.base[16 * i + 4] & 7;
}

/* Under half of the protection the vector of a row that is not armed has no stack. */
static void try_choice(void)
{
        static uint8_t whole[VECTORS], half[VECTORS], given_back[VECTORS];
        unsigned wrong = 0;
        struct toll_row row;
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                given_back[row.vector] = row.vector > 0x80;
        toll_call(NUMBER_toll_select, 0, 0);
        note_stacks(whole);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        toll_call(NUMBER_toll_protect, 1);
        toll_call(NUMBER_toll_select, 0, 0);
        note_stacks(half);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT, 0);
        toll_call(NUMBER_toll_protect, 2);
        for (size_t i = 0x80; i < VECTORS; i++) /* #UD has the usual stack */
                wrong += half[i] != (given_back[i] && whole[i] == whole[6] ? 0 : whole[i]);
        check(!wrong, "a choice", "%u gates have another stack under half of it", wrong);
}

int main(void)
{
        static uint8_t before[VECTORS], after[VECTORS];
        unsigned changed = 0;
        if (sizeof(long) == 4 || !at_cpl_0())
                return 0;
        note_stacks(before);
        for (unsigned round = 0; round < 40; round++) {
                toll_call(NUMBER_toll_protect, 0);
                toll_call(NUMBER_toll_protect, 2);
        }
        for (long level = 2; level-- > 0;) {
                unsigned stacks = 0, moved = 0;
                toll_call(NUMBER_toll_protect, level);
                note_stacks(after);
                toll_call(NUMBER_toll_protect, 2);
                for (size_t i = 0; i < 0x80; i++)
                        stacks += after[i] != 0;
                for (size_t i = 0x80; i < VECTORS; i++) /* INT 80h and those behind keep theirs */
                        moved += after[i] != before[i];
                check(stacks == (level ? HALF : 0) && !moved, "protection",
                      "%u stacks by %ld, and %u others", stacks, level, moved);
        }
        note_stacks(after);
        for (size_t i = 0; i < VECTORS; i++)
                changed += before[i] != after[i];
        check(!changed, "stacks", "%u gates have another one", changed);
        try_choice();
        struct toll_row row;
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (!strstr(row.id, "/ist") && !strstr(row.id, "/move"))
                        continue;
                toll_call(NUMBER_toll_quiet, 1);
                bool chosen = !toll_call(NUMBER_toll_select, i, 0);
                note_stacks(after);
                toll_call(NUMBER_toll_quiet, 0);
                check(!chosen || after[row.vector] == before[row.vector], row.id,
                      "stack %u, and %u before", after[row.vector], before[row.vector]);
        }
        return check_status();
}
