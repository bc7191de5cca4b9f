"""A row over many results files: `tollgate trend ROW FILE...`.

The files stand in the order in which they were measured; a line is one machine, and no two units
meet in one. What cannot be read, and what lacks the row, is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from tollgate import provenance
from tollgate.bench import load_report
from tollgate.errors import Exit, TollgateError, UsageError
from tollgate.printable import plain, printable, shown
from tollgate.records import MachineRun, Results, load
from tollgate.rules import told
from tollgate.table import new_table

if TYPE_CHECKING:
    from tollgate.report.trend import Course, Point

PAGE = "trend.html"
Key = tuple[str, str, str]
"""A suite, a machine's name, and its unit."""


def in_order(paths: Sequence[Path]) -> list[tuple[str, str, Results]]:
    """Each file once: when it was measured, of which commit, and its results; the oldest first.

    A file that has nothing beside it which says so stands by its folder's name.
    """
    found = {}
    for path in paths:
        results = load(path)
        folder = results.path.resolve().parent
        made = provenance.beside(folder)
        when = made.date if made else folder.name
        found[results.path.resolve()] = (when, made.commit if made else "", results)
    return sorted(found.values(), key=lambda each: each[0])


def rows_named(row: str, run: MachineRun) -> list[dict[str, Any]]:
    """The results of a run whose id, or whose suite and id, is `row`."""
    return [r for r in run.results if row in (r["id"], f"{r['suite']} {r['id']}")]


def courses(row: str, files: Sequence[tuple[str, str, Results]], console: Console) -> list[Course]:
    """The row on each machine that has it; UsageError where none has."""
    from tollgate.report.trend import Course, Point

    points: dict[Key, list[Point]] = {}
    spreads: dict[Key, bool] = {}
    known: dict[str, None] = {}
    for when, commit, results in files:
        for run in results.runs:
            if wrong := told(run):
                text = f"left out: {results.path}, {run.name}: {wrong}"
                console.print(plain(text, longest=1000), style="red", soft_wrap=True)
                continue
            known |= dict.fromkeys(result["id"] for result in run.results)
            for result in rows_named(row, run):
                key = (result["suite"], printable(run.name), run.unit)
                figures = (float(result[name]) for name in ("median", "min", "p99", "n"))
                points.setdefault(key, []).append(Point(when, commit, *figures))
                same = result["min"] == result["max"]
                spreads[key] = spreads.get(key, False) or not same
    if not points:
        near = get_close_matches(row, known, 3) or list(known)[:5]
        hint = f" there are {', '.join(near)} and others." if near else ""
        raise UsageError(f"No readable run of these files has a row {row!r};{hint}")
    return [
        Course(machine, row, unit, not spreads[suite, machine, unit], found)
        for (suite, machine, unit), found in points.items()
    ]


def show(course: Course, console: Console) -> None:
    """The figures of one machine, file by file."""
    from tollgate.report.trend import change

    console.print(plain(f"{course.row}: {course.said}"), style="bold")
    table = new_table(["when", "commit", "median", "change", "min", "p99", "n"], 2)
    before: float | None = None
    for point in course.points:
        figures = (shown(point.low), shown(point.p99), shown(point.n))
        moved = change(before, point.median)
        table.add_row(plain(point.when), plain(point.commit), shown(point.median), moved, *figures)
        before = point.median
    console.print(table)


def trend(row: str, paths: Sequence[Path], out: str, console: Console) -> Exit:
    """Print the row over the files, and draw it in the folder `out` ("": this one)."""
    if package := load_report():
        raise TollgateError(f"A trend is drawn by the Python package {package}, which is missing.")
    from tollgate.report.trend import write_trend

    found = courses(row, in_order(paths), console)
    for course in found:
        show(course, console)
    page = Path(out) / PAGE
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        write_trend(row, found, page)
    except OSError as error:
        raise TollgateError(
            f"{page} cannot be written: {error.strerror}; choose another place with OUT=DIR."
        ) from None
    console.print(plain(f"trend: {page}"), soft_wrap=True)
    return Exit.PASS
