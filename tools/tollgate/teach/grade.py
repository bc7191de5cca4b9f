"""`tollgate grade`: grades an exercise in a copy of the tree from when it was begun.

The copy has the start for the student's seed. From the student's tree it takes only the files that
the exercise lets him change: tests, budgets, tools and the grade itself are the commit's. The build
of that commit is cached in build/grade/, so that a grade builds only what the student changed.
"""

import csv
import json
import os
import re
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from tollgate.errors import Exit, TollgateError, UsageError
from tollgate.machines.boot import ARCHES, ROOT
from tollgate.machines.child import LimitError, run
from tollgate.machines.cleanup import folder
from tollgate.teach.exercises import (
    HIDDEN,
    START,
    Exercise,
    base,
    exercises,
    find,
    git,
    seed_of,
    start,
)

KEPT = ROOT / "build" / "grade"
BUILD_LIMIT = 1800.0
"""Seconds that building the commit may take."""
LIMIT = 1800.0
"""Seconds that a grade may take, including builds and boots."""
LEFT_OUT = re.compile(r"\.git|\.venv|build.*|results|\..*cache|.*egg-info|__pycache__")
"""Folders without sources."""
BEGUN = "build/begun"
"""The start's text of each file that the student writes, in a grade's copy."""
SHOWN = 8
"""Files that are listed when they are not taken."""

Say = Callable[[str], None]


TARGETS = [f"build/{arch}/{name}" for arch in ARCHES for name in ("kernel.elf", "initrd.cpio")]
TARGETS += ["build/amd64/kernel32.elf"]
"""What make must build to boot both kernels."""


def environment(tree: Path) -> dict[str, str]:
    """The environment for a copy: its own tools and build, without the outer make's variables."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("MAKE", "MFLAGS", "PYTEST", "TOLLGATE_KERNELS"))
    }
    return kept | {"PYTHONPATH": str(tree / "tools"), "TOLLGATE_BUILD": str(tree / "build")}


def copy_sources(source: Path, to: Path) -> Path:
    """A tree without generated files; times are kept. (`.git` may be a file: another tree's.)"""

    def leave_out(where: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name == ".git" or ((Path(where) / name).is_dir() and LEFT_OUT.fullmatch(name))
        }

    shutil.copytree(source, to, ignore=leave_out, symlinks=True, dirs_exist_ok=True)
    return to


def copy(source: Path, to: Path) -> Path:
    """A tree with its build, so that only changes are built again."""
    copy_sources(source, to)
    for arch in ARCHES:
        if (source / "build" / arch).is_dir():
            shutil.copytree(source / "build" / arch, to / "build" / arch, symlinks=True)
    return to


def _files(tree: Path) -> Iterator[str]:
    """The files of a tree, by their path in it."""
    for where, folders, names in os.walk(tree):
        here = Path(where)
        folders[:] = [name for name in folders if not LEFT_OUT.fullmatch(name)]
        yield from (str((here / name).relative_to(tree)) for name in names if name != ".git")


def _is_own(name: str, exercise: Exercise) -> bool:
    path = PurePosixPath("/", name)
    return any(path.match(f"/{pattern}") for pattern in exercise.writes)


def overlay(exercise: Exercise, work: Path, tree: Path) -> list[str]:
    """Put the student's files into the copy; return the names of changed files that are not his."""
    there, his = set(_files(tree)), set(_files(work))
    refused = []
    for name in sorted(there | his):
        theirs, ours = work / name, tree / name
        if theirs.is_symlink() or (name in his and not theirs.is_file()):
            continue
        same = name in there and name in his and theirs.read_bytes() == ours.read_bytes()
        same = same or (name not in his and name.startswith(HIDDEN))  # removed by the start
        if same or not (_is_own(name, exercise) or name in there):
            continue
        if not _is_own(name, exercise):
            refused.append(name)
        elif name in his:
            ours.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(theirs, ours)
        else:
            ours.unlink()
    return refused


def changed(exercise: Exercise, tree: Path) -> set[str] | None:
    """What a student changed in his clone since the start; None = unknown."""
    if not (tree / ".git").exists():
        return None
    branch = [] if seed_of(exercise, tree) is not None else [f"refs/heads/{exercise.branch}"]
    began = ["log", "-1", "--diff-filter=A", "--format=%H", *(branch or ["HEAD"])]
    first = git(tree, *began, "--", exercise.seed).stdout.strip()
    done = git(tree, "diff", "-z", "--no-renames", "--name-only", first or "-", *branch)
    return {*done.stdout.split("\0")} - {""} if first and not done.returncode else None


def base_of(name: str) -> str:
    """The commit on which an exercise was begun here; if it was not, this tree's own."""
    for guess in (f"{START}/{name}^", base(ROOT)):
        found = git(ROOT, "rev-parse", "-q", "--verify", f"{guess}^{{commit}}")
        if found.returncode == 0:
            return found.stdout.strip()
    raise TollgateError(
        "A grade takes its tests from a commit, and there is none: clone the repository."
    )


def pristine(commit: str, say: Say) -> Path:
    """The tree of a commit, built once."""
    place = KEPT / commit[:12]
    if not place.is_dir():
        shutil.rmtree(KEPT, ignore_errors=True)
        fresh = KEPT / "fresh"
        fresh.mkdir(parents=True)
        with folder() as temporary:
            archive = temporary / "tree.tar"
            done = git(ROOT, "archive", f"--output={archive}", commit)
            if done.returncode:
                raise TollgateError(f"git archive failed: {done.stderr.strip()}.")
            with tarfile.open(fileobj=BytesIO(archive.read_bytes())) as tar:
                tar.extractall(fresh, filter="data")
        fresh.rename(place)
    if not all((place / target).is_file() for target in TARGETS):
        say(f"building {commit[:12]}, once ...")
        make = ["make", "-s", f"-j{os.cpu_count()}", *TARGETS]
        built = run(make, BUILD_LIMIT, cwd=place, env=environment(place), merge=True)
        if built.returncode:
            raise TollgateError(f"{commit[:12]} does not build: {built.stdout[-500:].strip()}")
    return place


@dataclass
class Grade:
    """The result of one exercise of one tree."""

    tree: str
    exercise: Exercise
    seed: str = ""
    claims: list[dict[str, Any]] = field(default_factory=list)
    said: str = ""
    """The text for the student."""
    broke: str = ""
    """Why there is no grade, in a sentence: not begun, or a crash."""

    @property
    def points(self) -> int:
        return sum(claim["got"] for claim in self.claims)

    @property
    def exit(self) -> Exit:
        return Exit.PASS if self.points == self.exercise.points else Exit.FAIL


def grade_copy(
    exercise: Exercise, seed: str, source: Path, work: Path, his: set[str] | None = None
) -> Grade:
    """Grade the files of `work` in a copy of `source`, which is the original, already built.
    Ignored files are listed if they are in `his` changes; None = all that differ."""
    made = Grade(work.name, exercise, seed)
    with folder("tollgate-grade-") as place:
        tree, claims = place / "tree", place / "claims.json"
        copy(source, tree)
        start(exercise, seed, tree).write(tree)
        for file in [file for pattern in exercise.writes for file in tree.glob(pattern)]:
            begun = tree / BEGUN / file.relative_to(tree)
            begun.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, begun)
        refused = [n for n in overlay(exercise, work, tree) if his is None or n in his]
        if refused:
            more = f" and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
            made.said += (
                f"not taken, because {exercise.name} does not write them: "
                f"{', '.join(refused[:SHOWN])}{more}.\n"
            )
        command = [sys.executable, "-m", "tollgate.teach.claims", exercise.name, seed, str(claims)]
        try:
            done = run(command, LIMIT, cwd=tree, env=environment(tree))
        except LimitError as error:
            made.said += error.output
            made.broke = f"The grade has not ended in {LIMIT:g} s."
            return made
        made.said += done.stdout
        if claims.is_file():
            made.claims = json.loads(claims.read_text(encoding="utf-8"))
        else:
            made.broke = f"The grade broke off: {done.stderr[-2000:].strip()}"
    return made


@contextmanager
def work_of(exercise: Exercise, tree: Path) -> Iterator[Path | None]:
    """A tree's files for an exercise: in itself or in the exercise's branch, or nowhere."""
    if seed_of(exercise, tree) is not None:
        yield tree
        return
    with folder("tollgate-branch-") as place:
        archive = place / "branch.tar"
        branch = f"refs/heads/{exercise.branch}"
        done = git(tree, "archive", f"--output={archive}", branch)
        if (tree / ".git").exists() and done.returncode == 0:
            (place / tree.name).mkdir()
            with tarfile.open(archive) as tar:
                tar.extractall(place / tree.name, filter="data")
            yield place / tree.name
        else:
            yield None


def grade_one(exercise: Exercise, seed: str | None, tree: Path, commit: str, say: Say) -> Grade:
    """Grade one exercise of one tree. Any error is reported in the grade only."""
    try:
        with work_of(exercise, tree) as work:
            begun = seed if work is None else seed_of(exercise, work) or ""
            whose = begun or "" if seed is None else seed
            if work is None:
                return Grade(tree.name, exercise, whose, broke="It was not begun.")
            source = pristine(commit, say)
            made = grade_copy(exercise, whose, source, work, changed(exercise, tree))
            if whose != begun:
                made.said = (
                    f"This was begun with SEED={begun} and is graded for SEED={whose}.\n{made.said}"
                )
            return made
    except (TollgateError, OSError, ValueError) as error:
        return Grade(tree.name, exercise, seed or "", broke=f"{error}")


def _tree(path: str) -> Path:
    work = Path(path or ROOT).resolve()
    if not (work / "kernel").is_dir():
        raise UsageError(f"{work} is no tree of Tollgate: it has no kernel/.")
    return work


def _tell(made: Grade) -> None:
    print(made.said, end="")
    if made.broke:
        print(f"{made.exercise.name}: {made.broke}")


def grade(names: str, tree: str, seed: str, say: Say) -> Exit:
    """Grade an exercise, or all that were begun, here or in another tree, with the tests of this
    tree's commit. `seed` selects the expected variant; without it the tree's own seed counts."""
    wanted = exercises() if names == "all" else [find(names)]
    work = _tree(tree)
    made = []
    for exercise in wanted:
        here = work == ROOT
        commit = base_of(exercise.name) if here else base_of("")
        made.append(grade_one(exercise, seed or None, work, commit, say))
        if names != "all" or made[-1].claims:
            _tell(made[-1])
    if names == "all":
        made = [each for each in made if each.claims]
        most = sum(each.exercise.points for each in made)
        print(f"{len(made)} begun: {sum(each.points for each in made)} of {most} points.")
    if names != "all" and made[0].broke:
        raise TollgateError(f"{made[0].exercise.name}: {made[0].broke}")
    return max((each.exit for each in made), default=Exit.FAIL)


COLUMNS = ("tree", "seed", "exercise", "points", "of", "holds", "does not hold", "remark")


def grade_trees(names: str, pattern: str, seed: str, csv_file: str, say: Say) -> Exit:
    """Grade exercises in every folder of a pattern, each for the seed that is the folder's name (or
    for this one). Writes a line of CSV for each, even after errors."""
    trees = sorted(path for each in pattern.split() for path in _matching(each))
    if not trees:
        raise UsageError(f"TREES={pattern}: no folder has such a name.")
    wanted = exercises() if names == "all" else [find(names)]
    commit = base_of("")
    count, at = len(trees) * len(wanted), 0
    with Path(csv_file or os.devnull).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for tree in trees:
            for exercise in wanted:
                at += 1
                made = grade_one(exercise, seed or tree.name, tree, commit, say)
                table.writerow(row(made))
                file.flush()
                print(f"{at} of {count}  {summary(made)}", flush=True)
    return Exit.PASS


def _matching(pattern: str) -> list[Path]:
    whole = Path(pattern).absolute()
    found = Path(whole.anchor).glob(str(whole.relative_to(whole.anchor)))
    return [path for path in found if path.is_dir()]


def summary(made: Grade) -> str:
    """A grade as one line."""
    what = made.broke.splitlines()[0] if made.broke else f"{made.points} of {made.exercise.points}"
    return f"{made.tree}: {made.exercise.name}: {what}"


def row(made: Grade) -> list[object]:
    """A grade as a row of the CSV."""
    holds = "; ".join(claim["says"].rstrip(".") for claim in made.claims if claim["holds"])
    wrong = "; ".join(claim["says"].rstrip(".") for claim in made.claims if not claim["holds"])
    each = made.exercise
    return [made.tree, made.seed, each.name, made.points, each.points, holds, wrong, made.broke]
