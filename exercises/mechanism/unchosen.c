/* unchosen.c - a program that has chosen no row calls the mechanism's standard one. */
#include "lib.h"
#include "linux.h"
#include "toll.h"

int main(int argc, char **argv)
{
        struct toll_row row;
        output_through(toll_call);
        if (row_find("/inttrap/standard", &row) < 0)
                return 0;
        long pid = gate_call((const void *)(uintptr_t)row.clean, NUMBER_getpid);
        check(pid == getpid() && !row.clobbers, program_origin(argv[0]), "answers %ld, changes %x",
              pid, (unsigned)row.clobbers);
        return check_status();
}
