"""What each row may cost: tests/budgets.toml, read, compared with a boot, and written anew.

A budget is an equality.  A row of the toll or of an exception is our own instructions alone, so its
figures are the same whatever compiled the kernel: the total and the seven sections.  A path through
C has a figure for each compiler that it was measured with (tollgate.compilers); `most` holds for
the others, and for one whose figure is of an older path.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tollgate import around, compilers
from tollgate.boot import ARCHES, ROOT, Boot, BootResult, disk_for
from tollgate.compilers import OLDER, OURS, Measured, Row
from tollgate.derived import MOST, ROOM, Budget, Rows, derive, with_room
from tollgate.errors import TollgateError
from tollgate.machine import run_boot
from tollgate.outcome import Outcome
from tollgate.suites import BUDGETED

FILE = ROOT / "tests" / "budgets.toml"
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
    return known(FILE.read_text(), arch).get(suite, {})


@lru_cache(maxsize=4)
def known(text: str, arch: str) -> Rows:
    """What the file says, and what follows from it; not to be changed."""
    rows = written(text, arch)
    own = {(suite, row) for suite, each in rows.items() for row in each}
    others = compilers.by_row(text, arch)

    def say(suite: str, row: str, follows: Budget) -> Budget:
        if (suite, row) in own:
            return rows[suite][row]
        return compilers.joined(follows, others.get((suite, row), {}))

    derive(rows, arch, say)
    return rows


def written(text: str, arch: str) -> Rows:
    """What the file says itself."""
    others = compilers.by_row(text, arch)
    return {
        suite: {
            (name := f"{origin}/{row}"): compilers.joined(budget, others.get((suite, name), {}))
            for origin, rows in tables.get(arch, {}).items()
            for row, budget in rows.items()
        }
        for suite, tables in compilers.tables(text).items()
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
    ours = ((by, budget[by]) for by in (MOST, OURS, OLDER) if by in budget)
    return f"{{ {', '.join(f'{_key(by)} = {figure}' for by, figure in ours)} }}"


def _key(word: str) -> str:
    return word if word.isalnum() else f'"{word}"'


def _bounded(record: Mapping[str, Any]) -> bool:
    return any(record["suite"] == suite and record["id"].endswith(end) for suite, end in BOUNDED)


def _most(before: int, record: Mapping[str, Any]) -> int:
    """The bound of a row; that of the worst of many conditions comes down again."""
    counted = figures(record)[0]
    if "condition" in record and before > counted + counted * LOOSE * ROOM // 100:
        before = 0
    if _bounded(record) and counted <= before:
        return before
    return max(with_room(counted), before)


def _anew(row: Row, old: Budget | None, found: Measured) -> Budget:
    """A row's budget by what was measured."""
    record = found.records[row]
    counted = figures(record)
    if len(counted) > 1:
        return counted
    before = old if isinstance(old, dict) else {}
    most = _most(before.get(MOST, 0), record)
    ours = {by: figure for by, figure in before.items() if by in (OURS, OLDER)}
    if _bounded(record):
        return {MOST: most}
    if found.compiler == OURS:
        ours = {}
    elif row in found.changed and OURS in ours:
        ours = {OLDER: ours[OURS]}
    return {MOST: most, **ours, found.compiler: counted[0]}


def _budget(text: str) -> Budget:
    value: Budget = tomllib.loads(f"it = {text}")["it"]
    return value


def _measured(text: str, results: Sequence[BootResult]) -> Measured:
    found = Measured(compiler_of(results[0].run))
    for boot in results:
        before = known(text, boot.boot.arch)
        for record in (*boot.results, *boot.skips):
            suite = suite_of(record)
            if suite not in BUDGETED:
                continue
            origin, _, name = record["id"].partition("/")
            row = f"{suite}.{boot.boot.arch}.{origin}", name
            found.there.add(row)
            if record["type"] == "result":
                found.records[row] = record
                old = before.get(suite, {}).get(record["id"])
                mine = old.get(found.compiler) if isinstance(old, dict) else None
                if mine not in (None, figures(record)[0]):
                    found.changed.add(row)
    for arch in ARCHES:
        found.follow |= _follow(text, found, arch)
    if found.compiler != OURS:  # what follows by another's figures may not by ours
        found.follow -= compilers.rows_of(text)
    return found


def revised(text: str, results: Sequence[BootResult]) -> str:
    """The file's text with every figure that these boots have measured; all else stays.

    Rows that are new come last in their table; rows that no kernel has any more go, and those that
    follow from others.  Figures of other compilers stay, marked where a path has changed.
    """
    found = _measured(text, results)
    own = {
        row: figures(record)[0]
        for row, record in found.records.items()
        if row not in found.follow and len(figures(record)) == 1 and not _bounded(record)
    }
    others = compilers.revised(compilers.sections(text), found, own)
    lines: list[str] = []
    tables = list(dict.fromkeys(row[0] for row in found.records if row not in found.follow))
    for block in re.split(r"(?m)^(?=\[)", compilers.without(text)):
        name = re.match(r"\[([^]]+)\]", block)
        table = name[1] if name else ""
        lines.append(_table(block, table, found))
        tables = [each for each in tables if each != table]
    lines += [_table(f"\n[{table}]\n", table, found) for table in tables]
    return "".join(lines).rstrip("\n") + "\n" + compilers.text_of(others)


def _follow(text: str, found: Measured, arch: str) -> set[Row]:
    """Those rows that are measured which the others give exactly."""
    follow = set()
    rows = written(text, arch)
    places = {}
    for table, name in found.records:
        suite, of, origin = table.split(".")
        if of == arch:
            own = rows.setdefault(suite, {})
            own[f"{origin}/{name}"] = _anew((table, name), own.get(f"{origin}/{name}"), found)
            places[suite, f"{origin}/{name}"] = table, name

    def say(suite: str, row: str, follows: Budget) -> Budget:
        own = rows.get(suite, {}).get(row, follows)
        place = places.get((suite, row))
        if place is None or wrong(found.records[place], follows, found.compiler):
            return own
        follow.add(place)
        return follows

    derive(rows, arch, say)
    return follow


def _table(block: str, table: str, found: Measured) -> str:
    """One table's text with the figures that are found."""
    new = [row for row in found.of(table) if (table, row) not in found.follow]
    kept = {row for each, row in found.there - found.follow if each == table}
    if not kept and not any(each == table for each, _ in found.there):
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
        if key in new:
            budget = _anew((table, key), budget, found)
            new.remove(key)
        elif key not in kept:
            continue
        out.append((f'"{key}"', _text(budget), match["comment"] or ""))
    out += [(f'"{key}"', _text(_anew((table, key), None, found)), "") for key in new]
    if not out:  # the lines behind its name are about the next table
        return "\n".join([*head[1:], *tail]).lstrip("\n") + "\n"
    width = max(len(key) for key, _, _ in out)
    body = [f"{key:{width}} = {value} {comment}".rstrip() for key, value, comment in out]
    return "\n".join([*head, *body, *tail]) + "\n"


def rewrite() -> list[str]:
    """Boot every machine that has rows and write the file anew; return the rows that changed.

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
    return changed
