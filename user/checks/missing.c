/* missing.c - asks for calls that are not here, by every way that it has: two of Linux's, and two
 * numbers that it has not given away. */
#include "linux.h"
#include "toll.h"

#define SWAPON (WIDE ? 167 : 87)
#define INIT_MODULE (WIDE ? 175 : 128)
#define NOBODYS 489
#define TOO_LARGE 100000

static void expect(const char *name, long is)
{
        check(is == -ENOSYS, name, "%ld", is);
}

int main(void)
{
        struct toll_row row;
        expect("swapon", system_call(SWAPON, "x", 0));
        expect("swapon again", system_call(SWAPON, "x", 0));
        expect("a number without a name", system_call(NOBODYS));
        expect("no number", system_call(TOO_LARGE));
        for (long i = 0; !toll_call(NUMBER_toll_row, i, &row); i++)
                if (!strcmp(row.id, "trusted/call/standard"))
                        expect("init_module, called",
                               gate_call((const void *)(uintptr_t)row.clean, INIT_MODULE));
        return check_status();
}
