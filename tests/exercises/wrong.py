"""Wrong answers that try to get points (wrong.toml): none may get full points."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own, filled

ENTRY, WHERE = "kernel/core/entry", Path(__file__).with_suffix(".toml")
FILES = {
    **{name: f"{ENTRY}/{name}.asm" for name in ("int", "callgate", "inttrap")},
    "cleared": f"{ENTRY}/int_cleared.asm",
    "select": f"{ENTRY}/select.c",
    **{name: f"{ENTRY}/{name}.def" for name in ("entry", "mechanism")},
    "descriptor": "kernel/core/arch/amd64/descriptor.c",
    "posture": "kernel/core/thread/posture.c",
    "identity": "kernel/unix/process/identity.c",
    **{name: f"kernel/core/mem/{name}.c" for name in ("area", "memory")},
    "saved": "exercises/register/answer.txt",
    "alarm": "kernel/unix/process/alarm.c",
    "zone": "user/trusted/zone.c",
    "whose": "user/checks/whose.c",
    "map": "kernel/unix/file/map.c",
}


class Wrong(NamedTuple):
    """What is wrong, and the changes: a file, the old text, and its replacement."""

    exercise: str
    says: str
    change: list[list[str]]


WRONG = [
    Wrong(exercise, says, change)
    for exercise, some in tomllib.loads(WHERE.read_text(encoding="utf-8")).items()
    for says, *change in some
]


def spoil(wrong: Wrong, edits: Edits, first: Edits, own: Own) -> None:
    """Change the solution; `first` is the start."""
    for name, old, *new in wrong.change:
        file = FILES[name]
        if not new:
            edits.put(file, first.text(file))
            continue
        text, count = re.subn(filled(old, own), filled(new[0], own), edits.text(file), flags=re.S)
        assert count, f"{wrong.says}: {file} has no {old}"
        edits.put(file, text)
