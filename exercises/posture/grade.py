"""A posture: two threads that are mistaken for one another, and the repair."""

from tollgate.machines.boot import ROOT
from tollgate.machines.row_path import Kernel
from tollgate.records import budgets
from tollgate.teach.claims import Marks, failed
from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

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


NEAR = 2048
"""Pids of programs, downwards from PID_MAX. The first is the student's, whose pid may occur twice.
Then come multiples of this, so that all differences occur."""
PROCESSES = 2 * NEAR
FILE, KEPT, AGAIN = "kernel/core/thread/thread.c", "grade_kept", "grade_again"
PIDS = f"""\
uint32_t {KEPT}[2][2 * {PROCESSES}], grade_count, {AGAIN};
void posture_changed(struct thread *thread);
/* Counts tids whose number another one has, or who has chosen nothing: 0. Takes an eighth of the
 * numbers at a time. */
static void grade_all(struct thread *thread)
{{
        static uint32_t seen[1 << 21];
        uint32_t tid = thread->tid;
        for (uint32_t part = 0; part < 8; part++) {{
                __builtin_memset(seen, 0, sizeof seen);
                for (thread->tid = 1; thread->tid <= PID_MAX; thread->tid++) {{
                        posture_changed(thread);
                        uint32_t n = thread->choice >> 3, *at = &seen[n << 6 >> 11];
                        if (n >> 26 != part)
                                continue;
                        {AGAIN} += !n || *at >> n %% 32 & 1;
                        *at |= 1u << n %% 32;
                }}
        }}
        thread->tid = tid;
}}
static uint32_t grade_tid(void)
{{
        static uint32_t given;
        uint32_t n = given++ %% {PROCESSES};
        return last_tid = !n ? cpu_current->tid + %(distance)d :
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
    edits.before(
        FILE,
        "*thread->back = thread->next;",
        "        if (thread->chooses && !grade_count)\n                grade_all(thread);\n"
        f"        if (thread->chooses && grade_count < 2 * {PROCESSES}) {{\n"
        f"                {KEPT}[0][grade_count] = thread->choice;\n"
        f"                {KEPT}[1][grade_count++] = thread->posture;\n        }}\n",
    )


def grade(marks: Marks) -> None:
    edits = Edits(ROOT)
    prepare(edits, marks.own)
    edits.write(ROOT)
    marks.build(1, {"PROCESSES": PROCESSES})
    found = marks.answer(3, "distance", marks.own["distance"], r"\d+", "a number, such as 77")
    answer = marks.answer(1, "call", "getpid", r"\w+", "the name of a system call, such as read")
    marks.need(0, found and answer, "the answers are right: then the repair is looked at")
    program = marks.named("beside")
    beside = failed(marks.boot(f"suite={program}"))
    marks.need(2, not beside, f"programs come by their own gates beside {PROCESSES} others", beside)
    again, *kept = numbers(marks, program)
    same = PROCESSES - 1 - min(len({*each}) for each in kept) + again[0]
    says = "and have their own numbers, however far apart they are"
    marks.need(1, same <= 0, says, f"{same} of {PROCESSES} have another one's")
    switch = budgets.differences(marks.boot("suite=switch samples=10"), "switch")
    marks.claim(1, not switch, "a switch takes what it took before", ", ".join(sorted(switch)[:3]))
    _, rows = marks.costs()
    marks.claim(1, not rows, "each row costs what it did before", ", ".join(sorted(rows)[:3]))


def numbers(marks: Marks, program: str) -> list[memoryview]:
    """How many of all threads would have another one's number, and choices and postures of the first
    programs that chose, from the kernel's memory when the first program ends."""
    symbols = Kernel(marks.exercise.arch).symbols
    with marks.stopped(f"suite={program}") as (stub, _):
        stub.set_breaks([symbols["sys_toll_checksum"]])
        stub.go()
        size = 4 * PROCESSES
        starts = ((symbols[AGAIN], 4), (symbols[KEPT], size), (symbols[KEPT] + 2 * size, size))
        return [memoryview(stub.read(*start)).cast("I") for start in starts]
