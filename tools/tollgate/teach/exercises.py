"""The exercises: each is a folder of exercises/ with a text, a start and a grade.

README.md     the text; words in {braces} are the student's own
start.py      own(), the seed's choices, and start(), the student's initial files
grade.py      ABOUT, which is read here, and grade(), which runs in a copy of the tree (claims.py)
*.c           programs for the grade alone

The model solutions, tests/exercises/NAME.py, are changes to a start; `tollgate solutions` writes
them.
"""

import ast
import difflib
import hashlib
import importlib.util
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from tollgate.errors import TollgateError, UsageError
from tollgate.machines.boot import ROOT
from tollgate.teach.edits import Edits

FOLDER = "exercises"
ANSWER = "answer.txt"
SEED = "seed"
"""The file in an exercise's folder with the student for whom it was begun."""
SOLUTIONS = "tests/exercises"
HIDDEN = (SOLUTIONS, "tests/teach/test_exercises.py")
"""Files that are missing in a student's tree."""
START = "refs/tollgate/exercises"
"""The commit with the start of each exercise, by the exercise's name. From its parent a grade takes
all files that are not the student's."""
BRANCH = "exercise"

Own = dict[str, str | int]
"""A seed's values for an exercise, by the names in its text and its grade."""
T = TypeVar("T")


@dataclass(frozen=True)
class Exercise:
    """An exercise's description of itself."""

    name: str
    place: int
    title: str
    minutes: int
    points: int
    writes: tuple[str, ...]
    """The student's files, as patterns; all others belong to the tree."""
    lessons: tuple[str, ...] = ()
    """The lessons to be taken before."""

    @property
    def text(self) -> str:
        return f"{FOLDER}/{self.name}/README.md"

    @property
    def seed(self) -> str:
        return f"{FOLDER}/{self.name}/{SEED}"

    @property
    def answers(self) -> str:
        return f"{FOLDER}/{self.name}/{ANSWER}"

    @property
    def branch(self) -> str:
        return f"{BRANCH}/{self.name}"


class Dice:
    """Numbers determined by a text, the same everywhere and with every Python."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._count = 0

    def below(self, end: int) -> int:
        """A number from 0 to `end` - 1."""
        self._count += 1
        digest = hashlib.sha256(f"{self._text}\0{self._count}".encode()).digest()
        return int.from_bytes(digest[:8], "little") % end

    def mark(self) -> int:
        """A number of 31 bits without a zero byte."""
        parts = [1 + self.below(255) for _ in range(3)]
        return (1 + self.below(126)) << 24 | parts[0] << 16 | parts[1] << 8 | parts[2]

    def one_of(self, some: Sequence[T]) -> T:
        return some[self.below(len(some))]

    def some_of(self, some: Sequence[T], count: int) -> list[T]:
        """Different ones, in their original order."""
        left = list(range(len(some)))
        taken = sorted(left.pop(self.below(len(left))) for _ in range(count))
        return [some[at] for at in taken]


def read(folder: Path) -> Exercise:
    """The description in an exercise's folder."""
    for node in ast.parse((folder / "grade.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ABOUT":
            return Exercise(name=folder.name, **ast.literal_eval(node.value))
    raise TollgateError(f"{folder} is no exercise: its grade.py says nothing of itself (ABOUT).")


def exercises(tree: Path = ROOT) -> list[Exercise]:
    """All exercises, in the course's order."""
    found = (read(path.parent) for path in (tree / FOLDER).glob("*/grade.py"))
    return sorted(found, key=lambda exercise: exercise.place)


def find(name: str, tree: Path = ROOT) -> Exercise:
    """An exercise by its name; UsageError names the nearest one, or lists all."""
    known = {exercise.name: exercise for exercise in exercises(tree)}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name.lower(), known, n=2, cutoff=0.5)
    said = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    raise UsageError(f"There is no exercise {name!r}; {said}")


def listing() -> list[str]:
    """The lines of `make exercises`, one for each."""
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
        f"{len(known)} exercises, {total} minutes. make exercises X={known[0].name} SEED=yourname",
        f"begins one; make grade X={known[0].name} says what holds.",
    ]


def module(path: Path) -> ModuleType:
    """A Python file of an exercise."""
    specification = importlib.util.spec_from_file_location(f"of_{path.parent.name}", path)
    assert specification and specification.loader
    found = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(found)
    return found


def own(exercise: Exercise, seed: str, tree: Path = ROOT) -> Own:
    """The values for this seed."""
    made: Own = module(tree / FOLDER / exercise.name / "start.py").own(
        Dice(f"{exercise.name}/{seed}")
    )
    return made


def filled(text: str, words: Own) -> str:
    """A text with the words in braces filled in: {row}, {mark:#x}."""
    return re.sub(r"\{(\w+(?::[#\w]+)?)\}", lambda found: found[0].format(**words), text)


def start(exercise: Exercise, seed: str, tree: Path = ROOT) -> Edits:
    """The start for a seed: the exercise's files, and the text with the student's own words."""
    words = own(exercise, seed, tree)
    edits = Edits(tree)
    module(tree / FOLDER / exercise.name / "start.py").start(edits, words)
    edits.put(exercise.text, filled(edits.text(exercise.text), words))
    edits.put(exercise.seed, f"{seed}\n")
    return edits


def solution(exercise: Exercise, seed: str, tree: Path = ROOT) -> Edits:
    """The model solution for a seed, based on its start."""
    path = tree / SOLUTIONS / f"{exercise.name}.py"
    if not path.is_file():
        raise UsageError(
            f"{tree} has no {SOLUTIONS}: a tree in which an exercise was begun lacks the model "
            "solutions. Write them from the commit before that."
        )
    edits = Edits(tree, start(exercise, seed, tree))
    module(path).solve(edits, own(exercise, seed, tree))
    return edits


def solutions(seed: str, names: Sequence[str], out: Path) -> list[str]:
    """Write the model solutions for a seed, one patch each."""
    out.mkdir(parents=True, exist_ok=True)
    said = []
    for exercise in [find(name) for name in names] or exercises():
        path = out / f"{exercise.name}.patch"
        path.write_text(solution(exercise, seed).patch(), encoding="utf-8")
        said.append(f"{path}: for the start of `make exercises X={exercise.name} SEED={seed}`")
    return said


def git(tree: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a git command on a tree."""
    try:
        return subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", tree, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise TollgateError(f"git cannot be started: {error.strerror}.") from None


def _must(tree: Path, *words: str | Path) -> str:
    done = git(tree, *words)
    if done.returncode:
        raise TollgateError(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def seed_of(exercise: Exercise, tree: Path) -> str | None:
    """The seed with which an exercise was begun in a tree; None = not begun."""
    path = tree / exercise.seed
    return path.read_text("utf-8", "replace").strip() if path.is_file() else None


def begin(name: str, seed: str, tree: Path = ROOT) -> list[str]:
    """Put the start of an exercise into this clone, as a commit on a separate branch."""
    exercise = find(name, tree)
    if not re.fullmatch(r"[\w.@+-]{0,64}", seed):
        raise UsageError(f"SEED={seed}: a seed is a name, of letters, digits and . @ + - _.")
    if git(tree, "rev-parse", "--git-dir").returncode:
        raise TollgateError(
            "This folder is no clone: a grade takes its tests from a commit. Clone the repository, "
            "or `git init`, `git add .` and `git commit` here first."
        )
    if (there := seed_of(exercise, tree)) is not None:
        _refuse_another(exercise, there, seed)
        return [f"{name} has been begun here already.", *_what_next(exercise)]
    _refuse_changes(exercise, tree)
    if not git(tree, "rev-parse", "-q", "--verify", f"refs/heads/{exercise.branch}").returncode:
        _must(tree, "checkout", "-q", exercise.branch)
        _refuse_another(exercise, seed_of(exercise, tree) or "", seed)
        return [f"{name} was begun before: back on its branch.", *_what_next(exercise)]
    _must(tree, "checkout", "-q", "-b", exercise.branch, base(tree))
    _commit_start(exercise, seed, tree)
    return [
        f"{name}: {exercise.title}.",
        f"  The start is a commit on the branch {exercise.branch}: `git checkout -- .` brings it "
        "back.",
        *_what_next(exercise),
    ]


def base(tree: Path) -> str:
    """The commit on which exercises begin: not another exercise's."""
    branch = git(tree, "symbolic-ref", "-q", "--short", "HEAD").stdout.strip()
    if branch.startswith(f"{BRANCH}/"):
        return f"{START}/{branch.removeprefix(f'{BRANCH}/')}^"
    return "HEAD"


def _commit_start(exercise: Exercise, seed: str, tree: Path) -> None:
    edits = start(exercise, seed, tree)
    edits.write(tree)
    _must(tree, "add", "--", *edits.changed)
    _must(tree, "rm", "-rq", "--ignore-unmatch", *HIDDEN)
    who: list[str] = []
    if git(tree, "config", "user.email").returncode:
        who = ["-c", "user.name=student", "-c", "user.email=student@localhost"]
    said = f"Begin the exercise {exercise.name}" + (f" for {seed}" if seed else "")
    _must(tree, *who, "commit", "-q", "--no-verify", "-m", said)
    _must(tree, "update-ref", f"{START}/{exercise.name}", "HEAD")


def _refuse_another(exercise: Exercise, there: str, seed: str) -> None:
    if seed and seed != there:
        raise UsageError(
            f"{exercise.name} was begun here with {f'SEED={there}' if there else 'no SEED'}. "
            f"`git branch -D {exercise.branch}`, from another branch, gives that up."
        )


def _refuse_changes(exercise: Exercise, tree: Path) -> None:
    """Refuse a tree with uncommitted changes, which would become part of the exercise or conflict
    with it.
    """
    changed = git(tree, "status", "--porcelain", "--untracked-files=no").stdout.splitlines()
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
