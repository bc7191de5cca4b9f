"""Rewrites tests/budgets.toml: `python -m tollgate.self.budgets` boots every machine with rows, and
writes the file and its figures in the documents."""

import re
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError
from tollgate.machines.boot import ARCHES, Boot, BootResult, disk_for
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.records.budgets import (
    FILE,
    OURS,
    compiler_of,
    differences,
    figures,
    suite_of,
    written,
    wrong,
)
from tollgate.records.derived_budgets import MOST, ROOM, Budget, derive, with_room
from tollgate.self import documents
from tollgate.suites import BUDGETED

ALL = (
    "suite=toll,exceptions,faults,calls,switch,spawn,ladder,files,vsyscall,usystime,html "
    "samples=100"
)
BOOTS = (
    ("i386", "EPYC", f"{ALL} parts=all"),
    ("amd64", "EPYC", ALL),
    ("amd64", "EPYC", "suite=toll samples=100 parts=all"),
    ("amd64", "EPYC", "suite=switch samples=100 parts=all"),
    ("amd64", "Skylake-Client", "suite=toll,vsyscall samples=100"),
    ("amd64", "Skylake-Client", "suite=toll samples=100 parts=all"),
    *((arch, "EPYC", "suite=web samples=5") for arch in ("i386", "amd64")),
    ("i386", "EPYC", "suite=around"),
    ("amd64", "EPYC", "suite=around"),
    ("i386", "EPYC", "suite=starve only=time samples=100"),
    ("amd64", "EPYC", "suite=starve only=time samples=100"),
)
"""Machines that together have every row."""

BOUNDED = (("spawn", ""), ("around", "/fork"))
"""Suites, and ends of row ids, with only a bound: the cost of a process depends on which frames are
free, and so on earlier programs."""
LOOSE = 2
"""A bound that exceeds a new figure by this many times `ROOM` is tightened."""

Row = tuple[str, str]
"""A table, such as `switch.amd64.user`, and a row's name in it."""

_LINE = re.compile(r'"(?P<key>[^"]+)"\s*=\s*(?P<value>\[[^]]*\]|\{[^}]*\})\s*(?P<comment>#.*)?')


@dataclass
class Measured:
    """The figures of boots, all with one compiler."""

    compiler: str
    records: dict[Row, Mapping[str, Any]] = field(default_factory=dict)
    there: set[Row] = field(default_factory=set)
    """A kernel's rows, including skipped ones."""
    follow: set[Row] = field(default_factory=set)
    """Rows that need no line, because others give them exactly."""

    def of(self, table: str) -> list[str]:
        """The rows of a table that are measured."""
        return [row for each, row in self.records if each == table]


def _text(budget: Budget) -> str:
    if isinstance(budget, list):
        return f"[{', '.join(f'{figure:2}' for figure in budget)}]"
    ours = ((by, budget[by]) for by in (MOST, OURS) if by in budget)
    return f"{{ {', '.join(f'{_key(by)} = {figure}' for by, figure in ours)} }}"


def _key(word: str) -> str:
    return word if word.isalnum() else f'"{word}"'


def _bounded(record: Mapping[str, Any]) -> bool:
    return any(record["suite"] == suite and record["id"].endswith(end) for suite, end in BOUNDED)


def _most(before: int, record: Mapping[str, Any]) -> int:
    """The bound of a row; that of a worst case may also shrink."""
    counted = figures(record)[0]
    if "condition" in record and before > counted + counted * LOOSE * ROOM // 100:
        before = 0
    if _bounded(record) and counted <= before:
        return before
    return max(with_room(counted), before)


def _anew(row: Row, old: Budget | None, found: Measured) -> Budget:
    """A row's budget according to the measurement."""
    record = found.records[row]
    counted = figures(record)
    if len(counted) > 1:
        return counted
    before = old if isinstance(old, dict) else {}
    most = _most(before.get(MOST, 0), record)
    if _bounded(record):
        return {MOST: most}
    if found.compiler == OURS:
        return {MOST: most, OURS: counted[0]}
    return {**before, MOST: most}


def _budget(text: str) -> Budget:
    value: Budget = tomllib.loads(f"it = {text}")["it"]
    return value


def _measured(text: str, results: Sequence[BootResult]) -> Measured:
    found = Measured(compiler_of(results[0].run))
    for boot in results:
        for record in (*boot.results, *boot.skips):
            suite = suite_of(record)
            if suite not in BUDGETED:
                continue
            origin, _, name = record["id"].partition("/")
            row = f"{suite}.{boot.boot.arch}.{origin}", name
            found.there.add(row)
            if record["type"] == "result":
                found.records[row] = record
    for arch in ARCHES:
        found.follow |= _follow(text, found, arch)
    return found


def revised(text: str, results: Sequence[BootResult]) -> str:
    """The file's text with every figure from these boots; the other text is unchanged.

    New rows are appended to their table. Rows that no kernel has any more are removed, and so are
    those that follow from others.  Another compiler than ours changes rows of our own instructions,
    and raises `most`.
    """
    found = _measured(text, results)
    lines: list[str] = []
    tables = list(dict.fromkeys(row[0] for row in found.records if row not in found.follow))
    for block in re.split(r"(?m)^(?=\[)", text):
        name = re.match(r"\[([^]]+)\]", block)
        table = name[1] if name else ""
        lines.append(_table(block, table, found))
        tables = [each for each in tables if each != table]
    lines += [_table(f"\n[{table}]\n", table, found) for table in tables]
    return "".join(lines).rstrip("\n") + "\n"


def _follow(text: str, found: Measured, arch: str) -> set[Row]:
    """The measured rows that others give exactly."""
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
        ours = found.compiler == OURS or row not in rows.get(suite, {})
        if place is None or not ours or wrong(found.records[place], follows, found.compiler):
            return own
        follow.add(place)
        return follows

    derive(rows, arch, say)
    return follow


def _table(block: str, table: str, found: Measured) -> str:
    """One table's text with the new figures."""
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
    if not out:  # the lines after its name belong to the next table
        return "\n".join([*head[1:], *tail]).lstrip("\n") + "\n"
    width = max(len(key) for key, _, _ in out)
    body = [f"{key:{width}} = {value} {comment}".rstrip() for key, value, comment in out]
    return "\n".join([*head, *body, *tail]) + "\n"


def rewrite() -> list[str]:
    """Boot every machine with rows and rewrite the file; return the changed rows.

    TollgateError if a boot fails, because its figures are not valid budgets.
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


def main() -> int:
    """Rewrite both; print the changes."""
    try:
        changed = rewrite()
    except TollgateError as error:
        print(error, file=sys.stderr)
        return error.code
    for line in changed:
        print(line)
    print(f"{FILE}: {f'{len(changed)} rows changed' if changed else 'as measured'}.")
    for path in documents.stale(write=True):
        print(f"{path}: has the new figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
