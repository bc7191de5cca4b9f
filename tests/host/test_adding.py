"""docs/adding.md: what it names is there, `make new` writes it, and nothing is left out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tollgate.boot import ROOT

PAGE = ROOT / "docs" / "adding.md"
KINDS = re.findall(r"^\| (\w+) \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.M)[1:]
WRITTEN = ("mechanism", "suite", "lesson", "check", "attack", "mutant")
TESTS = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("exercises/*/grade.py")]


def words_of(files: list[Path]) -> set[str]:
    """Each word of all these files."""
    return {word for file in files for word in re.findall(r"\w+", file.read_text())}


@pytest.mark.parametrize("kind", [kind for kind, *_ in KINDS])
def test_what_the_page_names_is_there(kind: str) -> None:
    cells = next(cells for each, *cells in KINDS if each == kind)
    named = [path for cell in cells for path in re.findall(r"`([\w.]+/[\w./]+)`", cell)]
    assert named
    for path in named:
        place = ROOT / (path.partition("NAME")[0].rpartition("/")[0] if "NAME" in path else path)
        assert place.exists() or "MECHANISM" in path, path


@pytest.mark.parametrize("kind", WRITTEN)
def test_the_files_of_a_kind_are_written_once(tmp_path: Path, kind: str) -> None:
    for folder in ("tools", "docs"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "tools" / "new.py", tmp_path / "tools")
    shutil.copy(PAGE, tmp_path / "docs")
    cells = next(cells for each, *cells in KINDS if each == kind)
    for path in re.findall(r"`([\w./]+)/\w+\.\w+`", " ".join(cells)):
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(tmp_path / "tools" / "new.py"), kind, "mine"]
    first, again = (subprocess.run(command, capture_output=True, text=True) for _ in range(2))
    assert first.returncode == 0, first.stdout + first.stderr
    new = re.findall(r"^new: (.+)$", first.stdout, re.M)
    assert new
    for path in new:
        assert "mine" in (tmp_path / path).read_text()
        assert "NAME" not in (tmp_path / path).read_text()
    assert again.returncode == 2
    assert "is there already" in again.stdout


def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    command = [sys.executable, str(ROOT / "tools" / "new.py"), "chck", "mine"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 2
    assert all(kind in said.stdout for kind, *_ in KINDS)


@pytest.mark.parametrize("folder", ["checks", "lessons"])
def test_every_program_is_run_by_somebody(folder: str) -> None:
    """A check by a test; what a lesson walks through by a lesson."""
    users = TESTS if folder == "checks" else [*ROOT.glob("tools/gdb/lessons/*.py")]
    known = words_of(users)
    there = [*(ROOT / "user" / folder).glob("*.c"), *(ROOT / "user" / folder).glob("*/main.c")]
    names = {file.parent.name if file.name == "main.c" else file.stem for file in there}
    nobodys = names - known
    assert not nobodys
