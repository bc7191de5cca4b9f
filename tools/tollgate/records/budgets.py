"""The budget of each row: tests/budgets.toml, read, and compared with a boot.

A budget is an exact figure.  A row of the toll or of an exception consists of our own instructions,
so its figures are the same for every compiler: the total and the seven sections.  A path through C
has the figure for `OURS`, Debian 12's compiler; `most` is for others.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tollgate.machines.boot import ROOT, BootResult
from tollgate.records import around, parts
from tollgate.records.derived_budgets import MOST, Budget, Rows, derive

FILE = ROOT / "tests" / "budgets.toml"
OURS = "gcc 12"
TRIED = "tried at the boot"
"""In the reason of a way in that is there, by CPUID, and failed (kernel/toll/trial.c)."""
FAULTS = ("fault", "page", "signal")
"""Rows of the program `faults` in the suite `exceptions`: they have no sections."""
FEW = 32
"""Instructions by which another compiler's kernel may be below a quarter of a short row."""


def load(suite: str, arch: str) -> dict[str, Budget]:
    """The budget of each row of a suite, by id: from the file, or derived from others."""
    return known(FILE.read_text(), arch).get(suite, {})


@lru_cache(maxsize=4)
def known(text: str, arch: str) -> Rows:
    """The file's budgets and those derived from them; not to be changed."""
    rows = written(text, arch)
    own = {(suite, row) for suite, each in rows.items() for row in each}

    def say(suite: str, row: str, follows: Budget) -> Budget:
        return rows[suite][row] if (suite, row) in own else follows

    derive(rows, arch, say)
    return rows


def written(text: str, arch: str) -> Rows:
    """The budgets in the file."""
    return {
        suite: {
            f"{origin}/{row}": budget
            for origin, rows in tables.get(arch, {}).items()
            for row, budget in rows.items()
        }
        for suite, tables in tomllib.loads(text).items()
    }


def suite_of(record: Mapping[str, Any]) -> str:
    """The suite with the budgets for a result or skip record."""
    faults = record["suite"] == "exceptions" and record["id"].split("/")[1] in FAULTS
    return "faults" if faults else str(record["suite"])


def highest(budget: Budget) -> int:
    """The largest total that a budget allows."""
    return budget[0] if isinstance(budget, list) else max(budget.values())


def compiler_of(run: Mapping[str, Any]) -> str:
    """The compiler of a run's kernel, such as `gcc 12`."""
    return str(run["tools"].get("compiler", "")).partition(".")[0]


def figures(result: Mapping[str, Any]) -> list[int]:
    """A result's figures: the total and, if it has them, the seven sections'."""
    return [around.figure(result), *(s["median"] for s in result.get("sections", []))]


def wrong(result: Mapping[str, Any], budget: Budget | None, compiler: str) -> str:
    """How a result differs from its budget, in words; empty if it does not."""
    counted = figures(result)
    if budget is None:
        return f"{counted}, and no budget"
    if isinstance(budget, list):
        return "" if counted == budget else f"{counted}, not {budget}"
    if compiler in budget:
        exact = counted[0] == budget[compiler]
        return "" if exact else f"{counted[0]}, not {budget[compiler]} by {compiler}"
    short = counted[0] > 0 and budget[MOST] - counted[0] <= FEW
    if counted[0] * 4 < budget[MOST] and not short:
        return f"{counted[0]}, less than a quarter of the {budget[MOST]} of any compiler"
    within = counted[0] <= budget[MOST]
    return "" if within else f"{counted[0]}, more than the {budget[MOST]} of any compiler"


def worse(result: BootResult) -> dict[str, str]:
    """Paths that were worse by more than a hundredth under a pair of conditions than any of their
    budgets, and the pair: the rows `pairs` of the suite `around`.

    A smaller difference is allowed: a timer tick moves a median by one sample.
    """
    allowed = load(around.SUITE, result.boot.arch)
    compiler = compiler_of(result.run)
    found = {}
    for row in result.results:
        origin, mechanism, path = row["id"].split("/")
        if (row["suite"], mechanism) != (around.SUITE, "pairs"):
            continue
        recorded = [allowed.get(f"{origin}/{each}/{path}", {}) for each in ("around", "together")]
        most = max(b.get(compiler, b.get(MOST, 0)) for b in recorded if isinstance(b, dict))
        if row["max"] * 100 > most * 101:
            found[row["id"]] = f"{row['max']} under: {row['condition']}; the most was {most}"
    return found


def differences(result: BootResult, suite: str) -> dict[str, str]:
    """The differences between a boot's figures of a suite and its budgets, row by row."""
    allowed = load(suite, result.boot.arch)
    rows = {r["id"]: r for r in result.results if suite_of(r) == suite}
    words = "".join(parts.kept(result.boot.words)).removeprefix(parts.WORD)
    allowed = {row: of for row, of in allowed.items() if parts.asked(words, row)}
    skips = [s for s in result.skips if suite_of(s) == suite and TRIED not in s["reason"]]
    compiler = compiler_of(result.run)
    found = {row: wrong(rows[row], allowed.get(row), compiler) for row in rows}
    for row, words in found.items():
        if words and "condition" in rows[row]:
            found[row] = f"{words}, under: {rows[row]['condition']}"
    lost = allowed.keys() - rows.keys() - {s["id"] for s in skips}
    found |= dict.fromkeys(lost, "a budget, and no such row")
    return {row: words for row, words in found.items() if words}
