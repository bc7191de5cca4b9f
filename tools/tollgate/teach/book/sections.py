"""The figures of the same build, beside the lessons: measured while the book is made."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tollgate.errors import TollgateError
from tollgate.machines.boot import ARCHES, Boot
from tollgate.machines.cleanup import folder
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.show.report.markup import Html, code, esc, raw, tag
from tollgate.teach.book.path import scrolled
from tollgate.teach.lessons import CPU

SUITES = (
    ("suite=toll,exceptions,faults,switch", "samples=10"),
    ("suite=starve", "only=time", "samples=10"),
)
"""Command lines of the boots; a count is the same in every sample."""
SPLIT = tuple(f"{n}-{n + 1}" for n in range(1, 8))
"""The sections, by the measurement points around them."""

Records = Mapping[str, Mapping[str, Any]]
Figures = Mapping[str, Records]
"""The result and skip records of each kernel, by their rows' ids."""


def boots(wanted: Iterable[str] = ARCHES) -> list[Boot]:
    """The lessons' machines, with the command lines that let them count."""
    return [Boot(arch, cpu=CPU[arch], words=words) for arch in wanted for words in SUITES]


def measure(boot: Boot, stop: threading.Event) -> Records:
    """The counts of one of them: its result and skip records, by their rows' ids."""
    with folder() as directory:
        result = run_boot(boot, directory, stop=stop)
    if result.outcome is not Outcome.PASS:
        raise TollgateError(f"{boot.name}: {result.reason or result.outcome.name}.")
    return {record["id"]: record for record in (*result.results, *result.skips)}


def together(measured: Iterable[tuple[Boot, Records]]) -> Figures:
    """The records of each kernel."""
    figures: dict[str, dict[str, Mapping[str, Any]]] = {arch: {} for arch in ARCHES}
    for boot, records in measured:
        figures[boot.arch] |= records
    return figures


def _bar(result: Mapping[str, Any], widest: int) -> Html:
    """The seven sections as one bar; what they are stands in words beside it."""
    parts = []
    at = 0
    for place, section in enumerate(result.get("sections", [])):
        width = section["median"]
        if width:
            parts.append(f'<path class="k{place}" d="M{at} 1h{width}v12h-{width}z"/>')
        at += width
    if not parts:
        parts = [f'<path class="k1" d="M0 1h{result["median"]}v12h-{result["median"]}z"/>']
    return Html(
        f'<svg class="bar" aria-hidden="true" viewBox="0 0 {widest} 14" '
        f'preserveAspectRatio="none">{"".join(parts)}</svg>'
    )


def table(rows: Sequence[Mapping[str, Any]], walked: str) -> Html:
    """Rows of the bench with their sections, the one that was walked marked."""
    widest = max((row["median"] for row in rows if row["type"] == "result"), default=1)
    split = SPLIT if any(row.get("sections") for row in rows) else ()
    made = []
    for row in rows:
        mark = ' class="here"' if row["id"] == walked else ""
        name = tag("th", code(row["id"]), scope="row")
        if row["type"] == "skip":
            text = esc(f"not here: {row['reason']}")
            cells = tag("td", text, colspan=str(len(split) + 2), class_="no")
        else:
            counts = [row["median"], *(s["median"] for s in row.get("sections", []))]
            counts += [""] * (len(split) + 1 - len(counts))
            bar = tag("td", _bar(row, widest), class_="bars")
            cells = raw(*(tag("td", str(count), class_="num") for count in counts), bar)
        made.append(f"<tr{mark}>{name}{cells}</tr>")
    heads = "".join(f'<th scope="col" class="num">{text}</th>' for text in ("instructions", *split))
    head = f'<thead><tr><th scope="col">row</th>{heads}<td></td></tr></thead>'
    return scrolled(f"<table>{head}<tbody>{''.join(made)}</tbody></table>", "Figures")


def of(figures: Figures, arch: str, prefixes: Sequence[str], walked: str) -> Html:
    """The rows whose ids begin so, of this kernel; nothing where there are none."""
    rows = [
        record
        for prefix in prefixes
        for row, record in figures[arch].items()
        if row.startswith(prefix)
    ]
    return table(rows, walked) if rows else raw()
