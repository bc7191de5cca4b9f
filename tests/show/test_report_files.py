"""The files of a report, equal to its content: charts as SVG, tables as CSV."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tollgate.show.report import attachments, charts, theme
from tollgate.show.report.attachments import COLUMN, parted
from tollgate.show.report.markup import figure, slug

pytestmark = pytest.mark.usefixtures("drawn")
SIZES = {10.0, 11.0, 12.0}
"""px of letters in a chart of 356; in a printed column they are 6.4 to 7.7 points high."""


def test_every_chart_is_a_whole_picture(mixed: str, mixed_folder: Path) -> None:
    names = re.findall(r'<svg role="img"[^>]* data-name="([^"]*)"', mixed)
    assert len(names) == len(set(names)) > 15
    files = {file.stem: file.read_text() for file in (mixed_folder / "figures").glob("*.svg")}
    assert files.keys() == set(names)
    for text in files.values():
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("aria-label")
        assert "var(" not in text
        assert root.get("width") == f"{COLUMN:g}pt"
        assert {float(size) for size in re.findall(r'font-size="([\d.]+)px"', text)} <= SIZES
    assert ">46<" in files["headline"] and theme.ACCENT in files["headline"]


TALLEST = 500
"""Points; a page of A4 or Letter has 842 or 792, including margins and a caption."""


def test_no_chart_is_taller_than_a_page(drawn: None) -> None:
    """A chart that is too long continues in the next: each line once, in order."""
    pieces = [charts.Piece(number + 1, theme.ACCENT, "") for number in range(90)]
    lines = [charts.Line(f"row {n}", [piece], f"{n + 1}") for n, piece in enumerate(pieces)]
    groups = [("short", lines[:3]), ("long", lines[3:80]), ("last", lines[80:])]
    scale = charts.scale_of("cycles", groups)
    for made in (charts.bars(groups, scale, "many", "90 rows"),):
        files = list(attachments.charts(made))
        assert [name for name, _ in files] == ["many", *(f"many-part-{n}" for n in (2, 3, 4))]
        for _, text in files:
            assert float(re.findall(r'height="([\d.]+)pt"', text)[0]) <= TALLEST
        drawn_all = "".join(text for _, text in files)
        assert re.findall(r">(row \d+)</text>", drawn_all) == [line.name for line in lines]
        titles = re.findall(r">(short|long|last)</text>", drawn_all)
        assert titles == ["short", "long", "long", "long", "last"]
        assert figure([made], "").count(".svg") == 4


def test_a_column_of_figures_has_figures_alone(mixed_folder: Path) -> None:
    """In every table each cell has a number, or nothing; other words have a separate column."""
    seen = 0
    for file in (mixed_folder / "tables").glob("*.csv"):
        heads = next(csv.reader(file.open()))
        assert len(set(heads)) == len(heads), (file.name, heads)
        rows = list(csv.DictReader(file.open()))
        for column in rows[0] if rows else ():
            cells = [row[column] for row in rows if row[column]]
            numbers = [cell for cell in cells if re.fullmatch(r"-?\d+(\.\d+)?", cell)]
            if numbers and column not in ("source", "year", "label", "row"):
                seen += len(numbers)
                assert numbers == cells, (file.name, column)
    assert seen > 1500


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("1,288", ("1288", "", "", "")),
        ("-3.5", ("-3.5", "", "", "")),
        ("11\u2020", ("11", "", "true", "")),
        ("41\u201352", ("41", "52", "", "")),
        ("1,100 to 2,200", ("1100", "2200", "", "")),
        ("7\u20139\u2020", ("7", "9", "true", "")),
        ("12.3 %", ("12.3", "", "", "")),
        ("no sysenter", ("", "", "", "no sysenter")),
        ("none", ("", "", "", "")),
        ("", ("", "", "", "")),
    ],
)
def test_what_a_cell_becomes(cell: str, parts: tuple[str, ...]) -> None:
    assert parted(cell) == parts


def test_names_are_whole() -> None:
    assert slug("m" * 150) == "m" * 150
    first, second = (slug("m" * 300 + end) for end in "ab")
    assert first != second and len(first) < 230


def test_every_table_is_read_by_programs(mixed: str, mixed_folder: Path) -> None:
    names = re.findall(r'<table data-name="([^"]*)"', mixed)
    assert len(names) == len(set(names)) > 20
    files = {file.stem: file for file in (mixed_folder / "tables").iterdir()}
    assert files.keys() == set(names)
    results = next(files[name] for name in names if re.match(r"m4-.*-all-results", name))
    rows = {line["row"]: line for line in csv.DictReader(results.open())}
    assert rows["user/int/standard"]["median"] == "1288", "without the comma of the page"


def test_a_drawing_is_kept_and_a_damaged_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theme, "KEPT", tmp_path / "kept")
    spec = {"mark": "point", "data": {"values": []}, "width": 10, "height": 10}
    first = theme.drawn(spec)
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_text("kept</svg>")
    assert theme.drawn(spec) == "kept</svg>"
    kept.write_text("<svg>cut sh")
    assert theme.drawn(spec) == first == kept.read_text()
    monkeypatch.setattr(theme, "KEPT", Path("/proc/nowhere"))
    assert theme.drawn(spec) == first, "it is drawn again where nothing can be kept"
