"""A table of the tests that show each promise of tests/promises.toml: build/promises.md, written in
a run of all tests."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from .twins import chosen

TABLE = Path(__file__).with_suffix(".toml")
OUT = Path(__file__).parents[1] / "build" / "promises.md"
WRONG = pytest.StashKey[list[str]]()
HEAD = "| promise | in `make test` (of self/: in CI) | in `make test-all` alone |\n|---|---|---|\n"


def promises() -> dict[str, list[str]]:
    """Each promise, and the names of its tests."""
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {
        f"{document}: {promise}": [f"tests/{name}" for name in tests]
        for document, rows in tables.items()
        for promise, tests in rows.items()
    }


def functions(names: Iterable[str]) -> list[str]:
    """The functions of these test cases."""
    return sorted({name.partition("[")[0].removeprefix("tests/") for name in names})


def table(known: Mapping[str, list[str]], tests: Mapping[str, bool]) -> tuple[str, list[str]]:
    """The table, and its faults; `tests` maps all names to whether they are `long`."""
    lines, wrong = [], []
    for promise, wanted in known.items():
        found = chosen(
            tests, [name if "*" in name or "[" in name else f"{name}*" for name in wanted]
        )
        wrong += [f"{promise}: there is no {name}" for name, each in found.items() if not each]
        names = {name for each in found.values() for name in each}
        short = functions(name for name in names if not tests[name])
        alone = [name for name in functions(names) if name not in short]
        if names and not short:
            wrong.append(f"{promise}: no test in `make test` or CI shows it")
        lines.append(f"| {promise} | {', '.join(short)} | {', '.join(alone)} |")
    return HEAD + "\n".join(lines) + "\n", wrong


class Promises:
    """Writes the table, after twins are marked and before tests are selected by marks."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item], config: pytest.Config
    ) -> None:
        """A test reports its faults (tests/self/test_mission.py)."""
        rare = {"long", "weekly"}
        tests = {item.nodeid: bool(rare & {m.name for m in item.iter_markers()}) for item in items}
        text, config.stash[WRONG] = table(promises(), tests)
        if getattr(config, "workerinput", {}).get("workerid", "gw0") == "gw0":
            OUT.parent.mkdir(exist_ok=True)
            OUT.write_text(text, encoding="utf-8")
