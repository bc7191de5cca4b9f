"""Add a call: its result, and its handling of bad arguments."""

import re

from tollgate.teach.claims import ARCH, OTHER, Marks, failed

ABOUT = {
    "place": 7,
    "title": "a system call of your own, that writes to the program and to nobody else",
    "minutes": 60,
    "points": 10,
    "writes": (
        "kernel/unix/sys.def",
        "kernel/unix/process/*.c",
        "user/console/whoami.c",
    ),
    "lessons": ("int", "paging", "pagefault"),
}
PROGRAMS = {
    "a 64-bit program": {ARCH: "bin"},
    "a 32-bit program": {ARCH: "compat", OTHER: "bin"},
    "a program in ring 0": {ARCH: "trusted", OTHER: "trusted"},
}
"""Where they lie in each kernel."""
KINDS = {
    "result": (2, "{} is told its path and the stamp"),
    "size": (1, "{} with too little room is told so, and nothing is written"),
    "pointer": (1, "{} with a pointer that is no good is refused"),
}


NAMES = r"user_(?:write|put|put_words)|task|process|path|str\w+|mem(?:cpy|set)|heap_\w+|E[A-Z0-9]+"
NAMES += r"|AFTER_2|NULL|PATH_MAX|sys_toll_whoami|size\w*|__attribute__|sizeof|struct|goto"


def grade(marks: Marks) -> None:
    own = marks.own
    marks.build(1, {"WHOAMI": own["number"], "STAMP": f"{own['mark']:#x}u"})
    lines = marks.added("kernel/unix/sys.def")
    row = rf"CALL\(toll_whoami, *{own['number']}, *{own['number']}\)"
    one = len(lines) == 1 and re.fullmatch(row, lines[0])
    marks.need(0, bool(one), "the table has one line more, the call's", "; ".join(lines[:2]))
    piece = marks.added("kernel/unix/process/*.c", r'(?m)^#include "[\w/]+\.h"$')
    whole = bool(piece) and piece[0][0] != "{" and piece[-1] == "}"
    marks.need(0, whole, "the piece is a function of its own", " ".join(piece[:1]))
    marks.uses("\n".join(piece), "", NAMES, r"(?!)")
    program = marks.named("asks")
    results = {arch: marks.boot(f"suite={program}", arch) for arch in (ARCH, OTHER)}
    for who, folders in PROGRAMS.items():
        wide = OTHER not in folders
        for kind, (points, says) in KINDS.items():
            checks = {
                arch: [
                    c for c in results[arch].checks if c["name"] == f"/{folder}/{program} {kind}"
                ]
                for arch, folder in folders.items()
            }
            wrong = [
                f"{arch}: {c['detail']}" for arch in checks for c in checks[arch] if not c["ok"]
            ]
            ends = [c for some in checks.values() for c in some if c["detail"][:7] == "the end"]
            if kind == "pointer" and len(ends) < len(folders):
                wrong.append("a program has not come to its end")
            broken = ", ".join(filter(None, (failed(results[arch]) for arch in checks)))
            but = (wrong or [broken or "nothing was tried"])[0]
            claim = marks.need if wide and kind == "result" else marks.claim
            holds = all(checks.values()) and not wrong
            if wide or kind != "size":
                claim(points if wide else 1, holds, says.format(who), but)
            else:
                marks.need(0, holds, says.format(who), but)
    _, wrong_rows = marks.costs()
    marks.claim(1, not wrong_rows, "no row of the toll has changed", ", ".join(wrong_rows))
