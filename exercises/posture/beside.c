/* beside.c - beside each of many processes that have chosen another row, a program comes by its
 * own, and its stamps are its own. */
#include "const.h"
#include "linux.h"
#include "toll.h"

#define PROCESSES 1300 /* the farthest is more than any distance of the start (start.py) */

static const void *choose(const char *end)
{
        struct toll_row row;
        for (long index = 0; !toll_call(NUMBER_toll_row, index, &row); index++) {
                const char *way = strchr(row.id, '/');
                if (strcmp(way, end) || row.missing[0])
                        continue;
                toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
                return (const void *)(uintptr_t)row.clean;
        }
        return NULL;
}

/* Whether this program has its own row when a child that has another one has run. */
static bool is_own(const void *half, long me)
{
        long child = fork();
        if (!child) {
                choose("/callgate/service");
                toll_hand(me, 1);
                exit_group(0);
        }
        toll_hand(child, TOLL_HAND_TAKE);
        bool own = gate_call(half, NUMBER_getppid) == getppid();
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
        return own;
}

int main(int argc, char **argv)
{
        (void)argc;
        long me = getpid(), wrong = 0, first = 0;
        output_through(toll_call);
        const void *half = choose("/callgate/standard");
        for (long i = 1; half && i <= PROCESSES; i++)
                if (!is_own(half, me) && !wrong++)
                        first = i;
        check(!wrong, program_origin(argv[0]), "wrong beside %ld of %d processes, first %ld on",
              wrong, PROCESSES, first);
        return check_status();
}
