"""The model solution: four vectors without a stack, and the answers."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/arch/amd64/descriptor.c"
ANSWERS = {"first": "#DF", "chain": "#PF -> #DF -> triple fault", "interrupt": "IST_TRAP"}


def solve(edits: Edits, own: Own) -> None:
    unused = " || ".join(f"vector == {vector}" for vector in str(own["vectors"]).split(", "))
    edits.before(
        FILE,
        "unsigned always = ist_always(vector);",
        f"        if (vector == VECTOR_PF || vector == VECTOR_DF || {unused})\n"
        "                return 0;\n",
    )
    for word, said in ANSWERS.items():
        edits.replace("exercises/starve/answer.txt", f"\n{word}:", f"\n{word}: {said}")
