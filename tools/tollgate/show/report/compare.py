"""Several results files side by side: `tollgate compare A B ... --out DIR` writes compare.html.

A column is a machine in one file: up to eight stand beside one another. Up to eight machines in
more columns have one each, and each file a line. Beyond eight machines, or eight files of a
machine, there is a chart by processor, and of each row the least and the most. No two units meet
in a table or a chart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low

from altair.utils.schemapi import debug_mode

from tollgate.records.format import MachineRun
from tollgate.records.provenance import Made
from tollgate.show.compare import letter
from tollgate.show.report import attachments, charts
from tollgate.show.report.attachments import PLUS_MINUS
from tollgate.show.report.markup import (
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
from tollgate.show.report.model import (
    SIDE_BY_SIDE,
    Machine,
    Row,
    fields,
    read_machine,
    shown,
    text,
    woven,
)
from tollgate.show.report.page import contents, document

TITLE = "Side by side"
STANDARD = "/standard"
MOST_CHARTS = 12
"""Charts by processor of a suite; of rows with variants those of the whole call."""
CHANGE = (
    "A figure in brackets is the change since the first file that has this machine. There is none "
    "where the two figures are equal, or where the 95 % intervals of the two medians meet."
)
Kind = tuple[str, str, str, str]


@dataclass(frozen=True)
class Column:
    """One machine in one file, all its boots; `place` is the file's, from 0."""

    place: int
    machines: tuple[Machine, ...]

    @property
    def unit(self) -> str:
        """What its figures count."""
        return self.machines[0].unit

    @property
    def kind(self) -> Kind:
        """What is equal for one machine in several files."""
        return kind(self.machines[0])

    @property
    def name(self) -> str:
        """The file's letter, and the machine in a few words."""
        return f"{letter(self.place)} {self.machine}"

    @property
    def machine(self) -> str:
        """The machine in a few words."""
        arch, platform, model, _ = self.kind
        return f"{arch} {model} ({platform})"

    @property
    def short(self) -> str:
        """File and machine without the platform, for beside a bar."""
        return " ".join((letter(self.place), self.kind[0], self.kind[2]))

    def rows(self, suite: str) -> list[Row]:
        """The rows of a suite that have a figure."""
        return [row for machine in self.machines for row in machine.of(suite)]

    def row(self, suite: str, name: str) -> Row | None:
        """A row of it that has a figure; of several boots the least."""
        return min((r for r in self.rows(suite) if r.id == name), key=cost, default=None)


def kind(machine: Machine) -> Kind:
    """Architecture, platform, model (or the processor's own name) and unit."""
    model = machine.word("cpu_model") or text(fields(machine.run.get("cpu")).get("brand"))
    return machine.word("arch"), machine.word("platform"), model, machine.unit


def cost(row: Row) -> float:
    """What counts of a row: the median; of a path under many conditions the worst."""
    return row.stats["max" if row.condition else "median"] or 0.0


def columns_of(files: Sequence[Sequence[MachineRun]]) -> list[Column]:
    """The readable machines of all files that have figures, those of one machine together."""
    found: dict[Kind, dict[int, list[Machine]]] = {}
    for place, runs in enumerate(files):
        for number, run in enumerate(runs, start=1):
            machine = read_machine(number, run)
            if not machine.faults and machine.rows:
                found.setdefault(kind(machine), {}).setdefault(place, []).append(machine)
    return [
        Column(place, tuple(boots)) for of in found.values() for place, boots in sorted(of.items())
    ]


def cell(row: Row | None, first: Row | None = None) -> Html:
    """A figure, how far it is certain where its samples spread, and what it has become since the
    `first` file: nothing where it is the same, or may be."""
    if row is None:
        return raw()
    words = shown(cost(row))
    if row.sure is not None and not row.condition:
        words += f" {PLUS_MINUS}{shown(max(cost(row) - row.sure[0], row.sure[1] - cost(row)))}"
    if first is None or not apart(first, row):
        return esc(words)
    more = cost(row) - cost(first)
    return raw(esc(words), " ", tag("b", esc(f"({'+' if more > 0 else ''}{shown(more)})")))


def apart(first: Row, second: Row) -> bool:
    """Whether two figures differ by more than their samples leave open."""
    ends = [row.sure or (cost(row), cost(row)) for row in (first, second)]
    return ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]


def cells(columns: Sequence[Column], suite: str, name: str) -> list[Html]:
    """A row's figure in each of these columns, each beside that of its machine's first file."""
    first: dict[Kind, Row] = {}
    made = []
    for each in columns:
        row = each.row(suite, name)
        made.append(cell(row, first.get(each.kind)))
        if row:
            first.setdefault(each.kind, row)
    return made


def side_by_side(suite: str, unit: str, columns: Sequence[Column], rows: Sequence[str]) -> Html:
    """A column for each machine, in each file where all of them have room; else a line for each
    file."""
    caption = f"{suite}, in {unit}: {counted(columns)}"
    if len(columns) <= SIDE_BY_SIDE:
        lines = [[code(name), *cells(columns, suite, name)] for name in rows]
        return table(caption, ["row", *(each.name for each in columns)], lines, len(columns))
    machines = {each.kind: each.machine for each in columns}
    places = sorted({each.place for each in columns})
    lines = []
    for name in rows:
        made = zip(columns, cells(columns, suite, name), strict=True)
        found = {(each.kind, each.place): words for each, words in made}
        for place in places:
            of = [found.get((machine, place), raw()) for machine in machines]
            lines += [[code(name), esc(letter(place)), *of]] if any(of) else []
    heads = ["row", "file", *machines.values()]
    return tag("div", table(caption, heads, lines, len(machines)), class_="dense")


def counted(columns: Sequence[Column]) -> str:
    """How many machines in how many files."""
    machines = len({each.kind for each in columns})
    places = len({each.place for each in columns})
    return (
        f"{machines} {'machine' if machines == 1 else 'machines'} in "
        f"{places} {'file' if places == 1 else 'files'}"
    )


def has_room(columns: Sequence[Column]) -> bool:
    """Whether no more machines than a table has columns, and none in more files than a row has
    lines."""
    kinds = [each.kind for each in columns]
    return len(set(kinds)) <= SIDE_BY_SIDE and max(map(kinds.count, kinds)) <= SIDE_BY_SIDE


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
    heads = ["row", "least on", "most on", "figures", "least", "middle", "most"]
    caption = f"{suite}, in {unit}: the least and the most, {counted(columns)}"
    return table(caption, heads, lines, numeric=4)


def parts(columns: Sequence[Column]) -> Iterable[tuple[str, str, Html]]:
    """A chapter for each suite in each unit: title, anchor and content."""
    units: Mapping[str, None] = dict.fromkeys(each.unit for each in columns)
    for unit in units:
        having = [each for each in columns if each.unit == unit]
        suites = dict.fromkeys(
            row.suite
            for each in having
            for machine in each.machines
            for row in machine.rows
            if row.suite != "control"
        )
        for suite in suites:
            of = [each for each in having if each.rows(suite)]
            rows = woven([row.id for row in each.rows(suite)] for each in of)
            if not rows:
                continue
            content = (
                side_by_side(suite, unit, of, rows)
                if has_room(of)
                else raw(by_processor(suite, unit, of, rows), extremes(suite, unit, of, rows))
            )
            yield f"{suite}, in {unit}", f"{suite}-{unit}", content


def legend(paths: Sequence[str], made: Sequence[Made | None], said: Sequence[str]) -> Html:
    """Which file has which letter, where it comes from, and how it compares with the first."""
    lines = [
        [
            tag("b", esc(letter(place))),
            Html(esc(path).replace("/", "/<wbr>")),
            *(esc(text(getattr(of, key)) if of else "") for key in ("commit", "date", "host")),
            esc(verdict),
        ]
        for place, (path, of, verdict) in enumerate(zip(paths, made, ["", *said], strict=True))
    ]
    return table("The files", ["file", "path", "commit", "date", "host", "beside A"], lines)


def write_comparison(
    files: Sequence[Sequence[MachineRun]],
    paths: Sequence[str],
    made: Sequence[Made | None],
    said: Sequence[str],
    warned: Sequence[str],
    path: Path,
) -> None:
    """Write the page, and its files beside it; OSError when that cannot be.

    `said` is the verdict on each file but the first, beside it; `warned` are sentences, each of
    which names a file that is not whole, or two that cannot be compared or were not measured alike.
    """
    with debug_mode(False):
        columns = columns_of(files)
        found = list(parts(columns))
        head = tag("header", raw(tag("p", "Tollgate", class_="name"), tag("h1", esc(TITLE))))
        notes = [paragraph(f"A and B: {each}", class_="lead") for each in said if len(said) == 1]
        notes += [paragraph(CHANGE)] if len(files) > 1 else []
        notes += [paragraph(each, class_="warning") for each in warned]
        links = contents([(title, anchor) for title, anchor, _ in found])
        shut = len(found) > 1
        chapters = (
            chapter(title, anchor, content, shown=not shut or place == 0, paper=True)
            for place, (title, anchor, content) in enumerate(found)
        )
        body = raw(head, *notes, legend(paths, made, said), *chapters)
        page = document(f"Tollgate: {TITLE}", body, links)
    path.write_text(page, encoding="utf-8")
    attachments.write(page, path.parent)
