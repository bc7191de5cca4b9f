"""The files beside a page: each of its charts as SVG, each of its tables as CSV.

Both are read out of the page itself, so they cannot say anything else than it does.
"""

import csv
import io
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from tollgate.report.markup import FIGURES, TABLES
from tollgate.report.theme import PALETTE

CHART = re.compile(
    r'<svg role="img" aria-label="([^"]*)" data-name="([^"]*)" viewBox="0 0 (\S+) (\S+)">'
    r"(.*?</svg>)",
    re.DOTALL,
)
TABLE = re.compile(r'<table data-name="([^"]*)">(.*?)</table>', re.DOTALL)
ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
COLOUR = re.compile(r"var\(--(\w+)\)")


def charts(page: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each chart: a whole SVG file on white, in the palette's colours."""
    for meaning, name, width, height, body in CHART.findall(page):
        coloured = COLOUR.sub(lambda found: PALETTE[found[1]], body)
        yield (
            name,
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{meaning}" '
            f'width="{width}" height="{height}" viewBox="-8 -8 {float(width) + 16:g} '
            f'{float(height) + 16:g}" font-family="sans-serif">'
            f'<rect x="-8" y="-8" width="100%" height="100%" fill="#ffffff"/>{coloured}\n',
        )


def tables(page: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each table: figures as printed, less their commas."""
    for name, body in TABLE.findall(page):
        to = io.StringIO()
        lines = csv.writer(to, lineterminator="\n")
        for row in ROW.findall(body):
            lines.writerow(bare(cell) for cell in CELL.findall(row))
        yield name, to.getvalue()


def bare(cell: str) -> str:
    """A cell's text; a figure as programs read it."""
    said = unescape(TAG.sub("", cell)).strip()
    figure = said.replace(",", "").replace("\u2212", "-")
    return figure if re.fullmatch(r"-?\d+(\.\d+)?", figure) else said


def write(page: str, folder: Path) -> None:
    """Write the files of a page into `folder`; OSError when that cannot be."""
    for place, suffix, found in ((FIGURES, "svg", charts(page)), (TABLES, "csv", tables(page))):
        (folder / place).mkdir(exist_ok=True)
        for name, text in found:
            (folder / place / f"{name}.{suffix}").write_text(text, encoding="utf-8")
