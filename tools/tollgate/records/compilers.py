"""Figures of other compilers than ours, at the end of tests/budgets.toml.

A compiler has a section there, with a line for each row that it has measured and that does not
follow from others.  `make budgets` with one compiler drops no figure of another: where it finds
that a path has changed, it marks the others' figures as those of an older path.  Such a figure is
no equality; `most` holds until its compiler measures the path again.  A compiler that has no figure
of a path cannot tell that it has changed: then the others' stay as they are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tollgate.records.derived_budgets import Budget
from tollgate.suites import BUDGETED

OURS = "gcc 12"
"""The compiler whose figures stand beside the rows: Debian 12's."""
OLDER = "older"
"""In place of a compiler's name: its figure is of an older path."""
BEGIN = """
# Figures of other compilers. One that is `older` is of a path that has changed since; `most` holds
# until that compiler measures it again (tools/tollgate/records/compilers.py).
"""

Row = tuple[str, str]
"""A table, such as `switch.amd64.user`, and a row's name in it."""
Figure = int | dict[str, int]
"""A figure, or one that is `OLDER`."""
Sections = dict[str, dict[Row, Figure]]
"""The figures of each compiler."""


@dataclass
class Measured:
    """The figures of boots, all by one compiler, and the file that they make."""

    compiler: str
    records: dict[Row, Mapping[str, Any]] = field(default_factory=dict)
    there: set[Row] = field(default_factory=set)
    """Rows that a kernel has, the skipped ones among them."""
    changed: set[Row] = field(default_factory=set)
    """Rows for which the file has another figure by this compiler."""
    follow: set[Row] = field(default_factory=set)
    """Rows that need no line, as the others give them exactly."""

    def of(self, table: str) -> list[str]:
        """The rows of a table that are measured."""
        return [row for each, row in self.records if each == table]


def without(text: str) -> str:
    """The file without these sections."""
    return text.partition(BEGIN)[0]


@lru_cache(maxsize=4)
def tables(text: str) -> dict[str, Any]:
    """The file as it is parsed; not to be changed."""
    return tomllib.loads(text)


def sections(text: str) -> Sections:
    """The figures of each in the file."""
    return {
        compiler: _flat(suites)
        for compiler, suites in tables(text).items()
        if compiler not in BUDGETED
    }


def rows_of(text: str) -> set[Row]:
    """The rows that have a line of their own, other compilers' sections aside."""
    found = tables(text)
    return set(_flat({suite: found[suite] for suite in BUDGETED if suite in found}))


def _flat(suites: Mapping[str, Any]) -> dict[Row, Any]:
    return {
        (f"{suite}.{arch}.{origin}", row): figure
        for suite, arches in suites.items()
        for arch, origins in arches.items()
        for origin, rows in origins.items()
        for row, figure in rows.items()
    }


def text_of(others: Sections) -> str:
    """Their text, with the words in front; empty if there are none."""
    lines = [BEGIN] if any(others.values()) else []
    for compiler, rows in others.items():
        lines.append(f'\n["{compiler}"]\n')
        for (table, row), figure in rows.items():
            value = figure if isinstance(figure, int) else f"{{ {OLDER} = {figure[OLDER]} }}"
            lines.append(f'{table}."{row}" = {value}\n')
    return "".join(lines)


def by_row(text: str, arch: str) -> dict[Row, dict[str, int | None]]:
    """Of one kernel, by suite and id of a row: each compiler's figure, None for an older one."""
    found: dict[Row, dict[str, int | None]] = {}
    for compiler, rows in sections(text).items():
        for (table, row), figure in rows.items():
            suite, of, origin = table.split(".")
            if of == arch:
                current = figure if isinstance(figure, int) else None
                found.setdefault((suite, f"{origin}/{row}"), {})[compiler] = current
    return found


def joined(budget: Budget, others: Mapping[str, int | None]) -> Budget:
    """A row's budget with those figures that hold."""
    if isinstance(budget, list):
        return budget
    figures = {by: figure for by, figure in {**budget, **others}.items() if figure is not None}
    return {by: figure for by, figure in figures.items() if by != OLDER}


def revised(before: Sections, found: Measured, figures: Mapping[Row, int]) -> Sections:
    """The sections after a compiler has measured; `figures`: what it has, where that needs a line.

    A row that no kernel has any more goes, as it does in the rows' own tables.
    """
    tables = {table for table, _ in found.there}
    after = {
        by: {
            row: figure if by == found.compiler or row not in found.changed else _older(figure)
            for row, figure in rows.items()
            if row in found.there or row[0] not in tables
        }
        for by, rows in before.items()
    }
    if found.compiler != OURS:
        own = after.get(found.compiler, {})
        own = {row: figure for row, figure in own.items() if row not in found.follow}
        after[found.compiler] = {**own, **figures}
    return after


def _older(figure: Figure) -> Figure:
    return {OLDER: figure} if isinstance(figure, int) else figure
