"""Calls of Linux that are not here: named in the end record, and said with calls=say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, ROOT

NUMBERS = {32: {"swapon": 87, "init_module": 128}, 64: {"swapon": 167, "init_module": 175}}
PROGRAMS = {
    "i386": {"bin": 32, "trusted": 32},
    "amd64": {"bin": 64, "compat": 32, "trusted": 64},
}


@pytest.mark.parametrize("say", [True, False])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_missing_says_so_once(boot: Any, tree: Any, arch: str, say: bool) -> None:
    files, lines, names = {}, [], set()
    for folder, bits in PROGRAMS[arch].items():
        width = "amd64" if bits == 64 else "i386"
        files[f"{folder}/missing"] = (BUILD / width / "bin" / "missing").read_bytes()
        path = f"/{folder}/missing"
        asked = ["swapon", *(["init_module"] if folder == "trusted" else [])]
        sentences = [f"there is no {n} (call {NUMBERS[bits][n]}) here" for n in asked]
        sentences.insert(1, "there is no call 489, nor has Linux one")
        lines += [f"{path}: {sentence}" for sentence in sentences]
        names |= {(n, NUMBERS[bits][n], bits) for n in asked}
    words = "suite=missing calls=say" if say else "suite=missing"
    result = boot(arch, cmdline=words, module=tree(files))
    assert result.outcome.value == "pass", result.reason
    assert [c for c in result.checks if not c["ok"]] == []
    said = [line for line in result.text.splitlines() if ": there is no " in line]
    assert said == (lines if say else [])
    assert {tuple(entry) for entry in result.end["unimplemented"]} == names


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_run_that_misses_nothing_says_nothing(boot: Any, arch: str) -> None:
    result = boot(arch, cmdline="suite=usystime samples=10")
    assert "unimplemented" not in result.end


def table(path: Path, word: str) -> dict[str, tuple[int, ...]]:
    """The calls of a table, with the numbers of i386 and amd64; -1 = that has none."""
    found: dict[str, tuple[int, ...]] = {}
    lines = re.findall(
        rf"\b(?:FRAME_|SERVICE_)?{word}(32|64|)\((\w+), (\d+)(?:, (\d+))?\)", path.read_text()
    )
    for width, name, first, second in lines:
        found[name] = {"32": (int(first), -1), "64": (-1, int(first))}.get(
            width, (int(first), int(second or -1))
        )
    return found


def test_a_call_that_is_here_has_linuxs_number_and_name() -> None:
    here = table(ROOT / "kernel" / "unix" / "sys.def", "CALL")
    linux = table(ROOT / "kernel" / "unix" / "program" / "linux.def", "LINUX")
    assert len(here) > 100
    assert len(linux) > 400
    for column in (0, 1):
        names = {numbers[column]: name for name, numbers in linux.items()}
        for name, numbers in here.items():
            if not name.startswith("toll_") and numbers[column] != -1:
                assert name.removeprefix("old_") in names[numbers[column]]  # or _new.., ..64


@pytest.mark.parametrize(("header", "column"), [("unistd_32.h", 0), ("unistd_64.h", 1)])
def test_the_names_are_linuxs(header: str, column: int) -> None:
    path = Path("/usr/include/x86_64-linux-gnu/asm") / header
    if not path.exists():
        pytest.skip(f"this host has no {path}")
    linux = table(ROOT / "kernel" / "unix" / "program" / "linux.def", "LINUX")
    for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", path.read_text(), re.M):
        assert linux[name][column] == int(number)
