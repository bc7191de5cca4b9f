/* beside.c - among many processes that have chosen another row, a program still uses its own. The
 * grade writes their pids into the kernel. */
#include "const.h"
#include "linux.h"
#include "tls.h"
#include "toll.h"

#define FEW 100

/* A child with another row, if this program lost its own after the child ran; or 0. */
static long is_own(const void *half, long me)
{
        long child = fork();
        if (!child) {
                row_choose("/callgate/service");
                toll_hand(me, 1);
                exit_group(0);
        }
        toll_hand(child, TOLL_HAND_TAKE);
        bool own = gate_call(half, NUMBER_getppid) == getppid();
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
        return own ? 0 : child;
}

int main(int argc, char **argv)
{
        long me = getpid(), wrong = 0, first = 0;
        output_through(toll_call);
        long processes = strncmp(argv[0], "/bin/", 5) ? FEW : PROCESSES;
        const void *half = row_choose("/callgate/standard");
        for (long i = 1; half && i <= processes; i++) {
                long child = is_own(half, me);
                if (child && !wrong++)
                        first = child - me;
        }
        static uintptr_t own = 4711;
        bool there = tls_point(&own), comes = half != NULL;
        for (int i = 0; i < 5 && comes; i++) {
                long child = fork();
                if (!child) { /* with another TLS; then the processor is idle */
                        tls_point(&wrong);
                        nanosleep(&(struct timespec){0, 5000000}, NULL);
                        exit_group(0);
                }
                nanosleep(&(struct timespec){0, 20000000}, NULL);
                wait4((int)child, NULL, 0, NULL);
                comes = gate_call(half, NUMBER_getppid) == getppid() &&
                        (!there || tls_word() == own);
        }
        check(comes, program_origin(argv[0]), "by its own gate behind a sleep, with its own TLS");
        check(!wrong, program_origin(argv[0]), "wrong beside %ld of %ld processes, first %ld on",
              wrong, processes, first);
        toll_call(NUMBER_toll_checksum); /* the grade inspects the kernel here */
        return check_status();
}
