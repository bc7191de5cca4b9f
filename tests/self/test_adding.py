"""docs/source.md: what it names is there, tools/new.py writes it, and nothing is left out."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tollgate.machines.boot import ROOT

PAGE = ROOT / "docs" / "source.md"
KINDS = re.findall(r"^\| (\w+) \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.M)[1:]
ABOUT = {"variant": "int_mine", "exception": "nm"}
"""Names that say what they are of; the others are `mine`."""
READ = (
    *("docs", "exercises", "kernel/core/entry", "kernel/toll", "kernel/unix", "tools/gdb/lessons"),
    *("tools/tollgate/suites.py", "user/attack", "user/suites", "user/checks"),
    "tests/exercises",
)
"""What it reads, and where it writes."""
CAPITALS = r"(?<!ATTACK_)NAME|SHORT|UPPER|FREE|NEXT|PLACE|LAST_PART|MINOR|FIRST|SECOND"
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


@pytest.fixture(scope="session")
def new(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """tools/new.py, and a tree that it may write into."""
    tree = tmp_path_factory.mktemp("tree")
    for name in READ:
        source, to = ROOT / name, tree / name
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, to)
    spec = importlib.util.spec_from_file_location("new", ROOT / "tools" / "new.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ROOT, module.PAGE = tree, tree / "docs" / "source.md"  # type: ignore[attr-defined]
    return module


def test_every_kind_begins_with_files_or_rows(new: ModuleType) -> None:
    """A check has no row; a variant's are its mechanism's."""
    kinds = {kind for kind, *_ in KINDS}
    assert kinds == {*new.FILES, *new.ROWS, "variant"}
    assert {"check", "variant"} == kinds - {*new.ROWS}


@pytest.mark.parametrize("kind", [kind for kind, *_ in KINDS])
def test_a_kind_is_written_once(
    new: ModuleType, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = ABOUT.get(kind, "mine")
    assert new.main(kind, name) == 0
    said = re.findall(r"^(new|row): (.+)$", capsys.readouterr().out, re.M)
    assert len([path for what, path in said if what == "new"]) == len(new.FILES.get(kind, ()))
    assert {path for what, path in said if what == "row"} >= {r[0] for r in new.ROWS.get(kind, ())}
    for what, path in said:
        text = (new.ROOT / path).read_text()
        old = (ROOT / path).read_text() if what == "row" else ""
        lines = [line for line in text.splitlines() if line not in old.splitlines()]
        word = name.rpartition("_")[2]
        assert lines and any(word in line for line in lines), path
        assert not re.search(CAPITALS, "\n".join(lines)), path
    assert new.main(kind, name) == 2
    assert "already" in capsys.readouterr().out


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


def test_every_subject_of_the_attack_is_tried() -> None:
    folder = ROOT / "user" / "attack"
    there = re.findall(
        r"^const struct subject (\w+)_subject",
        "\n".join(path.read_text() for path in sorted(folder.glob("*.c"))),
        re.M,
    )
    tried = re.findall(r"^ {8}SUBJECT\((\w+)\)", (folder / "attack.h").read_text(), re.M)
    assert sorted(there) == sorted(tried), "SUBJECTS of user/attack/attack.h"
