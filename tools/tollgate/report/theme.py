"""One look for all charts, and the one way from a chart to static SVG.

Sections are six steps of one hue, dark to light, so that they stay apart in greyscale, in print and
for colour-blind readers; everything else is ink, grey and the same hue.
"""

import re
from typing import Any

import altair as alt
import vl_convert

from tollgate.report.markup import Html, esc

INK, GREY, FAINT, ACCENT = "#1b2733", "#66727f", "#dfe4e9", "#1d4e79"
SECTION_COLOURS = ("#12304f", "#2f5b87", "#5f8bb5", "#93b3d1", "#bcd1e4", "#dde8f1")
VARIANT_COLOURS = ("#12304f", "#4478a8", "#8fb2d3", "#ffffff")  # from the first to the last
UNDIVIDED = "#eef1f4"
PLOT = 690  # px, width of the part of a chart that has a scale
LINE = 22  # px, height of a row


def shade(rank: int, of: int) -> str:
    """The colour of one of so many variants, by its rank from 0: dark to white."""
    last = len(VARIANT_COLOURS) - 1
    step, rest = divmod(rank * last, max(of - 1, 1))
    if step == last or not rest:
        return VARIANT_COLOURS[step]
    ends = [bytes.fromhex(colour[1:]) for colour in VARIANT_COLOURS[step : step + 2]]
    mixed = (a + (b - a) * rest // (of - 1) for a, b in zip(*ends, strict=True))
    return "#" + bytes(mixed).hex()


Values = list[dict[str, object]]


def values(rows: Values) -> alt.InlineData:
    """Rows as a chart's data, inline; a tuple, for Altair copies a list with each chart of it."""
    return alt.InlineData(values=tuple(rows))


def pixel(field: str) -> alt.Y:
    """A y that is a place in pixels from the top: rows are laid out by us, not by a scale."""
    return alt.Y(f"{field}:Q", scale=None, axis=None)


def axis_x(title: str, upto: float, field: str, ticks: int = 8) -> alt.X:
    """The linear scale from 0 that all panels of one unit share; `upto` in that unit."""
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=[0, upto], nice=False),
        axis=alt.Axis(tickCount=ticks),
    )


def words(rows: Values, at: float, field: str, **mark: Any) -> alt.Chart:
    """Texts of `field` in a column that starts `at` px right of the scale's left edge."""
    column: alt.Chart = (
        alt.Chart(values(rows))
        .mark_text(baseline="middle", **mark)
        .encode(x=alt.XValue(at), y=pixel("y"), text=alt.Text(f"{field}:N"))
    )
    return column


def svg(chart: alt.TopLevelMixin, meaning: str) -> Html:
    """A chart as inline SVG, its meaning told to those who do not see it."""
    styled = chart.configure(
        aria=False,
        background="transparent",
        font="sans-serif",
        padding=4,
        view=alt.ViewConfig(stroke=None),
        text=alt.MarkConfig(fontSize=12, fill=INK),
        title=alt.TitleConfig(
            fontSize=13, fontWeight="bold", color=INK, subtitleColor=GREY, anchor="start"
        ),
        axis=alt.AxisConfig(
            labelFontSize=12, labelColor=GREY, titleFontSize=12, titleColor=GREY,
            titleFontWeight="normal", gridColor=FAINT, domain=False, ticks=False, labelPadding=6,
        ),
    )  # fmt: skip
    return embed(vl_convert.vegalite_to_svg(styled.to_dict(validate=False)), meaning)


def embed(drawn: str, meaning: str) -> Html:
    """A whole SVG file as an element of the page: no namespaces, a label, a least width to read."""
    size = re.match(r'<svg [^>]*?(width="([\d.]+)" height="[^"]*" viewBox="[^"]*")>', drawn)
    assert size is not None, "vl-convert names the size of what it draws"
    least = f"min-width: min({size[2]}px, 44rem)"
    return Html(
        f'<svg role="img" aria-label="{esc(meaning)}" style="{least}" {size[1]}>'
        f"{drawn[size.end() :]}"
    )
