"""What a grade is made of: claims with points, about a kernel that is built and booted here.

`python -m tollgate.teach.claims NAME SEED FILE` runs exercises/NAME/grade.py on the tree that it is
in, a copy that grade.py has made, and writes the claims into FILE.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tollgate.errors import Exit, TollgateError
from tollgate.machines.boot import ROOT, Boot, BootResult
from tollgate.machines.child import run
from tollgate.machines.cleanup import folder
from tollgate.machines.debug import session
from tollgate.machines.emulator import run_boot
from tollgate.machines.gdb_stub import Stub
from tollgate.machines.row_path import Kernel
from tollgate.printable import printable
from tollgate.records import budgets
from tollgate.teach.exercises import ANSWER, FOLDER, Exercise, Own, find, module, own
from tollgate.teach.grade import BUILD_LIMIT, targets

WIDTH = 100
ERROR = re.compile(r"error:|\*\*\*|Error \d")
LONGEST = 300
WAYS = 1 << 14
"""Bytes that `ways_usual` has at most."""
CHUNK = 1024
"""Bytes of memory that are asked for at once: QEMU's packets hold 4096 characters."""
CPU = "EPYC"
"""Of every boot."""


class StopError(Exception):
    """A need does not hold: nothing behind it is looked at."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a grade: `got` of `of` points, and what was said."""

    got: int
    of: int
    says: str
    holds: bool


class Marks:
    """The points of one grade."""

    def __init__(self, exercise: Exercise, words: Own) -> None:
        self.exercise = exercise
        self.own = words
        """What the student's seed decides (exercises/NAME/start.py)."""
        self.claims: list[Claim] = []

    @property
    def got(self) -> int:
        return sum(claim.got for claim in self.claims)

    def claim(self, points: int, holds: bool, says: str, but: str = "") -> bool:
        """A sentence that holds, or does not: then `but` says what is there instead."""
        text = says if holds else f"NOT SO: {says}{': ' if but else ''}{printable(but, LONGEST)}"
        self._note(points, holds, text + ".")
        return holds

    def need(self, points: int, holds: bool, says: str, but: str = "") -> None:
        """A claim without which the ones behind it are not looked at, and have no points."""
        if not self.claim(points, holds, says, but):
            left = self.exercise.points - sum(claim.of for claim in self.claims)
            self._note(left, False, "not looked at before that holds.")
            raise StopError

    def _note(self, points: int, holds: bool, text: str) -> None:
        got = points if holds else 0
        mark = f"  {got} of {points}  " if points else "  must    "
        indent = " " * len(mark)
        print(textwrap.fill(text, WIDTH, initial_indent=mark, subsequent_indent=indent))
        self.claims.append(Claim(got, points, text, holds))

    def build(self, points: int, defines: Mapping[str, object] | None = None) -> None:
        """It builds, with the grade's own programs in it, which begin with these definitions; if it
        does not, that is all there is to say."""
        head = "".join(f"#define {name} {value}\n" for name, value in (defines or {}).items())
        for program in (ROOT / FOLDER / self.exercise.name).glob("*.c"):
            text = program.read_text(encoding="utf-8")
            (ROOT / "user" / "checks" / program.name).write_text(head + text, encoding="utf-8")
        make = ["make", "-s", f"-j{os.cpu_count()}", *targets(self.exercise.arch)]
        made = run(make, BUILD_LIMIT, cwd=ROOT, merge=True)
        lines = [line for line in made.stdout.splitlines() if ERROR.search(line)]
        self.need(points, made.returncode == 0, "it builds", "; ".join(lines[:2]))

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

    def _stopped_at(self, symbol: str, words: str) -> Iterator[Stub]:
        """The machine when a boot first comes to a symbol of the kernel, if it ever does."""
        place = Kernel(self.exercise.arch).symbols.get(symbol)
        if place is None:
            return
        boot = Boot(self.exercise.arch, cpu=CPU, words=(*words.split(), "samples=1"))
        with session(boot, as_measured=True) as machine:
            stub = Stub(machine.socket, machine.pid, wide=self.exercise.arch == "amd64")
            try:
                stub.set_breaks([place])
                if stub.go():
                    yield stub
            finally:
                stub.close()

    def registers_at(self, symbol: str, words: str) -> dict[str, int]:
        """The registers when a boot first comes to a symbol of the kernel; {} if it never does."""
        for stub in self._stopped_at(symbol, words):
            return stub.registers()
        return {}

    def memory_at(self, symbol: str, words: str, variable: str, size: int) -> bytes:
        """What a variable of the kernel's holds then; b"" if it never comes there."""
        start = Kernel(self.exercise.arch).symbols.get(variable, 0)
        for stub in self._stopped_at(symbol, words):
            found = b""
            while more := stub.read(start + len(found), min(size - len(found), CHUNK)):
                found += more
            return found
        return b""

    def trusted_idt(self) -> bytes:
        """amd64: the IDT of trusted programs, while one runs; b"" if it is not found.

        It is the last in `ways_usual` (kernel/core/entry/ways.h), whose parts begin with their
        IDTRs.
        """
        start = Kernel(self.exercise.arch).symbols.get("ways_usual", 0)
        found = self.memory_at("process_run", "suite=walk", "ways_usual", WAYS)
        size = 256 * 16
        for at in range(len(found) - size - 16, -1, -8):
            idtr = (size - 1).to_bytes(2, "little") + (start + at + 16).to_bytes(8, "little")
            if found.startswith(idtr, at):
                return found[at + 16 : at + 16 + size]
        return b""

    def answers(self) -> dict[str, str]:
        """What the student has written behind each `word:` of his answers, in small letters."""
        path = ROOT / FOLDER / self.exercise.name / ANSWER
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
        found = re.findall(r"(?m)^(\w+):[ \t]*(.*)$", text)
        return {word: " ".join(said.lower().split()) for word, said in found}

    def answer(self, points: int, word: str, right: str | int, form: str, like: str) -> bool:
        """The answer behind `word:` is right. Its form is `form`, a regular expression; `like` says
        that to a person whose answer has another form."""
        said = self.answers().get(word, "")
        if not said:
            but = f"there is none yet; it is {like}"
        elif not re.fullmatch(form, said):
            but = f"it says `{said}`, and the answer is {like}"
        else:
            but = f"it says `{said}`"
        holds = said == right if isinstance(right, str) else _number(said) == right
        return self.claim(points, holds, f"the answer to `{word}` is right", but)


def _number(said: str) -> int | None:
    try:
        return int(said, 0)
    except ValueError:
        return None


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


def main(name: str, seed: str, file: Path) -> Exit:
    """Grade the tree that this runs in."""
    exercise = find(name)
    print(f"{name}: {exercise.title}")
    marks = Marks(exercise, own(exercise, seed))
    with contextlib.suppress(StopError):
        module(ROOT / FOLDER / name / "grade.py").grade(marks)
    whole = marks.got == exercise.points
    print(
        f"{marks.got} of {exercise.points} points{'.' if whole else ', and there is more to do.'}"
    )
    file.write_text(json.dumps([asdict(claim) for claim in marks.claims]), encoding="utf-8")
    return Exit.PASS if whole else Exit.FAIL


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
    except TollgateError as error:
        print(f"tollgate: {error}", file=sys.stderr)
        sys.exit(error.code)
