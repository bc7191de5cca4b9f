"""The mutants of tests/mutants apply to the tree; `make test PART=mutants` catches each."""

import re
import shutil
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT
from tollgate.self.documents import section

from ..mutants import run
from ..mutants.named import lost, named
from ..mutants.operators import OPERATORS, places

AT_LEAST = 40
TRIED, SCORE = 300, 0.95


def test_each_applies_and_names_tests_that_there_are(tmp_path: Path) -> None:
    """Tested in a folder with only these files."""
    mutants = run.read(run.TABLE.read_text())
    assert len(mutants) >= AT_LEAST
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    for mutant in mutants:
        for file in mutant.files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, tmp_path / file)
        mutant.apply(tmp_path)
        for test in mutant.tests:
            file, _, name = test.partition("::")
            assert name.partition("[")[0] in (ROOT / file).read_text(), f"{mutant.name}: {test}"
    assert not list(run.HERE.glob("*.patch")), "a mutant is some lines of table.txt"


def test_a_test_that_is_not_there_is_named() -> None:
    """A single case can be named, too. A run of all tests checks all names that mutants use."""
    tests = ["tests/a.py::b[c]", "tests/a.py::b[d]"]
    wanted = dict.fromkeys([*tests, "tests/a.py", "tests/a.py::b", "tests/a.py::b[e]"], "x.patch")
    assert lost(wanted, tests) == ["x.patch: there is no tests/a.py::b[e]"]
    assert {test for operator in OPERATORS for test in operator.tests} < set(named())
    assert len(set(named().values())) > AT_LEAST


def test_mutants_of_lines_that_read_alike_have_names_of_their_own() -> None:
    made = list(places())
    assert len({(place.operator.name, place.where) for place in made}) == len(made)


def test_the_table_has_the_score_and_why_each_survivor_does() -> None:
    """A complete run writes it, and docs/results.md contains it."""
    place = next(place for place in places() if place.survives)
    made = run.score(12, 2, [place])
    assert f"- `{place.operator.name}`, `{place.where}`: {place.survives}\n" in made
    assert "Of 12 mutants 10 were tried, and 9 caught" in made
    found = section("mutants", (ROOT / "docs" / "results.md").read_text())
    assert found and run.UNEXPLAINED not in found[0]
    score = re.search(r"mutants (\d+) were tried, and (\d+) caught", found[0])
    assert score and int(score[1]) >= TRIED and int(score[2]) >= SCORE * int(score[1])


def test_a_mutant_that_does_not_apply_is_named(tmp_path: Path) -> None:
    """A mutant whose entry is incomplete is named, too."""
    (tmp_path / "a.c").write_text("one\n\nbar one\n")
    table = "# text\nbad: nothing\na.c, tests/x.py\n-{}\n+two\n"
    (mutant,) = run.read(table.format("one"))
    assert (mutant.name, mutant.drops, mutant.tests) == ("bad", "nothing", ("tests/x.py",))
    mutant.apply(tmp_path)
    assert (tmp_path / "a.c").read_text() == "two\n\nbar one\n"
    with pytest.raises(run.MutantError, match=r"bad does not apply any more: a\.c"):
        mutant.apply(tmp_path)
    for wrong in (table.format("two"), "bad: nothing\na.c\n-one\n"):
        with pytest.raises(run.MutantError, match="bad names no test, or changes nothing"):
            run.read(wrong)


def test_what_has_changed_is_built_for_those_who_boot_it() -> None:
    """This holds not only for tests with a kernel's name in theirs."""
    amd64 = list(run.TARGETS["amd64"])
    both = [*run.TARGETS["i386"], *amd64]
    asked = {
        ("kernel/main.c", "tests/test_x.py::test_y[amd64-EPYC]"): amd64,
        ("user/lib/lib.c", "tests/test_x.py::test_y"): both,
        ("tools/tollgate/records/rules.py", "tests/test_x.py::test_y[amd64]"): [],
        ("user/lib/lib.c", "tests/self/test_x.py"): [],
        ("user/lib/lib.c", "tests/unit/test_unit.py::test_unit[noise]"): [],
    }
    assert {(f, t): run.targets([f], [t]) for f, t in asked} == asked
