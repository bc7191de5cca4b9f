"""The seed chooses three vectors that lose their stacks, and the start hides them."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

FIRST, LAST = 0x34, 0x7E
PRIME = 7919
FILE = "kernel/core/arch/amd64/descriptor.c"
IN_USE = {0x40, 0x41}


def own(dice: Dice) -> Own:
    return of(*dice.some_of(sorted({*range(FIRST, LAST + 1)} - IN_USE), 3))


def of(a: int, b: int, c: int) -> Own:
    """A cubic whose roots are the vectors: (v - a)(v - b)(v - c), modulo a prime."""
    return {
        "square": -(a + b + c) % PRIME,
        "line": (a * b + a * c + b * c) % PRIME,
        "constant": -a * b * c % PRIME,
        "vectors": f"{a:#x}, {b:#x}, {c:#x}",
    }


def start(edits: Edits, own: Own) -> None:
    edits.before(
        FILE,
        "static unsigned ist_of(unsigned vector)",
        "/* Nobody sends these: they need no stack of their own. */\n"
        "static bool is_spared(unsigned vector)\n{\n"
        f"        return vector >= {FIRST:#x} && vector <= {LAST:#x} &&\n"
        f"               ((vector + {own['square']}) * vector * vector + {own['line']} * vector +\n"
        f"                {own['constant']}) % {PRIME} == 0;\n}}\n\n",
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
