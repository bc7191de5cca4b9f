"""Add a call: its result, and its handling of bad arguments."""

from tollgate.teach.claims import Marks, failed

ABOUT = {
    "place": 7,
    "title": "a system call of your own, that writes to the program and to nobody else",
    "minutes": 60,
    "points": 10,
    "arch": "amd64",
    "writes": (
        "kernel/unix/sys.def",
        "kernel/unix/process/*.c",
        "kernel/toll.h",
        "user/console/whoami.c",
    ),
    "lessons": ("int", "paging", "pagefault"),
}
PROGRAMS = {
    "bin": "a 64-bit program",
    "compat": "a 32-bit program",
    "trusted": "a program in ring 0",
}
KINDS = {
    "result": (2, "{} is told its path and the stamp"),
    "size": (1, "{} with too little room is told so, and nothing is written"),
    "pointer": (1, "{} with a pointer that is no good is refused"),
}


def grade(marks: Marks) -> None:
    own = marks.own
    marks.build(1, {"WHOAMI": own["number"], "STAMP": f"{own['mark']:#x}u"})
    result = marks.boot(f"suite={marks.named('asks')}")
    for folder, who in PROGRAMS.items():
        wide, program = folder == "bin", f"/{folder}/{marks.named('asks')}"
        for kind, (points, says) in KINDS.items():
            checks = [c for c in result.checks if c["name"] == f"{program} {kind}"]
            wrong = [c["detail"] for c in checks if not c["ok"]]
            but = (wrong or [failed(result) or "nothing was tried"])[0]
            claim = marks.need if wide and kind == "result" else marks.claim
            if wide or kind != "size":
                holds = bool(checks) and not wrong
                claim(points if wide else 1, holds, says.format(who), but)
    _, wrong_rows = marks.costs()
    marks.claim(1, not wrong_rows, "no row of the toll has changed", ", ".join(wrong_rows))
