/* pair.c - two processes: a byte through a pipe, then a word handed over and one back, for the
 * lessons on switching. */
#include "lib.h"
#include "linux.h"
#include "toll.h"

#define WORD_THERE 7
#define WORD_BACK 8

int child(long partner, int from);

__attribute__((noinline)) int child(long partner, int from)
{
        char byte;
        if (read(from, &byte, 1) != 1 || toll_hand(partner, TOLL_HAND_TAKE) != WORD_THERE)
                return 1;
        toll_hand(partner, WORD_BACK);
        return 1; /* it should have been killed while waiting */
}

int main(void)
{
        int wire[2];
        long me = getpid();
        pipe(wire);
        long other = fork();
        if (!other)
                return child(me, wire[0]);
        toll_call(NUMBER_sched_yield);
        write(wire[1], "x", 1);
        bool back = toll_hand(other, WORD_THERE) == WORD_BACK;
        kill(other, SIGKILL);
        wait4(other, NULL, 0, NULL);
        return !back;
}
