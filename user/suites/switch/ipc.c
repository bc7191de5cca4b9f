/*
 * ipc.c - a synchronous message to another process and its reply: a byte through two pipes, and a
 * word by toll_hand().
 */
#include "const.h"
#include "linux.h"
#include "switch.h"
#include "toll.h"

static unsigned asked, answered;

static void note(bool good)
{
        asked++;
        answered += good;
}

/* The other side: what comes in goes back. */
static void echo_pipe(int in, int out)
{
        char byte;
        while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
                ;
}

static void try_pipe(void)
{
        int there[2], back[2];
        char byte;
        if (!begins("ipc/pipe"))
                return;
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
        MEASURE(
                {
                        byte = (char)round;
                        write(there[1], &byte, 1);
                        read(back[0], &byte, 1);
                },
                note(byte == (char)round));
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

static void echo_direct(const void *half, long partner)
{
        quiet(true);
        long word = toll_hand(partner, TOLL_HAND_TAKE);
        while (word >= 0)
                word = toll_hand_by(half, partner, word + 1);
        exit_group(0);
}

static void end(long child)
{
        quiet(false);
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
}

static void try_hand(void)
{
        if (!begins("ipc/hand"))
                return;
        long word, parent = getpid(), child = fork();
        if (!child)
                echo_hand(parent);
        quiet(true);
        MEASURE(word = toll_hand(child, (long)round), note(word == (long)round + 1));
        end(child);
        record("ipc/hand");
}

static void try_direct(const void *half)
{
        if (!begins("ipc/direct"))
                return;
        long word, parent = getpid(), child = fork();
        if (!child)
                echo_direct(half, parent);
        quiet(true);
        MEASURE(word = toll_hand_by(half, child, (long)round), note(word == (long)round + 1));
        end(child);
        record("ipc/direct");
}

void measure_ipc(const void *direct)
{
        try_pipe();
        if (toll_hand(-1, 0) == -ENOSYS)
                skip("ipc/hand", "only Tollgate has toll_hand()");
        else
                try_hand();
        if (direct)
                try_direct(direct);
        if (asked)
                check(answered == asked, "ipc/answered", "%u of %u messages came back", answered,
                      asked);
}
