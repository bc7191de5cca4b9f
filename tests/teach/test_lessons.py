"""The lessons on running kernels, without a person.

A lesson prints TAP: each claim about the machine is a line. Lessons for one machine share a boot.
Afterwards the machine continues, so the guest's own records show whether it survived.
"""

import re
import time
import tomllib
from pathlib import Path

import pytest

from tollgate.errors import UsageError
from tollgate.machines.boot import ROOT, Boot
from tollgate.machines.clock import Clock
from tollgate.machines.debug import Session, session
from tollgate.records.format import MachineRun, RecordReader, group
from tollgate.teach.lessons import FOLDER as LESSONS
from tollgate.teach.lessons import PARTS, find, lessons, listing, machines, together

GDB_LIMIT = 60.0
"""Seconds that gdb may use; a lesson takes less than one."""
GUEST_LIMIT = 30.0
"""Seconds that the guest may use to finish after gdb has left."""
STEPS = 4
"""The fewest steps of a lesson."""
WORDS = ("suite=toll", "samples=1")
USER_HALF = "clean_user_int_standard_call"


def machine(arch: str, cpu: str) -> Boot:
    """A short run of a suite in which every vocabulary word works."""
    return Boot(arch, cpu=cpu, words=WORDS)


def run_gdb(started: Session, script: Path) -> tuple[int, list[str]]:
    """Run a script headless; return gdb's exit status and output lines."""
    done = started.run(started.gdb(script, headless=True), GDB_LIMIT)
    return done.returncode, done.stdout.splitlines()


def guest(started: Session) -> MachineRun:
    """The guest's records, after it has finished."""
    clock = Clock(started.pid)
    while clock.read() < GUEST_LIMIT:
        runs = group(RecordReader().feed(started.serial.read_bytes()))
        if runs and runs[-1].end is not None:
            return runs[-1]
        time.sleep(0.02)
    return pytest.fail(f"the guest did not end:\n{started.serial.read_text()[-2000:]}")


def each_lesson(lines: list[str]) -> dict[str, list[str]]:
    """The lines of each lesson, beginning with its name."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if began := re.match(r"# Lesson `(.+)`, ", line):
            found[began[1]] = []
        if found:
            found[list(found)[-1]].append(line)
    return found


def claims(lines: list[str]) -> list[str]:
    """The TAP result lines of one lesson, after a check of the plan."""
    found = [line for line in lines if re.match(r"(not )?ok \d+ - ", line)]
    numbers = [int(re.sub(r"\D+(\d+) - .*", r"\1", "x" + line)) for line in found]
    assert numbers == list(range(1, len(found) + 1)), "\n".join(lines)
    assert lines.count(f"1..{len(found)}") == 1, "\n".join(lines)
    return found


def budget(arch: str, row: str) -> int:
    """The budget of a `toll` row, in instructions."""
    table = tomllib.loads((ROOT / "tests" / "budgets.toml").read_text(encoding="ascii"))
    origin, _, rest = row.partition("/")
    return int(table["toll"][arch][origin][rest][0])


def walk(arch: str, names: list[str], cpu: str = "") -> None:
    """Run lessons on one machine: every claim holds; a walk has as many instructions as a row."""
    lessons = [find(name) for name in names]
    boot, narrow = together(lessons, arch, cpu), arch in lessons[0].wide
    with session(boot, frozen=True, narrow=narrow) as started:
        done = started.run(started.lessons(names, True, None), GDB_LIMIT)
        said = each_lesson(done.stdout.splitlines())
        assert list(said) == names, done.stdout
        for lines in said.values():
            failed = [line for line in claims(lines) if line.startswith("not ok")]
            assert not failed, "\n".join(lines)
            assert len([line for line in lines if re.match(r"# \d+\. ", line)]) >= STEPS
            for line in lines:
                if walked := re.fullmatch(r"# (\w+/\w+/[\w+]+): (\d+) instructions", line):
                    assert int(walked[2]) == budget(arch, walked[1]), line
        assert done.returncode == 0, done.stdout
        if "triplefault" not in names:
            end = guest(started).end
            assert end is not None
            assert end["failed"] == 0


@pytest.mark.figures
@pytest.mark.parametrize(
    ("arch", "names"),
    [
        pytest.param(
            *(arch, names),
            marks=[pytest.mark.long] * (arch == "i386" or names[0] not in ("boot", "ist")),
            id=f"{arch}-{names[0]}-to-{names[-1]}",
        )
        for arch, names in machines()
    ],
)
@pytest.mark.patient
def test_every_claim_holds(arch: str, names: list[str]) -> None:
    walk(arch, names)


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), [("i386", "pentium"), ("amd64", "EPYC")])
@pytest.mark.patient
def test_the_first_lesson_holds_on_other_processors(arch: str, cpu: str) -> None:
    walk(arch, ["int"], cpu)


def test_a_lesson_says_what_it_is() -> None:
    """A part, a unique place in it, a title, the minutes; and the list has a line for each."""
    known = lessons()
    assert len({lesson.place for lesson in known}) == len(known)
    assert {lesson.part for lesson in known} <= set(PARTS)
    said = "\n".join(listing())
    for lesson in known:
        assert 5 <= lesson.minutes <= 60
        assert re.search(rf"^   {lesson.name} +{lesson.minutes} min  ", said, re.MULTILINE)


def test_no_question_is_to_be_guessed() -> None:
    """The answer is a number, or one of several words, never yes or no."""
    for file in LESSONS.glob("*.py"):
        assert '"yes"' not in file.read_text(encoding="utf-8"), file.name


def test_what_a_lesson_names_is_in_the_tree() -> None:
    """Its paths; the function, macro or heading that follows a path; a function `in` a path."""
    path = r"((?:kernel|user|tests|tools|docs)/[\w./*]+\.\w+|README\.md)"
    named = rf"(?:(\w+)\(\) (?:in|out of) )?{path}(?:, (\w+_\w+|\w+(?=\(\))|[A-Z][\w ]+))?"
    for file in LESSONS.glob("*.py"):
        text = re.sub(r"\s+", " ", file.read_text(encoding="utf-8"))
        for found in re.finditer(named, text):
            held = "".join(there.read_text(encoding="utf-8") for there in ROOT.glob(found[2]))
            assert held, f"{file.name}: {found[0]}"
            for name in found[1], found[3]:
                assert not name or re.search(rf"\b{name}\b", held), f"{file.name}: {found[0]}"


def test_a_lesson_says_which_kernel_it_needs() -> None:
    """It says so before anything starts, with the right command."""
    with pytest.raises(UsageError, match="is for the amd64 kernel: make lesson N=syscall ARCH=amd"):
        find("syscall").boot("i386")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('lesson.check("a bit", 0x12, 0x13)', "not ok 1 - a bit"),
        pytest.param(
            *('lesson.check("registers", {"ax": 1}, {"ax": 2})', "#  ax 0x1, expected 0x2"),
            marks=pytest.mark.long,
        ),
        ('lesson.step_to("hcf")', "Bail out! error: no hcf within 500 instructions"),
        pytest.param(
            'lesson.step("a", "b", "c", "d?", hint="e"); lesson.end("", "")',
            "Bail out! AssertionError: no answer() to: D?",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.patient
def test_a_false_claim_fails(tmp_path: Path, body: str, says: str) -> None:
    """A false claim, or a lesson that breaks off, exits with 1 and a reason."""
    script = tmp_path / "wrong.py"
    script.write_text(
        "from vocabulary import machine\n"
        'ABOUT = {"place": (1, 9), "title": "it fails", "minutes": 5, "kernels": ("amd64",), '
        '"program": "/bin/toll"}\n'
        f"def walk(lesson):\n    machine.run_to(machine.symbol('{USER_HALF}'))\n    {body}\n"
    )
    with session(machine("amd64", "qemu64")) as started:
        done = started.run(started.lessons([str(script)], True, None), GDB_LIMIT)
    assert done.returncode == 1
    assert says in done.stdout.splitlines()


def test_the_teacher_knows_every_lesson() -> None:
    """docs/lessons.md has a line for each, in the course's order, with its minutes and kernels."""
    page = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `(\w+)` \| (\w+) \| (\d+) \| .+ \|$", page, re.MULTILINE)
    both = {2: "both"}
    assert found == [
        (lesson.name, both.get(len(lesson.kernels), lesson.kernels[0]), str(lesson.minutes))
        for lesson in lessons()
    ]
