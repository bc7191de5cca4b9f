"""tools/new.py as a newcomer types it, in a copy of the tree, for each kind of docs/source.md.

What it writes is built and boots, and a piece that is taken out again is missed.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT
from tollgate.teach.grade import copy

from .test_mechanism import run, tried

NAMES = {
    "mechanism": "novelty",
    "variant": "int_novelty",
    "exception": "of",
    "file": "novelty",
    "suite": "novelty",
    "lesson": "novelty",
    "check": "surety",
    "attack": "novelty",
    "exercise": "novelty",
    "call": "novelty",
}
MAKE = ("make", "-s", "-j2", "all")
LINK = ("make", "-s", "-W", "linker.ld", "build/amd64/kernel.elf")
"""The objects are built as before: a file that is gone is missed by the linker."""


def new(tree: Path, kind: str) -> None:
    made = run(tree, sys.executable, "tools/new.py", kind, NAMES[kind])
    assert made.returncode == 0, made.stdout


@contextmanager
def without(tree: Path, path: str, pattern: str = "") -> Iterator[None]:
    """A file, or its lines that match, are gone for a while."""
    file = tree / path
    was = file.read_text()
    kept, count = re.subn(rf"^.*(?:{pattern}).*\n", "", was, flags=re.M)
    assert count, f"{path} has nothing like {pattern}"
    file.unlink()
    if pattern:
        file.write_text(kept)
    yield
    file.write_text(was)


BOOTS = """from typing import Any

import pytest

ROWS = {
    "user/novelty/service": 6,
    "user/novelty/bare": 2,
    "user/int/novelty": 6,
    "trusted/int/novelty": 6,
    "user/of/plain": 2,
    "trusted/of/trap": 2,
}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_boots(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=toll,exceptions,ladder,novelty samples=10")
    assert result.outcome.value == "pass", result.reason
    costs = {r["id"]: r["median"] for r in result.results}
    assert {row: costs.get(row) for row in ROWS} == ROWS
    assert "user/read/novelty" in costs and "user/novelty/getpid" in costs
    result = boot(arch, "EPYC", "suite=contract,attack only=novelty")
    assert result.outcome.value == "pass", result.reason
    assert {c["name"] for c in result.checks} >= {*list(ROWS)[:3], "novelty"}
"""


def fill_in(tree: Path) -> None:
    """The contributor's part: the check asks something."""
    program = tree / "user" / "checks" / "surety.c"
    end = "        return check_status"
    asks = '        check(!toll_call(NUMBER_toll_novelty), "call", "of %s", argv[0]);\n'
    program.write_text(program.read_text().replace(end, asks + end))


@pytest.fixture(scope="session")
def novelties(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree and its build, with something new of each kind."""
    tree = copy(ROOT, tmp_path_factory.mktemp("novelties") / "tree")
    shutil.copytree(ROOT / "results" / "contributed", tree / "results" / "contributed")
    (tree / ".venv").symlink_to(ROOT / ".venv")
    (tree / "tests" / "self" / "test_new.py").unlink()  # a test that names the check
    (tree / "tests" / "test_boots.py").write_text(BOOTS)
    run(tree, "git", "init", "-q")
    for kind in NAMES:
        new(tree, kind)
    fill_in(tree)
    listed = run(tree, sys.executable, "-m", "tollgate.suite_lists", "documents")
    assert listed.returncode == 0, listed.stdout
    made = run(tree, *MAKE)
    assert made.returncode == 0, made.stdout[-3000:]
    return tree


@pytest.mark.long
def test_what_is_new_boots_and_keeps_its_promises(novelties: Path) -> None:
    tests = ("test_boots", "test_surety", "test_missing", "host/test_suites", "self/test_adding")
    done = tried(novelties, *(f"tests/{test}.py" for test in tests))
    assert done.returncode == 0, done.stdout[-6000:]
    done = tried(novelties, "tests/test_lessons.py", "tests/test_exercises.py", "-k", "novelty")
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.long
def test_a_row_without_a_budget_is_missed(novelties: Path) -> None:
    rows = "test_rows_cost_what_their_budgets_say"
    done = tried(
        novelties,
        "-vvv",  # whole, though quiet
        f"tests/test_toll.py::{rows}[i386-EPYC]",
        f"tests/test_exceptions.py::{rows}[i386]",
        "tests/test_ladder.py::test_reads_cost_what_their_budgets_say[i386]",
    )
    assert "3 failed" in done.stdout, done.stdout[-3000:]
    user = [f"user/{row}" for row in ("novelty/service", "int/novelty", "of/plain")]
    for row in (*user, "kernel/sys_read/novelty"):
        assert re.search(rf"'{row}': '.*no budget", done.stdout), row


@pytest.mark.long
def test_a_check_can_fail_and_a_suite_that_measures_nothing_is_told(novelties: Path) -> None:
    check, suite = (novelties / "user" / name for name in ("checks/surety.c", "suites/novelty.c"))
    check.write_text(check.read_text().replace("check(!toll", "check(toll"))
    result = "        print_result("
    suite.write_text(suite.read_text().replace(result, f"        if (!n)\n{result}"))
    made = run(novelties, *MAKE)
    assert made.returncode == 0, made.stdout[-3000:]
    done = tried(novelties, "tests/test_surety.py")
    assert done.returncode == 1 and "2 failed" in done.stdout, done.stdout[-3000:]
    said = run(novelties, sys.executable, "-m", "tollgate", "run", "--cmdline=suite=novelty")
    assert "the suite novelty has measured nothing" in said.stdout, said.stdout[-3000:]


WITHOUT_A_BUILD = "adding or teacher or suite or (start_and_solution and novelty)"
TEACHER = "test_the_teacher_knows_every_"
PIECES = {
    "a kind of file": ("kernel/unix/file/novelty.c", "", LINK, "reference to `novelty_kind'"),
    "a call": ("kernel/unix/process/novelty.c", "", LINK, "reference to `sys_toll_novelty'"),
    "a call's row": ("kernel/unix/sys.def", "toll_novelty", LINK, "no previous prototype for"),
    "a suite": ("tools/tollgate/suites.py", '"novelty"', "tests/host/test_suites.py", "novelty"),
    "a lesson": (
        *("docs/lessons.md", r"\| `novelty`"),
        *(f"tests/test_lessons.py::{TEACHER}lesson", "novelty"),
    ),
    "an exercise": (
        *("docs/lessons.md", r"\| \[`novelty`"),
        *(f"tests/test_exercises.py::{TEACHER}exercise", "novelty"),
    ),
    "a solution": ("tests/exercises/novelty.py", "", "tests/test_exercises.py", "novelty"),
    "a subject": ("user/attack/attack.h", "novelty", "tests/self/test_adding.py", "novelty"),
    "a check's test": ("tests/test_surety.py", "", "tests/self/test_adding.py", "surety"),
}


@pytest.mark.long
@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_that_is_gone_is_missed(novelties: Path, piece: str) -> None:
    path, pattern, tells, says = PIECES[piece]
    with without(novelties, path, pattern):
        if tells is LINK:
            done = run(novelties, *LINK)
        else:
            done = tried(novelties, str(tells), "-k", WITHOUT_A_BUILD)
    assert done.returncode, "nobody missed it"
    assert says in done.stdout, done.stdout[-3000:]
