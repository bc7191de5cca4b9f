"""The exercises: each start builds, and scores at most a point; its text's commands have the stated
effects; its model solution passes, but not another student's; a doctored test does not help.

Start, solution and grade are made from one description, exercises/NAME/start.py, for a seed.
"""

import contextlib
import csv
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tollgate.errors import Exit, UsageError
from tollgate.machines.boot import ARCHES, BUILD, ROOT
from tollgate.machines.child import run
from tollgate.teach import claims
from tollgate.teach.edits import Edits
from tollgate.teach.exercises import (
    ANSWER,
    FOLDER,
    HIDDEN,
    Exercise,
    begin,
    exercises,
    filled,
    find,
    git,
    listing,
    module,
    own,
    solution,
    solutions,
    start,
)
from tollgate.teach.grade import (
    BEGUN,
    COLUMNS,
    Grade,
    changed,
    copy,
    copy_sources,
    environment,
    grade_copy,
    overlay,
)
from tollgate.teach.grade import grade_trees as graded_trees
from tollgate.teach.lessons import lessons

from ..exercises.wrong import WRONG, Wrong, spoil

EXERCISES = exercises()
IDS = [exercise.name for exercise in EXERCISES]
SEEDS = ("", "ann")
DOCTORED = (
    "exercises/service/grade.py tests/budgets.toml tools/tollgate/teach/claims.py "
    "user/checks/contract.c"
).split()
SEATS = 5
"""Trees of a class that are built."""
NAMES = 120
COMMAND = re.compile(r"^ *\$ (make .*)$")
TYPED = re.compile(r"^ *\(gdb\) (.*)$")
TEXT_LIMIT = 1200.0


def begun(exercise: Exercise, seed: str, tree: Path) -> Path:
    """A student's tree: the sources without the solutions, plus the start."""
    copy_sources(ROOT, tree)
    shutil.rmtree(tree / HIDDEN[0])
    (tree / HIDDEN[1]).unlink()
    start(exercise, seed).write(tree)
    return tree


def honest(made: Grade) -> None:
    """Its claims, each with all its points, and no other text."""
    each = made.exercise
    said = re.sub(r"\n {10}", " ", made.said).splitlines()
    wanted = [f"{each.name}: {each.title}"]
    for claim in made.claims:
        mark = f"{claim['of']} of {claim['of']}" if claim["of"] else "must  "
        wanted.append(f"  {mark}  {claim['says']}")
    assert said == [*wanted, f"{each.points} of {each.points} points."]


def graded(exercise: Exercise, tree: Path, seed: str = "ann") -> Grade:
    """The grade of a tree; the claims' points add up to the exercise's."""
    made = grade_copy(exercise, seed, ROOT, tree)
    assert not made.broke, made.broke
    assert sum(claim["of"] for claim in made.claims) == exercise.points, made.said
    return made


def one_in(every: int, cases: Sequence[Any]) -> list[Any]:
    """One in this many cases for `make test-all`, because a grade builds kernels, which takes half
    a minute of processor time."""
    weekly = ([pytest.mark.weekly] * (number % every > 0) for number in range(len(cases)))
    return [pytest.param(*each, marks=marks) for *each, marks in zip(cases, weekly, strict=True)]


@pytest.mark.patient  # variant's grade runs gdb
@pytest.mark.long
@pytest.mark.parametrize("exercise", one_in(8, EXERCISES), ids=IDS)
def test_the_start_scores_one_point_at_most_and_the_model_solution_all(
    exercise: Exercise, tmp_path: Path
) -> None:
    tree = begun(exercise, "ann", tmp_path / "ann")
    made = graded(exercise, tree)
    assert made.points <= 1, made.said
    assert made.exit is Exit.FAIL
    solution(exercise, "ann").write(tree)
    made = graded(exercise, tree)
    assert made.exit is Exit.PASS, made.said
    honest(made)


@pytest.mark.patient  # variant's grade runs gdb
@pytest.mark.long
@pytest.mark.parametrize("wrong", one_in(31, WRONG), ids=lambda w: f"{w.exercise}: {w.says}")
def test_no_wrong_answer_has_full_points(wrong: Wrong, tmp_path: Path) -> None:
    exercise = find(wrong.exercise)
    tree = begun(exercise, "ann", tmp_path / "ann")
    spoilt(wrong).write(tree)
    made = graded(exercise, tree)
    assert made.claims[0]["holds"] and made.points < exercise.points, made.said


def spoilt(wrong: Wrong) -> Edits:
    """The model solution with this mistake."""
    exercise = find(wrong.exercise)
    edits = solution(exercise, "ann")
    spoil(wrong, edits, start(exercise, "ann"), own(exercise, "ann"))
    return edits


def test_each_exercise_has_three_wrong_answers_and_each_differs_from_the_solution() -> None:
    for exercise in EXERCISES:
        model = solution(exercise, "ann").changed
        wrong = [spoilt(each).changed for each in WRONG if each.exercise == exercise.name]
        assert len(wrong) >= 3 and model not in wrong, exercise.name
        assert len({json.dumps(each, sort_keys=True) for each in wrong}) == len(wrong)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("leak", "nothing else of kernel/core/entry/callgate.asm has changed: 4 lines more"),
        pytest.param(
            "redzone", "kernel/core/arch/amd64/descriptor.c has changed", marks=pytest.mark.weekly
        ),
        pytest.param("posture", "first {distance} on", marks=pytest.mark.weekly),
    ],
)
def test_the_answers_alone_are_no_repair_and_are_what_the_machine_shows(
    name: str, says: str, tmp_path: Path
) -> None:
    """The fault that a student must find exists, and the grade detects it in the start."""
    exercise = find(name)
    tree = begun(exercise, "ann", tmp_path / "ann")
    answers = solution(exercise, "ann").text(exercise.answers)
    (tree / exercise.answers).write_text(answers)
    made = graded(exercise, tree)
    said = " ".join(made.said.split())
    assert re.search(r"NOT SO: .*" + re.escape(filled(says, own(exercise, "ann"))), said), made.said


@pytest.mark.long
@pytest.mark.parametrize("exercise", one_in(10, EXERCISES), ids=IDS)
def test_a_neighbours_answer_does_not_pass(exercise: Exercise, tmp_path: Path) -> None:
    tree = begun(exercise, "bob", tmp_path / "ann")
    solution(exercise, "bob").write(tree)
    made = graded(exercise, tree)
    assert made.exit is Exit.FAIL and made.claims[0]["holds"], made.said
    assert "NOT SO" in made.said


FOUND = {"posture": ("distance",), "redzone": ("vectors",)}
"""Values in these exercises that a student must find; their files hide them."""


def test_each_seed_has_its_own() -> None:
    """Among 120 names hardly two have the same values to find or to implement."""
    for exercise in EXERCISES:
        assert own(exercise, "ann") == own(exercise, "ann")
        variants = set()
        for each in (own(exercise, f"student{n:03}") for n in range(NAMES)):
            variants.add(tuple(each[word] for word in FOUND.get(exercise.name, each)))
        assert len(variants) == NAMES, exercise.name


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_start_and_solution_are_made_and_change_only_what_is_the_students(
    exercise: Exercise, tmp_path: Path
) -> None:
    """The anchors exist; the grade would take each file; git accepts the patches."""
    for seed in SEEDS:
        first, then = start(exercise, seed), solution(exercise, seed)
        for tree in (tmp_path / "ours", tmp_path / "his"):
            shutil.rmtree(tree, ignore_errors=True)
            for name in {*first.changed, *then.changed}:
                if (ROOT / name).is_file():
                    (tree / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(ROOT / name, tree / name)
            first.write(tree)
        patch = tmp_path / "solution.patch"
        patch.write_text(then.patch())
        command = ["git", "apply", "--unsafe-paths", f"--directory={tmp_path / 'his'}", str(patch)]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert overlay(exercise, tmp_path / "his", tmp_path / "ours") == []
        assert all((tmp_path / "his" / n).read_text() == t for n, t in then.changed.items())
        text = (tmp_path / "his" / exercise.text).read_text()
        assert not re.search(r"\{\w+(:[#\w]+)?\}", text), (
            f"{exercise.text} has words left in braces"
        )


def test_what_a_grade_puts_into_the_kernel_has_its_place() -> None:
    """Its anchor lines occur exactly once, and each file compiles with it."""
    rooms = ("core/arch/amd64", "unix/arch/amd64", "core", "unix", "")
    folders = [f"-Ikernel/{room}" for room in rooms] + ["-Iboot", f"-I{BUILD / 'amd64'}"]
    command = ["gcc", *"-fsyntax-only -ffreestanding -mgeneral-regs-only -xc -".split(), *folders]
    for exercise in EXERCISES:
        grade = module(ROOT / FOLDER / exercise.name / "grade.py")
        if hasattr(grade, "prepare"):
            grade.prepare(edits := Edits(ROOT), own(exercise, "ann"))
            assert edits.changed
            for text in edits.changed.values():
                done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True)
                assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arch", ARCHES)
def test_starts_and_solutions_assemble_for_both_kernels(arch: str, tmp_path: Path) -> None:
    """Each file that a start or a solution changes, for every origin and copy. Files that they add
    need rows of their own."""
    for exercise in EXERCISES:
        for made in (start(exercise, "ann"), solution(exercise, "ann")):
            for name, text in made.changed.items():
                if name.endswith("asm") and (ROOT / name).is_file():
                    (tmp_path / "half.asm").write_text(text or "")
                    assembles(tmp_path / "half.asm", arch)


def assembles(file: Path, arch: str) -> None:
    origins = {"i386": ("user", "trusted"), "amd64": ("user", "compat", "trusted")}[arch]
    arches = "kernel/core/arch"
    for origin, copied in product(origins, ("clean", "probed")):
        folders = [f"{arches}/{arch}/{origin}", f"{arches}/{arch}", arches, "kernel"]
        folders += ["kernel/core/entry", str(BUILD / arch)]
        kind = {"i386": "elf32", "amd64": "elf64"}[arch]
        command = ["nasm", "-f", kind, "-w+error", f"-DORIGIN={origin}", f"-DCOPY={copied}"]
        command += [*(f"-I{folder}/" for folder in folders), str(file), "-o", f"{file}.o"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def commands(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """The commands in a text, each with its input and its expected output."""
    found: list[tuple[str, list[str], list[str]]] = []
    for block in re.findall(r"^ *```\n(.*?)^ *```$", text, re.M | re.S):
        for line in block.splitlines():
            if command := COMMAND.match(line):
                found.append((command[1], [], []))
            elif typed := TYPED.match(line):
                found[-1][1].append(typed[1])
            else:
                found[-1][2].append(line.strip())
    yield from found


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of this tree with uncommitted changes, and its build."""
    tree = clone_of(tmp_path / "clone")
    commit(tree)
    return tree


def clone_of(to: Path) -> Path:
    """The tree with uncommitted changes, its build, and Python packages; nothing is committed."""
    tree = copy(ROOT, to)
    shutil.copytree(ROOT / "results" / "contributed", tree / "results" / "contributed")
    made = ("qrcodegen", "lists", "disk.img", "codes.words", "codes.words.c")
    for folder in made:
        source = BUILD / folder
        if source.is_dir():
            shutil.copytree(source, tree / "build" / folder, symlinks=True)
        elif source.is_file():
            shutil.copy2(source, tree / "build" / folder)
    (tree / ".venv").mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        (tree / ".venv" / name).symlink_to(ROOT / ".venv" / name)
    stamp = (ROOT / ".venv" / "tollgate.stamp").read_text()
    (tree / ".venv" / "tollgate.stamp").write_text(stamp.replace(str(ROOT), str(tree)))
    return tree


def commit(tree: Path) -> None:
    """The tree as a repository of one commit."""
    assert not (tree / ".git").exists(), "it would be another tree's"
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "a tree"]):
        done = git(tree, *words)
        assert done.returncode == 0, done.stderr


@pytest.mark.long
@pytest.mark.parametrize("exercise", one_in(10, EXERCISES), ids=IDS)
def test_the_start_builds_and_the_commands_of_its_text_do_what_it_says(
    exercise: Exercise, clone: Path
) -> None:
    begin(exercise.name, "ann", clone)
    make(clone, "make -s all")
    found = list(commands((clone / exercise.text).read_text()))
    assert found, f"{exercise.text} orders nothing"
    for command, typed, said in found:
        well = not any(line.startswith("make: ***") for line in said)
        output = make(clone, command, "".join(f"{line}\n" for line in typed), well)
        assert all(line in output for line in said), f"{command}: {said} in\n{output[-3000:]}"


def make(tree: Path, command: str, typed: str = "", well: bool = True) -> str:
    """One of make's commands, as a student types it; `well`: it must succeed."""
    own = environment(tree)
    done = run(["sh", "-c", command], TEXT_LIMIT, cwd=tree, env=own, text=typed, merge=True)
    assert (done.returncode == 0) is well, f"{command}: {done.stdout[-3000:]}"
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small clone: the files that beginning an exercise needs."""
    tree = tmp_path / "small"
    folders = ("kernel", "user/console", "user/trusted", "tests/exercises", "tests/teach")
    for folder in (FOLDER, *folders):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    commit(tree)
    return tree


def test_a_start_is_a_commit_that_a_checkout_brings_back(repository: Path) -> None:
    """The commit is on a separate branch: the next exercise begins where this one did."""
    file = repository / "kernel/core/entry/callgate.asm"
    plain = file.read_text()
    said = begin("leak", "ann", repository)
    assert "The start is a commit on the branch exercise/leak" in said[1]
    leaking = file.read_text()
    assert leaking != plain
    assert not any((repository / name).exists() for name in HIDDEN)
    assert changed(find("leak"), repository) == set()
    (repository / "kernel/toll.h").write_text("")
    assert changed(find("leak"), repository) == {"kernel/toll.h"}
    git(repository, "checkout", "--", "kernel")
    file.write_text(plain)
    with pytest.raises(UsageError, match=r"callgate\.asm is changed: commit it"):
        begin("service", "ann", repository)
    git(repository, "checkout", "--", "kernel")
    assert file.read_text() == leaking
    begin("service", "ann", repository)
    assert file.read_text() not in (plain, leaking)
    assert "tracer" not in file.read_text()
    assert changed(find("leak"), repository) == set(), "of a branch that is not checked out"
    assert "back on its branch" in begin("leak", "ann", repository)[0]
    assert file.read_text() == leaking
    with pytest.raises(UsageError, match="was begun here with SEED=ann"):
        begin("leak", "bob", repository)
    with pytest.raises(UsageError, match="a seed is a name"):
        begin("starve", "a b", repository)
    with pytest.raises(UsageError, match="lacks the model solutions"):
        solution(find("leak"), "ann", repository)


def test_solutions_are_written_for_a_seed(tmp_path: Path) -> None:
    said = solutions("ann", [], tmp_path)
    assert len(said) == len(EXERCISES)
    assert "SEED=ann" in said[0]
    mark = own(find("service"), "ann")["mark"]
    assert f"{mark:#x}" in (tmp_path / "service.patch").read_text()


@pytest.mark.long
@pytest.mark.weekly
def test_a_class_is_graded_in_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line per tree: also for one that does not build, and for a folder that is no tree."""
    place, exercise = tmp_path / "class", find("mechanism")
    names = [f"student{n:02}" for n in range(SEATS)]
    for name in names[:-1]:
        tree = begun(exercise, name, place / name)
        if name == names[0]:
            solution(exercise, name).write(tree)
        if name == names[1]:
            (tree / "kernel" / "core" / "entry" / "select.c").write_text("no C\n")
        if name == names[2]:
            solution(exercise, names[0]).write(tree)
    (place / names[-1]).mkdir()
    table = tmp_path / "class.csv"
    graded_trees(exercise.name, f"{place}/*", "", str(table), print)
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["tree"] for row in rows] == names
    assert tuple(rows[0]) == COLUMNS
    points = [int(row["points"]) for row in rows]
    assert points[:3] == [exercise.points, 0, 2] and max(points[3:]) <= 1
    assert "both kernels build" in rows[1]["does not hold"]
    assert rows[-1]["remark"] == "It was not begun."
    assert f"{SEATS} of {SEATS}  {names[-1]}" in capsys.readouterr().out


def test_trees_that_were_not_begun_are_a_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints its progress."""
    for name in ("ann", "bob"):
        (tmp_path / "class" / name).mkdir(parents=True)
    table = tmp_path / "class.csv"
    graded_trees("all", f"{tmp_path}/class/*", "", str(table), print)
    with table.open(newline="") as file:
        assert {row["remark"] for row in csv.DictReader(file)} == {"It was not begun."}
    last = 2 * len(EXERCISES)
    assert f"{last} of {last}  bob: {IDS[-1]}: It was not begun." in capsys.readouterr().out
    with pytest.raises(UsageError, match="no folder has such a name"):
        graded_trees("all", f"{tmp_path}/none/*", "", "", print)


@pytest.mark.parametrize(
    ("said", "holds", "but"),
    [
        ("", False, "there is none yet; it is a number, such as 51"),
        ("a few", False, "it says `a few`, and the answer is a number, such as 51"),
        ("0x40", False, "it says `0x40`."),
        ("0x41", True, ""),
        ("65", True, ""),
    ],
)
def test_an_answer_of_another_form_is_told_which_form_it_has(
    said: str,
    holds: bool,
    but: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It never contains the answer."""
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    (tmp_path / FOLDER / "leak").mkdir(parents=True)
    (tmp_path / FOLDER / "leak" / ANSWER).write_text(f"word: {said}\n")
    made = claims.Marks(find("leak"), {})
    like = "a number, such as 51"
    assert made.answer(2, "word", 0x41, r"0x[0-9a-f]+|\d+", like) is holds
    out = " ".join(capsys.readouterr().out.split())
    assert but in out
    assert "0x41" not in out and "65" not in out


@pytest.mark.parametrize(
    ("lines", "holds"),
    [
        *product(("abbc", "nabbc", "anbbc", "abbcn"), [True]),
        *product(("abc", "abb", "anbc", "anbbnc"), [False]),
    ],
)
def test_one_piece_may_be_added(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lines: str, holds: bool
) -> None:
    for place, text in (("", lines), (BEGUN, "abbc")):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "file.c").write_text("\n".join(text))
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    marks = claims.Marks(find("call"), {})
    with contextlib.suppress(claims.StopError):
        marks.added("*.c")
    assert marks.claims[0].holds == holds


def test_nothing_counts_before_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    made = claims.Marks(find("leak"), {})
    made.claim(1, True, "it builds")
    with pytest.raises(claims.StopError):
        made.need(2, False, "it is right", "it is not")
    assert [(claim.got, claim.of) for claim in made.claims] == [(1, 1), (0, 2), (0, 7)]
    assert "not looked at before that holds" in capsys.readouterr().out


@pytest.mark.long
def test_a_doctored_test_is_no_help(tmp_path: Path) -> None:
    """Budgets, checks and the grade itself are the commit's, whatever the student's tree has."""
    exercise = find("service")
    tree = begun(exercise, "ann", tmp_path / "ann")
    grade = tree / FOLDER / exercise.name / "grade.py"
    grade.write_text(grade.read_text().replace("took <= most", "True"))
    for name in DOCTORED[1:]:
        (tree / name).write_text("")
    made = graded(exercise, tree)
    assert made.points <= 1, made.said
    assert "because service does not write them" in made.said
    assert all(name in made.said for name in DOCTORED)


def test_only_what_the_exercise_writes_is_taken(tmp_path: Path) -> None:
    """A test, a budget, the grade: the student's changes to them are reported, and not used."""
    exercise = find("service")
    for whose in ("ours", "his"):
        for name in (*DOCTORED, "kernel/core/entry/callgate.asm"):
            (tmp_path / whose / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / whose / name).write_text(whose)
    (tmp_path / "his" / "user" / "checks" / "new.c").write_text("his")
    (tmp_path / "ours" / HIDDEN[0]).mkdir(parents=True)
    (tmp_path / "ours" / HIDDEN[0] / "call.py").write_text("what the start removes")
    assert overlay(exercise, tmp_path / "his", tmp_path / "ours") == sorted(DOCTORED)
    taken = {
        p.name for p in (tmp_path / "ours").rglob("*") if p.is_file() and p.read_text() == "his"
    }
    assert taken == {"callgate.asm"}


def test_there_are_ten_and_each_says_what_it_is() -> None:
    assert len(EXERCISES) >= 10
    assert [exercise.place for exercise in EXERCISES] == list(range(1, len(EXERCISES) + 1))
    said = "\n".join(listing())
    for exercise in EXERCISES:
        assert f"{exercise.minutes:3} min  {exercise.points} points  {exercise.title}" in said
        text = (ROOT / exercise.text).read_text()
        assert (exercise.answers in text) == (exercise.answers in exercise.writes)
        assert f"make grade X={exercise.name}" in text


def test_the_teacher_knows_every_exercise() -> None:
    """docs/lessons.md has a line for each, in the course's order; its prerequisites exist."""
    page = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| \[`(\w+)`\]\(\S+\) \| (\d+) \| (\d+) \| (.+?) \| .+ \|$", page, re.M)
    assert found == [
        (each.name, str(each.minutes), str(each.points), ", ".join(f"`{n}`" for n in each.lessons))
        for each in EXERCISES
    ]
    assert {name for each in EXERCISES for name in each.lessons} <= {
        each.name for each in lessons()
    }


def test_the_course_has_six_weeks_of_what_there_is() -> None:
    """Existing lessons and exercises, each exercise after its prerequisites; ten questions with
    keys behind all weeks, few of which can be guessed; three screens of 1920x1080 on GitHub."""
    page = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
    weeks_page, keys_page = page.split("## Keys\n")
    weeks = re.split(r"^\*\*\d\. .*\*\*", weeks_page, flags=re.M)[1:]
    keys = re.findall(r"^\d\. (.+)\.$", keys_page, re.M)
    known, there = set[str](), {lesson.name for lesson in lessons()}
    for week, key in zip(weeks, keys, strict=True):
        found = re.search(r"Lessons `(\w+)`, `(\w+)`; exercise `(\w+)`, (\d+) points", week)
        assert found, week
        exercise = find(found[3])
        known |= {found[1], found[2]}
        assert known <= there and {*exercise.lessons} <= known, exercise.name
        assert int(found[4]) == exercise.points
        asked = re.findall(r"^(\d+)\. .*\?$", week, re.M)
        answered = re.findall(r"\((\d+)\) (.+?)(?:; (?=\()|$)", key)
        numbers = [str(number) for number in range(1, 11)]
        assert asked == [number for number, _ in answered] == numbers
        assert sum(word.lower() in ("yes", "no") for _, word in answered) <= 2
    assert len(weeks) == 6
    assert len(page.split()) <= 1090


@pytest.mark.parametrize(
    ("name", "says"),
    [("regster", "did you mean register?"), ("Starve", "did you mean starve"), ("q", "there are")],
)
def test_a_misspelt_name_gives_the_nearest(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        find(name)


def test_a_broken_grade_reads_no_file_of_the_students(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    exercise, answer = find("starve"), "exercises/starve/answer.txt"
    (tmp_path / answer).parent.mkdir(parents=True)
    (tmp_path / answer).write_text('[{"got": 10, "of": 10, "says": "all holds.", "holds": true}]')

    def begin(_: Any, __: str, tree: Path) -> Edits:
        edits = Edits(tree)
        edits.put(answer, "first:\n")
        return edits

    ended = subprocess.CompletedProcess([], 1, "", "an exception")
    fakes = {"copy": lambda _, tree: tree.mkdir(), "start": begin, "run": lambda *_, **__: ended}
    for name, fake in fakes.items():
        monkeypatch.setattr(f"tollgate.teach.grade.{name}", fake)
    made = grade_copy(exercise, "ann", tmp_path, tmp_path)
    assert (made.claims, made.broke) == ([], "The grade broke off: an exception")
