"""The toll tables on a terminal: one per machine, all figures of a table in one unit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tollgate.printable import LONGEST, plain
from tollgate.records.format import MachineRun, Results
from tollgate.records.parts import around
from tollgate.records.rules import faults
from tollgate.show import wisconsin
from tollgate.show.published import Beside, beside, core_cycles
from tollgate.show.summary import places

WIDTH = 101
"""Columns if there is no terminal."""

POINTS = tuple(f"MP{number}" for number in range(1, 9))
SECTIONS = tuple(pairwise(POINTS))

SENTENCES = (
    (r"^CPUID.*EDX\.SEP\[", "this processor has no SYSENTER"),
    (r"^CPUID.*EDX\.SYSCALL\[", "this processor has no SYSCALL"),
    (r"^CPUID\.01H:EAX < 633H", "the Pentium Pro reports SYSENTER and does not have it"),
    (r"^AMD: SYSENTER", "AMD's processors refuse SYSENTER in long mode"),
    (r"^Intel: SYSCALL", "Intel's processors have SYSCALL in 64-bit mode only"),
)
"""The meaning of the reasons in skip records, in words."""


def make_console(stderr: bool = False) -> Console:
    """A console that does not cut tables if the output is a file or a pipe."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console = Console(stderr=stderr, highlight=False, width=WIDTH)
    return console


def figure(value: float | None) -> str:
    """A figure, short but exact: whole numbers without decimals, others with two."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else f"{value:.2f}"


def cost(value: float | None) -> str:
    """A cost as text; a negative one is noise."""
    return "noisy" if value is not None and value < 0 else figure(value)


def median(result: Mapping[str, Any]) -> str:
    """A row's median, with a mark if it is uncertain."""
    return ("~" if result.get("doubted") else "") + cost(result["median"])


def sentence(reason: str) -> str:
    """The meaning of a skip's reason, in words; empty for a clear reason."""
    return next((words for pattern, words in SENTENCES if re.search(pattern, reason)), "")


def _sections(result: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {(part["from"], part["to"]): part["median"] for part in result.get("sections", [])}


def _split(identity: str) -> tuple[str, str]:
    way, _, variant = identity.rpartition("/")
    return way, variant


def new_table(columns: Iterable[str], left: int, narrow: bool = False) -> Table:
    """A table without rows; the first `left` columns are words."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0 if narrow else 1, 0, 0))
    for number, column in enumerate(columns):
        table.add_column(
            plain(column), justify="left" if number < left else "right", overflow="fold"
        )
    return table


def toll_table(run: MachineRun, results: Sequence[dict[str, Any]], narrow: bool) -> Table:
    """The table of a suite whose rows have sections: totals, the eight points, the residue.

    A narrow one, or one with nanoseconds besides cycles, omits the mean over a batch.
    """
    hertz = run.run["tsc_hz"] if run.unit == "cycles" else 0
    narrow = narrow or bool(hertz)
    heads = [f"{start[2:]}-{end[2:]}" for start, end in SECTIONS]
    cores = any(core_cycles(result) for result in results)
    totals = ["median", *(["core"] if cores else []), *(["ns"] if hertz else []), "p99"]
    totals += [] if narrow else ["batch"]
    table = new_table(["way in", "variant", "paper", *totals, *heads, "residue"], 3, narrow)
    for way, rows in groupby(results, key=lambda result: _split(result["id"])[0]):
        for number, result in enumerate(rows):
            parts = _sections(result)
            rate = 1e9 / hertz if hertz and result["median"] >= 0 else 0
            nanoseconds = [f"{result['median'] * rate:.1f}" if rate else ""] if hertz else []
            table.add_row(
                plain("" if number else way),
                plain(_split(result["id"])[1]),
                plain(result["label"]),
                Text(median(result), style="bold"),
                *([figure(round(core_cycles(result) or 0, 1))] if cores else []),
                *nanoseconds,
                figure(result["p99"]),
                *([] if narrow else [figure(result.get("batch"))]),
                *(figure(parts.get(section)) for section in SECTIONS),
                figure(result.get("residue")),
            )
    return table


def parts_table(results: Sequence[dict[str, Any]], parted: Sequence[dict[str, Any]]) -> Table:
    """Rows with parts around the entry: the path without them, the parts, and both together."""
    paths = {result["id"]: result["median"] for result in results}
    table = new_table(["way in", "around it", "path", "parts", "median", "p99", "residue"], 2)
    for result in parted:
        end = around(result["id"])
        path = paths.get(result["id"].removesuffix(end))
        table.add_row(
            plain(_split(result["id"])[0]),
            plain(end),
            figure(path),
            figure(None if path is None else result["median"] - path),
            Text(median(result), style="bold"),
            figure(result["p99"]),
            figure(result.get("residue")),
        )
    return table


def grid_table(results: Sequence[dict[str, Any]]) -> Table:
    """The medians of a suite whose rows have sections: mechanisms by variants, and the residues."""
    variants = list(dict.fromkeys(_split(result["id"])[1] for result in results))
    table = new_table(["", *variants, "residue"], 1)
    for way, rows in groupby(results, key=lambda result: _split(result["id"])[0]):
        of_way = {_split(result["id"])[1]: result for result in rows}
        medians = (median(of_way[v]) if v in of_way else "" for v in variants)
        residues = {figure(r["residue"]): None for r in of_way.values() if "residue" in r}
        table.add_row(plain(way), *medians, ", ".join(residues))
    return table


def suite_table(
    run: MachineRun, suite: str, results: Sequence[dict[str, Any]], narrow: bool
) -> Table:
    """The table of a suite, according to its rows; only the toll is known by name here."""
    if not any("sections" in result for result in results):
        return plain_table(results)
    return toll_table(run, results, narrow) if suite == "toll" else grid_table(results)


def plain_table(results: Sequence[dict[str, Any]]) -> Table:
    """The table of a suite whose rows are totals only."""
    if all("condition" in result for result in results):
        return worst_table(results)
    table = new_table(["row", "n", "min", "median", "p99", "max"], 1)
    for result in results:
        n, least, p99, most = (cost(result[key]) for key in ("n", "min", "p99", "max"))
        table.add_row(plain(result["id"]), n, least, median(result), p99, most)
    return table


def worst_table(results: Sequence[dict[str, Any]]) -> Table:
    """The table of paths measured under many conditions."""
    table = new_table(["row", "conditions", "plain", "least", "most", "under"], 1)
    table.columns[-1].justify = "left"
    for result in results:
        figures = (figure(result.get(key)) for key in ("n", "plain", "min", "max"))
        table.add_row(plain(result["id"]), *figures, plain(result["condition"], longest=WORDS))
    return table


WORDS = 200
"""Characters for a set of conditions in words."""


def beside_table(found: Sequence[Beside]) -> Table:
    """Rows with published figures of the nearest processor, in one unit."""
    table = new_table(["row", "operation", "processor", "source", "here", "core", "there"], 4)
    for each in found:
        row = each.published
        words = (each.id, row.operation, row.cpu, f"{row.source} {row.year}".strip())
        core = figure(None if each.core is None else round(each.core, 1))
        table.add_row(*map(plain, words), figure(each.median), core, row.value)
    return table


def print_beside(run: MachineRun, console: Console) -> None:
    """Print published figures of a similar processor, if the unit is the same."""
    found = list(beside(run))
    if found:
        heading = f"{run.name}: beside the nearest that is published, in cycles"
        console.print(plain(heading), style="bold")
        console.print(beside_table(found))
    elif run.unit == "cycles":
        brand = run.run["cpu"]["brand"] or run.run["cpu"]["vendor"]
        text = f"{run.name}: of no processor near to {brand} a figure in cycles is published."
        console.print(plain(text), soft_wrap=True)


def skip_lines(skips: Sequence[dict[str, Any]]) -> list[str]:
    """One line for all rows that a machine lacks for one reason."""
    ways: dict[str, dict[str, int]] = {}
    for skip in skips:
        counts = ways.setdefault(skip["reason"], {})
        way = _split(skip["id"])[0]
        counts[way] = counts.get(way, 0) + 1
    lines = []
    for reason, counts in ways.items():
        rows = sum(counts.values())
        words, source = sentence(reason), reason.partition(": ")[2] or reason
        explained = f"{words} ({source})" if words else reason
        lines.append(f"not here: {', '.join(counts)} ({rows} rows): {explained}")
    return lines


MOST = 10
"""Listed faults of one boot; of the others only the number."""


def print_faults(run: MachineRun, where: str, console: Console) -> bool:
    """Print the faults in a boot's records, from the file `where`; return whether there are any."""
    found = faults(run)
    if not found:
        return False
    heading = f"{run.name}: UNREADABLE, none of its figures is shown."
    console.print(plain(heading), style="red", soft_wrap=True)
    for fault in found[:MOST]:
        text = f"  {where}, {fault}" if where else f"  {fault}"
        console.print(plain(text, longest=2 * LONGEST), style="red", soft_wrap=True)
    if len(found) > MOST:
        console.print(plain(f"  and {len(found) - MOST} more"), style="red")
    return True


def outcome_line(run: MachineRun) -> str:
    """The outcome of a boot that was meant to end differently; empty for the others."""
    outcome = run.outcome
    if outcome is None:
        return ""
    tried = "/".join(word for word in (outcome["suite"], outcome["id"]) if word)
    return f"{run.name}: {tried}: {outcome['ended']}, as expected: {outcome['chain']}"


def print_run(run: MachineRun, console: Console, where: str = "") -> None:
    """Print one machine's tables and missing rows; for an unreadable one, only the reason.

    `where` is the file of its records.
    """
    if print_faults(run, where, console):
        return
    if line := outcome_line(run):
        console.print(plain(line), soft_wrap=True)
        return
    by_suite: dict[str, list[dict[str, Any]]] = {}
    for result in run.results:
        marked = {**result, "doubted": (result["suite"], result["id"]) in run.doubts}
        by_suite.setdefault(result["suite"], []).append(marked)
    controls = by_suite.pop("control", [])
    for suite, results in by_suite.items():
        for probed in (True, False):  # a table for the rows with sections, one for the others
            rows = [result for result in results if ("sections" in result) is probed]
            if not rows:
                continue
            if suite == wisconsin.SUITE:
                print_database(run, console)
                continue
            whole = [result for result in rows if suite != "toll" or not around(result["id"])]
            parted = [result for result in rows if suite == "toll" and around(result["id"])]
            heading = f"{run.name}: {suite}, {'round trips ' if probed else ''}in {run.unit}"
            if whole:
                console.print(plain(heading), style="bold")
                console.print(suite_table(run, suite, whole, narrow=console.width < WIDTH))
            if parted:
                console.print(plain(f"{heading}, with parts around the entry"), style="bold")
                console.print(parts_table(whole, parted))
    print_beside(run, console)
    if controls:
        medians = {result["id"]: figure(result["median"]) for result in controls}
        console.print(plain("controls: " + ", ".join(f"{k} {v}" for k, v in medians.items())))
    for line in [*places(run), *skip_lines(run.skips)]:
        console.print(plain(line))
    for noisy in run.noisy:
        text = f"~ noisy: {noisy['suite']} {noisy['id']}: {noisy['reason']}"
        console.print(plain(text), style="yellow", soft_wrap=True)
    console.print()


def print_database(run: MachineRun, console: Console) -> None:
    """Print the tables of the suite `wisconsin`."""
    figures = {(result["suite"], result["id"]): result for result in run.results}
    for made in wisconsin.tables(wisconsin.Boot(run.run["arch"], figures, run.unit == "cycles")):
        heading = f"{run.name}: {wisconsin.SUITE}, {made.caption}, in {run.unit}"
        console.print(plain(heading, longest=2 * LONGEST), style="bold", soft_wrap=True)
        table = new_table(made.columns, made.words, narrow=True)
        for line in made.lines:
            table.add_row(*map(plain, line))
        console.print(table)


def print_results(results: Results, console: Console) -> None:
    """Print all machines of a file, and once a note about their units."""
    for run in results.runs:
        print_run(run, console, str(results.path))
    units = {run.unit for run in results.runs}
    for unit, words in UNITS.items():
        if unit in units:
            console.print(plain(f"{unit}: {words}"))
    if results.missing:
        names = ", ".join(results.missing)
        text = f"{results.path} is not whole: there are no records of {names}."
        console.print(plain(text, longest=2 * LONGEST), style="red", soft_wrap=True)


UNITS = {
    "instructions": "what the path executes, exact and repeatable; a bare gate costs 2 by "
    "construction (SYSENTER 4), so the ranks of gates need silicon.",
    "host ticks": "the host's clock while an emulator works: noisy, and no processor's cost.",
    "cycles": "the processor's time-stamp counter.",
}
