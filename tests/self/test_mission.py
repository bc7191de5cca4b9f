"""tests/promises.toml: every purpose of Tollgate, and every promise of a document, has a test."""

import pytest

from tollgate.machines.boot import ROOT

from ..promises import WRONG, promises, table

SYSTEMS = 23


def test_every_system_has_its_line() -> None:
    numbers = [name.split()[1] for name in promises() if name.startswith("mission: ")]
    assert numbers == [str(number) for number in range(1, SYSTEMS + 1)]


def test_every_document_has_a_promise() -> None:
    """The glossary is exempt. If a document is removed, its rows must be, too."""
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"words"}
    assert {name.split(": ")[1] for name in promises() if name.startswith("docs: ")} >= pages


def test_each_promise_has_a_test_that_is_not_long(pytestconfig: pytest.Config) -> None:
    if WRONG not in pytestconfig.stash:
        pytest.skip("a run of all tests looks at the names of all")
    assert pytestconfig.stash[WRONG] == []


def test_a_promise_that_nothing_shows_is_told() -> None:
    tests = {"tests/a.py::one[x]": False, "tests/a.py::two": True, "tests/b.py::three": True}
    known = {"here": ["tests/a.py*"], "later": ["tests/b.py*"], "nowhere": ["tests/c.py*"]}
    text, wrong = table(known, tests)
    assert "| here | a.py::one | a.py::two |\n| later |  | b.py::three |\n" in text
    assert wrong == [
        "later: no test in `make test` or CI shows it",
        "nowhere: there is no tests/c.py*",
    ]
