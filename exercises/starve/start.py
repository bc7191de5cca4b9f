"""The seed chooses four other vectors that lose their stacks."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

UNUSED = range(0x34, 0x80)


def own(dice: Dice) -> Own:
    return {"vectors": ", ".join(f"{vector:#x}" for vector in dice.some_of(UNUSED, 4))}


def start(edits: Edits, own: Own) -> None:
    edits.put(
        "exercises/starve/answer.txt",
        "Without #PF's stack, what the kernel dies of, such as #GP:\nfirst:\n"
        "Without #PF's and #DF's, as `#AA -> #BB -> triple fault`:\nchain:\n"
        "Whose stack an interrupt takes there, `IST_TRAP`, `IST_DF` or `none`:\ninterrupt:\n",
    )
