"""Call frame information: gdb unwinds from every instruction of every entry into the program."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import Boot
from tollgate.machines.debug import unwound

from ..unix.test_linux import build

__all__ = ["build"]  # the fixture

pytestmark = pytest.mark.patient


def script(boot: Boot, symbols: Sequence[str], rows: list[str]) -> list[str]:
    """The lines that unwind.py prints for these rows; gdb's commands load a program's symbols."""
    narrow = boot.arch == "i386" and any("/syscall/" in row for row in rows)
    lines = unwound(boot, symbols, rows, narrow)
    assert [line.split(":")[0] for line in lines] == rows, lines
    return lines


def unwind(arch: str, cpu: str, program: str, rows: list[str], words: str = "") -> list[str]:
    """The same while one of the tree's programs runs."""
    boot = Boot(arch, cpu=cpu, words=(f"suite={program}", "samples=1", *words.split()))
    return script(boot, [f"program {program}"], rows)


def rows_there_are(boot: Any, arch: str, cpu: str, suite: str) -> list[str]:
    """All rows that the suite measures."""
    result = boot(arch, cpu, f"suite={suite} samples=100")
    return [r["id"] for r in result.results if r["suite"] == suite and "sections" in r]


@pytest.mark.parametrize(
    ("arch", "cpu", "of", "some"),
    [
        pytest.param(
            *("amd64", "Skylake-Client", ("",), {"user/sysenter/bare", "compat/sysenter/standard"}),
            marks=pytest.mark.long,
        ),
        (
            "amd64",
            "EPYC",
            ("compat/syscall/", "trusted/site/", "user/syscall/lazy"),
            {"compat/syscall/nowork", "trusted/site/standard", "user/syscall/lazy"},
        ),
        pytest.param("i386", "EPYC", ("",), {"user/int/bare"}, marks=pytest.mark.long),
    ],
)
def test_gdb_unwinds_at_each_instruction(
    boot: Any, arch: str, cpu: str, of: tuple[str, ...], some: set[str]
) -> None:
    rows = [row for row in rows_there_are(boot, arch, cpu, "toll") if row.startswith(of)]
    assert some <= set(rows)
    wrong = [line for line in unwind(arch, cpu, "toll", rows) if "instructions" not in line]
    assert not wrong, wrong


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_gdb_unwinds_out_of_a_measured_exception(boot: Any, arch: str) -> None:
    rows = rows_there_are(boot, arch, "EPYC", "exceptions")
    wrong = [
        line for line in unwind(arch, "EPYC", "exceptions", rows) if "instructions" not in line
    ]
    assert not wrong, wrong


@pytest.mark.long
@pytest.mark.parametrize(("arch", "cpu"), [("i386", "pentium3"), ("amd64", "Skylake-Client")])
def test_gdb_unwinds_through_an_exception(arch: str, cpu: str) -> None:
    lines = unwind(arch, cpu, "deaths", ["vector/14"], "only=SIGSEGV-write-null")
    assert "instructions" in lines[0], lines


@pytest.mark.long
def test_gdb_unwinds_at_each_instruction_of_a_rewritten_call(
    build: Any, tree: Any, tmp_path: Path
) -> None:
    """It can even where a stub is back on the program's stack, and the kernel's is empty."""
    program, module = tmp_path / "sites", tmp_path / "module"
    program.write_bytes(build("sites", "glibc64"))
    module.write_bytes(tree({"trusted/sites": program.read_bytes()}))
    boot = Boot("amd64", cpu="EPYC", words=("suite=sites",), module=module)
    symbols = ("remove-symbol-file -a _start", f"add-symbol-file {program}")  # for the toll's rows
    lines = script(boot, symbols, ["site/which", "site/wide_site"])
    assert all("instructions" in line for line in lines), lines
