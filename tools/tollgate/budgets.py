"""What each row may cost: tests/budgets.toml, read, compared with a boot, and written anew.

A budget is an equality.  A row of the toll or of an exception is our own instructions alone, so its
figures are the same whatever compiled the kernel: the total and the seven sections.  A path through
C has a figure for each compiler that it was measured with; `most` holds for the others.  Where a
path has changed, only the compiler that measured it anew keeps a figure.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tollgate import around
from tollgate.boot import ARCHES, ROOT, Boot, BootResult, disk_for
from tollgate.derived import MOST, ROOM, Budget, Rows, derive, with_room
from tollgate.errors import TollgateError
from tollgate.machine import run_boot
from tollgate.outcome import Outcome
from tollgate.suites import BUDGETED

FILE = ROOT / "tests" / "budgets.toml"
RESULTS = ROOT / "docs" / "results.md"
ALL = (
    "suite=toll,exceptions,faults,calls,switch,spawn,ladder,files,vsyscall,usystime,html,web "
    "samples=100"
)
BOOTS = (
    (
        "i386",
        "EPYC",
        ALL,
    ),
    (
        "amd64",
        "EPYC",
        ALL,
    ),
    ("amd64", "Skylake-Client", "suite=toll,vsyscall samples=100"),
    ("i386", "EPYC", "suite=around"),
    ("amd64", "EPYC", "suite=around"),
    ("i386", "EPYC", "suite=starve only=time samples=100"),
    ("amd64", "EPYC", "suite=starve only=time samples=100"),
)
"""Machines that have every row between them."""

BOUNDED = (("spawn", ""), ("around", "/fork"))
"""Suites, and the end of the ids of rows, that have a bound alone: what a process costs depends on
which frames are free, so on what ran before."""
LOOSE = 2
"""A bound that is so many times `ROOM` above what is measured anew is drawn closer."""

FAULTS = ("fault", "page", "signal")
"""Rows of the program `faults`, which it gives to the suite `exceptions`: they have no sections."""

_LINE = re.compile(r'"(?P<key>[^"]+)"\s*=\s*(?P<value>\[[^]]*\]|\{[^}]*\})\s*(?P<comment>#.*)?')


def load(suite: str, arch: str) -> dict[str, Budget]:
    """What each row of a suite costs, by its id: the file says so, or it follows from others."""
    rows = written(FILE.read_text(), arch)
    own = {(suite, row) for suite, each in rows.items() for row in each}
    derive(rows, arch, lambda of, row, follows: rows[of][row] if (of, row) in own else follows)
    return rows.get(suite, {})


def written(text: str, arch: str) -> Rows:
    """What the file says itself."""
    return {
        suite: {
            f"{origin}/{row}": budget
            for origin, rows in tables.get(arch, {}).items()
            for row, budget in rows.items()
        }
        for suite, tables in tomllib.loads(text).items()
        if suite in BUDGETED
    }


def suite_of(record: Mapping[str, Any]) -> str:
    """The suite whose budgets a result or skip record falls under."""
    faults = record["suite"] == "exceptions" and record["id"].split("/")[1] in FAULTS
    return "faults" if faults else str(record["suite"])


def highest(budget: Budget) -> int:
    """The largest total that a budget allows."""
    return budget[0] if isinstance(budget, list) else max(budget.values())


def compiler_of(run: Mapping[str, Any]) -> str:
    """The compiler that a run's kernel was built with, such as `gcc 12`."""
    return str(run["tools"].get("compiler", "")).partition(".")[0]


def figures(result: Mapping[str, Any]) -> list[int]:
    """What a result counts: its figure and, of a row that has them, the seven sections'."""
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
    within = counted[0] <= budget[MOST]
    return "" if within else f"{counted[0]}, more than the {budget[MOST]} of any compiler"


def worse(result: BootResult) -> dict[str, str]:
    """Which paths were worse under a pair of conditions, by more than a hundredth, than any budget
    of theirs says, and under which: the rows `pairs` of the suite `around`.

    By less they may be: a tick of the timer moves a median by one sample.
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
    """What a boot's figures of a suite are, and its budgets are not, row by row."""
    allowed = load(suite, result.boot.arch)
    rows = {r["id"]: r for r in result.results if suite_of(r) == suite}
    skipped = {s["id"] for s in result.skips if suite_of(s) == suite}
    compiler = compiler_of(result.run)
    found = {row: wrong(rows[row], allowed.get(row), compiler) for row in rows}
    for row, words in found.items():
        if words and "condition" in rows[row]:
            found[row] = f"{words}, under: {rows[row]['condition']}"
    found |= dict.fromkeys(allowed.keys() - rows.keys() - skipped, "a budget, and no such row")
    return {row: words for row, words in found.items() if words}


def _text(budget: Budget) -> str:
    if isinstance(budget, list):
        return f"[{', '.join(f'{figure:2}' for figure in budget)}]"
    return f"{{ {', '.join(f'{_key(k)} = {v}' for k, v in budget.items())} }}"


def _key(word: str) -> str:
    return word if word.isalnum() else f'"{word}"'


def _anew(old: Budget | None, result: Mapping[str, Any], compiler: str) -> Budget:
    counted = figures(result)
    if len(counted) > 1:
        return counted
    most = with_room(counted[0])
    before = old if isinstance(old, dict) else {}
    if (
        before.get(MOST, 0) > counted[0] + counted[0] * LOOSE * ROOM // 100
        and "condition" in result
    ):
        before = {}
    if any(result["suite"] == suite and result["id"].endswith(end) for suite, end in BOUNDED):
        return {MOST: most if counted[0] > before.get(MOST, 0) else before[MOST]}
    if (
        before.get(compiler, counted[0]) != counted[0]
    ):  # other source: what others made is not known
        before = {MOST: before[MOST]}
    return {**before, MOST: max(most, before.get(MOST, 0)), compiler: counted[0]}


def _budget(text: str) -> Budget:
    value: Budget = tomllib.loads(f"it = {text}")["it"]
    return value


def revised(text: str, results: Iterable[BootResult]) -> str:
    """The file's text with every figure that these boots have measured; all else stays.

    Rows that are new come last in their table; rows that no kernel has any more go, and those that
    follow from others.
    """
    measured: dict[str, dict[str, tuple[Mapping[str, Any], str]]] = {}
    kept: dict[str, set[str]] = {}
    for boot in results:
        for record in (*boot.results, *boot.skips):
            suite = suite_of(record)
            if suite not in BUDGETED:
                continue
            origin, _, row = record["id"].partition("/")
            table = f"{suite}.{boot.boot.arch}.{origin}"
            kept.setdefault(table, set()).add(row)
            if record["type"] == "result":
                measured.setdefault(table, {})[row] = (record, compiler_of(boot.run))
    for arch in ARCHES:
        for table, row in _follow(text, measured, arch):
            kept[table].discard(row)
            del measured[table][row]
    lines: list[str] = []
    for block in re.split(r"(?m)^(?=\[)", text):
        name = re.match(r"\[([^]]+)\]", block)
        table = name[1] if name else ""
        lines.append(_table(block, measured.pop(table, {}), kept.get(table)))
    for table, rows in measured.items():
        if rows:
            lines.append(_table(f"\n[{table}]\n", rows, None))
    return "".join(lines)


Measured = Mapping[str, Mapping[str, tuple[Mapping[str, Any], str]]]
"""By table and row: a record, and the compiler of the kernel that gave it."""


def _follow(text: str, measured: Measured, arch: str) -> list[tuple[str, str]]:
    """The tables and rows of those that are measured which the others give exactly."""
    found = []
    rows = written(text, arch)
    places = {}
    for table, each in measured.items():
        suite, of, origin = table.split(".")
        for name, taken in each.items() if of == arch else ():
            row = f"{origin}/{name}"
            own = rows.setdefault(suite, {})
            own[row] = _anew(own.get(row), *taken)
            places[suite, row] = table, name

    def say(suite: str, row: str, follows: Budget) -> Budget:
        own = rows.get(suite, {}).get(row, follows)
        if (suite, row) not in places:
            return own
        table, name = places[suite, row]
        record, compiler = measured[table][name]
        if wrong(record, follows, compiler):
            return own
        found.append((table, name))
        return follows

    derive(rows, arch, say)
    return found


def _table(
    block: str, rows: dict[str, tuple[Mapping[str, Any], str]], kept: set[str] | None
) -> str:
    """One table's text with the figures of `rows`; `kept`: the rows that there are (None: all)."""
    if not rows and kept is None:
        return block
    out: list[tuple[str, str, str]] = []
    head: list[str] = []
    tail: list[str] = []
    for line in block.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            (tail if out else head).append(line)
            continue
        key = match["key"]
        budget = _budget(match["value"])
        if key in rows:
            budget = _anew(budget, *rows.pop(key))
        elif kept is not None and key not in kept:
            continue
        out.append((f'"{key}"', _text(budget), match["comment"] or ""))
    out += [(f'"{key}"', _text(_anew(None, *row)), "") for key, row in rows.items()]
    if not out:  # the lines behind its name are about the next table
        return "\n".join([*head[1:], *tail]).lstrip("\n") + "\n"
    width = max(len(key) for key, _, _ in out)
    body = [f"{key:{width}} = {value} {comment}".rstrip() for key, value, comment in out]
    return "\n".join([*head, *body, *tail]) + "\n"


def worst_cases(results: Iterable[BootResult]) -> list[Mapping[str, Any]]:
    """What docs/results.md shows of the suite `around`: the amd64 machine's."""
    return [
        row
        for boot in results
        if boot.boot.arch == "amd64"
        for row in boot.results
        if row["suite"] == around.SUITE
    ]


def rewrite() -> list[str]:
    """Boot every machine that has rows and write the file anew, and the worst cases in
    docs/results.md; return the rows that changed.

    TollgateError for a boot that does not pass: its figures are nobody's budget.
    """
    results = []
    for arch, cpu, words in BOOTS:
        with tempfile.TemporaryDirectory(prefix="tollgate.") as directory:
            line = tuple(words.split())
            result = run_boot(Boot(arch, cpu=cpu, words=line, disk=disk_for(line)), Path(directory))
        if result.outcome is not Outcome.PASS:
            raise TollgateError(f"{arch} {cpu}, {words}: {result.reason}; no budget is changed.")
        results.append(result)
    changed = [
        f"{result.boot.arch} {row}: {words}"
        for result in results
        for suite in BUDGETED
        if any(suite_of(r) == suite for r in result.results)
        for row, words in differences(result, suite).items()
    ]
    FILE.write_text(revised(FILE.read_text(), results))
    RESULTS.write_text(around.marked(RESULTS.read_text(), worst_cases(results)))
    return changed
