"""The exercises there are: each is a folder of exercises/ with a text, a start and what grades it.

README.md     the text
start.patch   what a student begins with
grade.py      ABOUT, which is read here, and grade(), which runs in a copy of the tree (marks.py)
*.c           programs that only the grade has
"""

from __future__ import annotations

import ast
import difflib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tollgate.boot import ROOT
from tollgate.errors import TollgateError, UsageError

FOLDER = "exercises"
ANSWER = "answer.txt"
START = "refs/tollgate/exercises"
"""The commit that each exercise was begun on, by the exercise's name: what a grade takes all from
that is not the student's."""


@dataclass(frozen=True)
class Exercise:
    """What an exercise says of itself."""

    name: str
    place: int
    title: str
    minutes: int
    points: int
    arch: str
    """The kernel that is built for it."""
    writes: tuple[str, ...]
    """The files that are the student's, as patterns; all others are the tree's own."""
    lessons: tuple[str, ...] = ()
    """What is known before."""

    @property
    def start(self) -> str:
        return f"{FOLDER}/{self.name}/start.patch"

    @property
    def text(self) -> str:
        return f"{FOLDER}/{self.name}/README.md"


def read(folder: Path) -> Exercise:
    """What the folder of an exercise says of itself."""
    for node in ast.parse((folder / "grade.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ABOUT":
            return Exercise(name=folder.name, **ast.literal_eval(node.value))
    raise TollgateError(f"{folder} is no exercise: its grade.py says nothing of itself (ABOUT).")


def exercises(tree: Path = ROOT) -> list[Exercise]:
    """All of them, in the course's order."""
    found = (read(path.parent) for path in (tree / FOLDER).glob("*/grade.py"))
    return sorted(found, key=lambda exercise: exercise.place)


def find(name: str, tree: Path = ROOT) -> Exercise:
    """An exercise by its name; UsageError says which is nearest, or which there are."""
    known = {exercise.name: exercise for exercise in exercises(tree)}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name.lower(), known, n=2, cutoff=0.5)
    said = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    raise UsageError(f"There is no exercise {name!r}; {said}")


def listing() -> list[str]:
    """What `make exercises` prints: a line for each."""
    known = exercises()
    width = max(len(exercise.name) for exercise in known)
    lines = [
        f"{each.place:2}  {each.name:{width}}  {each.minutes:3} min  {each.points} points  "
        f"{each.title}"
        for each in known
    ]
    total = sum(exercise.minutes for exercise in known)
    return [
        *lines,
        f"{len(known)} exercises, {total} minutes. make exercises X={known[0].name} begins; "
        f"make grade X={known[0].name} says what holds.",
    ]


def git(tree: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """One of git's commands on a tree."""
    try:
        return subprocess.run(
            ["git", "-C", tree, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise TollgateError(f"git cannot be started: {error.strerror}.") from None


def begin(name: str) -> list[str]:
    """Put the start of an exercise into this tree; what to read, and what to write."""
    exercise = find(name)
    if git(ROOT, "rev-parse", "--git-dir").returncode:
        raise TollgateError(
            "This folder is no clone: a grade takes its tests from a commit. Clone the repository, "
            "or `git init`, `git add .` and `git commit` here first."
        )
    if not git(ROOT, "apply", "--reverse", "--check", exercise.start).returncode:
        return [f"{name} has been begun here already.", *_what_next(exercise)]
    _refuse_changes(exercise)
    applied = git(ROOT, "apply", exercise.start)
    if applied.returncode:
        raise TollgateError(f"{exercise.start} does not apply: {applied.stderr.strip()}")
    git(ROOT, "update-ref", f"{START}/{name}", "HEAD")
    return [f"{name}: {exercise.title}. The start is in this tree.", *_what_next(exercise)]


def _refuse_changes(exercise: Exercise) -> None:
    """What is not committed would be part of the exercise, or in its way."""
    changed = git(ROOT, "status", "--porcelain", "--untracked-files=no").stdout.splitlines()
    if changed:
        raise UsageError(
            f"{exercise.name} begins on a tree without changes, and {changed[0][3:]} is changed: "
            "commit it, or take it back by `git checkout -- .`."
        )


def _what_next(exercise: Exercise) -> Sequence[str]:
    before = ", ".join(exercise.lessons)
    return [
        f"  read   {exercise.text}" + (f" (before it, the lessons {before})" if before else ""),
        f"  write  {', '.join(exercise.writes)}",
        f"  then   make grade X={exercise.name}",
    ]
