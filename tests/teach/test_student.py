"""A student who takes a lesson: typing, answers, interrupts and closing, on a terminal."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tollgate.cli import main
from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run
from tollgate.machines.clock import Clock
from tollgate.machines.debug import session
from tollgate.machines.proc import PROC, family, stat
from tollgate.teach.lessons import lessons

from ..command.test_left_behind import TOLLGATE, Started, an_emulator_runs, name, start  # noqa: F401
from .test_lessons import GDB_LIMIT, machine

pytestmark = pytest.mark.patient
SPEAK_LIMIT = 20.0
"""The maximum number of seconds between two texts of a lesson."""


class Student:
    """A student at the terminal of `make lesson N=NAME`."""

    def __init__(self, begin: Callable[..., Started], *words: str) -> None:
        self._started = begin([*TOLLGATE, "lesson", *words], an_emulator_runs)
        self.said = ""

    def waits_for(self, *texts: str) -> str:
        """Read up to one of these texts, and answer other pauses with Enter; or fail."""
        said = ""
        while (found := self._waits_for(*texts, *(set(PAUSES) - {*texts}))).endswith(PAUSES):
            said += found
            if found.endswith(texts):
                return said
            self.types("")
        return said + found

    def _waits_for(self, *texts: str) -> str:
        clock = Clock(self._started.process.pid, family=True)
        wanted = re.compile("|".join(map(re.escape, texts)))
        while not (found := wanted.search(self.said)):
            self.said += self._started.said().replace("\r", "")
            assert clock.read() < SPEAK_LIMIT, self.said[-3000:]
            assert self._started.process.poll() is None or wanted.search(self.said), self.said
            time.sleep(0.01)
        before, self.said = self.said[: found.end()], self.said[found.end() :]
        return before

    def types(self, line: str, end: str = "\n") -> None:
        os.write(self._started.terminal, f"{line}{end}".encode())

    def closes_the_terminal(self) -> None:
        """Close the window, like a person."""
        self._started.hangs_up()

    def _pid(self, program: str) -> int:
        pids = family([self._started.process.pid])
        return next(pid for pid in pids if name(pid).startswith(program))

    def kills(self, program: str) -> None:
        """End a program that the lesson has started."""
        os.kill(self._pid(program), signal.SIGKILL)

    def sees_it_run(self) -> None:
        """Wait until the stopped machine has started to run."""
        process = PROC / str(self._pid("qemu-system"))
        before = int(stat(process)[11])
        while int(stat(process)[11]) < before + 5:  # ticks of all its threads
            time.sleep(0.01)

    def leaves(self) -> int:
        """The command has ended, and left nothing running; its status."""
        self._started.leaves_nothing()
        return self._started.process.wait()


QUESTION = "gdb | ? | quit] "
SECOND = "what it is | quit] "
PAUSES = ("[Enter: more] ", "[Enter: the answer] ")
END = "gdb: stay with this machine] "
CHEAP = ("sysenter", "i386")
"""The lesson and kernel of the one run that is not a long test."""


def test_a_student_is_answered(start: Callable[..., Started]) -> None:  # noqa: F811
    """A prediction is typed and compared; the student's own step is noticed and undone."""
    student = Student(start, "int")
    student.waits_for(QUESTION)
    student.types("3")
    assert "Right, 0x3: the low two bits" in student.waits_for(QUESTION)
    student.types("answer perhaps")
    student.waits_for("The answer is a number, such as 51, 0x33, twelve or $sp.")
    student.waits_for(QUESTION)
    student.types("hint")
    student.waits_for("With which DPL would INT 0Eh of ring 3 be refused?")
    student.waits_for(QUESTION)
    student.types("three")
    student.waits_for("three is not it.", "It is less.", SECOND)
    student.waits_for(SECOND)
    student.types("2")
    said = student.waits_for(QUESTION)
    assert "You said 2; it is 0x0: a program that executes INT 0Eh" in " ".join(said.split())
    student.types("nonsense")
    student.waits_for("gdb has no command nonsense.")
    student.waits_for("The answer is a number")
    student.waits_for(QUESTION)
    student.types("context on")
    student.waits_for("-- CPL 3   gate page")
    student.waits_for(QUESTION)
    student.types("si")
    student.waits_for("-- CPL 0   entry stub")
    student.waits_for("clean_user_int_standard_entry, MP2,\n  not where step 3")
    student.waits_for(QUESTION)
    student.types("")
    student.waits_for("begins. `again` brings a fresh machine")
    student.waits_for(QUESTION)
    student.types("again")
    said = student.waits_for(QUESTION)
    assert "3. The other stack" in said
    assert "2. The gate" not in said
    student.types("on")
    said = student.waits_for("4. Three flags")
    assert "NOT SO" not in said
    assert "holds   sp0 is the top of the kernel stack" in said
    student.types("quit")
    assert student.leaves() == 0


@pytest.mark.long
def test_a_student_comes_to_the_end(start: Callable[..., Started]) -> None:  # noqa: F811
    """With only Enter and one guess: the end counts the guess, and offers gdb."""
    student = Student(start, "int", "--arch=i386")
    student.waits_for(QUESTION)
    student.types("2")
    student.waits_for(SECOND)
    student.types("")
    while student.waits_for(QUESTION, END).endswith(QUESTION):
        student.types("")
    student.types("gdb")
    student.waits_for("gdb and the machine stay")
    student.types("ring")
    student.waits_for("CPL 3   gate page")
    student.types("quit")
    assert student.leaves() == 0


ROWS, COLUMNS = 24, 80
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[a-zA-Z]|\]\d*;[^\x07]*\x07)")
VERDICT = re.compile(r"^   (Right|You said|It is (?!more|less))|^\(Step \d+: ", re.M)


def rows(said: str) -> list[str]:
    """The text so far, as lines of a terminal."""
    return ESCAPES.sub("", said).split("\n")


@pytest.mark.parametrize(
    ("lesson", "arch"),
    [
        pytest.param(each.name, arch, marks=[pytest.mark.long] * ((each.name, arch) != CHEAP))
        for each in lessons()
        for arch in each.kernels[:1]
    ],
)
def test_every_lesson_is_given_to_a_person_on_a_screen_of_80_by_24(
    start: Callable[..., Started],  # noqa: F811
    lesson: str,
    arch: str,
) -> None:
    """The terminal breaks no line, and no more than a screen appears without a pause. Each question
    is on one screen with the verdict on the answer before. A hint appears without a pause. All
    claims hold."""
    student = Student(start, lesson, f"--arch={arch}")
    student.waits_for("# Lesson ")
    whole, asked, in_sight = "# Lesson ", 0, 0
    while True:
        more = student.waits_for(QUESTION, SECOND, END, *PAUSES)
        assert len(rows(more)) <= ROWS, more
        whole += more
        if more.endswith(QUESTION):
            asked += 1
            in_sight += asked == 1 or bool(VERDICT.search("\n".join(rows(whole)[-ROWS:])))
            words = re.search(r"\[([^\[|:]+?)(?:,[^|]*| or [^|]*)? \|[^\[]*$", more)
            student.types("hint")
            hint = student.waits_for(QUESTION)
            assert not set(PAUSES) & {*re.findall(r"\[.*?\] ", hint)} and len(rows(hint)) <= ROWS
            told = re.findall(r"The answer is ([^\s,.]+)", more) if "[your answer" in more else []
            student.types(
                told[0] if told else "1" if "[a number" in more or not words else words[1]
            )
        elif more.endswith(SECOND):
            student.types("" if "The answer is" in more else ("2", "", "0")[asked % 3])
        else:
            student.types("")
            if more.endswith(END):
                break
    assert not re.findall("NOT SO|The lesson cannot go on|Traceback", whole)
    assert not [line for line in rows(whole) if len(line) > COLUMNS]
    assert (in_sight, asked) == (asked, asked), whole
    assert student.leaves() == 0


@pytest.mark.parametrize(
    "end", ["\x03", pytest.param("\x04", marks=pytest.mark.long), "QEMU", "the window"]
)
def test_whatever_ends_a_lesson_leaves_nothing(
    start: Callable[..., Started],  # noqa: F811
    end: str,
) -> None:
    """^C, ^D, a machine that is gone, a closed terminal: no process stays."""
    student = Student(start, "int")
    student.waits_for(QUESTION)
    if end == "QEMU":
        student.kills("qemu")
        student.types("")
        student.waits_for("The lesson cannot go on: ")
    elif end == "the window":
        student.closes_the_terminal()
    else:
        student.types(end)
    student.leaves()


@pytest.mark.long
def test_what_runs_the_machine_away_is_noticed(start: Callable[..., Started]) -> None:  # noqa: F811
    """The student's `continue`, ^C while it runs, a watch that would end QEMU: an error, and on."""
    student = Student(start, "callgate")
    student.waits_for(QUESTION)
    student.types("")
    student.waits_for(QUESTION)
    student.types("watch *(long*)(cpu_stack-8)")
    student.waits_for("QEMU would abort")
    student.waits_for(QUESTION)
    student.types("set var *(short *) $pc = 0xfeeb")  # a jump to itself
    student.waits_for("You have run or changed the machine: it stands at")
    student.waits_for(QUESTION)
    student.types("continue")
    student.sees_it_run()
    student.types("\x03", end="")
    student.waits_for("received signal SIGINT")
    student.waits_for("step 2 begins")
    student.waits_for(QUESTION)
    student.types("quit")
    assert student.leaves() == 0


def test_a_lesson_for_another_kernel_says_so_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and a correct command; neither QEMU nor gdb is started."""
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main(["lesson", "taskgate", "--arch=amd64"]) == 2
    said = capsys.readouterr()
    assert "for the i386 kernel: make lesson N=taskgate ARCH=i386" in said.err
    assert said.out == ""


WITHOUT, WITH = ["ring", "gdt", "why"], ["ring", "msrs", "pages main"]


def own_gdb(folder: Path, *lines: str) -> str:
    """The output of a separate gdb, which was started in some folder and sources the vocabulary."""
    own = ["gdb", "-q", "-nx", str(BUILD / "amd64" / "kernel.elf")]
    typed = [f"source {ROOT / 'tools' / 'gdb' / 'tollgate.py'}", *lines, "quit", ""]
    return run(own, GDB_LIMIT, cwd=folder, merge=True, text="\n".join(typed)).stdout


def test_without_a_machine_a_word_says_that_there_is_none(tmp_path: Path) -> None:
    said = own_gdb(tmp_path, *WITHOUT, "table user/int/bare")
    for word in WITHOUT:
        assert f"{word}: there is no machine: `target remote SOCKET`" in said
    assert "int83  user/int/bare" in said
    assert "Traceback" not in said


@pytest.mark.long
def test_the_words_are_usable_in_ones_own_gdb(tmp_path: Path) -> None:
    with session(machine("amd64", "EPYC")) as started:
        at = f"target remote {started.socket}"
        stop = "tbreak *&clean_user_int_standard_call"
        said = own_gdb(tmp_path, at, stop, "continue", *WITH, "kill")
    for line in ("CPL 3   gate page", "IA32_LSTAR", "page   user"):
        assert line in said, said
    assert "Traceback" not in said
