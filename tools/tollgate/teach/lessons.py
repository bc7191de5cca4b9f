"""The lessons: each is a file of tools/gdb/lessons that states its needs in ABOUT; the file is read
here, and run only inside gdb."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

from tollgate.errors import TollgateError, UsageError
from tollgate.machines.boot import ARCHES, ROOT, Boot

FOLDER = ROOT / "tools" / "gdb" / "lessons"
PARTS = ("the ground", "in and out", "exceptions", "switching", "programs in ring 0", "measuring")
CPU = {"i386": "Skylake-Client", "amd64": "Skylake-Client"}
"""The processors for a lesson that names none."""
LINE = 63
"""Characters in the kernel's word suite=."""


@dataclass(frozen=True)
class Lesson:
    """A lesson's description of itself."""

    name: str
    place: tuple[int, int]
    """Its part, from 1, and its position there."""
    title: str
    minutes: int
    kernels: tuple[str, ...]
    program: str
    """The program that it walks through, such as /bin/walk; "" = it begins at the first
    instruction."""
    cpu: dict[str, str] = field(default_factory=dict)
    """The processor for a kernel, if it matters."""
    wide: tuple[str, ...] = ()
    """32-bit kernels that must still run in qemu-system-x86_64."""
    words: tuple[str, ...] = ()
    """Further words for the kernel's command line."""
    live: str = ""
    """The address of a lesson in the page that boots in a browser, without the #."""

    @property
    def part(self) -> str:
        return PARTS[self.place[0] - 1]

    @property
    def suite(self) -> str:
        """The program for the kernel to run."""
        return self.program.rpartition("/")[2] or "walk"

    def model(self, arch: str) -> str:
        """The processor that it needs."""
        return self.cpu.get(arch, CPU[arch])

    def machine(self, arch: str) -> tuple[tuple[str, ...], str, bool]:
        """The properties that lessons must share to run in one boot."""
        return self.words, self.model(arch), arch in self.wide

    def boot(self, arch: str = "", cpu: str = "") -> Boot:
        """Its machine; UsageError, before anything starts, if it does not exist for that kernel."""
        return together([self], arch or self.kernels[-1], cpu)


@cache
def read(path: Path) -> Lesson:
    """The description in a lesson's file."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ABOUT":
            return Lesson(name=path.stem, **ast.literal_eval(node.value))
    raise TollgateError(f"{path} is no lesson: it says nothing of itself (ABOUT).")


def lessons() -> list[Lesson]:
    """All lessons, in the course's order."""
    return sorted((read(path) for path in FOLDER.glob("*.py")), key=lambda lesson: lesson.place)


def find(name: str) -> Lesson:
    """A lesson by its name; UsageError lists them."""
    known = lessons()
    for lesson in known:
        if lesson.name == name:
            return lesson
    names = ", ".join(lesson.name for lesson in known)
    raise UsageError(f"There is no lesson {name!r}; the lessons are: {names}.")


def together(some: Sequence[Lesson], arch: str, cpu: str = "") -> Boot:
    """A machine for lessons that are given one after the other."""
    for lesson in some:
        if arch in ARCHES and arch not in lesson.kernels:
            raise UsageError(
                f"The lesson {lesson.name} is for the {lesson.kernels[0]} kernel: "
                f"make lesson N={lesson.name} ARCH={lesson.kernels[0]}."
            )
    suites = ",".join(lesson.suite for lesson in some if lesson.program) or "walk"
    more = dict.fromkeys(word for lesson in some for word in lesson.words)
    words = (f"suite={suites}", "samples=1", *more)
    return Boot(arch, cpu=cpu or some[0].model(arch), words=words)


def machines() -> list[tuple[str, list[str]]]:
    """The groups of lessons for one boot of each kernel: the same machine, and words that fit."""
    found: list[tuple[str, list[str]]] = []
    for arch in ARCHES:
        own = [lesson for lesson in lessons() if arch in lesson.kernels]
        own.sort(key=lambda lesson: (*lesson.machine(arch), lesson.place))
        for _, members in groupby(own, key=lambda lesson: lesson.machine(arch)):
            left: list[Lesson] = []
            for lesson in members:
                if len(",".join(each.suite for each in [*left, lesson])) > LINE:
                    found.append((arch, [each.name for each in left]))
                    left = []
                left.append(lesson)
            found.append((arch, [each.name for each in left]))
    return found


def listing() -> list[str]:
    """The lines of `make lesson`, one for each, by parts."""
    known = lessons()
    width = max(len(lesson.name) for lesson in known)
    lines: list[str] = []
    for number, part in enumerate(PARTS, 1):
        members = [lesson for lesson in known if lesson.place[0] == number]
        if members:
            lines += [f"{number}. {part}"]
        for lesson in members:
            kernels = "" if len(lesson.kernels) > 1 else f" ({lesson.kernels[0]})"
            lines.append(
                f"   {lesson.name:{width}}  {lesson.minutes:3} min  {lesson.title}{kernels}"
            )
    total = sum(lesson.minutes for lesson in known)
    return [*lines, f"{len(known)} lessons, {total} minutes. make lesson N={known[0].name} begins."]
