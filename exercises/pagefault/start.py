"""The seed chooses the part of a stamp besides the address."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own


def own(dice: Dice) -> Own:
    return {"mark": dice.mark()}


def start(edits: Edits, own: Own) -> None:
    before = "#define AREA_SHARED "
    edits.replace(
        "kernel/core/mem/memory.h",
        before,
        "#define AREA_STAMPED 0x40000000 /* each word of a page that is made here holds its stamp */\n"
        f"#define STAMP {own['mark']:#x}u /* a word's stamp is its address XOR this */\n{before}",
    )
    before = "#define MAP_FIXED_NOREPLACE "
    edits.replace(
        "kernel/unix/uapi.h",
        before,
        f"#define MAP_STAMPED 0x2000000 /* ours: each word holds its stamp */\n{before}",
    )
