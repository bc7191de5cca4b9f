"""One table of the suites, from which all other lists are generated."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import foreign

from tollgate import suite_lists, suites
from tollgate.machines.boot import ROOT
from tollgate.records.expected import tabled


def test_every_suite_is_a_program() -> None:
    for name in (suite.name for suite in suites.TABLE):
        place = ROOT / "user" / "suites" / name
        assert place.with_suffix(".c").is_file() or (place / "main.c").is_file(), name


def test_what_the_judges_cannot_do_is_said_before_a_boot(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert foreign.main(["toll,zzz"]) != 0
    out, err = capsys.readouterr()
    assert "There is no suite 'zzz'; SUITE is of toll, " in err and not out


def test_every_program_of_the_suites_is_in_the_table() -> None:
    """The exception is the first program of a booted Linux: none of our kernels starts it."""
    place = ROOT / "user" / "suites"
    there = {file.stem for file in place.glob("*.c")}
    there |= {file.parent.name for file in place.glob("*/main.c")}
    unknown = there - {*(suite.name for suite in suites.TABLE), "onlinux"}
    assert not unknown, "tools/tollgate/suites.py lacks it"


def test_the_readme_has_the_list_of_the_table() -> None:
    assert suite_lists.readme() == (ROOT / "README.md").read_text(), (
        "python -m tollgate.suite_lists documents"
    )


def test_a_suite_is_offered_by_a_key_of_its_own() -> None:
    """In both menus: the entries that are not suites have other keys."""
    keys = [suite.key for suite in suite_lists.OFFERED]
    keys += re.findall(r"--hotkey (\w)", (ROOT / "tools" / "grub.cfg").read_text())
    assert len(set(keys)) == len(keys)


ROW = """    Suite(
        "novelty",
        "what nobody has measured",
        unit="novelty",
        asks="Is it new?",
        key="e",
        default=True,
    ),
)

NAMES ="""


def test_a_row_of_the_table_is_everywhere(tmp_path: Path) -> None:
    """What the build, the help and `make docs` make of a tree whose table has this row more."""
    for each in ROOT.iterdir():
        if each.name in ("Makefile", "arch.mk", "linker.ld", "boot", "kernel", "user"):
            (tmp_path / each.name).symlink_to(each)
    for name in ("tools", "docs"):
        leave_out = shutil.ignore_patterns("__pycache__", "*.png")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=leave_out)
    shutil.copy(ROOT / "README.md", tmp_path)
    table = tmp_path / "tools" / "tollgate" / "suites.py"
    text = table.read_text()
    assert text.count(")\n\nNAMES =") == 1
    table.write_text(text.replace(")\n\nNAMES =", ROW))

    def make(*words: str) -> str:
        command = ["make", "-s", "-C", str(tmp_path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    tools = tmp_path / "tools"

    def made(*words: str) -> str:
        command = [sys.executable, "-m", "tollgate.suite_lists", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=tools).stdout

    assert re.search(r"SUITE=toll,\S+,novelty$", make("help", "ALL=1"), re.MULTILINE)
    built = "build/amd64"
    make(f"{built}/kernel/config.o")
    kernel = (tmp_path / built / "kernel" / "config.o").read_bytes()
    assert b"toll,exceptions,faults,usystime,novelty\0" in kernel
    grub = made("grub")
    assert "@" not in grub.partition("menuentry")[2]
    assert re.search(r"^set everything=suite=toll\S+,novelty$", grub, re.MULTILINE)
    assert (
        'menuentry "novelty: what nobody has measured" --id novelty --hotkey e {\n'
        "        start $kernel suite=novelty\n}" in grub
    )
    made("documents")
    readme = (tmp_path / "README.md").read_text()
    assert "| `novelty` | what nobody has measured | novelty | Is it new? |\n" in readme


def test_labels_are_the_papers_and_carried_on() -> None:
    """int80 to int83, and cg1 to cg4 like the others: by the variant's position."""
    short = {"int": "int8", "callgate": "cg", "sysenter": "sep", "syscall": "sys"}
    short |= {"call": "call", "site": "site", "samestack": "same"}
    variants = ("standard", "nowork", "service", "bare")
    for arch in ("i386", "amd64"):
        labels = tabled(arch)["toll"]
        assert len(labels) > 30
        for row, label in labels.items():
            _, way, variant = row.split("/")
            if way not in short or variant not in variants:
                continue
            place = variants.index(variant) + (way != "int")
            assert label == f"{short[way]}{place}", row
