/* fewer.c - checks int/nowork's frame: the mark for each register that is left out (LEFT, as bits),
 * the program's value for all others that it can name. int/standard's frame is whole. */
#include "const.h"
#include "lib.h"
#include "registers.h"
#include "toll.h"

static void fill(struct registers *r, const struct toll_frame *frame)
{
        for (unsigned i = 0; i < REGISTERS; i++)
                r->r[i] = 0x1234567890abcdefull * (2 * i + RANDOM);
        r->r[REG_AX] = NUMBER_toll_frame;
        r->r[WIDE ? REG_DI : REG_BX] = (uintptr_t)frame;
        r->r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
}

static void try_row(int index, const struct toll_row *row, int flavour, unsigned left)
{
        struct toll_frame frame = {0};
        struct registers r, was;
        char names[80];
        unsigned unmarked = 0, wrong = 0, changed = 0;
        fill(&r, &frame);
        was = r;
        toll_call(NUMBER_toll_select, index, flavour);
        registers_call((const void *)(uintptr_t)row->clean, &r);
        for (unsigned i = REG_BX; i < 16; i++) {
                if (left >> i & 1)
                        unmarked |= (frame.r[i] != MARK) << i;
                else if (i < REGISTERS && i != REG_FLAGS)
                        wrong |= (frame.r[i] != was.r[i]) << i;
                if (i < REGISTERS && i != REG_FLAGS)
                        changed |= (r.r[i] != was.r[i]) << i;
        }
        wrong |= frame.r[REG_AX] != NUMBER_toll_frame;
        check(!unmarked, "marks", "the frame has something else in place of %s",
              WIDE ? registers_named(names, sizeof names, unmarked) : "some, of a 32-bit program");
        check(!wrong, "others", "the frame has lost %s",
              registers_named(names, sizeof names, wrong));
        check(!changed, "program", "it finds something else in %s",
              registers_named(names, sizeof names, changed));
}

int main(void)
{
        struct toll_row row;
        output_through(toll_call);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                bool standard = !strcmp(strchr(row.id, '/'), "/int/standard");
                if (!standard && strcmp(strchr(row.id, '/'), "/int/nowork"))
                        continue;
                try_row(i, &row, FLAVOUR_clean, standard ? 0 : LEFT);
                try_row(i, &row, FLAVOUR_probed, standard ? 0 : LEFT);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        }
        return check_status();
}
