/* walk.c - calls every row by its clean halves, for single-stepping (`tollgate show`).
 *
 * Each is called twice, because the first call may take another path (a task gate's task starts at
 * its beginning only once). A line `walk ID` precedes them, so the host can match calls and rows.
 */
#include "lib.h"
#include "result.h"
#include "toll.h"

int main(int argc, char **argv)
{
        struct toll_row row;
        output_through(toll_call);
        if (toll_call(NUMBER_toll_quiet, 1)) {
                print("walk: only what the kernel's command line names may do this: suite=walk\n");
                return 2;
        }
        long pid = toll_call(NUMBER_getpid);
        const char *only = option(argv, "only");
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (only && !strstr(row.id, only))
                        continue;
                if (row.missing[0]) {
                        print_skip(row.suite, row.id, row.missing);
                        continue;
                }
                print("walk %s\n", row.id);
                toll_call(NUMBER_toll_select, i, FLAVOUR_clean);
                const void *half = (const void *)(uintptr_t)row.clean;
                gate_call(half, NUMBER_getpid);
                long result = gate_call(half, NUMBER_getpid);
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
                check(!row.answers || result == pid, row.id, "answers %ld, pid %ld", result, pid);
        }
        return check_status();
}
