"""Bar charts: most figures of the report."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import altair as alt

from tollgate.show.report import theme
from tollgate.show.report.markup import Html, raw

NAMES = 144
"""px left of the scale, for names."""


@dataclass(frozen=True)
class Piece:
    """A part of a bar: its length in the chart's unit, and its meaning."""

    length: float
    colour: str
    means: str
    text: str = ""
    ink: str = theme.INK


@dataclass(frozen=True)
class Line:
    """A bar: its name, a second name, its pieces, and the figure at its end.

    `tick`: a marked position other than the bar's end. `sure`: the interval of the figure, unless
    exact.
    """

    name: str
    pieces: Sequence[Piece]
    total: str
    label: str = ""
    tick: float | None = None
    sure: tuple[float, float] | None = None

    @property
    def end(self) -> float:
        return max(sum(piece.length for piece in self.pieces), self.tick or 0.0)


SURE_NOTE = " The thin line at a bar\u2019s end is the 95 % interval of its median."


def sure_note(found: Iterable[tuple[float, float] | None]) -> str:
    """A caption's note on the intervals, if any."""
    return SURE_NOTE if any(found) else ""


Group = tuple[str, Sequence[Line]]
"""A title, or nothing, above a group of lines."""


@dataclass(frozen=True)
class Scale:
    """The scale shared by all charts of a figure, so that equal figures are equally long: the unit,
    the scale's end, letters of the longest figure behind a bar, px for names.
    """

    unit: str
    upto: float
    letters: int
    names: float = NAMES

    @property
    def right(self) -> float:
        """px right of the scale, for the figure behind the longest bar."""
        return theme.LETTER * 1.12 * self.letters + 8

    @property
    def plot(self) -> float:
        """px of the scale itself."""
        return theme.WIDE - self.names - self.right


def scale_of(unit: str, groups: Iterable[Group], names: float = NAMES) -> Scale:
    """The scale for these groups, in any number of charts."""
    lines = [line for _, members in groups for line in members]
    upto = 1.02 * max((line.end for line in lines), default=0.0) or 1.0
    return Scale(unit, upto, max((len(line.total) for line in lines), default=0), names)


AROUND = 44
"""px of a chart above and below its lines."""
MOST_LINES = int((theme.TALL - AROUND) / theme.LINE - 1.5)
"""Lines of a group in a chart of its own, below its title."""


def sheets(groups: Iterable[Group]) -> list[list[Group]]:
    """The groups divided into charts no taller than a page; a group that is too long continues in
    the next chart, under the same title."""
    found: list[list[Group]] = [[]]
    room = theme.TALL - AROUND
    for title, members in groups:
        for first in range(0, max(len(members), 1), MOST_LINES):
            piece = (title, members[first : first + MOST_LINES])
            if sum(map(tall, found[-1])) + tall(piece) > room:
                found.append([])
            found[-1].append(piece)
    return found


def tall(group: Group) -> float:
    """px of a group: its lines, its title if any, and half a line after it."""
    return theme.LINE * (len(group[1]) + bool(group[0]) + 0.5)


def named(name: str, place: int) -> str:
    """The name of a figure's chart: the figure's name, from the second on with a number."""
    return name if place == 1 else f"{name}-part-{place}"


def bars(groups: Iterable[Group], scale: Scale, name: str, meaning: str) -> Html:
    """Bars on one scale, in one or more charts."""
    return raw(
        *(
            bar_sheet(sheet, scale, named(name, place), meaning)
            for place, sheet in enumerate(sheets(groups), start=1)
        )
    )


def bar_sheet(groups: Iterable[Group], scale: Scale, name: str, meaning: str) -> Html:
    """Bars in one chart."""
    titles: theme.Values = []
    lines: theme.Values = []
    parts: theme.Values = []
    marks: theme.Values = []
    sure: theme.Values = []
    names = scale.names
    top = 0.0
    for title, members in groups:
        if title:
            titles.append(
                {"y": top + theme.LINE / 2, "text": theme.fitted(title, theme.WIDE, theme.BOLD)}
            )
            top += theme.LINE
        for line in members:
            place = {"y0": top + 2, "y1": top + theme.LINE - 2, "y": top + theme.LINE / 2}
            room = names - 12 - theme.LETTER * 1.1 * len(line.label)
            lines.append(
                {**place, "name": theme.fitted(line.name, room), "label": line.label,
                 "total": line.total, "end": line.end}
            )  # fmt: skip
            parts += [{**place, **piece} for piece in placed(line, scale.plot / scale.upto)]
            if line.tick is not None:
                marks.append({**place, "x": line.tick})
            if line.sure is not None:
                sure.append({**place, "low": line.sure[0], "high": line.sure[1]})
            top += theme.LINE
        top += theme.LINE / 2
    chart = alt.layer(
        blocks(parts, scale.unit, scale.upto),
        inner(parts),
        ticks(marks),
        intervals(sure),
        ends(lines),
        theme.words(titles, -names, "text", align="left", fontWeight="bold"),
        theme.words(lines, -names, "name", align="left"),
        theme.words(lines, -7, "label", align="right", fill=theme.ACCENT, fontWeight="bold"),
    )
    return theme.svg(chart, name, meaning, max(top, theme.LINE), names, scale.right)


def placed(line: Line, scale: float) -> theme.Values:
    """A line's pieces from left to right, except empty ones; `scale` is px per unit."""
    pieces = line.pieces
    found: theme.Values = []
    for piece, end in zip(pieces, accumulate(piece.length for piece in pieces), strict=True):
        wide = piece.length * scale > theme.LETTER * len(piece.text) + 3
        if piece.length:
            found.append(
                {"x0": end - piece.length, "x1": end, "middle": end - piece.length / 2,
                 "colour": piece.colour, "ink": piece.ink, "means": piece.means,
                 "text": piece.text if wide else ""}
            )  # fmt: skip
    return found


def blocks(parts: theme.Values, unit: str, upto: float) -> alt.Chart:
    """The pieces themselves."""
    chart: alt.Chart = (
        alt.Chart(theme.values(parts))
        .mark_rect(stroke=theme.BACK, strokeWidth=1)
        .encode(
            x=theme.axis_x(unit, upto, "x0"),
            x2=alt.X2("x1:Q"),
            y=theme.pixel("y0"),
            y2=alt.Y2("y1:Q"),
            fill=alt.Fill("colour:N", scale=None),
            description=alt.Description("means:N"),
        )
    )
    return chart


def inner(parts: theme.Values) -> alt.Chart:
    """The figures inside pieces with enough room."""
    chart: alt.Chart = (
        alt.Chart(theme.values([part for part in parts if part["text"]]))
        .mark_text(fontSize=10, baseline="middle", aria=False)
        .encode(
            x=alt.X("middle:Q"),
            y=theme.pixel("y"),
            text=alt.Text("text:N"),
            fill=alt.Fill("ink:N", scale=None),
        )
    )
    return chart


def ends(lines: theme.Values) -> alt.Chart:
    """The totals at the ends of bars."""
    chart: alt.Chart = (
        alt.Chart(theme.values(lines))
        .mark_text(align="left", dx=6, fontWeight="bold", baseline="middle", aria=False)
        .encode(x=alt.X("end:Q"), y=theme.pixel("y"), text=alt.Text("total:N"))
    )
    return chart


def ticks(marks: theme.Values) -> alt.Chart:
    """The marked positions."""
    chart: alt.Chart = (
        alt.Chart(theme.values(marks))
        .mark_rule(stroke=theme.INK, strokeWidth=2, aria=False)
        .encode(x=alt.X("x:Q"), y=theme.pixel("y0"), y2=alt.Y2("y1:Q"))
    )
    return chart


def intervals(sure: theme.Values) -> alt.Chart:
    """The intervals of medians; on white, to be visible on a bar."""
    chart: alt.Chart = (
        alt.Chart(theme.values(sure))
        .mark_rect(stroke=theme.BACK, strokeWidth=1, fill=theme.INK, height=4, aria=False)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=theme.pixel("y"))
    )
    return chart
