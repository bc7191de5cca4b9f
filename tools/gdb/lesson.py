"""What a lesson is made of: steps with a story and a prediction, and claims about the machine.

With a person it shows each step and waits; headless (`set $headless = 1`) it prints TAP and leaves
gdb with status 0 or 1. The claims are checked either way.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping

from vocabulary import machine

import gdb

WIDTH = 78
MARGIN = "   "
STEPS_MAX = 500
PROMPT = "  [Enter: do it | a gdb command: look around | q: leave the lesson] "


class Left(BaseException):
    """The student has left the lesson: no error."""


def _show(value: object) -> str:
    return f"{value:#x}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _difference(got: object, expected: object) -> str:
    if isinstance(got, Mapping) and isinstance(expected, Mapping):
        differing = [name for name in expected if got.get(name) != expected[name]]
        return "; ".join(_difference_of(name, got, expected) for name in differing)
    return f"{_show(got)}, expected {_show(expected)}"


def _difference_of(name: str, got: Mapping[str, int], expected: Mapping[str, int]) -> str:
    return f"{name} {_show(got.get(name))}, expected {_show(expected[name])}"


class Lesson:
    """One walk through a gate. `instructions` counts those that stepi() and step_to() have run."""

    def __init__(self) -> None:
        self.headless = machine.headless()
        self.instructions = 0
        self._steps = self._claims = self._failed = 0

    def step(self, title: str, manual: str, story: str, predict: str) -> None:
        """Begin a step: what the manual says, and a question to answer before it is done."""
        self._steps += 1
        if self.headless:
            print(f"# {self._steps}. {title}")
            return
        print(f"\n{self._steps}. {title}\n   ({manual})")
        self._tell(story)
        self._tell("Predict: " + predict)
        self._wait()

    def check(self, claim: str, got: object, expected: object) -> None:
        """A claim about the machine: it holds if `got` equals `expected`."""
        holds = got == expected
        self._claims += 1
        self._failed += not holds
        value = f": {got:#x}" if isinstance(got, int) and not isinstance(got, bool) else ""
        if not self.headless:
            print(f"   {'holds ' if holds else 'NOT SO'}  {claim}{value}")
        else:
            print(f"{'ok' if holds else 'not ok'} {self._claims} - {claim}{value if holds else ''}")
        if not holds:
            print(f"#  {_difference(got, expected)}")

    def look(self, *words: str) -> None:
        """Show what words of the vocabulary say, to a person."""
        if not self.headless:
            for word in words:
                print(f"\n   ({word})")
                gdb.execute(word)

    def stepi(self) -> None:
        """One instruction."""
        machine.stepi()
        self.instructions += 1

    def step_to(self, mnemonic: str) -> None:
        """Instruction by instruction, until one with this mnemonic comes next."""
        for _ in range(STEPS_MAX):
            if machine.instruction().split()[0] == mnemonic:
                return
            self.stepi()
        raise gdb.error(f"no {mnemonic} within {STEPS_MAX} instructions")

    def end(self, closing: str, row: str) -> None:
        """The last word: how long the walk was, in the unit of the bench's row."""
        if self.headless:
            print(f"# {row}: {self.instructions} instructions")
            return
        print(f"\nYou walked {self.instructions} instructions: what `make bench` says of {row}.")
        self._tell(closing)
        print("\nThe machine stands where the lesson left it; `continue` lets it run to its end.")

    def plan(self) -> int:
        """TAP's plan, and the exit status."""
        if self.headless:
            print(f"1..{self._claims}")
        elif self._failed:
            print(f"\n{self._failed} of {self._claims} claims did not hold.")
        return 1 if self._failed else 0

    def _tell(self, text: str) -> None:
        for paragraph in re.split(r"\n\s*\n", text.strip()):
            lines = textwrap.wrap(" ".join(paragraph.split()), WIDTH)
            print("\n" + textwrap.indent("\n".join(lines), MARGIN))

    def _wait(self) -> None:
        print()
        while True:
            try:
                line = input(PROMPT).strip()
            except (EOFError, KeyboardInterrupt):
                raise Left from None
            if line == "q":
                raise Left
            if not line:
                return
            try:
                gdb.execute(line)
            except gdb.error as error:
                print(error)


def teach(name: str, title: str, walk: Callable[[Lesson], None], arches: tuple[str, ...]) -> None:
    """Give a lesson. Headless, the machine is let go afterwards and gdb left with status 0 or 1."""
    lesson = Lesson()
    if machine.arch() not in arches:
        print(f"1..0 # SKIP the lesson `{name}` needs the kernel for {' or '.join(arches)}")
        _leave(0)
        return
    print(f"# Lesson `{name}`, {machine.arch()}: {title}")
    try:
        walk(lesson)
    except Left:
        print("\nYou have left the lesson; gdb and the machine stay.")
        return
    except Exception as error:
        print(f"Bail out! {type(error).__name__}: {error}")
        _leave(1)
        return
    _leave(lesson.plan())


def _leave(status: int) -> None:
    if machine.headless():
        gdb.execute("detach", to_string=True)
        gdb.execute(f"quit {status}")
