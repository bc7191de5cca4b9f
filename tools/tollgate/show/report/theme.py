"""The look of all charts, and their conversion to static SVG.

A chart is drawn in the colours of PALETTE and as wide as a phone; wider screens have several beside
one another. In the page it uses the page's colours, so a dark screen has a dark chart; the pointer
on a mark shows its meaning. Drawings are cached: the same chart is not drawn again.
"""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import altair as alt

from tollgate.machines.boot import BUILD
from tollgate.show.report.markup import Html, brief, esc

PALETTE = {  # the page's name of a colour -> its value in a separate file
    "ink": "#1b2733",
    "grey": "#56626e",
    "line": "#dfe4e9",
    "accent": "#1d4e79",
    "back": "#ffffff",
    "on": "#fffffe",
    "other": "#7d8995",
    "full": "#a9b3bc",
    "more": "#d5dbe0",
    "undivided": "#eef1f4",
    "s0": "#12304f",
    "s1": "#2f5b87",
    "s2": "#4576a3",
    "s3": "#93b3d1",
    "s4": "#bcd1e4",
    "s5": "#dde8f1",
}
PRINT = PALETTE | {"ink": "#000000", "grey": "#333333", "line": "#cccccc"}
"""The colours on paper: black words, and lines that printers do not lose."""
INK, GREY, FAINT, ACCENT = (PALETTE[name] for name in ("ink", "grey", "line", "accent"))
BACK, ON, OTHER = (PALETTE[name] for name in ("back", "on", "other"))
UNDIVIDED = PALETTE["undivided"]
SECTION_COLOURS = tuple(PALETTE[f"s{number}"] for number in range(6))
"""Six shades of one hue: distinct in greyscale, in print and for colour-blind readers."""

WIDE = 352
"""px of a whole chart: it fits a phone of 400 px."""
TALL = 770
"""px, the largest height of a chart: 496 points at the width of a printed column, and less than a
page of A4 if two are next to one another."""
LINE = 19
"""px, height of a row."""
FONT = 12
LETTER, BOLD = 6.3, 7.6
"""px, width of all but the widest letters of that size."""

KEPT = BUILD / "charts"
MOST_KEPT = 2000
"""Drawings in the cache: beyond this it is emptied."""

CONFIG = {
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": None},
    "text": {"fontSize": FONT, "fill": INK},
    "axis": {
        "labelFontSize": 11, "labelColor": GREY, "titleFontSize": 11, "titleColor": GREY,
        "aria": False, "titleFontWeight": "normal", "gridColor": FAINT, "domain": False,
        "ticks": False, "labelPadding": 5,
    },
}  # fmt: skip

END = "</svg>"
"""The end of a complete drawing."""

Values = list[dict[str, object]]


def values(rows: Values) -> alt.InlineData:
    """Rows as a chart's data, inline; a tuple, because Altair copies a list with each chart."""
    return alt.InlineData(values=tuple(rows))


def pixel(field: str) -> alt.Y:
    """A y in pixels from the top: we lay out rows ourselves, without a scale."""
    return alt.Y(f"{field}:Q", scale=None, axis=None)


def axis_x(title: str, upto: float, field: str, ticks: int = 4) -> alt.X:
    """The linear scale from 0 shared by all panels of one unit; `upto` in that unit."""
    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=[0, upto], nice=False),
        axis=alt.Axis(tickCount=ticks, labelOverlap=True, labelSeparation=6),
    )


def words(rows: Values, at: float, field: str, **mark: Any) -> alt.Chart:
    """Texts of `field` in a column that starts `at` px right of the scale's left edge."""
    column: alt.Chart = (
        alt.Chart(values(rows))
        .mark_text(baseline="middle", aria=False, **mark)
        .encode(x=alt.XValue(at), y=pixel("y"), text=alt.Text(f"{field}:N"))
    )
    return column


def fitted(text: str, room: float, letter: float = LETTER) -> str:
    """A text cut to a width of `room` px."""
    most = int(room / letter)
    return text if len(text) <= most else text[: most - 1] + "\u2026"


def svg(
    chart: alt.LayerChart | alt.Chart,
    name: str,
    meaning: str,
    height: float,
    left: float,
    right: float = 8,
    top: float = 4,
    bottom: float = 40,
) -> Html:
    """A chart as inline SVG, with its file's name and its meaning for those who cannot see it.

    `left`, `right`, `top` and `bottom` are px around the part with a scale.
    """
    spec = chart.to_dict(validate=False)  # completed here: Altair copies a chart at each change
    spec |= {
        "width": WIDE - left - right,
        "height": round(height),
        "autosize": {"type": "none"},
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "config": CONFIG,
    }
    return embed(drawn(spec), name, meaning)


def drawn(spec: dict[str, Any]) -> str:
    """The SVG of a chart: from the cache, or drawn now."""
    text = json.dumps(spec, sort_keys=True)
    kept = KEPT / hashlib.sha256(text.encode()).hexdigest()
    try:
        before = kept.read_text(encoding="utf-8")
        if before.endswith(END):
            return before
    except (OSError, ValueError):
        pass
    import vl_convert  # starting it takes most of a report's time

    made: str = vl_convert.vegalite_to_svg(spec)
    keep(kept, made.encode())
    return made


def keep(path: Path, content: bytes) -> None:
    """Cache a drawing, completely or not at all; on failure it will be drawn again."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if sum(1 for _ in path.parent.iterdir()) > MOST_KEPT:
            for old in path.parent.iterdir():
                old.unlink(missing_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        return


COLOUR = re.compile(r'="(' + "|".join(PALETTE.values()) + r')"', re.IGNORECASE)
NAME_OF = {colour: name for name, colour in PALETTE.items()}
MARK = re.compile(
    r'<(path|circle|line) aria-label="([^"]*)" role="[^"]*" aria-roledescription="[^"]*"([^>]*)/>'
)
IDLE = re.compile(
    r'<path class="(?:back|fore)ground"[^>]*/>| (?:class|role|font-family|pointer-events|'
    r'aria-[a-z]+)="[^"]*"| opacity="1"'
)


def embed(drawing: str, name: str, meaning: str) -> Html:
    """A complete SVG file as an element of the page: in its colours, with a title for each mark."""
    size = re.match(r'<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)">', drawing)
    assert size is not None, "vl-convert names the size of what it draws"
    body = MARK.sub(r"<\1\3><title>\2</title></\1>", drawing[size.end() :])
    body = COLOUR.sub(lambda found: f'="var(--{NAME_OF[found[1].lower()]})"', IDLE.sub("", body))
    return Html(
        f'<svg role="img" aria-label="{esc(meaning)}" id="chart-{brief(name)}" data-name="{name}" '
        f'viewBox="0 0 {size[1]} {size[2]}">{body}'
    )
