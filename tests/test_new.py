"""`make new` as a newcomer types it, in a copy of the tree: what it writes is built and boots."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tollgate.boot import ROOT
from tollgate.grade import copy

from .test_mechanism import run, tried


@pytest.mark.long
def test_a_new_check_is_built_boots_and_can_fail(tmp_path: Path) -> None:
    """Both widths and both rings of it, by the test that comes with it."""
    tree = copy(ROOT, tmp_path / "tree")
    made = run(tree, "make", "-s", "new", "KIND=check", "NAME=novelty")
    files = re.findall(r"^new: (.+)$", made.stdout, re.M)
    assert files == ["user/checks/novelty.c", "tests/test_novelty.py"], made.stdout
    made = run(tree, "make", "-s", "-j2", "all")
    assert made.returncode == 0, made.stdout[-3000:]
    done = tried(tree, "tests/test_novelty.py", "tests/host/test_adding.py")
    assert done.returncode == 0, done.stdout[-3000:]
    program = tree / "user" / "checks" / "novelty.c"
    program.write_text(program.read_text().replace("check(true", "check(false"))
    made = run(tree, "make", "-s", "-j2", "all")
    assert made.returncode == 0, made.stdout[-3000:]
    done = tried(tree, "tests/test_novelty.py")
    assert done.returncode == 1 and "2 failed" in done.stdout, done.stdout[-3000:]
    for file in ("test_novelty.py", "test_new.py"):  # both name it
        (tree / "tests" / file).unlink()
    done = tried(tree, "tests/host/test_adding.py")
    assert done.returncode == 1 and "novelty" in done.stdout, "a check that no test boots"


BOOTS = """from typing import Any


def test_boots(boot: Any) -> None:
    result = boot("amd64", "EPYC", "suite=novelty")
    assert len(result.results) == 3, "of both widths, and of both rings"
    assert result.outcome.value == "pass", result.reason
"""


@pytest.mark.long
def test_a_new_suite_measures_and_is_missed_in_the_lists(tmp_path: Path) -> None:
    tree = copy(ROOT, tmp_path / "tree")
    made = run(tree, "make", "-s", "new", "KIND=suite", "NAME=novelty")
    assert "new: user/suites/novelty.c" in made.stdout
    made = run(tree, "make", "-s", "-j2", "all")
    assert made.returncode == 0, made.stdout[-3000:]
    (tree / "tests" / "test_boots.py").write_text(BOOTS)
    done = tried(tree, "tests/test_boots.py")
    assert done.returncode == 0, done.stdout[-3000:]
    done = tried(tree, "tests/host/test_suites.py")
    assert done.returncode == 1 and "novelty" in done.stdout, done.stdout[-3000:]
    table = tree / "tools" / "tollgate" / "suites.py"
    row = 'TABLE = (\n    Suite("novelty", "what is new", menu=False),\n'
    table.write_text(table.read_text().replace("TABLE = (\n", row))
    program = tree / "user" / "suites" / "novelty.c"
    text = program.read_text()
    program.write_text(
        text.replace("        print_result(", "        if (!n)\n        print_result(")
    )
    made = run(tree, "make", "-s", "-j2", "all")
    assert made.returncode == 0, made.stdout[-3000:]
    done = tried(tree, "tests/test_boots.py")
    assert done.returncode == 1, "a suite that measures nothing passes"
    said = run(tree, sys.executable, "-m", "tollgate", "run", "--cmdline=suite=novelty")
    assert "the suite novelty has measured nothing" in said.stdout, said.stdout[-3000:]
