"""Which three vectors have lost their stacks the seed says, and the start hides."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FIRST, LAST = 0x34, 0x7E
PRIME = 127
FILE = "kernel/core/arch/amd64/descriptor.c"
IN_USE = {0x40, 0x41}


def own(dice: Dice) -> Own:
    while True:
        factor, more = 2 + dice.below(PRIME - 2), dice.below(PRIME)
        found = [v for v in range(PRIME) if (v * factor + more) % PRIME < 3]
        if found[0] >= FIRST and not IN_USE & {*found}:
            return {
                "factor": factor,
                "more": more,
                "vectors": ", ".join(f"{vector:#x}" for vector in found),
            }


def start(edits: Edits, own: Own) -> None:
    edits.before(
        FILE,
        "static unsigned ist_of(unsigned vector)",
        "/* Nobody sends these: they need no stack of their own. */\n"
        "static bool is_spared(unsigned vector)\n{\n"
        f"        return vector >= {FIRST:#x} && vector <= {LAST:#x} &&\n"
        f"               (vector * {own['factor']} + {own['more']}) % {PRIME} < 3;\n}}\n\n",
    )
    edits.before(
        FILE,
        "unsigned always = ist_always(vector);",
        "        if (is_spared(vector))\n                return 0;\n",
    )
    edits.put("user/trusted/zone.c", PROGRAM)
    edits.put(
        "exercises/redzone/answer.txt",
        "The vectors whose gates write into the red zone, from the lowest up, as 0x11, 0x22, 0x33:\n"
        "vectors:\nHow many bytes the gate itself pushes, by the manual:\nbytes:\n",
    )


PROGRAM = """\
/* zone.c - how many bytes of the red zone change over an INT in ring 0. */
#include "lib.h"
#include "registers.h"
#include "toll.h"

int main(void)
{
        output_through(toll_call);
        unsigned vector = 0x34;
        print("INT %x: %ld bytes of the red zone changed\\n", vector, red_zone_int(vector));
        return 0;
}
"""
