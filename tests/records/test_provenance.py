"""The origin of results, stored beside them: date, commit, command, host."""

import re
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT
from tollgate.records import provenance


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    asked = {"suite": "starve", "samples": "7"}
    provenance.keep(tmp_path, provenance.command_of("bench", asked))
    made = provenance.beside(tmp_path)
    assert made is not None
    assert made.command == "tollgate bench --suite=starve --samples=7"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.date)
    assert re.fullmatch(r"[0-9a-f]{12,}(-dirty)?|version [\d.]+", made.commit)
    assert "Linux" in made.host and "processor" in made.host


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"date": "1"}'])
def test_what_cannot_be_read_is_not_there(tmp_path: Path, text: str) -> None:
    assert provenance.beside(tmp_path) is None
    (tmp_path / provenance.BESIDE).write_text(text)
    assert provenance.beside(tmp_path) is None


def test_a_tree_inside_another_s_repository_is_not_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = ROOT / "tests"
    monkeypatch.setattr(provenance, "ROOT", inside)
    assert provenance.commit().startswith("version ")
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert provenance.commit().startswith("version ")
