"""The suite `around`: the cost of headline paths under other conditions, and the worst cases."""

import os
from typing import Any

import pytest

from tollgate.machines.boot import Boot
from tollgate.records import around, budgets, derived_budgets
from tollgate.suites import TABLE

ARCHS = ["i386", "amd64"]
PATHS = set(around.HEADLINES)
ORIGINS = {"i386": {"user", "trusted"}, "amd64": {"user", "compat", "trusted"}}
CONDITIONS = {"hand": 14, "pipe": 20}
"""Smallest number of conditions that can affect a path."""

PAIRS = int(os.environ.get("AROUND_PAIRS", "120"))
SEED = int(os.environ.get("AROUND_SEED", "1"))


def taken(boot: Any, arch: str, words: str = "", fresh: bool = False) -> Any:
    """Boot with the memory of a bench, because fork's cost depends on which frames are free."""
    return boot(arch, "EPYC", f"suite=around {words}", memory=Boot(arch).memory, fresh=fresh)


@pytest.mark.figures
@pytest.mark.parametrize("arch", ARCHS)
def test_the_worst_of_each_path_costs_what_its_budget_says(boot: Any, arch: str) -> None:
    result = taken(boot, arch)
    assert result.outcome.value == "pass", result.reason
    assert budgets.differences(result, "around") == {}, "tests/budgets.toml"


@pytest.mark.parametrize("arch", ARCHS)
def test_each_path_has_a_row_from_every_origin(boot: Any, arch: str) -> None:
    rows = {r["id"]: r for r in taken(boot, arch).results}
    assert set(rows) == {
        f"{origin}/{kind}/{path}"
        for origin in ORIGINS[arch]
        for kind in ("around", "together")
        for path in PATHS
    }
    for name, row in rows.items():
        _, kind, path = name.split("/")
        assert row["n"] >= (CONDITIONS.get(path, 14) if kind == "around" else 1), name
        assert row["min"] <= row["plain"] <= row["max"] or kind == "together", name
        assert (row["condition"] == "none") == (row["max"] == row["plain"]), name


@pytest.mark.figures
@pytest.mark.parametrize("arch", ARCHS)
def test_the_plain_paths_are_the_headlines(boot: Any, arch: str) -> None:
    """Within an eighth of the other suites' budgets for this compiler, or half for another one,
    plus a dozen instructions of C; except fork, which copies this program's mappings."""
    result = taken(boot, arch)
    compiler = budgets.compiler_of(result.run)
    for name, row in around.alone(result.results).items():
        origin, _, path = name.partition("/")
        suite, rest, _ = around.HEADLINES[path]
        suite = "faults" if suite == "exceptions" else suite
        budget = budgets.load(suite, arch).get(f"{origin}/{rest}")
        if isinstance(budget, dict) and path != "fork":
            figures = {by: figure for by, figure in budget.items() if by != derived_budgets.MOST}
            known = compiler in figures
            headlines = [figures[compiler]] if known else figures.values()
            near = 8 if known else 2
            assert any(abs(row["plain"] - n) <= n / near + 12 for n in headlines), name


def drawn(boot: Any, arch: str, pairs: int, seed: int, fresh: bool = False) -> Any:
    return taken(boot, arch, f"only=pairs/{pairs}/{seed}", fresh)


def sets(text: str) -> list[str]:
    return [line.partition(":")[0] for line in text.splitlines() if line.startswith("  user, ")]


@pytest.mark.long
def test_the_same_seed_draws_the_same(boot: Any) -> None:
    first, again, other = (
        drawn(boot, "i386", 10, seed, fresh) for seed, fresh in ((7, False), (7, True), (8, False))
    )
    assert len(sets(first.text)) == 11 and sets(first.text)[0] == "  user, none"
    assert first.text == again.text
    assert sets(first.text) != sets(other.text)


@pytest.mark.long
@pytest.mark.parametrize("arch", ARCHS)
def test_no_pair_of_conditions_is_worse_than_what_is_recorded(boot: Any, arch: str) -> None:
    result = drawn(boot, arch, PAIRS, SEED)
    assert result.outcome.value == "pass", result.reason
    rows = [row for row in result.results if "/pairs/" in row["id"]]
    assert len(rows) == len(PATHS) * len(ORIGINS[arch])
    assert budgets.worse(result) == {}, f"AROUND_SEED={SEED}: a new worst; see tests/budgets.toml"


@pytest.mark.long
@pytest.mark.parametrize(
    ("arch", "cpu"), [("i386", "pentium"), ("i386", "Skylake-Client"), ("amd64", "Skylake-Client")]
)
def test_every_condition_can_be_had_elsewhere(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=around")
    assert result.outcome.value == "pass", result.reason
    assert len(result.results) == 2 * len(PATHS) * len(ORIGINS[arch])


def test_it_is_no_suite_of_a_default_bench() -> None:
    assert not next(suite for suite in TABLE if suite.name == "around").default
