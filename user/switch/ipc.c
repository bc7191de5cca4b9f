/*
 * ipc.c - a synchronous message to another process and its reply: a byte through two pipes, and a
 * word by toll_hand().
 */
#include "const.h"
#include "linux.h"
#include "switch.h"
#include "toll.h"

static unsigned answered;

/* The other side: what comes in goes back. */
static void echo_pipe(int in, int out)
{
        char byte;
        while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
                ;
}

static bool call_pipe(int to, int from, char byte)
{
        char back;
        write(to, &byte, 1);
        return read(from, &back, 1) == 1 && back == byte;
}

static void try_pipe(void)
{
        int there[2], back[2];
        pipe(there);
        pipe(back);
        long child = fork();
        if (!child) {
                close(there[1]);
                quiet(true);
                echo_pipe(there[0], back[1]);
                exit_group(0);
        }
        close(there[0]);
        quiet(true);
        MEASURE(answered += call_pipe(there[1], back[0], (char)i_));
        quiet(false);
        close(there[1]);
        close(back[0]);
        close(back[1]);
        wait4(child, NULL, 0, NULL);
        record("ipc/pipe");
}

static void echo_hand(long partner)
{
        quiet(true);
        long word = toll_hand(partner, TOLL_HAND_TAKE);
        while (word >= 0)
                word = toll_hand(partner, word + 1);
        exit_group(0);
}

static void try_hand(void)
{
        long parent = getpid(), child = fork();
        if (!child)
                echo_hand(parent);
        quiet(true);
        MEASURE(answered += toll_hand(child, (long)i_) == (long)i_ + 1);
        quiet(false);
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
        record("ipc/hand");
}

void measure_ipc(void)
{
        answered = 0;
        try_pipe();
        try_hand();
        check(answered == 2 * (WARM_UP + samples), "ipc/answered", "%u of %u messages came back",
              answered, 2 * (WARM_UP + samples));
}
