"""The exercises: the start of each fails, its model solution passes, a doctored test is no help.

The model solutions are tests/exercises/NAME.patch, on top of the start; that of `mechanism` is
docs/mechanism.md itself.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tollgate.boot import ROOT
from tollgate.errors import Exit, UsageError
from tollgate.exercises import ANSWER, FOLDER, Exercise, exercises, find, listing
from tollgate.grade import copy_sources, grade_copy, overlay
from tollgate.lessons import lessons

from .test_mechanism import apply, blocks

EXERCISES = exercises()
IDS = [exercise.name for exercise in EXERCISES]
SOLUTIONS = ROOT / "tests" / "exercises"
MARK = re.compile(r"^  (\d+) of (\d+)  (NOT SO: )?(.+)$", re.M)
DOCTORED = (
    "exercises/service/grade.py",
    "tests/budgets.toml",
    "tools/tollgate/marks.py",
    "user/checks/contract.c",
)
LAB = "exercises/mechanism/answer.txt"
LAB_ANSWERS = "instruction: cli\nstack: kernel\nsilicon: not testable here\n"


def patch(tree: Path, file: Path) -> None:
    """Apply a patch to a tree that is no clone."""
    command = ["git", "apply", "--unsafe-paths", f"--directory={tree}", str(file)]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{file.relative_to(ROOT)}: {done.stderr}"


def begun(exercise: Exercise, tree: Path) -> Path:
    """A student's tree: the sources, and the start."""
    copy_sources(ROOT, tree)
    patch(tree, ROOT / exercise.start)
    return tree


def solve(exercise: Exercise, tree: Path) -> None:
    """The model solution, on top of the start."""
    if exercise.name != "mechanism":
        patch(tree, SOLUTIONS / f"{exercise.name}.patch")
        return
    first = list(blocks())[:4]  # the mechanism's file, its row, its lines, what arms it
    for kind, path, text in first:
        apply(tree, kind, path, text)
    (tree / LAB).write_text(LAB_ANSWERS)


def points(said: str) -> list[tuple[int, int]]:
    """What each claim has got, of how much."""
    return [(int(got), int(most)) for got, most, _, _ in MARK.findall(said)]


def graded(exercise: Exercise, tree: Path, capfd: pytest.CaptureFixture[str]) -> tuple[Exit, str]:
    """The status of a grade, and what it said."""
    refused: list[str] = []
    status = grade_copy(exercise, ROOT, tree, refused.append)
    return status, capfd.readouterr().out + "\n".join(refused)


def passes(exercise: Exercise, tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All points, and as many as the exercise says that there are."""
    status, said = graded(exercise, tree, capfd)
    assert status is Exit.PASS, said
    assert sum(most for _, most in points(said)) == exercise.points, said
    assert "NOT SO" not in said


def fails(exercise: Exercise, tree: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """Not all points, and each that is missing has a sentence."""
    status, said = graded(exercise, tree, capfd)
    assert status is Exit.FAIL, said
    missing = [most for got, most in points(said) if not got]
    assert missing
    assert said.count("NOT SO: ") == len(missing)
    return said


@pytest.mark.long
@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_the_start_fails_and_the_model_solution_passes(
    exercise: Exercise, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = begun(exercise, tmp_path)
    fails(exercise, tree, capfd)
    solve(exercise, tree)
    passes(exercise, tree, capfd)


@pytest.mark.long
def test_a_doctored_test_is_no_help(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Budgets, checks and the grade itself are the commit's, whatever stands in the student's."""
    exercise = find("service")
    tree = begun(exercise, tmp_path)
    own = tree / FOLDER / exercise.name / "grade.py"
    own.write_text(own.read_text().replace("took <= most", "True"))
    for name in DOCTORED[1:]:
        (tree / name).write_text("")
    said = fails(exercise, tree, capfd)
    assert "because service does not write them" in said
    assert all(name in said for name in DOCTORED)


def test_only_what_the_exercise_writes_is_taken(tmp_path: Path) -> None:
    """A test, a budget, the grade: what the student has changed of them is named, and stays."""
    exercise = find("service")
    for whose in ("ours", "his"):
        for name in (*DOCTORED, "kernel/entry/callgate.asm"):
            (tmp_path / whose / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / whose / name).write_text(whose)
    (tmp_path / "his" / "user" / "checks" / "new.c").write_text("his")
    assert overlay(exercise, tmp_path / "his", tmp_path / "ours") == sorted(DOCTORED)
    taken = {
        p.name for p in (tmp_path / "ours").rglob("*") if p.is_file() and p.read_text() == "his"
    }
    assert taken == {"callgate.asm"}


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_start_and_solution_apply_and_change_only_what_is_the_students(
    exercise: Exercise, tmp_path: Path
) -> None:
    """The patches are up to date; and the grade would take each file that they change."""
    patches = [ROOT / exercise.start, SOLUTIONS / f"{exercise.name}.patch"]
    text = "".join(path.read_text() for path in patches if path.is_file())
    names = {*re.findall(r"^--- a/(\S+)$", text, re.M), *(str(path) for _, path, _ in blocks())}
    for name in filter(lambda name: (ROOT / name).is_file(), names):
        for whose in ("ours", "his"):
            (tmp_path / whose / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / whose / name)
    patch(tmp_path / "his", ROOT / exercise.start)
    solve(exercise, tmp_path / "his")
    assert overlay(exercise, tmp_path / "his", tmp_path / "ours") == []


def test_there_are_eight_and_each_says_what_it_is() -> None:
    assert len(EXERCISES) >= 8
    assert [exercise.place for exercise in EXERCISES] == list(range(1, len(EXERCISES) + 1))
    said = "\n".join(listing())
    for exercise in EXERCISES:
        assert f"{exercise.minutes:3} min  {exercise.points} points  {exercise.title}" in said
        text = (ROOT / exercise.text).read_text()
        answers = f"{FOLDER}/{exercise.name}/{ANSWER}"
        assert (answers in text) == (answers in exercise.writes)
        assert (ROOT / exercise.start).is_file()


def test_the_teacher_knows_every_exercise() -> None:
    """docs/lessons.md has a line for each, in the course's order; the lessons before it exist."""
    page = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| \[`(\w+)`\]\(\S+\) \| (\d+) \| (\d+) \| (.+?) \| .+ \|$", page, re.M)
    assert found == [
        (each.name, str(each.minutes), str(each.points), ", ".join(f"`{n}`" for n in each.lessons))
        for each in EXERCISES
    ]
    assert {name for each in EXERCISES for name in each.lessons} <= {
        each.name for each in lessons()
    }


@pytest.mark.parametrize(
    ("name", "says"),
    [("regster", "did you mean register?"), ("Starve", "did you mean starve"), ("q", "there are")],
)
def test_a_misspelt_name_gives_the_nearest(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        find(name)
