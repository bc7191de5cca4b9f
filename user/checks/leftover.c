/* leftover.c - ends and leaves children that would not end by themselves, and a part at each switch
 * if parts= names one. Each child opens an end of a pipe: so this program knows that it runs. Where
 * only= names another program's rows, it leaves no children. */
#include "lib.h"
#include "linux.h"
#include "toll.h"

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)

static int begun[2], never[2];
static uint8_t stack[4096] __attribute__((aligned(16)));

static void begin(void)
{
        write(begun[1], ".", 1);
}

static void compute(void)
{
        begin();
        for (;;)
                ;
}

static void compute_deaf(void)
{
        for (int signal = 1; signal < 64; signal++)
                signal_set(signal, SIG_IGN);
        compute();
}

static void two_compute(void)
{
        thread_start(THREAD, stack + sizeof stack, NULL, compute);
        compute();
}

static void stop(void)
{
        begin();
        kill(getpid(), SIGSTOP);
        compute();
}

static void doze(void)
{
        const struct timespec day = {86400, 0};
        begin();
        nanosleep(&day, NULL);
        compute();
}

static void read_for_ever(void)
{
        char byte;
        begin();
        read(never[0], &byte, 1);
        compute();
}

static void write_for_ever(void)
{
        begin();
        for (;;)
                write(never[1], stack, sizeof stack);
}

static void read_the_terminal(void)
{
        char byte;
        begin();
        read(0, &byte, 1);
        compute();
}

/* Forks so that at any time one child has just started. */
static void fork_for_ever(void)
{
        begin();
        for (;;) {
                long pid = fork();
                if (pid > 0)
                        exit_group(0);
        }
}

static void session_of_its_own(void)
{
        setsid();
        compute();
}

static void wait_for_its_child(void)
{
        if (!fork())
                compute();
        wait4(-1, NULL, 0, NULL);
        compute();
}

int main(int argc, char **argv)
{
        static void (*const deeds[])(void) = {stop,
                                              doze,
                                              write_for_ever,
                                              read_for_ever,
                                              read_the_terminal,
                                              fork_for_ever,
                                              wait_for_its_child,
                                              session_of_its_own,
                                              compute_deaf,
                                              two_compute,
                                              compute};
        struct toll_row part;
        char byte;
        for (long i = 0; !toll_call(NUMBER_toll_part, i, &part) && *part.missing; i++)
                ;
        if (*option(argv, "only"))
                return 0;
        pipe(begun);
        pipe(never);
        for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
                if (!fork()) {
                        deeds[i]();
                        return 1;
                }
                read(begun[0], &byte, 1);
        }
        print("leftover: %u are left\n", (unsigned)(sizeof deeds / sizeof *deeds));
        return 0;
}
