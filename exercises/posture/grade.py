"""A posture: two threads that are mistaken for one another, and the repair."""

import os
import re

from tollgate.machines.boot import ROOT
from tollgate.machines.row_path import Kernel
from tollgate.records import budgets
from tollgate.teach.claims import ARCH, OTHER, SELECTS, Marks, failed
from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own, find, own

ABOUT = {
    "place": 10,
    "title": "two programs come by one another's gate: find how far apart they are, and mend it",
    "minutes": 45,
    "points": 10,
    "writes": (
        "kernel/core/thread/posture.c",
        "user/checks/whose.c",
        "exercises/posture/answer.txt",
    ),
    "lessons": ("callgate", "twostacks"),
}


NEAR = 2048
"""The second program's pid is the student's distance away, and may occur twice. The next ones go
down from PID_MAX, then in multiples of this, so that all differences occur."""
PROCESSES = 2 * NEAR
MORE = 64
"""Instructions that TLS adds to a byte's way to a program of another origin and back: gcc 12, 56."""
FILE, ASKS, AGAIN = "kernel/core/thread/thread.c", "grade_asks", "grade_again"
PIDS = f"""\
uint32_t {ASKS}, {AGAIN};
void posture_changed(struct thread *thread);
static uint32_t grade_seen[1 << 21];
/* Whether a number is another one's, or that of a thread without a choice: 0. */
static bool grade_number(uint32_t part, uint32_t n)
{{
        uint32_t *at = &grade_seen[n << 6 >> 11], bit = n >> 26 == part ? 1u << n %% 32 : 0;
        bool again = !n || *at & bit;
        *at |= bit;
        return again;
}}
/* Counts tids with such numbers, as they choose and with TLS. Takes an eighth of the numbers at a
 * time. A number that is new at each choice counts, too: some day it is another's. So does one
 * that a thread has only if it chose a row, and not if it registered for stamps. */
static void grade_all(struct thread *thread)
{{
        uint32_t tid = thread->tid, first;
        bool special = thread->segments.special, chooses = thread->chooses;
        bool registered = thread->registered, quiet = thread->quiet;
        enum origin origin = thread->origin;
        if (!{ASKS})
                return;
        {ASKS} = 0;
        thread->segments.special = true;
        for (uint32_t part = 0; part < 8; part++) {{
                __builtin_memset(grade_seen, 0, sizeof grade_seen);
                for (thread->tid = 1; thread->tid <= PID_MAX; thread->tid++) {{
                        posture_changed(thread);
                        {AGAIN} += grade_number(part, thread->choice >> 3) ||
                                   (thread->posture != thread->choice &&
                                    grade_number(part, thread->posture >> 3));
                }}
        }}
        for (thread->tid = 5; thread->tid < PID_MAX; thread->tid += 997) {{
                posture_changed(thread);
                first = thread->choice >> 3;
                for (unsigned kind = 0; kind < 24; kind++) {{
                        thread->chooses = kind & 1;
                        thread->registered = !thread->chooses;
                        thread->quiet = kind & 2;
                        thread->segments.special = kind & 4;
                        thread->origin = kind / 8;
                        posture_changed(thread);
                        {AGAIN} += thread->choice >> 3 != first;
                }}
                thread->quiet = quiet;
                thread->origin = origin;
                thread->segments.special = true;
        }}
        thread->chooses = chooses;
        thread->registered = registered;
        thread->tid = tid;
        thread->segments.special = special;
}}
static uint32_t grade_tid(void)
{{
        static uint32_t given;
        uint32_t n = given++ %% {PROCESSES};
        return thread_last = !n ? cpu_current->tid + %(distance)d :
                             n <= {NEAR} ? PID_MAX + 1 - n : (n - {NEAR}) * {NEAR};
}}

"""


def prepare(edits: Edits, own: Own) -> None:
    """The kernel assigns those pids, and reuses no number of an ended thread. A choice is
    made for each pid that there can be."""
    edits.before(FILE, "static uint32_t next_tid(void)", PIDS % own)
    edits.before(
        FILE,
        "static bool again; /* all numbers have been used once */",
        "        if (cpu_current && cpu_current->chooses)\n                return grade_tid();\n",
    )
    edits.before(FILE, "*thread->back = thread->next;", "        grade_all(thread);\n")


POSTURE = "kernel/core/thread/posture.c"
SHORT = r"static uint32_t short_number.*?short_number\(thread->tid\)[^\n]*\n"


def tried(marks: Marks) -> tuple[object, str]:
    """Another distance, and the one that the student's program finds on a kernel with it."""
    file = ROOT / POSTURE
    mended = file.read_bytes()
    others = (own(find("posture"), os.urandom(8).hex()) for _ in range(99))
    other = min(others, key=lambda each: int(each["distance"]))
    short = f"(tid % {other['one']} + 1) << 8 | tid % {other['other']};"
    file.write_text(re.sub(r"\(tid % .*;", short, marks.begun(POSTURE)), encoding="utf-8")
    marks.build(0, {"PROCESSES": PROCESSES}, "both kernels build with short numbers")
    said = marks.boot("suite=whose").text
    file.write_bytes(mended)
    found = re.findall(
        r"(?m)^beside a process (\d+) further.* (\d+), and should answer (\d+)", said
    )
    wrong = [far for far, is_, should in found if is_ != should]
    pairs = zip(found, found[1:], strict=False)  # it may run in both rings, one after the other
    more = [b[0] for a, b in pairs if a[1] != a[2] and int(b[0]) > int(a[0])]
    return other["distance"], f"goes on to {more[0]}" if more else (wrong or ["none"])[0]


def grade(marks: Marks) -> None:
    distance, whose = tried(marks)
    edits = Edits(ROOT)
    prepare(edits, marks.own)
    edits.write(ROOT)
    marks.build(1, {"PROCESSES": PROCESSES})
    here, begun = marks.alone(POSTURE, SHORT), marks.begun(POSTURE)
    marks.uses(here, re.findall(f"(?s){SHORT}", begun)[0], "PID_MAX|POSTURE_TID")
    other = {*re.findall(r"(?:->|\.) *(\w+)", here)} - {"tid", "choice"}
    marks.need(0, not other, "the number comes from the tid alone", ", ".join(sorted(other)))
    says = "where another distance is wrong, whose finds that one"
    marks.need(0, whose == str(distance), says, f"{whose}, not {distance}")
    found = marks.answer(3, "distance", marks.own["distance"], r"\d+", "a number, such as 77")
    answer = marks.answer(1, "call", "getpid", r"\w+", "the name of a system call, such as read")
    marks.need(0, found and answer, "the answers are right: then the repair is looked at")
    program = marks.named("beside")
    beside = failed(marks.boot(f"suite={program}")) or failed(marks.boot(f"suite={program}", OTHER))
    marks.need(2, not beside, f"programs come by their own gates beside {PROCESSES} others", beside)
    again = sum(numbers(marks, program, arch) for arch in (ARCH, OTHER))
    says = "and have their own numbers, however far apart they are"
    marks.need(
        1, not again, says, f"{again} threads share a number, or get a new one at each choice"
    )
    turns = marks.boot(f"suite={marks.named('turns')}")
    more = {check["name"]: int(check["detail"].split()[0]) for check in turns.checks}
    short = len(more) == 2 and max(more.values()) <= MORE and not failed(turns)
    says = "nor does TLS make a switch longer, or a choice that was given back"
    marks.need(0, short, says, f"{more}")
    switch = budgets.differences(marks.boot("suite=switch samples=10"), "switch")
    marks.claim(1, not switch, "a switch takes what it took before", ", ".join(sorted(switch)[:3]))
    _, rows = marks.costs()
    marks.claim(1, not rows, "each row costs what it did before", ", ".join(sorted(rows)[:3]))


def numbers(marks: Marks, program: str, arch: str) -> int:
    """How many of all threads would have another one's number, when the first program ends."""
    symbols = Kernel(arch).symbols
    with marks.stopped(f"suite={program}", arch) as (stub, _):
        stub.set_breaks([symbols[SELECTS], symbols["sys_toll_checksum"]])
        stub.go()
        stub.write(symbols[ASKS], b"\1")
        stub.set_breaks([symbols[SELECTS]], there=False)
        stub.go()
        return int.from_bytes(stub.read(symbols[AGAIN], 4), "little")
