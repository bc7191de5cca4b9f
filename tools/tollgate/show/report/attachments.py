"""The files of a page: each of its charts as SVG, each of its tables as CSV.

All are extracted from the page itself, so they agree with it. A chart's files are for print: as
wide as one of two columns, black on white. In a CSV a column of figures contains only figures:
other cells are empty, a range becomes two columns, a mark a column of its own.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from tollgate.show.report import theme
from tollgate.show.report.markup import FIGURES, FILE, TABLES, TAG
from tollgate.show.report.reference import DAGGER

CHART = re.compile(
    r'<svg role="img" aria-label="([^"]*)" id="[^"]*" data-name="([^"]*)" '
    r'viewBox="0 0 (\S+) (\S+)">'
    r"(.*?</svg>)",
    re.DOTALL,
)
TABLE = re.compile(r'<table data-name="([^"]*)" id="[^"]*">(.*?)</table>', re.DOTALL)
ROW = re.compile(r"<tr\b[^>]*>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b([^>]*)>(.*?)</t[hd]>", re.DOTALL)
COLOUR = re.compile(r"var\(--(\w+)\)")


COLUMN = 228.0
"""Points (72 an inch): at most the width of a column of LaTeX's article (229.5 TeX points, 72.27 an
inch), and so of acmart (241.1) and IEEEtran (252)."""
MARGIN = 2
"""px around a chart."""
FIGURE = re.compile(rf"([-+]?[\d,]+(?:\.\d+)?)({DAGGER}?)")
RANGE = re.compile(rf"([\d,.]+)(?:\u2013| to )([\d,.]+)({DAGGER}?)")


def charts(page: str) -> Iterator[tuple[str, str]]:
    """The name and text of each chart: a complete SVG file for print, in points."""
    for meaning, name, width, height, body in CHART.findall(page):
        coloured = COLOUR.sub(lambda found: theme.PRINT[found[1]], body)
        wide, high = (float(size) + 2 * MARGIN for size in (width, height))
        yield (
            name,
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{meaning}" '
            f'width="{COLUMN:g}pt" height="{COLUMN * high / wide:.2f}pt" '
            f'viewBox="{-MARGIN} {-MARGIN} {wide:g} {high:g}" font-family="sans-serif">'
            f'<rect x="{-MARGIN}" y="{-MARGIN}" width="100%" height="100%" fill="#ffffff"/>'
            f"{coloured}\n",
        )


@dataclass(frozen=True)
class Cell:
    """A cell's text, and whether it is in a column of figures."""

    text: str
    figure: bool


def tables(page: str) -> Iterator[tuple[str, str]]:
    """The name and text of each table."""
    for name, body in TABLE.findall(page):
        rows = [[cell(*found) for found in CELL.findall(row)] for row in ROW.findall(body)]
        to = io.StringIO()
        lines = csv.writer(to, lineterminator="\n")
        columns = zip(*rows, strict=True)
        found = (line for column in columns for line in spread(column))
        lines.writerows(zip(*found, strict=True))
        yield name, to.getvalue()


def cell(attributes: str, content: str) -> Cell:
    """The text of a cell."""
    words = unescape(TAG.sub("", FILE.sub("", content))).strip()
    return Cell(words.replace("\u2212", "-"), 'class="num"' in attributes)


def spread(column: Sequence[Cell]) -> Iterator[list[str]]:
    """The CSV columns for one column of a table; each begins with its head.

    For figures: the figures, the upper ends of ranges, the marks, and remaining words.
    """
    head, *cells = (each.text for each in column)
    if not column[0].figure:
        yield [head, *cells]
        return
    parts = [parted(text) for text in cells]
    share = any(text.endswith(" %") for text in cells)
    yield [f"{head} (%)" if share else head, *(low for low, _, _, _ in parts)]
    for place, said in ((1, "to"), (2, "inferred"), (3, "remark")):
        if any(part[place] for part in parts):
            yield [f"{head} {said}".strip(), *(part[place] for part in parts)]


def parted(text: str) -> tuple[str, str, str, str]:
    """Parts of a cell: the figure or lower end, the upper end, a mark, and other words."""
    if found := RANGE.fullmatch(text):
        low, high = (part.replace(",", "") for part in found.groups()[:2])
        return low, high, "true" if found[3] else "", ""
    if found := FIGURE.fullmatch(text.removesuffix(" %")):
        return bare(found[1]), "", "true" if found[2] else "", ""
    return "", "", "", "" if text == NO_SPREAD else text


def bare(figure: str) -> str:
    """A figure for programs."""
    return figure.replace(",", "").lstrip("+")


NO_SPREAD = "none"
"""The spacing of equal samples."""


def write(page: str, folder: Path) -> None:
    """Write the files of a page into `folder`; OSError on failure."""
    for place in (FIGURES, TABLES):
        (folder / place).mkdir(exist_ok=True)
    for name, text in charts(page):
        (folder / FIGURES / f"{name}.svg").write_text(text, encoding="utf-8")
    for name, text in tables(page):
        (folder / TABLES / f"{name}.csv").write_text(text, encoding="utf-8")
