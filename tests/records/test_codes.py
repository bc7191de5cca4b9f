"""`tollgate scan`: restores everything in a screen's codes, or says why not."""

import io
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pillow_heif
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rich.console import Console
from tests.records.degrade import READABLE, UNREADABLE
from tests.records.pictures import drawn, of_toll, packed, run
from tests.records.sample import make_run

from tollgate.errors import TollgateError
from tollgate.records.codes import CodesError, join, parse, split, text_of
from tollgate.records.fields import parse_json
from tollgate.records.format import compact, load
from tollgate.records.packing import Table, read_table, without_histogram
from tollgate.records.rules import faults
from tollgate.records.scan import find, runs_of, scan

TABLE = read_table()
HERTZ = 2_400_000_000
RUN = [compact(data) for data in make_run(unit="cycles", tsc_hz=HERTZ).lines()]
OTHER = [compact(data) for data in make_run(unit="cycles", tsc_hz=HERTZ + 1).lines()]
SMALL = (240, 256)
"""A screen on which these few records need several codes."""


@cache
def screens(other: bool = False) -> list[Image.Image]:
    return drawn(OTHER if other else RUN, SMALL)


def photos(folder: Path, *images: Image.Image) -> list[Path]:
    paths = [folder / f"{number}.png" for number in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        image.save(path)
    return paths


def said(folder: Path, paths: list[Path]) -> str:
    """The message that refuses these photos; no file may be written."""
    with pytest.raises(TollgateError) as refused:
        scan(paths, str(folder / "out"), Console(file=io.StringIO()))
    assert not (folder / "out").exists()
    return str(refused.value)


def test_photos_in_any_order_and_number_become_a_file_that_every_rule_reads(tmp_path: Path) -> None:
    assert len(screens()) > 2
    paths = photos(tmp_path, screens()[-1], *screens(), screens()[0].rotate(180))
    out = scan(paths, str(tmp_path / "out"), Console(file=io.StringIO(), width=200))
    (run,) = load(out).runs
    marked = [run.records[0].text.replace(b',"scanned":%d' % len(screens()), b"")]
    assert marked + [r.text for r in run.records[1:]] == [without_histogram(text) for text in RUN]
    assert not faults(run)


def heic(folder: Path, *images: Image.Image) -> list[Path]:
    """Photos like a telephone's: in colour, and lossy."""
    pillow_heif.register_heif_opener()
    paths = [folder / f"IMG_{number}.HEIC" for number in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        image.convert("RGB").resize((720, 768)).save(path, format="HEIF", quality=60)
    return paths


def test_heic_is_read(tmp_path: Path) -> None:
    """One photo of several: the other codes are missing."""
    assert said(tmp_path, heic(tmp_path, screens()[0])).startswith("Codes 2, ")


def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = heic(tmp_path, screens()[0])
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    text = said(tmp_path, [path])
    assert "is HEIC, which the Python package pillow-heif reads" in text


def test_a_row_without_histogram_is_refused_where_nothing_was_scanned(tmp_path: Path) -> None:
    out = scan(photos(tmp_path, *screens()), str(tmp_path / "out"), Console(file=io.StringIO()))
    (run,) = load(out).runs
    del run.run["scanned"]
    assert {fault.rule for fault in faults(run)} == {"histogram"}


def test_a_code_that_is_missing_is_named(tmp_path: Path) -> None:
    count = len(screens())
    assert said(tmp_path, photos(tmp_path, screens()[0], *screens()[2:])).startswith(
        f"Code 2 is missing of {count}"
    )
    assert said(tmp_path, photos(tmp_path, screens()[1])).startswith("Codes 1, 3")


def test_codes_of_two_runs_are_refused_and_told_apart(tmp_path: Path) -> None:
    text = said(tmp_path, photos(tmp_path, *screens(), screens(True)[0]))
    assert text.startswith("These codes are of 2 runs: ")
    assert f"in {tmp_path}/{len(screens())}.png" in text


def test_what_shows_no_code_is_said(tmp_path: Path) -> None:
    assert "No code can be read" in said(tmp_path, photos(tmp_path, Image.new("L", (60, 40), 90)))
    (tmp_path / "text").write_text("no picture")
    assert "is no photo that can be read" in said(tmp_path, [tmp_path / "text"])
    assert "does not exist" in said(tmp_path, [tmp_path / "none.jpg"])


def test_another_table_is_refused() -> None:
    codes = dict.fromkeys(split(packed(RUN), 3, Table(TABLE.words, 1)), "a.png")
    with pytest.raises(CodesError, match=f"the words 00000001, and here are {TABLE.version:08x}"):
        join(codes, TABLE)


def test_another_format_is_refused() -> None:
    (code,) = split(packed(RUN), 1, TABLE)
    with pytest.raises(CodesError, match="of format 3, and this Tollgate reads formats 1 and 2"):
        parse(text_of(replace(code, form=3)))


def test_the_tolls_codes_have_its_rows_its_controls_and_every_doubt_of_them() -> None:
    doubts = [("toll", "user/int/bare"), ("control", "control/loop"), ("clock", "rate")]
    other = ("usystime", "user/usystime/getpid")
    noisy = [
        compact({"v": 1, "type": "noisy", "suite": suite, "id": row, "reason": "it is"})
        for suite, row in (*doubts, other)
    ]
    row = compact({"v": 1, "type": "result", "suite": other[0], "id": other[1]})
    kept = run([row, *RUN, *noisy], "toll").encode().splitlines()
    assert kept[-3:] == noisy[:3]
    assert kept[:-3] == [text for text in RUN if of_toll(parse_json(text))]
    assert row not in kept and len(kept) > 5


def test_codes_of_the_toll_are_marked_as_a_part_and_may_have_fewer_records() -> None:
    row = next(text for text in RUN if b'"suite":"toll"' in text)
    kept = [text for text in RUN if text != row]
    for part, broken in (("toll", False), ("", True)):
        (run,) = runs_of(kept, 1, part)
        assert run.run.get("part", "") == part
        assert ("records" in {fault.rule for fault in faults(run)}) == broken


@given(st.integers(0), st.integers(0, 44))
def test_a_wrong_character_is_no_code(place: int, digit: int) -> None:
    (code,) = split(b"sixty bytes or so of what was packed, which could be anything", 1, TABLE)
    text = bytearray(text_of(code))
    assert parse(bytes(text)) == code
    text[place % len(text)] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"[digit]
    assert parse(bytes(text)) in (None, code)


def test_a_bad_photo_is_read_right() -> None:
    """A little of each damage; half a frame is refused. tests/console has the whole list."""
    screen = screens()[0]
    (code,) = find(screen)
    assert find(READABLE["all of it, a little"](screen)) == [code]
    assert find(UNREADABLE["left half"](screen)) == []
