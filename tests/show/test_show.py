"""`tollgate show`: it lists what was measured, and every instruction is listed in its place."""

import functools
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.errors import Exit
from tollgate.machines import row_path
from tollgate.machines.boot import ROOT, Boot
from tollgate.machines.row_path import Paths, Step
from tollgate.show import here, listing

MACHINES = [("i386", "EPYC"), ("amd64", "Skylake-Client")]
"""Both kernels, with every row that one of QEMU's processors has."""
WALKED = ("toll", "exceptions")
INTEL = "--cpu=Skylake-Client"
POINTS = [f"MP{n}" for n in range(1, 9)]
FRAME = ("SAVE_FRAME", "RESTORE_FRAME", "RESTORE_BUT")
LISTS = ("PUSHES", "PUSH_SYSENTER_SP", "POPS", "DROP", "RESTORE", "CLAC", "STAC", "FIX_UP_", "SKIP")
"""Words that stand for one instruction or for a list of them: the line has the word."""
ALIASES = {"add": "DROP", "pusha": "pushad", "popa": "popad", "retf": "retfx", "jb": "jc"}
ALIASES |= {"jne": "jnz", "jmp": "sysretx", "movabs": "mov"}


@functools.cache
def source(file: str) -> list[str]:
    """The lines of a file of this tree."""
    return (ROOT / file).read_text().splitlines()


def sections(steps: list[Step]) -> list[int]:
    """The number of instructions between consecutive measurement points."""
    counts = [0] * len(POINTS)
    at = 0
    for step in steps:
        for point in step.points:
            assert POINTS.index(point) >= at, f"{point} after {POINTS[at]}"
            at = POINTS.index(point)
        counts[at] += step.counted
    return counts[:-1]


@pytest.fixture(scope="session", params=MACHINES, ids=lambda machine: machine[0])
def walked(request: Any) -> Paths:
    arch, cpu = request.param
    return row_path.walk(Boot(arch, cpu=cpu))


def test_every_row_is_listed_as_it_was_measured(boot: Any, walked: Paths) -> None:
    """The count is the median, and the number between two points equals the section's figure."""
    result = boot(walked.arch, walked.cpu, "suite=toll,exceptions samples=1")
    measured = {row["id"]: row for row in result.results if row["suite"] in WALKED}
    assert set(measured) == set(walked.rows)
    assert set(walked.missing) == {skip["id"] for skip in result.skips}
    counts = {row: row_path.count(steps) for row, steps in walked.rows.items()}
    assert counts == {row: data["median"] for row, data in measured.items()}
    assert {row: sections(list(steps)) for row, steps in walked.rows.items()} == {
        row: [section["median"] for section in data["sections"]] for row, data in measured.items()
    }


def test_every_instruction_stands_in_the_line_that_it_is_said_to_come_from(walked: Paths) -> None:
    """The line has the instruction, or the word that stands for it alone."""
    strange = set()
    for row, steps in walked.rows.items():
        for step in steps:
            line = source(step.file)[step.line - 1].partition(";")[0]
            name = step.text.split()[0]
            stem = re.sub(r"(?<=.)[fdq]$", "", name)
            words = (stem, ALIASES.get(name, name), *LISTS)
            if not any(re.search(rf"\b{word}", line) for word in words):
                strange.add((row, step.text, f"{step.file}:{step.line}", line.strip()))
    assert not strange


def test_a_variable_has_its_own_name_where_a_section_ends(walked: Paths) -> None:
    """The site's record is the first of the data."""
    for step in walked.rows.get("trusted/site/standard", ()):
        assert "rodata_end" not in step.text


def test_the_picture_of_the_frame_is_what_the_processor_writes(walked: Paths) -> None:
    """The field that SAVE_FRAME names beside a push is the address that the push has written."""
    seen = 0
    for steps in walked.rows.values():
        for step in steps:
            if step.macro in FRAME and not step.text.startswith("add"):
                line = source(step.file)[step.line - 1]
                said = [w for w in re.findall(r"\w+", line.partition(";")[2]) if w != "pushad_sp"]
                assert step.touches.split()[1:] == said, (step, line)
                seen += 1
    assert seen > 90


def test_a_row_that_branches_is_shown_as_it_went(walked: Paths) -> None:
    """Without an IST stack a page fault takes another branch for a trusted program."""
    if walked.arch == "amd64":
        ways = [
            [step.text for step in walked.rows[f"{origin}/pf/move"]]
            for origin in ("user", "trusted")
        ]
        assert "cmp BYTE PTR [cpu_trusted],0x0" not in ways[0]
        assert "cmp BYTE PTR [cpu_trusted],0x0" in ways[1]


def test_code_is_shown_as_the_boot_has_patched_it(walked: Paths) -> None:
    assert any(step.text == "clac" for step in walked.rows["user/int/standard"])


def test_paths_are_kept_until_the_kernel_is_another(
    monkeypatch: pytest.MonkeyPatch, walked: Paths
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("it boots again")

    monkeypatch.setattr(row_path, "_walks", never)
    boot = Boot(walked.arch, cpu=walked.cpu)
    assert row_path.walk(boot) == walked
    monkeypatch.setattr(row_path, "_digest", lambda *_: "another")
    with pytest.raises(AssertionError, match="it boots again"):
        row_path.walk(boot)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["user/int/standart", INTEL], "There is no row .* did you mean user/int/standard"),
        (["compat/syscall/bare", INTEL], "not on amd64 Sky.*: .* #UD .*CPU= names another"),
        (["user/int/bare", "--arch=sparc"], "no kernel for 'sparc'"),
        (["user/int/bare", "--cpu=Skylark-Client"], "did you mean Skylake-Client"),
    ],
)
def test_what_is_not_there_is_said(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["show", *words]) == Exit.USAGE
    assert re.search(said, capsys.readouterr().err)


def test_sources_that_are_newer_than_the_kernel_are_named(
    walked: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "old.elf"
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    monkeypatch.setattr(Boot, "kernel_file", lambda boot: old)
    monkeypatch.setattr(listing, "find_row", lambda row, boots: (boots[0], walked))
    said = listing.show("user/int/bare", walked.arch, walked.cpu)
    assert "kernel/core/entry/int.asm: changed since the kernel was built" in said[2]


def test_a_missing_build_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tollgate.machines.boot.BUILD", tmp_path)
    assert main(["show", "user/int/bare"]) == Exit.ERROR
    assert "is missing; `make` builds it." in capsys.readouterr().err


def test_a_row_is_printed_to_its_last_point(
    capsys: pytest.CaptureFixture[str], walked: Paths
) -> None:
    words = ["show", "user/int/bare", f"--arch={walked.arch}", f"--cpu={walked.cpu}"]
    assert main(words) == Exit.PASS
    said = capsys.readouterr().out
    assert f"on {walked.arch} {walked.cpu}: 2 instructions" in said
    assert said.endswith("MP8\n")


@pytest.mark.parametrize("row", ["user/syscall/standard", "trusted/call/standard"])
def test_a_path_runs_on_this_machine_without_its_gate(
    capsys: pytest.CaptureFixture[str], row: str
) -> None:
    assert main(["show", row, "--here", INTEL]) == 0
    steps = row_path.walk(Boot("amd64", cpu=MACHINES[1][1])).rows[row]
    gate = [step.text.split()[0] for step in steps if here.GATE.match(step.text)]
    assert set(gate) <= {"syscall", "sysretq", "int", "iretq", "clac"}
    assert len(gate) >= 2 * (not row.startswith("trusted"))
    said = capsys.readouterr().out
    assert f"the {len(steps) - len(gate)} plain instructions take" in said
    assert re.search(r"take [\d.]*[1-9][\d.]* (core cycles|ticks of the TSC, not core)", said)
    assert f"Its gate ({len(gate)} instructions) is not in it" in said


def test_a_loop_has_the_paths_instructions_and_no_others(tmp_path: Path) -> None:
    """The assembled loop, read back by objdump, has the path's instructions in the same order."""
    steps = row_path.walk(Boot("amd64", cpu=MACHINES[1][1])).rows["user/syscall/standard"]
    texts = here.plain(steps)
    (tmp_path / "path.s").write_text(here.assembly(texts))
    made = tmp_path / "path.o"
    subprocess.run(["gcc", "-c", tmp_path / "path.s", "-o", made], check=True)
    shown = row_path.binutils("objdump", "-d", "-M", "intel", "--no-show-raw-insn", made)
    body: list[str] = []
    labels = [f"at_{i}" for i in range(len(texts))]
    for line in shown:
        if match := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            label = match[1]
        elif (match := re.match(r" +[0-9a-f]+:\t(\S+)", line)) and label in labels:
            body.append(match[1])
    assert sorted(body) == sorted(text.split()[0] for text in texts)


@pytest.mark.parametrize("row", ["compat/int/standard", "user/syscall/standard+verw"])
def test_a_path_that_cannot_run_here_is_a_usage_error_without_a_boot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    monkeypatch.setattr(listing, "walk", None)
    assert main(["show", row, "--here"]) == Exit.USAGE
    assert "--here runs rows of 64-bit programs, without parts" in capsys.readouterr().err
