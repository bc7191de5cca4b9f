"""A new kind of area, with pages full of stamps."""

import random
from typing import Any

from tollgate.records.budgets import highest, load
from tollgate.teach.claims import ARCH, OTHER, Marks, failed

ABOUT = {
    "place": 8,
    "title": "a new kind of area, whose pages are stamped when they are touched",
    "minutes": 90,
    "points": 12,
    "writes": ("kernel/core/mem/*.[ch]", "kernel/unix/file/map.c", "kernel/unix/uapi.h"),
    "lessons": ("paging", "pagefault"),
}
CLAIMS = {
    "read": (2, "a page that is read holds its stamps"),
    "write": (1, "so does one that is written, but for what was written"),
    "kernel": (1, "so does one that the kernel touches first"),
    "fork": (1, "a child has what its parent wrote, and stamps"),
    "again": (1, "after MADV_DONTNEED there are stamps again"),
    "frames": (1, "no frame is lost"),
    "refused": (1, "what is shared or grows down is refused"),
    "zeros": (1, "a plain page is of zeros"),
}
ROOM = 4
PROCESSORS = ("EPYC", "max", "Skylake-Client", "qemu64")
COUNTED = "frame_(?:total|count|users|share)|area_count|memory_top|peak|order|heap_\\w+"
ELSE = rf"\b(?:{COUNTED}|extern|feature\w*|cpu\w*)\b"
"""What the kernel counts, and knows of its processor."""
PROGRAMS = 5
"""Of three origins here, and of two in the other kernel."""


def grade(marks: Marks) -> None:
    marks.build(1, {"MARK": f"{marks.own['mark']:#x}u"})
    marks.fresh(ELSE)
    machine: dict[str, Any] = {"cpu": random.choice(PROCESSORS), "memory": random.randrange(48, 96)}
    program = f"suite={marks.named('stamps')}"
    results = [marks.boot(program, arch, **machine) for arch in (ARCH, OTHER)]
    said = [check for result in results for check in result.checks]
    for name, (points, says) in CLAIMS.items():
        checks = [c for c in said if c["name"].endswith(f" {name}")]
        wrong = [c["detail"] for c in checks if not c["ok"]]
        ends = [c for c in checks if c["detail"].startswith("the end")]
        if name == "refused" and len(ends) < PROGRAMS:
            wrong.append("a program has not come to its end")
        but = (wrong or [*filter(None, map(failed, results)), "it was not reached"])[0]
        claim = marks.need if name == "read" else marks.claim
        claim(points, len(checks) >= PROGRAMS and not wrong, says, but)
    dear = []
    for arch in (ARCH, OTHER):
        faults = marks.boot("suite=faults samples=10 only=fault/zero", arch)
        dear += [] if faults.results else [failed(faults)]
        for result in faults.results:
            budget = load("faults", arch).get(result["id"])
            if budget and result["median"] > highest(budget) + ROOM:
                dear.append(f"{arch} {result['id']} {result['median']}")
    marks.claim(2, not dear, "a page of zeros costs what it did", ", ".join(dear))
