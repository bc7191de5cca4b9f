"""The seed chooses the call's number and stamp."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FREE = [*range(460, 480), *range(481, 490)]


def own(dice: Dice) -> Own:
    return {"number": dice.one_of(FREE), "mark": dice.mark()}


def start(edits: Edits, own: Own) -> None:
    edits.put("user/console/whoami.c", PROGRAM % (own["number"], own["mark"]))


PROGRAM = """\
/* whoami.c - what toll_whoami says. */
#include "console.h"

#define NUMBER_toll_whoami %d
#define STAMP 0x%x

int main(void)
{
        char path[80];
        unsigned stamp = 0;
        long result = system_call(NUMBER_toll_whoami, path, sizeof path);
        if (result < (long)sizeof stamp) {
                put_format(1, "toll_whoami: error %%ld\\n", -result);
                return 1;
        }
        memcpy(&stamp, path + result - sizeof stamp, sizeof stamp);
        put_format(1, "%%s, %%ld bytes, the stamp %%s\\n", path, result,
                   stamp == STAMP ? "right" : "wrong");
        return 0;
}
"""
