"""HTML as strings. Text from records and data files passes `esc` exactly once, here.

A string of type Html is markup already; everything else is text.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType
from zlib import crc32

Html = NewType("Html", str)


def esc(value: str) -> Html:
    """Text escaped for content and for quoted attributes."""
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
    """A heading that can be linked to; in `anchor` all but letters and digits become dashes."""
    name = slug(anchor)
    return tag(f"h{level}", tag("a", esc(title), href=f"#{name}"), id=name)


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[Html]], numeric: int = 0
) -> Html:
    """A table of markup cells; the last `numeric` columns are figures, aligned to the right."""
    first = len(columns) - numeric
    sides = ["" if place < first else ' class="num"' for place in range(len(columns))]
    head = "".join(
        f'<th scope="col"{s}><span>{esc(c)}</span></th>'
        for s, c in zip(sides, columns, strict=True)
    )
    name = slug(caption.partition(";")[0])
    lines = list(rows)
    body = "".join(
        f'<tr id="{anchor}">'
        + "".join(
            f"<td{side}>{cell}</td>"
            for side, cell in zip(sides, [linked(row[0], anchor), *row[1:]], strict=True)
        )
        + "</tr>\n"
        for row, anchor in zip(lines, anchors(name, lines), strict=True)
    )
    link = tag("a", "CSV", href=f"{TABLES}/{name}.csv", class_="file", aria_label=f"{name}, CSV")
    title = tag("caption", f"{esc(caption)} {link} {address(f'table-{brief(name)}')}")
    whole = f"{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>"
    named = f'<table data-name="{name}" id="table-{brief(name)}">{whole}</table>'
    return tag("div", named, class_="wide", tabindex="0", role="group", aria_label=caption)


def anchors(name: str, rows: Sequence[Sequence[Html]]) -> list[str]:
    """An address for each row of a table: the table's name, and enough of its first cells to be
    unique."""
    words = [[slug(TAG.sub("", FILE.sub("", cell))) for cell in row] for row in rows]
    most = max((len(row) for row in rows), default=0)
    cells = next((n for n in range(1, most) if unique("-".join(w[:n]) for w in words)), most)
    found: dict[str, int] = {}
    made = []
    for row in words:
        key = "-".join(row[:cells])
        found[key] = found.get(key, 0) + 1
        again = f".{found[key]}" if found[key] > 1 else ""
        made.append(f"{brief(name)}.{brief(key)}{again}")
    return made


LONGEST_PART = 60
"""Characters of one half of an address."""


def brief(name: str) -> str:
    """A name, or its beginning and a checksum of all of it."""
    if len(name) <= LONGEST_PART:
        return name
    return f"{name[: LONGEST_PART - 9]}-{crc32(name.encode()):08x}"


def unique(keys: Iterable[str]) -> bool:
    """Whether all are different."""
    listed = list(keys)
    return len(set(listed)) == len(listed)


def linked(cell: Html, anchor: str) -> Html:
    """A row's first cell as the link with the row's address; an inner link stays behind it."""
    words, link, rest = cell.partition("<a ")
    inner = tag("a", words.strip() or "\u2013", href=f"#{anchor}", class_="row")
    return raw(inner, f" {link}{rest}" if link else "")


def address(anchor: str) -> Html:
    """The link with the address of a figure or table."""
    return tag("a", "#", href=f"#{anchor}", class_="file", aria_label=f"{anchor}, address")


TAG = re.compile(r"<[^>]*>")
FILE = re.compile(r'<a [^>]*class="file"[^>]*>.*?</a>', re.DOTALL)
FIGURES, TABLES = "figures", "tables"
"""The folders for a page's charts as SVG and its tables as CSV."""
NAMED = re.compile(r'<svg role="img"[^>]* data-name="([^"]*)"')
LONGEST_NAME = 200
"""Characters; file systems allow 255.  Our names are shorter, and two long ones stay different."""


def slug(words: str) -> str:
    """A name for a file: letters and digits; all other characters become dashes."""
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if len(name) > LONGEST_NAME:
        return f"{name[:LONGEST_NAME]}-{crc32(name.encode()):08x}"
    return name or "unnamed"


def figure(panels: Sequence[str], caption: str, key: str = "", after: str = "") -> Html:
    """Charts next to one another, as many as fit, their key above them and, below, a caption with
    unit, platform, n and files."""
    names = [name for panel in panels for name in NAMED.findall(panel)]
    links = "".join(
        f" {chart_file(name, 'svg')} {address(f'chart-{brief(name)}')}" for name in names
    )
    drawings = tag("div", "".join(panels), class_="panels" if len(panels) > 1 else "panels one")
    return tag("figure", f"{key}{drawings}{tag('figcaption', esc(caption) + links)}{after}")


def chart_file(name: str, kind: str) -> Html:
    """A link to a chart's file."""
    said = kind.upper()
    link = f"{FIGURES}/{name}.{kind}"
    return tag("a", said, href=link, class_="file", aria_label=f"{name}, {said}")


def panel_of(title: str, drawing: str) -> Html:
    """A titled chart, one of several in a figure."""
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
    """Content hidden behind a line that opens it."""
    return tag("details", f"{tag('summary', esc(summary))}{content}")


def chapter(title: str, anchor: str, content: str, shown: bool = False) -> Html:
    """A chapter hidden behind its heading; `shown` initially.

    The content has the address, so a link to it opens the chapter.
    """
    head = tag("summary", tag("h2", esc(title)))
    inner = tag("div", content, id=slug(anchor), class_="inner")
    fold = tag("details", raw(head, inner), class_="chapter")
    return tag("section", fold.replace("<details", "<details open", 1) if shown else fold)


def code(value: str) -> Html:
    """A word as the machine writes it."""
    return tag("code", esc(value))
