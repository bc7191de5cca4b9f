"""What a grade is made of: claims with points, about a kernel that is built and booted here.

`python -m tollgate.marks NAME` runs exercises/NAME/grade.py on the tree that it is in, a copy that
grade.py has made.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import textwrap

from tollgate import budgets
from tollgate.boot import ROOT, Boot, BootResult
from tollgate.child import run
from tollgate.debug import session
from tollgate.errors import Exit, TollgateError
from tollgate.exercises import ANSWER, FOLDER, Exercise, find
from tollgate.grade import BUILD_LIMIT, targets
from tollgate.machine import run_boot
from tollgate.paths import Kernel
from tollgate.printable import printable
from tollgate.stub import Stub
from tollgate.warden import folder

WIDTH = 100
ERROR = re.compile(r"error:|\*\*\*|Error \d")
LONGEST = 300
CPU = "EPYC"
"""Of every boot."""


class HopelessError(Exception):
    """Without this nothing else can be seen."""


class Marks:
    """The points of one grade."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.got = self.asked = 0

    def claim(self, points: int, holds: bool, says: str, but: str = "") -> bool:
        """A sentence that holds, or does not: then `but` says what is there instead."""
        self.asked += points
        self.got += points if holds else 0
        mark = f"  {points if holds else 0} of {points}  "
        text = says if holds else f"NOT SO: {says}{': ' if but else ''}{printable(but, LONGEST)}"
        indent = " " * len(mark)
        print(textwrap.fill(text + ".", WIDTH, initial_indent=mark, subsequent_indent=indent))
        return holds

    def build(self, points: int) -> None:
        """It builds, with the grade's own programs in it; if not, that is all there is to say."""
        for program in (ROOT / FOLDER / self.exercise.name).glob("*.c"):
            shutil.copyfile(program, ROOT / "user" / "checks" / program.name)
        make = ["make", "-s", f"-j{os.cpu_count()}", *targets(self.exercise.arch)]
        made = run(make, BUILD_LIMIT, cwd=ROOT, merge=True)
        lines = [line for line in made.stdout.splitlines() if ERROR.search(line)]
        if not self.claim(points, made.returncode == 0, "it builds", "; ".join(lines[:2])):
            raise HopelessError

    def boot(self, words: str, resets: bool = False) -> BootResult:
        """What a boot of the exercise's kernel says."""
        request = Boot(self.exercise.arch, cpu=CPU, words=tuple(words.split()), resets=resets)
        with folder() as directory:
            return run_boot(request, directory)

    def costs(self, words: str = "") -> tuple[dict[str, int], dict[str, str]]:
        """What the rows of the toll cost, and which are not as their budgets say."""
        result = self.boot(f"suite=toll samples=10 {words}".strip())
        cost = {r["id"]: int(r["median"]) for r in result.results if r["suite"] == "toll"}
        return cost, budgets.differences(result, "toll")

    def registers_at(self, symbol: str, words: str) -> dict[str, int]:
        """The registers when a boot first comes to a symbol of the kernel; {} if it never does."""
        place = Kernel(self.exercise.arch).symbols.get(symbol)
        if place is None:
            return {}
        boot = Boot(self.exercise.arch, cpu=CPU, words=(*words.split(), "samples=1"))
        with session(boot, as_measured=True) as machine:
            stub = Stub(machine.socket, machine.pid, wide=self.exercise.arch == "amd64")
            try:
                stub.set_breaks([place])
                return stub.registers() if stub.go() else {}
            finally:
                stub.close()

    def answers(self) -> dict[str, str]:
        """What the student has written behind each `word:` of his answers, in small letters."""
        path = ROOT / FOLDER / self.exercise.name / ANSWER
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
        found = re.findall(r"(?m)^(\w+):[ \t]*(.*)$", text)
        return {word: " ".join(said.lower().split()) for word, said in found}


def failed(result: BootResult) -> str:
    """The first check that failed, or what else is wrong with a boot; "" if nothing is."""
    for check in result.checks:
        if not check["ok"]:
            return f"{check['name']}: {check['detail']}"
    if result.outcome is not result.outcome.PASS:
        return f"{result.outcome.value}: {result.reason}"
    return "" if result.checks else "it checked nothing"


def listed(wrong: dict[str, str]) -> str:
    """Rows and what is wrong with them, the first ones."""
    return "; ".join(f"{row} {said}" for row, said in sorted(wrong.items())[:3])


def main(name: str) -> Exit:
    """Grade the tree that this runs in."""
    exercise = find(name)
    path = ROOT / FOLDER / name / "grade.py"
    specification = importlib.util.spec_from_file_location("grade_of_exercise", path)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    print(f"{name}: {exercise.title}")
    marks = Marks(exercise)
    try:
        module.grade(marks)
    except HopelessError:
        print("  The rest cannot be seen before it does.")
    whole = marks.got == exercise.points
    print(
        f"{marks.got} of {exercise.points} points{'.' if whole else ', and there is more to do.'}"
    )
    return Exit.PASS if whole else Exit.FAIL


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except TollgateError as error:
        print(f"tollgate: {error}", file=sys.stderr)
        sys.exit(error.code)
