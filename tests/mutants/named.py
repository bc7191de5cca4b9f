"""The tests that mutants name: a run of all tests stops at its start if one does not exist."""

from collections.abc import Iterable

import pytest

from .operators import OPERATORS
from .run import TABLE, read


def named() -> dict[str, str]:
    """Each test that must see a mutant, and the mutant or operator that names it."""
    found = {test: operator.name for operator in OPERATORS for test in operator.tests}
    for mutant in read(TABLE.read_text()):
        found |= dict.fromkeys((*mutant.tests, *mutant.unseen), mutant.name)
    return found


def lost(wanted: dict[str, str], names: Iterable[str]) -> list[str]:
    """Wanted tests that do not exist among the names of all tests."""
    there = set(names)
    there |= {name.partition("::")[0] for name in there} | {n.partition("[")[0] for n in there}
    return [f"{by}: there is no {test}" for test, by in sorted(wanted.items()) if test not in there]


class Named:
    """Checks the names of all tests."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Check the names before tests are selected by marks."""
        if said := lost(named(), (item.nodeid for item in items)):
            raise pytest.UsageError("tests/mutants: " + "; ".join(said))
