"""HTML as strings. Whatever comes from a record or a data file passes `esc` exactly once, here.

A string of type Html is markup already; everything else is text.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType
from zlib import crc32

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
    name = slug(anchor)
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
    name = slug(caption.partition(";")[0])
    link = tag("a", "CSV", href=f"{TABLES}/{name}.csv", class_="file", aria_label=f"{name}, CSV")
    title = tag("caption", f"{esc(caption)} {link}")
    whole = f"{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>"
    named = f'<table data-name="{name}">{whole}</table>'
    return tag("div", named, class_="wide", tabindex="0", role="group", aria_label=caption)


FIGURES, TABLES = "figures", "tables"
"""The folders beside a page, of its charts as SVG and its tables as CSV."""
NAMED = re.compile(r'<svg role="img"[^>]* data-name="([^"]*)"')
LONGEST_NAME = 200
"""Characters; file systems have 255.  No name of ours is so long, and two that are stay apart."""


def slug(words: str) -> str:
    """A name for a file: letters and digits, what lies between them is a dash."""
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if len(name) > LONGEST_NAME:
        return f"{name[:LONGEST_NAME]}-{crc32(name.encode()):08x}"
    return name or "unnamed"


def figure(panels: Sequence[str], caption: str, key: str = "", after: str = "") -> Html:
    """Charts beside one another, as many as there is room for, their key above them and, below, a
    caption that says unit, platform and n, and where their files are."""
    names = [found[1] for panel in panels if (found := NAMED.search(panel))]
    links = "".join(" " + chart_file(name, kind) for name in names for kind in ("svg", "pdf"))
    drawings = tag("div", "".join(panels), class_="panels" if len(panels) > 1 else "panels one")
    return tag("figure", f"{key}{drawings}{tag('figcaption', esc(caption) + links)}{after}")


def chart_file(name: str, kind: str) -> Html:
    """A link to a chart's file."""
    said = kind.upper()
    link = f"{FIGURES}/{name}.{kind}"
    return tag("a", said, href=link, class_="file", aria_label=f"{name}, {said}")


def panel_of(title: str, drawing: str) -> Html:
    """A chart under its title, as one of several in a figure."""
    return tag("div", tag("p", esc(title), class_="title") + drawing)


def swatches(entries: Iterable[tuple[str, str]]) -> Html:
    """A key of (name of a colour, meaning)."""
    marks = "".join(
        f'<li><svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="2" '
        f'fill="var(--{esc(colour)})"/></svg>{esc(meaning)}</li>'
        for colour, meaning in entries
    )
    return tag("ul", marks, class_="key")


def folded(summary: str, content: str) -> Html:
    """Content behind a line that opens it."""
    return tag("details", f"{tag('summary', esc(summary))}{content}")


def code(value: str) -> Html:
    """A word as the machine writes it."""
    return tag("code", esc(value))
