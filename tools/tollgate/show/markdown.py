"""The tables of results files as Markdown: docs/results.md has those of a sweep.

A figure is the median over all machines of an architecture with the row: one number if they agree,
else the minimum and the maximum.
"""

from collections.abc import Iterable, Mapping, Sequence

from tollgate.printable import whole
from tollgate.records.format import MachineRun, Results
from tollgate.records.provenance import Made
from tollgate.records.rules import told
from tollgate.show.table import UNITS, figure, sentence
from tollgate.suites import find

Cells = Mapping[tuple[str, str], Sequence[float]]
"""Mechanism and variant, and the machines' medians for it."""


def page(files: Sequence[Results], made: Sequence[Made]) -> str:
    """The whole page."""
    runs = [run for results in files for run in results.runs]
    readable = [run for run in runs if not told(run) and not run.outcome]
    parts = [*map(origin, made), "## Machines\n", machines(runs)]
    for unit in dict.fromkeys(run.unit for run in readable):
        of_unit = [run for run in readable if run.unit == unit]
        parts.append(f"## In {unit}\n\n{unit.capitalize()}: {UNITS[unit]}\n")
        for suite in suites_of(of_unit):
            for arch in dict.fromkeys(run.run["arch"] for run in of_unit):
                having = [run for run in of_unit if run.run["arch"] == arch]
                parts += tables(suite, arch, having)
    return "\n".join(parts)


def origin(made: Made) -> str:
    """The origin of a file."""
    return whole(f"`{made.command}` of commit {made.commit}, {made.date}, on {made.host}.") + "\n"


def suites_of(runs: Sequence[MachineRun]) -> list[str]:
    """The suites with rows in these runs, except controls."""
    named = dict.fromkeys(result["suite"] for run in runs for result in run.results)
    return [suite for suite in named if suite != "control"]


def lines(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table; the first `words` columns are words, the others figures."""
    sides = ["---"] * words + ["--:"] * (len(columns) - words)
    return "".join(f"| {' | '.join(map(cell, row))} |\n" for row in (columns, sides, *rows))


def cell(words: str) -> str:
    """A record's words as a cell: without control characters and cell separators."""
    return whole(words).replace("|", "\\|")


def machines(runs: Sequence[MachineRun]) -> str:
    """Every machine, equal ones on one line: their rows, and missing ones with reasons."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        reasons = dict.fromkeys(skip["reason"] for skip in run.skips)
        lacks = "; ".join(sentence(reason) or reason for reason in reasons)
        key = (run.run["arch"], run.run["platform"], told(run) or lacks, str(len(run.results)))
        alike.setdefault(key, []).append(run.run["cpu_model"])
    rows = [[kernel, ", ".join(models), *rest] for (kernel, *rest), models in alike.items()]
    return lines(["kernel", "processors", "platform", "lacks", "rows"], rows, 4)


def tables(suite: str, arch: str, runs: Sequence[MachineRun]) -> list[str]:
    """An architecture's rows of a suite: rows with sections separate from the others."""
    made: list[str] = []
    known = find(suite)
    for probed in (True, False):
        cells: dict[tuple[str, str], list[float]] = {}
        for run in runs:
            for result in run.results:
                if result["suite"] == suite and ("sections" in result) is probed:
                    way, _, variant = result["id"].rpartition("/")
                    value = result["max"] if known and known.worst else result["median"]
                    cells.setdefault((way, variant), []).append(value)
        if cells:
            says = f": {known.says}" if known else ""
            made.append(f"### {whole(suite)}, {whole(arch)}{says}\n" if not made else "")
            made.append(grid(cells) if probed else plain(cells, known is not None and known.worst))
    return made


def grid(cells: Cells) -> str:
    """Mechanisms by variants."""
    ways = dict.fromkeys(way for way, _ in cells)
    variants = list(dict.fromkeys(variant for _, variant in cells))
    rows = [[way, *(span(cells.get((way, variant), [])) for variant in variants)] for way in ways]
    return lines(
        ["way", *variants, "machines"],
        [
            [*row, str(max(len(found) for (of, _), found in cells.items() if of == way))]
            for row, way in zip(rows, ways, strict=True)
        ],
    )


def plain(cells: Cells, worst: bool) -> str:
    """A line for each row; `worst`: for rows whose maximum counts."""
    rows = [
        [f"{way}/{variant}", span(found), str(len(found))]
        for (way, variant), found in cells.items()
    ]
    return lines(["row", "most" if worst else "median", "machines"], rows)


def span(values: Sequence[float]) -> str:
    """One number, or the minimum and the maximum."""
    ends = dict.fromkeys((figure(min(values)), figure(max(values)))) if values else ()
    return "\u2013".join(ends)
