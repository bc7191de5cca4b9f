"""The mutants of tests/mutants apply to the tree; `make mutants` shows that each is caught."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tollgate.boot import ROOT
from tollgate.documents import section

from ..mutants import run
from ..mutants.named import lost, named
from ..mutants.operators import OPERATORS, SURVIVE, places

FOLDER = ROOT / "tests" / "mutants"
PATCHES = sorted(FOLDER.glob("*.patch"))
AT_LEAST = 40
TRIED, SCORE = 300, 0.95


def test_there_are_enough() -> None:
    assert len(PATCHES) >= AT_LEAST


def test_each_applies_and_names_tests_that_there_are() -> None:
    stale = []
    for patch in PATCHES:
        head = patch.read_text().partition("\n--- ")[0].splitlines()
        assert head[0].startswith("drops: "), patch.name
        tests = [
            line.removeprefix("caught by: ") for line in head if line.startswith("caught by: ")
        ]
        assert tests, patch.name
        for test in tests:
            file, _, name = test.partition("::")
            assert name.partition("[")[0] in (ROOT / file).read_text(), f"{patch.name}: {test}"
        check = ["git", "apply", "--check", str(patch)]
        run = subprocess.run(check, cwd=ROOT, capture_output=True, text=True, check=False)
        if run.returncode:
            stale.append(f"{patch.name}: {run.stderr.strip()}")
    assert not stale, "make these anew from the code that is there"


def test_a_test_that_is_not_there_is_named() -> None:
    """By its case, too: a run of all tests asks this of all that mutants name."""
    tests = ["tests/a.py::b[c]", "tests/a.py::b[d]"]
    wanted = dict.fromkeys([*tests, "tests/a.py", "tests/a.py::b", "tests/a.py::b[e]"], "x.patch")
    assert lost(wanted, tests) == ["x.patch: there is no tests/a.py::b[e]"]
    assert {test for operator in OPERATORS for test in operator.tests} < set(named())
    assert len(set(named().values())) > AT_LEAST


def test_mutants_of_lines_that_read_alike_have_names_of_their_own() -> None:
    made = list(places())
    assert len({(place.operator.name, place.where) for place in made}) == len(made)


def test_the_table_has_the_score_and_why_each_survivor_does() -> None:
    """What a run of all writes, and what docs/results.md has."""
    verdicts = {operator.name: run.Verdict(12, 2) for operator in OPERATORS}
    (name, line), why = next(iter(SURVIVE.items()))
    verdicts[name].survived.append(f"file: {line}")
    made = run.table(verdicts)
    assert f"- `{name}`, `file: {line}`: {why}\n" in made
    count = len(OPERATORS)
    assert f"Of {12 * count} mutants {10 * count} were tried, and {10 * count - 1} caught" in made
    found = section("mutants", (ROOT / "docs" / "results.md").read_text())
    assert found and run.UNEXPLAINED not in found[0]
    score = re.search(r"mutants (\d+) were tried, and (\d+) caught", found[0])
    assert score and int(score[1]) >= TRIED and int(score[2]) >= SCORE * int(score[1])


def test_a_patch_that_does_not_apply_is_named(tmp_path: Path) -> None:
    """The runner itself, on a copy of its folder with one bad patch: nothing is built for that."""
    bad = tmp_path / "bad.patch"
    bad.write_text("drops: nothing\ncaught by: tests/x.py\n\n--- a/Makefile\n+++ b/Makefile\n")
    mutant = run.read(bad)
    assert (mutant.name, mutant.drops, mutant.tests) == ("bad", "nothing", ("tests/x.py",))

    class Tree(run.Copy):
        def __init__(self) -> None:
            self.tree = tmp_path

    with pytest.raises(run.MutantError, match=r"tests/mutants/bad\.patch does not apply any more"):
        run.catch(mutant, Tree())
    bad.write_text("--- a/Makefile\n")
    with pytest.raises(run.MutantError, match=r"bad\.patch does not begin with"):
        run.read(bad)


def test_a_test_that_fails_once_has_caught_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that is busy may have failed it."""
    ran = [CompletedProcess([], status, "FAILED tests/x.py::y - no\n") for status in (1, 0, 1, 1)]
    monkeypatch.setattr(run.Mutant, "apply", lambda *_: None)
    monkeypatch.setattr(run.Mutant, "files", [])
    monkeypatch.setattr(run.Copy, "__init__", lambda _: None)
    monkeypatch.setattr(run.Copy, "pytest", lambda *_: ran.pop(0))
    mutant = run.Mutant(Path("x.patch"), "nothing", ("tests/x.py",))
    with pytest.raises(run.MutantError, match="failed with it and then passed"):
        run.catch(mutant, run.Copy())  # type: ignore[call-arg]
    assert run.catch(mutant, run.Copy()) == "tests/x.py::y: no"  # type: ignore[call-arg]


def test_a_copy_is_tried_with_its_own_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under make, which names the build of the tree that it is in."""
    monkeypatch.setenv("TOLLGATE_BUILD", "/elsewhere")

    class Tree(run.Copy):
        def __init__(self) -> None:
            self.tree = tmp_path

    (tmp_path / "tools").symlink_to(ROOT / "tools")
    asked = "from tollgate.boot import BUILD; print(BUILD)"
    assert Tree().run(sys.executable, "-c", asked).stdout == f"{tmp_path / 'build'}\n"


def test_what_has_changed_is_built_for_those_who_boot_it() -> None:
    """Not only for tests that have a kernel's name in their own."""
    amd64 = list(run.TARGETS["amd64"])
    both = [*run.TARGETS["i386"], *amd64]
    asked = {
        ("kernel/main.c", "tests/test_x.py::test_y[amd64-EPYC]"): amd64,
        ("user/lib/lib.c", "tests/test_x.py::test_y"): both,
        ("tools/tollgate/rules.py", "tests/test_x.py::test_y[amd64]"): [],
        ("user/lib/lib.c", "tests/host/test_x.py"): [],
        ("user/lib/lib.c", "tests/test_unit.py::test_unit[noise]"): [],
    }
    assert {(f, t): run.targets([f], [t]) for f, t in asked} == asked
