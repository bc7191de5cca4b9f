"""The files beside a report: every chart as SVG, every table as CSV, saying what the page says."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tollgate.report import theme

pytestmark = pytest.mark.usefixtures("drawn")


def test_every_chart_is_a_whole_picture(mixed: str, mixed_folder: Path) -> None:
    names = re.findall(r'<svg role="img"[^>]* data-name="([^"]*)"', mixed)
    assert len(names) == len(set(names)) > 15
    files = {file.stem: file.read_text() for file in (mixed_folder / "figures").iterdir()}
    assert files.keys() == set(names)
    for text in files.values():
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("aria-label")
        assert "var(" not in text
    assert ">46<" in files["headline"] and theme.ACCENT in files["headline"]


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
