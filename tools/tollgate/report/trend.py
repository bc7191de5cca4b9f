"""A row over many results files: a line for each machine, and every figure as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt
from altair.utils.schemapi import debug_mode

from tollgate.report import beside, theme
from tollgate.report.markup import Html, code, esc, figure, panel_of, raw, slug, table, tag
from tollgate.report.model import shown
from tollgate.report.page import document

LEFT, RIGHT = 52, 44
"""px beside the scale: its figures, and the last of the line's."""
MOST_MARKS = 12
"""Points that have room for the name of their file."""


@dataclass(frozen=True)
class Point:
    """A row in one file: when it was measured, of which commit, and what it cost."""

    when: str
    commit: str
    median: float
    low: float
    p99: float
    n: float


@dataclass(frozen=True)
class Course:
    """A row on one machine over the files, in `unit`; `exact`: no sample differs from another."""

    machine: str
    row: str
    unit: str
    exact: bool
    points: Sequence[Point]

    @property
    def said(self) -> str:
        """From the first figure to the last."""
        first, last = self.points[0].median, self.points[-1].median
        span = shown(first) if first == last else f"{shown(first)} to {shown(last)}"
        return f"{self.machine}: {span} {self.unit}"


def rows_of(course: Course) -> theme.Values:
    """The points of a line, each with what is said of it."""
    return [
        {
            "x": place,
            "median": point.median,
            "low": point.low,
            "p99": point.p99,
            "last": shown(point.median) if place == len(course.points) - 1 else "",
            "means": f"{point.when}, {point.commit}: {shown(point.median)} {course.unit} (minimum "
            f"{shown(point.low)}, p99 {shown(point.p99)}, n {shown(point.n)})",
        }
        for place, point in enumerate(course.points)
    ]


def line(course: Course, upto: float) -> Html:
    """One machine's line from 0, a band from the minimum to p99 behind it, the files below."""
    rows = rows_of(course)
    last = max(len(rows) - 1, 1)
    step = -(-len(rows) // MOST_MARKS)
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, last], nice=False), axis=None)
    scale = alt.Scale(domain=[0, upto], nice=False)
    y = alt.Y("median:Q", title=course.unit, scale=scale, axis=alt.Axis(tickCount=4))
    base = alt.Chart(theme.values(rows))
    band = base.mark_area(fill=theme.MORE, aria=False).encode(
        x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("p99:Q")
    )
    drawn = base.mark_line(stroke=theme.ACCENT, strokeWidth=2, aria=False).encode(x=x, y=y)
    dots = base.mark_circle(size=45, fill=theme.ACCENT, opacity=1).encode(
        x=x, y=y, description=alt.Description("means:N")
    )
    end = base.mark_text(align="left", dx=7, fontWeight="bold", baseline="middle").encode(
        x=x, y=y, text=alt.Text("last:N")
    )
    names: theme.Values = [
        {"x": place, "name": point.commit[:10] or point.when[:10]}
        for place, point in enumerate(course.points)
        if place % step == 0
    ]
    below = (
        alt.Chart(theme.values(names))
        .mark_text(align="right", angle=315, fontSize=10, fill=theme.GREY, aria=False)
        .encode(x=x, y=alt.YValue(HIGH + 10), text=alt.Text("name:N"))
    )
    name = f"trend-{slug(course.machine)}-{slug(course.row)}"
    chart = alt.layer(*([] if course.exact else [band]), drawn, dots, end, below)
    return theme.svg(chart, name, f"{course.row}, {course.said}", HIGH, LEFT, RIGHT, 8, 62)


HIGH = 150
"""px of a line's scale."""


def numbers(course: Course) -> Html:
    """Every figure of a line."""
    before = [None, *(point.median for point in course.points)]
    lines = [
        [
            esc(point.when),
            code(point.commit),
            *map(esc, (shown(point.median), change(old, point.median))),
            *map(esc, (shown(point.low), shown(point.p99), shown(point.n))),
        ]
        for old, point in zip(before, course.points, strict=False)
    ]
    columns = ["when", "commit", "median", "change", "min", "p99", "n"]
    caption = f"{course.row} on {course.machine}, in {course.unit}"
    return table(caption, columns, lines, numeric=5)


def change(before: float | None, after: float) -> str:
    """What a figure has become, against the one before; "" for the same, and for the first."""
    if before is None or before == after:
        return ""
    return f"{'+' if after > before else ''}{shown(after - before)}"


def write_trend(row: str, courses: Sequence[Course], path: Path) -> None:
    """Write the page of a row's courses, and its files beside it; OSError when that cannot be."""
    parts = []
    with debug_mode(False):
        for unit in dict.fromkeys(course.unit for course in courses):
            group = [course for course in courses if course.unit == unit]
            upto = 1.1 * max(point.p99 for course in group for point in course.points) or 1.0
            panels = [panel_of(course.said, line(course, upto)) for course in group]
            caption = (
                f"{row} over {max(len(course.points) for course in group)} results files, in "
                f"{unit}: medians, from 0, the oldest file to the left."
            )
            parts += [figure(panels, caption), *(numbers(course) for course in group)]
    said = "; ".join(course.said for course in courses[:3])
    head = tag(
        "header",
        raw(
            tag("p", "Tollgate", class_="name"),
            tag("h1", esc(row)),
            tag("p", esc(f"{said}."), class_="lead"),
        ),
    )
    page = document(f"Tollgate: {row} over time", raw(head, *parts))
    path.write_text(page, encoding="utf-8")
    beside.write(page, path.parent)
