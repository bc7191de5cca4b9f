"""The bands over compilers: docs/compilers.json, their place in the documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tollgate import addresses, bands
from tollgate.addresses import BAND, pieces, today, wrong
from tollgate.boot import ROOT
from tollgate.errors import TollgateError

ROW = "amd64 faults user/signal/segv"
OTHER = "amd64 switch user/ipc/pipe"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of ours with two rows."""
    monkeypatch.setattr(bands, "FILE", tmp_path / "compilers.json")
    versions = ["gcc 12.2.0", "gcc 13.3.0", "gcc 14.2.0", "clang 14.0.6"]
    bands.write(versions, {ROW: [500, 510, 520, 490], OTHER: [800, 800, 800, 800]})
    return bands.FILE


@pytest.fixture(autouse=True)
def fresh() -> None:
    bands.load.cache_clear()


def test_every_path_through_c_has_a_band_beside_it() -> None:
    """Of each compiler a figure, and the documents' compiler's is the budget."""
    without = [p.template for p in pieces() if p.by_compiler() and BAND not in p.addresses()]
    assert without == [], "{band} in docs/addresses.txt"
    asked = {row for piece in pieces() if BAND in piece.addresses() for row in piece.by_compiler()}
    found = bands.figures()
    assert found.keys() == asked and len(asked) >= 150, "make compilers"
    assert {row: told[0] for row, told in found.items() if today(row) not in (None, told[0])} == {}
    assert len([told for told in found.values() if None not in told]) >= 100
    assert any(len(set(told)) > 1 for told in found.values())


def test_a_figure_of_another_compiler_that_changes_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = bands.figures()
    monkeypatch.setattr(bands, "figures", lambda: found)
    most = max(range(4), key=lambda place: found[ROW][place] or 0)
    found[ROW][most] = (found[ROW][most] or 0) + 1
    lines = [
        said
        for piece in pieces()
        if ROW in piece.by_compiler()
        and (said := wrong(piece, (ROOT / piece.document).read_text(encoding="utf-8")))
    ]
    assert any(line.startswith("docs/results.md, line ") for line in lines)
    assert any(line.startswith("docs/linux.md, line ") for line in lines)


def test_a_band_is_the_least_and_the_most(file: Path) -> None:
    assert bands.band([ROW]) == "490 to 520"
    assert bands.band([ROW, OTHER]) == "-2 to +4 %"
    assert bands.band([OTHER]) == "the same"
    assert bands.names() == "gcc 12.2.0, gcc 13.3.0, gcc 14.2.0 and clang 14.0.6"


def test_a_path_that_changes_loses_what_others_made_of_the_older_one(file: Path) -> None:
    bands.settle({ROW: 501, OTHER: 800}.get)
    assert bands.figures() == {ROW: [501, None, None, None], OTHER: [800] * 4}
    assert bands.band([ROW]) == "gcc 12 alone"


def test_a_compiler_that_is_missing_is_a_sentence(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its figures stay where no path has changed; without any compiler all stay."""
    here = {"gcc 12": ("gcc", "gcc 12.2.0")}
    monkeypatch.setattr(bands, "present", here.get)
    monkeypatch.setattr(bands, "built", Path)
    monkeypatch.setattr(bands, "boot", lambda arch, *_: {ROW: 501, OTHER: 800})
    said: list[str] = []
    bands.measure([ROW, OTHER], said.append)
    assert said[0] == "gcc 12.2.0 ..." and said[1].startswith("gcc 13 is not here: ")
    assert bands.figures() == {ROW: [501, None, None, None], OTHER: [800] * 4}
    here["gcc 12"] = ("gcc", "gcc 12.3.0")
    monkeypatch.setattr(bands, "boot", lambda arch, *_: {ROW: 502, OTHER: 799})
    bands.measure([ROW, OTHER], said.append)
    assert bands.load()[0][:2] == ["gcc 12.3.0", "gcc 13.3.0"]
    assert bands.figures()[OTHER] == [799, 800, 800, 800], "a newer compiler, not a newer path"
    before = json.loads(file.read_text())
    here.clear()
    bands.measure([ROW, OTHER], said.append)
    assert json.loads(file.read_text()) == before


def test_a_build_that_fails_is_a_sentence_with_the_compilers_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = "; ".join(f"echo line {number} >&2" for number in range(20))
    (tmp_path / "Makefile").write_text(f"%:\n\t@{says}; echo $(CC): error: no >&2; false\n")
    monkeypatch.setattr(bands, "ROOT", tmp_path)
    with pytest.raises(TollgateError) as caught:
        bands.built("other-cc")
    said = str(caught.value).splitlines()
    assert said[0].startswith("other-cc does not build it; no figure is changed.")
    assert "other-cc: error: no" in said and "line 19" in said
    assert len(said) <= 1 + bands.LAST_LINES


def test_only_the_version_that_is_asked_for_is_that_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, version in (("gcc", "14.2.0"), ("gcc-13", "13.3.0"), ("clang", "19.1.7")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = [bands.present(each) for each in bands.COMPILERS]
    assert found == [
        None,
        ("gcc-13", "gcc 13.3.0"),
        ("gcc", "gcc 14.2.0"),
        ("clang", "clang 19.1.7"),
    ]


def test_the_words_of_addresses_are_found_again() -> None:
    """What a band may say fits its pattern: else `make docs` could not write the next one."""
    piece = addresses.Piece("README.md", "takes {amd64 faults user/signal/segv} ({band}).", 1)
    for said in ("490 to 1,520", "-2 to +4 %", "0 to +17 %", "the same", "gcc 12 alone"):
        assert piece.pattern().fullmatch(f"takes 559 ({said}).")
