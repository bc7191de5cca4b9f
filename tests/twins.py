"""Tests that `make test` leaves to `make test-all`, by the list tests/twins.txt."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

LIST = Path(__file__).with_suffix(".txt")


def listed(text: str) -> list[str]:
    """The names of a list; a line that begins with `#` is a comment."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def chosen(names: Iterable[str], wanted: Sequence[str]) -> dict[str, list[str]]:
    """The names that each wanted entry stands for."""
    names = list(names)
    found = {}
    for name in wanted:
        pattern = re.compile(re.escape(name).replace(r"\*", ".*"))
        near = name.partition("*")[0]
        found[name] = [n for n in names if n.startswith(near) and pattern.fullmatch(n)]
    return found


def wrong(left: Iterable[str], found: dict[str, list[str]]) -> list[str]:
    """Faults of a list; `left`: the names of all that stays in `make test`."""
    functions = {name.partition("[")[0] for name in left}
    none = [f"{name}: there is no such test" for name, each in found.items() if not each]
    gone = {n.partition("[")[0] for each in found.values() for n in each} - functions
    return none + [f"{name}: no case of it is left in `make test`" for name in sorted(gone)]


def narrow(names: Iterable[str]) -> set[str]:
    """The i386 cases of each function that also has an amd64 case among the names."""
    split = [(*name.partition("["), name) for name in names]
    wide = {function for function, _, case, _ in split if "amd64" in case}
    return {
        name
        for function, _, case, name in split
        if function in wide and "i386" in case and "amd64" not in case
    }


class Twins:
    """Marks them `long`, before tests are selected by their marks."""

    def __init__(self, whole: bool) -> None:
        self._whole = whole

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A wrong list ends a run of all tests before it begins."""
        short = [item for item in items if not item.get_closest_marker("long")]
        names = [item.nodeid for item in short]
        lines = listed(LIST.read_text(encoding="utf-8"))
        found = chosen(names, [line for line in lines if line[0] != "+"])
        marked = {name for each in found.values() for name in each}
        kept = chosen(names, [line[2:] for line in lines if line[0] == "+"])
        stay = marked.union(*kept.values())
        marked |= narrow(name for name in names if name not in marked) - stay
        for item in short:
            if item.nodeid in marked:
                item.add_marker("long")
        left = (item.nodeid for item in short if item.nodeid not in marked)
        if self._whole and (said := wrong(left, found | kept)):
            raise pytest.UsageError(f"{LIST.name}: " + "; ".join(said))
