/* pair.c - two processes: a word handed over, then a byte through a pipe, for the lessons on
 * switching. */
#include "linux.h"
#include "toll.h"

#define WORD_THERE 7
#define WORD_BACK 8

static int wire[2];

static int child(long partner)
{
        char byte;
        if (toll_hand(partner, TOLL_HAND_TAKE) != WORD_THERE)
                return 1;
        toll_hand(partner, WORD_BACK);
        return read(wire[0], &byte, 1) != 1;
}

int main(void)
{
        int status = -1;
        long me = getpid();
        pipe(wire);
        long other = fork();
        if (!other)
                return child(me);
        toll_hand(other, WORD_THERE);
        toll_hand(other, TOLL_HAND_TAKE);
        write(wire[1], "x", 1);
        wait4(other, &status, 0, NULL);
        return status;
}
