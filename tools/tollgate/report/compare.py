"""Several results files side by side: `tollgate compare A B ... --out DIR` writes compare.html.

Up to eight machines have a column each; of more there is a chart by processor, and of each row the
least and the most. No two units meet in a table or a chart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from string import ascii_uppercase

from altair.utils.schemapi import debug_mode

from tollgate.provenance import Made
from tollgate.records import MachineRun
from tollgate.report import beside, charts
from tollgate.report.markup import (
    Html,
    chapter,
    code,
    esc,
    figure,
    paragraph,
    raw,
    slug,
    table,
    tag,
)
from tollgate.report.model import SIDE_BY_SIDE, Machine, Row, read_machine, shown, text, woven
from tollgate.report.page import contents, document

TITLE = "Side by side"
STANDARD = "/standard"
MOST_CHARTS = 12
"""Charts by processor of a suite; of rows with variants those of the whole call."""
PLUS_MINUS = "\u00b1"


@dataclass(frozen=True)
class Column:
    """One machine in one file; `letter` is the file's."""

    letter: str
    machine: Machine

    @property
    def kind(self) -> tuple[str, ...]:
        """What is equal for one machine in several files."""
        return tuple(self.machine.word(key) for key in ("arch", "platform", "cpu_model"))

    @property
    def name(self) -> str:
        """The file's letter, and the machine in a few words."""
        arch, platform, model = self.kind
        return f"{self.letter} {arch} {model} ({platform})"

    @property
    def short(self) -> str:
        """The same without the platform, for beside a bar."""
        return " ".join((self.letter, self.kind[0], self.kind[2]))

    def row(self, suite: str, name: str) -> Row | None:
        """A row of it that has a figure."""
        found = (row for row in self.machine.of(suite) if row.id == name)
        return min(found, key=cost, default=None)


def cost(row: Row) -> float:
    """What counts of a row: the median; of a path under many conditions the worst."""
    return row.stats["max" if row.condition else "median"] or 0.0


def columns_of(files: Sequence[Sequence[MachineRun]]) -> list[Column]:
    """The readable machines of all files that have figures, those of one machine together."""
    found = [
        Column(ascii_uppercase[place % 26], read_machine(number, run))
        for place, runs in enumerate(files)
        for number, run in enumerate(runs, start=1)
    ]
    having = [each for each in found if not each.machine.faults and each.machine.rows]
    kinds = list(dict.fromkeys(each.kind for each in having))
    return sorted(having, key=lambda each: (kinds.index(each.kind), each.letter))


def cell(row: Row | None) -> Html:
    """A figure, and how far it is certain where its samples spread."""
    if row is None:
        return raw()
    if row.sure is None or row.condition:
        return esc(shown(cost(row)))
    off = max(cost(row) - row.sure[0], row.sure[1] - cost(row))
    return esc(f"{shown(cost(row))} {PLUS_MINUS}{shown(off)}")


def apart(first: Row, second: Row) -> bool:
    """Whether two figures differ by more than their samples leave open."""
    ends = [row.sure or (cost(row), cost(row)) for row in (first, second)]
    return ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]


def change(first: Row | None, second: Row | None) -> Html:
    """What a figure has become; nothing where it is the same, or may be."""
    if first is None or second is None or not apart(first, second):
        return raw()
    more = cost(second) - cost(first)
    return tag("b", esc(f"{'+' if more > 0 else ''}{shown(more)}"))


def pairs(columns: Sequence[Column]) -> list[list[Column]]:
    """The columns of each machine."""
    kinds = dict.fromkeys(each.kind for each in columns)
    return [[each for each in columns if each.kind == kind] for kind in kinds]


def side_by_side(suite: str, unit: str, columns: Sequence[Column], rows: Sequence[str]) -> Html:
    """A column for each machine, and what has changed where it stands in two files."""
    heads: list[str] = []
    groups = pairs(columns)
    for group in groups:
        heads += [each.name for each in group] + (["change"] if len(group) == 2 else [])
    lines = []
    for name in rows:
        cells: list[Html] = []
        for group in groups:
            found = [each.row(suite, name) for each in group]
            cells += map(cell, found)
            cells += [change(*found)] if len(found) == 2 else []
        lines.append([code(name), *cells])
    caption = f"{suite}, in {unit}: medians of {len(columns)} boots"
    return table(caption, ["row", *heads], lines, numeric=len(heads))


def by_processor(suite: str, unit: str, columns: Sequence[Column], rows: Sequence[str]) -> Html:
    """A chart for each of the rows that matter most, a bar for each machine."""
    asked = [name for name in rows if name.endswith(STANDARD)] or list(rows)
    groups = []
    for name in asked[:MOST_CHARTS]:
        found = [(each, each.row(suite, name)) for each in columns]
        bars = [
            charts.Line(
                each.short,
                charts.whole("", cost(row), means=f"{each.name}: {shown(cost(row))}").pieces,
                shown(cost(row)),
                sure=row.sure,
            )
            for each, row in found
            if row
        ]
        groups.append((name, bars))
    caption = (
        f"{suite}: medians in {unit} by processor, {len(groups)} of {len(rows)} rows."
        f"{charts.sure_note(bar.sure for _, bars in groups for bar in bars)}"
    )
    panels = []
    for name, bars in groups:
        scale = charts.scale_of(unit, [(name, bars)], NAMES)
        file = f"by-processor-{slug(suite)}-{slug(unit)}-{slug(name)}"
        panels.append(charts.bars([(name, bars)], scale, file, f"{name}. {caption}"))
    return figure(panels, caption)


NAMES = 190
"""px for the name of a machine."""


def extremes(suite: str, unit: str, columns: Sequence[Column], rows: Sequence[str]) -> Html:
    """Of each row the least and the most, the machine in the middle, and whose they are."""
    lines = []
    for name in rows:
        found = [(cost(row), each.name) for each in columns if (row := each.row(suite, name))]
        least, most = min(found), max(found)
        middle = median_low([value for value, _ in found])
        figures = [shown(value) for value in (len(found), least[0], middle, most[0])]
        lines.append([code(name), esc(least[1]), esc(most[1]), *map(esc, figures)])
    heads = ["row", "least on", "most on", "boots", "least", "middle", "most"]
    caption = f"{suite}, in {unit}: over {len(columns)} boots"
    return table(caption, heads, lines, numeric=4)


def parts(columns: Sequence[Column]) -> Iterable[tuple[str, str, Html]]:
    """A chapter for each suite in each unit: title, anchor and content."""
    units: Mapping[str, None] = dict.fromkeys(each.machine.unit for each in columns)
    for unit in units:
        having = [each for each in columns if each.machine.unit == unit]
        suites = dict.fromkeys(
            row.suite for c in having for row in c.machine.rows if row.suite != "control"
        )
        for suite in suites:
            of = [each for each in having if each.machine.of(suite)]
            rows = woven([row.id for row in each.machine.of(suite)] for each in of)
            if not rows:
                continue
            content = (
                side_by_side(suite, unit, of, rows)
                if len(of) <= SIDE_BY_SIDE
                else raw(by_processor(suite, unit, of, rows), extremes(suite, unit, of, rows))
            )
            yield f"{suite}, in {unit}", f"{suite}-{unit}", content


def legend(paths: Sequence[str], made: Sequence[Made | None]) -> Html:
    """Which file has which letter, and where it comes from."""
    lines = [
        [
            tag("b", esc(ascii_uppercase[place % 26])),
            esc(path),
            *(esc(text(getattr(of, key)) if of else "") for key in ("commit", "date", "host")),
        ]
        for place, (path, of) in enumerate(zip(paths, made, strict=True))
    ]
    return table("The files", ["file", "path", "commit", "date", "host"], lines)


def write_comparison(
    files: Sequence[Sequence[MachineRun]],
    paths: Sequence[str],
    made: Sequence[Made | None],
    said: Sequence[str],
    warned: Sequence[str],
    path: Path,
) -> None:
    """Write the page, and its files beside it; OSError when that cannot be.

    `said` is the verdict on each file beside the first, `warned` what makes them incomparable.
    """
    with debug_mode(False):
        columns = columns_of(files)
        found = list(parts(columns))
        head = tag("header", raw(tag("p", "Tollgate", class_="name"), tag("h1", esc(TITLE))))
        notes = [paragraph(each, class_="lead") for each in said]
        notes += [paragraph(f"Not measured alike: {w}.", class_="warning") for w in warned]
        links = contents([(title, anchor) for title, anchor, _ in found])
        shut = len(found) > 1
        chapters = (
            chapter(title, anchor, content, shown=not shut or place == 0, paper=True)
            for place, (title, anchor, content) in enumerate(found)
        )
        body = raw(head, *notes, legend(paths, made), *chapters)
        page = document(f"Tollgate: {TITLE}", body, links)
    path.write_text(page, encoding="utf-8")
    beside.write(page, path.parent)
