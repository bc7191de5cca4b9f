"""HTML as strings. Whatever comes from a record or a data file passes `esc` exactly once, here.

A string of type Html is markup already; everything else is text.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType

Html = NewType("Html", str)


def esc(value: str) -> Html:
    """Text made harmless for content and for quoted attributes."""
    return Html(escape(value, quote=True))


def raw(*parts: str) -> Html:
    """Markup written by this package, joined; never a record's text."""
    return Html("".join(parts))


def tag(name: str, content: str, **attributes: str) -> Html:
    """An element around markup; attribute values are escaped.

    `class_` is spelled class and `aria_label` aria-label; an empty attribute is left out.
    """
    spelled = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{esc(value)}"'
        for name, value in attributes.items()
        if value
    )
    return Html(f"<{name}{spelled}>{content}</{name}>")


def paragraph(value: str, **attributes: str) -> Html:
    """A paragraph of plain text."""
    return tag("p", esc(value), **attributes)


def heading(level: int, title: str, anchor: str) -> Html:
    """A heading that can be linked to; in `anchor`, all but letters and digits become dashes."""
    name = re.sub(r"[^a-z0-9]+", "-", anchor.lower())
    return tag(f"h{level}", tag("a", esc(title), href=f"#{name}"), id=name)


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[Html]], numeric: int = 0
) -> Html:
    """A table of markup cells; the last `numeric` columns are figures and stand to the right."""
    first = len(columns) - numeric
    sides = ["" if place < first else ' class="num"' for place in range(len(columns))]
    head = "".join(
        f'<th scope="col"{s}><span>{esc(c)}</span></th>'
        for s, c in zip(sides, columns, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{side}>{cell}</td>" for side, cell in zip(sides, row, strict=True))
        + "</tr>\n"
        for row in rows
    )
    title = tag("caption", esc(caption)) if caption else ""
    whole = f"<table>{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>"
    return tag("div", whole, class_="wide", tabindex="0", role="group", aria_label=caption)


def figure(svg: str, caption: str, key: str = "", after: str = "") -> Html:
    """A chart with its key above and, below, a caption that says unit, platform and n."""
    drawing = tag("div", svg, class_="wide", tabindex="0", role="group", aria_label=caption)
    return tag("figure", f"{key}{drawing}{tag('figcaption', esc(caption))}{after}")


def swatches(entries: Iterable[tuple[str, str]]) -> Html:
    """A key of (colour, meaning)."""
    marks = "".join(
        f'<li><svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="2" '
        f'fill="{esc(colour)}"/></svg>{esc(meaning)}</li>'
        for colour, meaning in entries
    )
    return tag("ul", marks, class_="key")


def folded(summary: str, content: str) -> Html:
    """Content behind a line that opens it."""
    return tag("details", f"{tag('summary', esc(summary))}{content}")


def code(value: str) -> Html:
    """A word as the machine writes it."""
    return tag("code", esc(value))
