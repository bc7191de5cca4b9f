"""The seed chooses the rows' labels."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own

LETTERS = "abcdefghijkmnopqrstuvwxyz"


def own(dice: Dice) -> Own:
    return {"label": "".join(dice.one_of(LETTERS) for _ in range(5))}


def start(edits: Edits, own: Own) -> None:
    edits.put(
        "exercises/mechanism/answer.txt",
        "The instruction that inttrap/standard has and int/standard has not, by its mnemonic:\n"
        "instruction:\n"
        "Whose stack an interrupt before it takes, `program` or `kernel`:\nstack:\n"
        "The flag that is 1 at the first instruction of inttrap's half and 0 of int's, such as DF:\n"
        "flag:\n",
    )
