"""`make new` as a newcomer types it, in a copy of the tree, for each kind of docs/adding.md: what it
writes is built and boots, and a piece that is taken out again is missed."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tollgate.boot import ROOT
from tollgate.grade import copy

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
    "mutant": "novelty",
    "exercise": "novelty",
    "call": "novelty",
}
ENTRY = ("mechanism", "variant", "exception")
MAKE = ("make", "-s", "-j2", "all")


def new(tree: Path, kind: str) -> None:
    made = run(tree, "make", "-s", "new", f"KIND={kind}", f"NAME={NAMES[kind]}")
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


# --- the tables of the ways in -------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A tree that has no more than these, with something new of each kind; what checks it."""
    tree = tmp_path_factory.mktemp("tables")
    for name in ("Makefile", "arch.mk"):
        shutil.copy2(ROOT / name, tree / name)
    for name in ("kernel", "tools", "docs"):
        leave_out = shutil.ignore_patterns("*egg-info", "__pycache__", "*.png")
        shutil.copytree(ROOT / name, tree / name, ignore=leave_out)
    for kind in ENTRY:
        new(tree, kind)
    told = run(tree, "make", "-n", "-W", "tools/rows.awk", "build/amd64/rows.checked").stdout
    return tree, next(line for line in told.splitlines() if "want=check" in line)


def test_what_is_new_of_the_ways_in_agrees(tables: tuple[Path, str]) -> None:
    tree, check = tables
    checked = run(tree, "sh", "-c", check)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("path", "pattern", "says"),
    [
        ("mechanism.def", r"MECHANISM\(novelty,", "there is no MECHANISM(novelty, ...)"),
        ("entry.def", r"ROW\(novelty,", "novelty has no row"),
        ("novelty.asm", "KERNEL novelty_bare", "no kernel half for it: KERNEL novelty_bare_entry"),
        ("novelty.asm", "USER novelty_bare", "no user half for it: USER novelty_bare_call"),
        ("mechanism.def", r"VARIANT\(novelty,", "there is no VARIANT(novelty, ...)"),
        ("entry.def", r"ROW\(int, novelty,", "`KERNEL int_novelty_entry` belongs to no row"),
        ("int.asm", "KERNEL int_novelty", "no kernel half for it: KERNEL int_novelty_entry"),
        ("int.asm", "USER int_novelty", "no user half for it: USER int_novelty_call"),
        ("exception.def", "exception, of,", "`HALVES of, VECTOR_OF` belongs to no row"),
        ("exception.asm", "HALVES of", "no kernel halves for it: HALVES of, VECTOR_OF"),
        ("exception.asm", "USER of_call", "no user half for it: USER of_call"),
        ("exception.asm", "FIX_UP_of", "what its way back needs: %define FIX_UP_of"),
    ],
)
def test_a_piece_of_a_way_in_is_missed(
    tables: tuple[Path, str], path: str, pattern: str, says: str
) -> None:
    tree, check = tables
    with without(tree, f"kernel/core/entry/{path}", pattern):
        checked = run(tree, "sh", "-c", check)
    assert checked.returncode, "nobody missed it"
    assert says in checked.stdout, checked.stdout


# --- all of them, built and booted ---------------------------------------------------------------


@pytest.fixture(scope="module")
def novelties(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree and its build, with something new of each kind."""
    tree = copy(ROOT, tmp_path_factory.mktemp("novelties") / "tree")
    for kind in NAMES:
        new(tree, kind)
    program = tree / "user" / "checks" / "surety.c"
    program.write_text(
        program.read_text().replace(
            "        return", '        check(!toll_call(NUMBER_toll_novelty), "call", "");\n        return'
        )
    )
    (tree / "tests" / "test_boots.py").write_text(BOOTS)
    patch = tree / "tests" / "mutants" / "novelty.patch"
    assert patch.read_text().startswith("drops: what is gone\ncaught by: ")
    patch.write_text(PATCH)
    listed = run(tree, sys.executable, "-m", "tollgate.lists", "documents")
    assert listed.returncode == 0, listed.stdout
    run(tree, "git", "init", "-q")
    made = run(tree, *MAKE)
    assert made.returncode == 0, made.stdout[-3000:]
    return tree


BOOTS = '''from typing import Any

import pytest

WORDS = "suite=toll,exceptions,ladder,novelty,attack samples=10 only=/"
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
    result = boot(arch, "EPYC", "suite=contract,surety,attack only=novelty")
    assert result.outcome.value == "pass", result.reason
    names = {c["name"] for c in result.checks}
    assert names >= {"user/novelty/service", "user/int/novelty", "call", "novelty"}
'''
PATCH = """drops: the names of rows
caught by: tests/host/test_adding.py::test_a_kind_that_there_is_not_is_refused_with_those_that_there_are

--- a/tools/new.py
+++ b/tools/new.py
@@ -1,1 +1,1 @@
-the kinds: {' '.join(known)}
+the kinds:
"""


@pytest.mark.long
def test_what_is_new_boots_and_keeps_its_promises(novelties: Path) -> None:
    lesson = "tests/test_lessons.py::test_every_claim_holds"
    done = tried(novelties, "tests/test_boots.py", "tests/test_surety.py", "tests/test_missing.py")
    assert done.returncode == 0, done.stdout[-6000:]
    done = tried(novelties, lesson, "-k", "novelty", "-m", "")
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout[-6000:]
