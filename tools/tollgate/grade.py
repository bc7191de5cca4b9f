"""`tollgate grade`: an exercise is graded in a copy of the tree, as it was when it was begun.

Of the student's tree the copy takes the files that the exercise lets him write, and no other:
tests, budgets, tools and the grade itself are the commit's. What is built of that commit is kept
in build/grade/, so that a grade builds only what the student has changed.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

from tollgate.boot import ARCHES, ROOT
from tollgate.child import LimitError, run
from tollgate.errors import Exit, TollgateError, UsageError
from tollgate.exercises import START, Exercise, find, git
from tollgate.warden import folder

KEPT = ROOT / "build" / "grade"
BUILD_LIMIT = 1800.0
"""Seconds that building the commit may use."""
LIMIT = 600.0
"""Seconds that a grade may use, with the builds and boots in it."""
LEFT_OUT = re.compile(r"\.git|\.venv|build.*|results|\..*cache|.*egg-info|__pycache__")
"""Folders that are no source."""
SHOWN = 8
"""Files that are named when they are not taken."""

Say = Callable[[str], None]


def targets(arch: str) -> list[str]:
    """What make must build for the boots of one kernel."""
    named = ["kernel.elf", "initrd.cpio", *(["kernel32.elf"] if arch == "amd64" else [])]
    return [f"build/{arch}/{name}" for name in named]


def environment(tree: Path) -> dict[str, str]:
    """For what runs in a copy: its own tools, its own build, and no word of the make around us."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "PYTEST"))}
    return kept | {"PYTHONPATH": str(tree / "tools"), "TOLLGATE_BUILD": str(tree / "build")}


def copy_sources(source: Path, to: Path) -> Path:
    """A tree without what is made of it; times stay."""

    def leave_out(where: str, names: list[str]) -> set[str]:
        return {
            name for name in names if (Path(where) / name).is_dir() and LEFT_OUT.fullmatch(name)
        }

    shutil.copytree(source, to, ignore=leave_out, symlinks=True, dirs_exist_ok=True)
    return to


def copy(source: Path, to: Path) -> Path:
    """A tree and what is built of it, so that only what is new is built again."""
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
    return any(fnmatch.fnmatch(name, pattern) for pattern in exercise.writes)


def overlay(exercise: Exercise, work: Path, tree: Path) -> list[str]:
    """Put the student's files into the copy; the names of those that are changed and not his."""
    there, his = set(_files(tree)), set(_files(work))
    refused = []
    for name in sorted(there | his):
        theirs, ours = work / name, tree / name
        if theirs.is_symlink() or (name in his and not theirs.is_file()):
            continue
        same = name in there and name in his and theirs.read_bytes() == ours.read_bytes()
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


def commit_of(name: str) -> str:
    """The commit that an exercise was begun on; where nobody knows, the one that others have."""
    for guess in (f"{START}/{name}", "@{upstream}", "HEAD"):
        found = git(ROOT, "merge-base", "HEAD", guess)
        if found.returncode == 0:
            return found.stdout.strip()
    raise TollgateError(
        "A grade takes its tests from a commit, and there is none: clone the repository."
    )


def pristine(commit: str, arch: str, say: Say) -> Path:
    """The tree of a commit, built for one kernel; made once."""
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
    if not all((place / target).is_file() for target in targets(arch)):
        say(f"building {commit[:12]} for {arch}, once ...")
        make = ["make", "-s", f"-j{os.cpu_count()}", *targets(arch)]
        built = run(make, BUILD_LIMIT, cwd=place, env=environment(place), merge=True)
        if built.returncode:
            raise TollgateError(f"{commit[:12]} does not build: {built.stdout[-500:].strip()}")
    return place


def grade_copy(exercise: Exercise, source: Path, work: Path, say: Say) -> Exit:
    """Grade the files of `work` in a copy of `source`, which is as it should be, and built."""
    with folder("tollgate-grade-") as tree:
        copy(source, tree)
        refused = overlay(exercise, work, tree)
        if refused:
            more = f" and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
            say(
                f"not taken, because {exercise.name} does not write them: "
                f"{', '.join(refused[:SHOWN])}{more}."
            )
        command = [sys.executable, "-m", "tollgate.marks", exercise.name]
        try:
            done = run(command, LIMIT, cwd=tree, env=environment(tree))
        except LimitError as error:
            say(error.output)
            raise TollgateError(f"The grade has not ended in {LIMIT:g} s.", Exit.HANG) from None
        print(done.stdout, end="")
        if done.returncode not in (Exit.PASS, Exit.FAIL):
            raise TollgateError(f"The grade broke off: {done.stderr[-2000:].strip()}")
        return Exit(done.returncode)


def grade(name: str, tree: str, say: Say) -> Exit:
    """Grade an exercise here, or in another tree: then the tests are those of this one's commit."""
    exercise = find(name)
    work = Path(tree or ROOT).resolve()
    if not (work / "kernel").is_dir():
        raise UsageError(f"{work} is no tree of Tollgate: it has no kernel/.")
    commit = commit_of(name) if work == ROOT else git(ROOT, "rev-parse", "HEAD").stdout.strip()
    source = pristine(commit, exercise.arch, say)
    return grade_copy(find(name, source), source, work, say)
