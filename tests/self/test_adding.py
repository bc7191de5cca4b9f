"""docs/source.md: everything that it names exists, and every folder is named."""

import re
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT

PAGE = ROOT / "docs" / "source.md"
KINDS = re.findall(r"^\| (\w+) \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.M)[1:]
TESTS = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("exercises/*/grade.py")]


def words_of(files: list[Path]) -> set[str]:
    """All words in these files."""
    return {word for file in files for word in re.findall(r"\w+", file.read_text())}


@pytest.mark.parametrize("kind", [kind for kind, *_ in KINDS])
def test_what_the_page_names_is_there(kind: str) -> None:
    cells = next(cells for each, *cells in KINDS if each == kind)
    named = [path for cell in cells for path in re.findall(r"`([\w.]+/[\w./]+)`", cell)]
    assert named
    for path in named:
        place = ROOT / (path.partition("NAME")[0].rpartition("/")[0] if "NAME" in path else path)
        assert place.exists() or "MECHANISM" in path, path


@pytest.mark.parametrize("folder", ["checks", "lessons"])
def test_every_program_is_run_by_somebody(folder: str) -> None:
    """A check by a test; a lesson's program by a lesson."""
    users = TESTS if folder == "checks" else [*ROOT.glob("tools/gdb/lessons/*.py")]
    known = words_of(users)
    there = [*(ROOT / "user" / folder).glob("*.c"), *(ROOT / "user" / folder).glob("*/main.c")]
    names = {file.parent.name if file.name == "main.c" else file.stem for file in there}
    nobodys = names - known
    assert not nobodys


def test_every_subject_of_the_attack_is_tried() -> None:
    folder = ROOT / "user" / "attack"
    there = re.findall(
        r"^const struct row (\w+)_row",
        "\n".join(path.read_text() for path in sorted(folder.glob("*.c"))),
        re.M,
    )
    tried = re.findall(r"^ {8}SUBJECT\((\w+)\)", (folder / "attack.h").read_text(), re.M)
    assert sorted(there) == sorted(tried), "SUBJECTS of user/attack/attack.h"
