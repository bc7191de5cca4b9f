"""The result: the cost of a call by each mechanism, as a sentence and a chart, with Linux's."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.records.parts import DEFAULT, around
from tollgate.show.published import Published, load
from tollgate.show.report import charts, theme
from tollgate.show.report.markup import Html, esc, figure, paragraph, raw, swatches, tag
from tollgate.show.report.model import Machine, Row, platforms, samples, shown, span, woven

WAYS = {
    "int": "INT 80h",
    "callgate": "call gate",
    "sysenter": "SYSENTER",
    "syscall": "SYSCALL",
    "call": "call, in ring 0",
}
"""A readable name for a mechanism; others use their id."""
ASKED = ("user/", "trusted/call/")
"""Prefixes of rows in the result: from ring 3, and the call that needs no gate."""
LINUX = re.compile(
    r"^Linux (?P<version>[\d.]+), (?:mitigations )?(?P<built>default|off|minimal), in "
)
CHOSEN = re.compile(r"in force: ([\w, ]+)")
"""The mitigations in the conditions of a published figure."""
OPERATION = re.compile(r"^getpid, (?P<way>syscall|sysenter|int 0x80)\b")
THEIRS = {"syscall": "syscall", "sysenter": "sysenter", "int 0x80": "int"}
"""Linux's mechanisms in the published figures, and ours."""


@dataclass(frozen=True)
class Range:
    """The clean medians of one row over all machines of one unit and one architecture."""

    arch: str
    id: str
    label: str
    low: float
    high: float

    @property
    def text(self) -> str:
        return span([self.low, self.high])

    @property
    def way(self) -> str:
        """Its mechanism in words."""
        mechanism = self.id.split("/")[1] if "/" in self.id else self.id
        return WAYS.get(mechanism, mechanism)


def ranges(machines: Sequence[Machine]) -> list[Range]:
    """Minimum and maximum clean median of each row per architecture, in the machines' unit."""
    found: dict[tuple[str, str], list[Row]] = {}
    for machine in machines:
        for row in machine.toll:
            found.setdefault((machine.word("arch"), row.id), []).append(row)
    spans = []
    for (arch, row_id), rows in found.items():
        medians = [row.median or 0.0 for row in rows]
        spans.append(Range(arch, row_id, rows[0].label, min(medians), max(medians)))
    order = woven([row.id for row in machine.toll] for machine in machines)
    return sorted(spans, key=lambda r: (r.arch != "i386", r.arch, order.index(r.id)))


def calls(machines: Sequence[Machine]) -> dict[str, list[Range]]:
    """The complete call by each mechanism in the result, for each architecture."""
    found: dict[str, list[Range]] = {}
    for each in ranges(machines):
        if each.id.startswith(ASKED) and each.id.endswith("/standard"):
            found.setdefault(each.arch, []).append(each)
    return found


@dataclass(frozen=True)
class Linux:
    """Linux's getpid by one mechanism: minimal, with mitigations=off, and with the chosen ones."""

    version: str
    arch: str
    cpu: str
    way: str
    figures: Mapping[str, float]
    """By BUILT."""
    chosen: str
    """The flaws that it chose to mitigate on this processor."""


def linux(unit: str, published: Sequence[Published]) -> list[Linux]:
    """Linux's calls in this unit for which one version has all three figures."""
    found: dict[tuple[str, str, str, str], dict[str, Published]] = {}
    for row in published:
        source, operation = LINUX.match(row.source), OPERATION.match(row.operation)
        arch, _, cpu = row.cpu.partition(", ")
        if source and operation and row.unit == unit:
            key = (source["version"], arch, cpu, THEIRS[operation["way"]])
            found.setdefault(key, {})[source["built"]] = row
    return [
        Linux(*key, {built: of[built].low or 0.0 for built in BUILT}, said[1])
        for key, of in found.items()
        if of.keys() >= BUILT.keys() and (said := CHOSEN.search(of["default"].conditions))
    ]


BUILT = {
    "minimal": ("other", "minimal"),
    "off": ("full", "what Debian's kernel adds with mitigations=off"),
    "default": ("more", "what the mitigations add that it chose"),
}
"""The three builds of Linux: the colour of a piece of its bar, and the piece's meaning."""


def beside(machines: Sequence[Machine]) -> dict[str, list[Linux]]:
    """Linux's calls for comparison, by architecture: on a measured processor if possible."""
    if not machines:
        return {}
    chosen: dict[str, list[Linux]] = {}
    measured = {machine.word("cpu_model") for machine in machines}
    theirs = linux(machines[0].unit, load())
    for arch in dict.fromkeys(machine.word("arch") for machine in machines):
        own = [each for each in theirs if each.arch == arch]
        cpus = list(dict.fromkeys(each.cpu for each in own))
        best = min(cpus, key=lambda cpu: (cpu not in measured, cpus.index(cpu)), default="")
        if own:
            order = list(WAYS)
            of_best = [each for each in own if each.cpu == best]
            chosen[arch] = sorted(of_best, key=lambda each: order.index(each.way))
    return chosen


def by_ways(members: Sequence[Range]) -> str:
    """A range in words: minimum and maximum, each with its mechanisms."""
    asked = [each for each in members if each.id.startswith("user/")]
    if not asked:
        return ""
    low, high = min(each.low for each in asked), max(each.high for each in asked)
    cheap = ", ".join(each.way for each in asked if each.low == low)
    dear = ", ".join(each.way for each in asked if each.high == high)
    return f"{shown(low)} ({cheap})" + (f" to {shown(high)} ({dear})" if high > low else "")


def sentence(machines: Sequence[Machine]) -> str:
    """The result for machines of one unit; "" without a call from ring 3."""
    parts = [
        f"{words} on {arch}"
        for arch, members in calls(machines).items()
        if (words := by_ways(members))
    ]
    if not parts:
        return ""
    said = f"A system call from ring 3 and back takes {' and '.join(parts)}, in {machines[0].unit}."
    return said + linux_sentence(machines)


def linux_sentence(machines: Sequence[Machine]) -> str:
    """Linux's cost of the same; "" if not published in this unit."""
    of_arch = beside(machines)
    arch = "amd64" if "amd64" in of_arch else next(iter(of_arch), "")
    if not arch:
        return ""
    each = next((e for e in of_arch[arch] if e.way == "syscall"), of_arch[arch][0])
    minimal, off, most = map(shown, each.figures.values())
    return (
        f" Linux {each.version} on {arch} takes {minimal} by {WAYS[each.way]} if built minimal, "
        f"{off} as Debian builds it, with mitigations=off, and {most} with those that it chose."
    )


def our_group(arch: str, machines: Sequence[Machine], members: Sequence[Range]) -> charts.Group:
    """The bars of one architecture."""
    unit = machines[0].unit
    models = dict.fromkeys(m.word("cpu_model") for m in machines if m.word("arch") == arch)
    who = ", ".join(models) if len(models) <= MOST_NAMED else f"{len(models)} processors"
    lines = [
        charts.Line(
            each.way,
            [charts.Piece(each.high, theme.ACCENT, f"{arch} {each.id}: {each.text} {unit}")],
            each.text,
        )
        for each in members
    ]
    return f"{arch}: {who}", [*lines, *parts_line(arch, machines)]


PARTED = "user/syscall/standard"
"""The row with parts around it that has a bar."""
PIECES = {"path": "accent", "gate": "ink", "parts": "s2"}
"""The pieces of that bar, and their colours."""


def parts_line(arch: str, machines: Sequence[Machine]) -> list[charts.Line]:
    """A bar for one set of parts around SYSCALL: the path, its gate, the parts; none without."""
    found = {each.id: each.high for each in ranges(machines) if each.arch == arch}
    names = [name for name in found if name.startswith(PARTED) and around(name)]
    bare, path = found.get(PARTED.replace("standard", "bare")), found.get(PARTED)
    if not names or bare is None or path is None:
        return []
    name = next((each for each in names if each.endswith(f"@{DEFAULT}")), names[0])
    costs = (path - bare, bare, found[name] - path)
    unit, of = machines[0].unit, f"{arch} {name}"
    pieces = [
        charts.Piece(more, theme.PALETTE[colour], f"{of}, {what}: {shown(more)} {unit}")
        for more, (what, colour) in zip(costs, PIECES.items(), strict=True)
    ]
    text = f"{shown(found[name])}: {', '.join(map(shown, costs))}"
    return [charts.Line(f"{WAYS['syscall']}, parts", pieces, text)]


MOST_NAMED = 3
"""Processors named above their bars."""


def their_group(arch: str, theirs: Sequence[Linux], unit: str) -> charts.Group:
    """Linux's bars: the minimal kernel, and what Debian's kernel and its mitigations cost more."""
    lines = []
    for each in theirs:
        said, before = f"Linux {each.version}, {arch}, {WAYS[each.way]}", 0.0
        pieces = []
        for built, (colour, what) in BUILT.items():
            more = each.figures[built] - before
            pieces.append(
                charts.Piece(more, theme.PALETTE[colour], f"{said}, {what}: {shown(more)} {unit}")
            )
            before = each.figures[built]
        text = ", ".join(map(shown, each.figures.values()))
        lines.append(charts.Line(WAYS[each.way], pieces, text))
    return f"Linux {theirs[0].version}, {arch} {theirs[0].cpu}", lines


def headline_figure(machines: Sequence[Machine]) -> Html:
    """One chart for the machines of a unit: the complete call by mechanism, Linux's below ours."""
    ours = calls(machines)
    if not ours:
        return raw()
    unit = machines[0].unit
    theirs = beside(machines)
    groups = [our_group(arch, machines, members) for arch, members in ours.items()]
    groups += [their_group(arch, found, unit) for arch, found in theirs.items()]
    caption = (
        f"A getpid round trip by each way in, in {unit}: clean medians, platform "
        f"{platforms(machines)}, n\u00a0=\u00a0{samples(machines)} per row."
    )
    if theirs:
        caption += " Linux: getpid, by the program calls, which reads the same of ours."
        chosen = {f"{each.chosen} on {each.cpu}" for found in theirs.values() for each in found}
        caption += f" Mitigations that it chose: {'; '.join(sorted(chosen))}."
    if parted := [line for arch in ours for line in parts_line(arch, machines)]:
        caption += f" {parted[0].name}: the path, its gate, and the parts around it."
    scale = charts.scale_of(unit, groups, names=116)
    drawn = charts.bars(groups, scale, slug_of(unit), caption)
    return figure([drawn], caption, key=key(theirs, bool(parted)))


def slug_of(unit: str) -> str:
    """The unit in the name of the chart's file: none for instructions."""
    return "headline" if unit == "instructions" else f"headline-{re.sub(r'[^a-z]+', '-', unit)}"


def key(theirs: Mapping[str, Sequence[Linux]], parted: bool) -> Html:
    """The meaning of the colours, where there is more than one."""
    entries = [("accent", "Tollgate")]
    if parted:
        entries += [(PIECES[what], f"its {what}") for what in ("gate", "parts")]
    entries += [(colour, f"Linux: {what}") for colour, what in BUILT.values() if theirs]
    return swatches(entries) if len(entries) > 1 else raw()


def lead(units: Mapping[str, Sequence[Machine]]) -> Html:
    """The result in a sentence for each unit."""
    said = [words for machines in units.values() if (words := sentence(machines))]
    return raw(*(tag("p", esc(words), class_="lead") for words in said)) if said else paragraph("")
