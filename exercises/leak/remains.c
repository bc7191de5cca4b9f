/* remains.c - makes every row's call with all registers filled: none may return with an address of
 * the kernel's half. */
#include "registers.h"
#include "const.h"
#include "linux.h"

#define KERNEL_HALF 0xffff800000000000ull
#define GATE_PAGES 0xffffffffff000000ull

static bool is_of_kernel(uint64_t value)
{
        return value >= KERNEL_HALF && value < GATE_PAGES;
}

static void try_row(int index, const struct toll_row *row)
{
        struct registers r, was;
        for (int i = 0; i < REGISTERS; i++)
                r.r[i] = RANDOM * (unsigned)(i + 1);
        r.r[REG_AX] = NUMBER_getpid;
        r.r[REG_FLAGS] = RFLAGS_FIXED | RFLAGS_IF;
        was = r;
        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
        registers_call((const void *)(uintptr_t)row->clean, &r);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        int found = -1;
        for (int i = 0; i < REGISTERS; i++)
                if (r.r[i] != was.r[i] && is_of_kernel(r.r[i]))
                        found = i;
        check(found < 0, row->id, "register %d holds %lx", found,
              found < 0 ? 0 : (unsigned long)r.r[found]);
}

int main(void)
{
        struct toll_row row;
        output_through(toll_call);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!row.missing[0] && !strcmp(row.suite, "toll") && row.answers)
                        try_row(i, &row);
        return check_status();
}
