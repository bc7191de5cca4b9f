"""The seed chooses the distance of two threads that share a number, and the start hides it."""

from math import lcm

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FILE = "kernel/core/thread/posture.c"
LEAST, MOST = 1000, 40000
"""The range of the distance: too many processes to try by hand, few enough for a loop."""


def own(dice: Dice) -> Own:
    while True:
        distance = LEAST + dice.below(MOST - LEAST)
        for other in (n for n in range(12, 250) if distance % n == 0):
            for one in (distance // other * n for n in range(2, other) if other % n == 0):
                if lcm(one, other) == distance and one < 1 << 12:
                    return {"one": one, "other": other, "distance": distance}


def start(edits: Edits, own: Own) -> None:
    edits.before(
        FILE,
        "static void posture_choose(struct thread *thread, bool own)",
        "/* A short number for a thread: few have chosen anything. */\n"
        "static uint32_t short_number(uint32_t tid)\n{\n"
        f"        return (tid % {own['one']} + 1) << 8 | tid % {own['other']};\n}}\n\n",
    )
    edits.replace(
        FILE,
        "(own ? thread->tid << POSTURE_TID : 0)",
        "(own ? short_number(thread->tid) << POSTURE_TID : 0)",
    )
    edits.put("user/checks/whose.c", PROGRAM)
    edits.put(
        "exercises/posture/answer.txt",
        "How far apart the numbers of two threads are that the kernel takes for one another, the\n"
        "smallest distance, such as 77:\ndistance:\n"
        "The call that has answered there in getppid()'s place, such as read:\ncall:\n",
    )


PROGRAM = """\
/* whose.c - two programs have each chosen a row of the call gate: does each come by its own? */
#include "const.h"
#include "linux.h"
#include "toll.h"

/* A child that has chosen the service row, and has run. */
static long child_beside(long me)
{
        long child = fork();
        if (!child) {
                row_choose("/callgate/service");
                toll_hand(me, 1);
                exit_group(0);
        }
        toll_hand(child, TOLL_HAND_TAKE);
        return child;
}

int main(void)
{
        long me = getpid(), parent = getppid();
        output_through(toll_call);
        const void *half = row_choose("/callgate/standard");
        if (!half)
                return 0;
        long child = child_beside(me);
        long said = gate_call(half, NUMBER_getppid);
        print("beside a process %ld further on getppid() answers %ld, and should answer %ld\\n",
              child - me, said, parent);
        kill(child, SIGKILL);
        wait4(child, NULL, 0, NULL);
        return 0;
}
"""
