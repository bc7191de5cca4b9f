"""make as a person meets it: an unknown word is refused, and a build shows how far it is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from tollgate.boot import BUILD, ROOT
from tollgate.build import build
from tollgate.errors import Exit, TollgateError


def make(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("PLATFROM=kvm", "There is no variable PLATFROM; did you mean PLATFORM?"),
        ("suite=toll", "There is no variable suite; did you mean SUITE?"),
        ("bnech", "There is no target bnech; did you mean bench?"),
        ("benchmark", "There is no target benchmark; did you mean bench?"),
        ("frobnicate", "There is no target frobnicate; there are all, audit, bench,"),
        ("CC=tcc-that-is-not-there", "There is no compiler tcc-that-is-not-there;"),
    ],
)
def test_a_misspelt_word_is_refused(word: str, told: str) -> None:
    done = make(word, "help")
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_what_help_names_is_known() -> None:
    text = make("help").stdout
    names = set(re.findall(r"\b[A-Z]+(?==)", text))
    assert names >= {"CC", "SUITE", "TESTS"}
    assert make(*(f"{name}=gcc" for name in names), "help").stdout == text


def test_every_variable_that_the_makefile_uses_of_a_person_is_in_its_help() -> None:
    """Else it would be refused as a misspelling."""
    source = (ROOT / "Makefile").read_text()
    used = set(re.findall(r"--[a-z]+='\$\(([A-Z]+)\)'", source))
    assert used <= set(re.findall(r"\b[A-Z]+(?==)", make("help").stdout))


class Makefile:
    """A Makefile of three files, one of which may not be built."""

    def __init__(self, folder: Path, broken: bool = False) -> None:
        self.path = folder / "Makefile"
        rule = "echo oops >&2; false" if broken else "touch b"
        self.path.write_text(
            "all: a b c\n"
            'a c:\n\t@echo "  CC     $@"\n\t@touch $@\n'
            f'b:\n\t@echo "  CC     $@"\n\t@{rule}\n'
        )
        self.command = ["make", "-s", "-C", str(folder), "all"]


def said(console: Console) -> list[str]:
    return console.export_text().splitlines()


def test_a_build_is_two_lines_where_nothing_moves(tmp_path: Path) -> None:
    console = Console(record=True, force_terminal=False, file=(tmp_path / "out").open("w"))
    assert build(Makefile(tmp_path).command, console) is Exit.PASS
    first, last = said(console)
    assert first == "building 3 files ..."
    assert re.fullmatch(r"built 3 files in \d+ s\.", last)
    assert (tmp_path / "c").exists()
    assert build(Makefile(tmp_path).command, console) is Exit.PASS
    assert said(console) == []


def test_a_build_that_fails_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    console = Console(record=True, force_terminal=False, file=(tmp_path / "out").open("w"))
    with pytest.raises(TollgateError, match="The build failed"):
        build(Makefile(tmp_path, broken=True).command, console)
    assert "oops" in capfd.readouterr().err


def test_a_make_that_was_given_jobs_is_quiet() -> None:
    assert make("-j4", "-n", "built").stderr == ""


def test_a_bench_boots_what_the_compiler_that_was_named_has_built() -> None:
    assert make("-pn", "CC=clang", "help").stdout.count(f"TOLLGATE_BUILD := {ROOT}/build-clang\n")
    assert make("-pn", "help").stdout.count(f"TOLLGATE_BUILD := {ROOT}/build\n")


def test_a_program_without_a_source_is_not_packed() -> None:
    former = BUILD / "i386" / "bin" / "gone"
    former.touch()
    try:
        build = os.path.relpath(BUILD, ROOT)
        told = make("-n", "-W", "tools/initrd.sh", f"{build}/i386/initrd.cpio", f"BUILD={build}")
        packing = next(line for line in told.stdout.splitlines() if line.startswith("rm -f"))
        assert packing.split() == ["rm", "-f", os.path.relpath(former, ROOT)]
    finally:
        former.unlink()
