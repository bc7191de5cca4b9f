"""A posture: two threads that are taken for one another, and the repair."""

from tollgate.records import budgets
from tollgate.teach.claims import Marks, failed

ABOUT = {
    "place": 10,
    "title": "two programs come by one another's gate: find how far apart they are, and mend it",
    "minutes": 45,
    "points": 10,
    "arch": "amd64",
    "writes": (
        "kernel/core/thread/posture.c",
        "user/checks/whose.c",
        "exercises/posture/answer.txt",
    ),
    "lessons": ("callgate", "twostacks"),
}


def grade(marks: Marks) -> None:
    marks.build(1)
    found = marks.answer(3, "distance", marks.own["distance"], r"\d+", "a number, such as 77")
    answer = marks.answer(1, "call", "getpid", r"\w+", "the name of a system call, such as read")
    marks.need(0, found and answer, "the answers are right: then the repair is looked at")
    beside = failed(marks.boot("suite=beside"))
    says = "a program comes by its own gate beside 1,300 others"
    marks.need(3, not beside, says, beside)
    switch = budgets.differences(marks.boot("suite=switch samples=10"), "switch")
    marks.claim(1, not switch, "a switch takes what it took before", ", ".join(sorted(switch)[:3]))
    _, rows = marks.costs()
    marks.claim(1, not rows, "each row costs what it did before", ", ".join(sorted(rows)[:3]))
