"""The share of function calls among the system calls of foreign programs in ring 0.

A plugin counts how often the SYSCALL entry and the sites' entry are reached, in a boot each.  The
results are in tools/tollgate/show/shares.csv; a failing test prints the correct line.
"""

import re
import struct
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from elftools.elf.elffile import ELFFile

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.qemu_plugin import build_plugin, reach_plugin
from tollgate.self.reach import PLUGIN
from tollgate.show import shares

from ..unix.test_languages import PROGRAMS as LANGUAGES
from ..unix.test_languages import SOURCES
from ..unix.test_linux import Build, build
from ..unix.test_strangers import debians
from .test_sites import sites_of

__all__ = ["build"]
pytestmark = pytest.mark.long

KERNEL = BUILD / "amd64" / "kernel.elf"
WAYS = {"SYSCALL": "clean_trusted_syscall_standard_entry", "call": "clean_trusted_site_common"}
MUSL = "usr/lib/x86_64-linux-musl/bin/mksh"
SCRIPT = """
i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); done > /tmp/f
while read a b; do [ -f /tmp/f ] && echo $b; done < /tmp/f > /tmp/g
cd /tmp; pwd; for f in a b c; do echo x >> $f; done; echo /bin/*; x=$(echo y); kill -0 $$
"""


class Program(NamedTuple):
    """A Debian package and its program, or a program of tests/languages; its arguments."""

    package: str
    path: str
    words: tuple[str, ...] = ()


PROGRAMS = {
    "bash, a script": Program("bash-static", "bin/bash-static", ("-c", SCRIPT)),
    "zsh, the script": Program("zsh-static", "bin/zsh-static", ("-c", SCRIPT)),
    "busybox, the script": Program("busybox-static", "bin/busybox", ("sh", "-c", SCRIPT)),
    "busybox, `find /`": Program("busybox-static", "bin/busybox", ("find", "/")),
    "busybox, `wc /words`": Program("busybox-static", "bin/busybox", ("wc", "/words")),
    "mksh by musl, the script": Program("mksh", MUSL, ("-c", SCRIPT)),
    "mksh by klibc, the script": Program("mksh", "usr/lib/klibc/bin/mksh", ("-c", SCRIPT)),
    "mksh by dietlibc, the script": Program("mksh", "usr/lib/diet/bin/mksh", ("-c", SCRIPT)),
    "Go, two children": Program("", "go_child"),
    "Go, a web server and its client": Program("", "go_http"),
    "Rust, files and children": Program("", "rust_all"),
}
SHARES = {each.program: each for each in shares.load()}
POINTS = 3
"""Percentage points that another version of a program or compiler may be below the table."""


def bytes_of(program: Program, out: Path) -> bytes:
    if program.package:
        return debians("amd64", program.package, program.path, out)
    LANGUAGES[program.path](next(SOURCES.glob(f"{program.path}.*")), out)
    return out.read_bytes()


def address(name: str) -> int:
    with KERNEL.open("rb") as file:
        (symbol,) = ELFFile(file).get_section_by_name(".symtab").get_symbol_by_name(name)
    return int(symbol["st_value"])


def passes(folder: Path, at: int, start: Callable[..., Any]) -> int:
    """How often a boot passes an address: the plugin starts another input each time."""
    folder.mkdir()
    build_plugin("qemu-system-x86_64", PLUGIN, folder)
    (folder / "points").write_bytes(struct.pack("<Q", 1))
    (folder / "reached").write_bytes(bytes(8))
    result = start(tuple(reach_plugin(folder, mark=hex(at), inputs=str(folder / "inputs"))))
    assert result.outcome.value == "pass", result.reason
    return (folder / "inputs").stat().st_size // 4


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_makes_so_many_of_its_calls_by_a_call(
    boot: Any, tree: Any, build: Build, tmp_path: Path, name: str
) -> None:
    program = PROGRAMS[name]
    path = f"trusted/{Path(program.path).name}"
    files = {
        "bin/launch": build("launch", "glibc64"),
        path: bytes_of(program, tmp_path / "program"),
        "words": "".join(f"{word}\0" for word in (f"/{path}", *program.words)).encode(),
        "bin/busybox": debians("amd64", "busybox-static", "bin/busybox", tmp_path / "busybox"),
        "tmp/.here": b"",
    }
    start = partial(boot, "amd64", "EPYC", "suite=launch", module=tree(files), memory=512)
    by, call = (
        passes(tmp_path / way, address(entry), lambda extra: start(extra=extra, timeout=120.0))
        for way, entry in WAYS.items()
    )
    line = f'"{name}",{by + call},{round(100 * call / (by + call))}'
    assert name in SHARES and SHARES[name].percent - 100 * call / (by + call) <= POINTS, line


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("those of bash by glibc", "bash, a script"),
        ("a Go program's", "Go, two children"),
        ("those of mksh by musl", "mksh by musl, the script"),
        ("those of mksh by klibc", "mksh by klibc, the script"),
    ],
)
def test_readme_says_what_the_table_says(words: str, name: str) -> None:
    assert f"{SHARES[name].percent} % of {words}" in " ".join(
        (ROOT / "README.md").read_text().split()
    )


INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S.*)", re.M)
TARGET = re.compile(r"^(?:(?:bnd|notrack|data16|rex\S*) )*(?:j|call|loop|xbegin)\S* +([\da-fx]+)\b")


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_site_of_a_program_is_whole_instructions(tmp_path: Path, name: str) -> None:
    """It begins where a disassembler has an instruction, and no jump or call leads into it."""
    program = bytes_of(PROGRAMS[name], tmp_path / "program")
    (tmp_path / "program").write_bytes(program)
    with (tmp_path / "program").open("rb") as file:
        texts = [s for s in ELFFile(file).iter_segments("PT_LOAD") if s["p_flags"] & 1]
        moved = texts[0]["p_vaddr"] - texts[0]["p_offset"]
    sites = {at + moved: end + moved for at, end in sites_of(program).items()}
    command = ["objdump", "-d", "--no-show-raw-insn", "-w", str(tmp_path / "program")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    there = {int(at, 16): code for at, code in INSTRUCTION.findall(said)}
    targets = {int(found[1], 16) for code in there.values() if (found := TARGET.match(code))}
    assert sites and targets
    assert [hex(at) for at in sites if at not in there] == []
    assert {there.get(end) for end in sites.values()} == {"syscall"}
    inner = {n for at, end in sites.items() for n in (*range(at + 1, end), end + 1)}
    assert [hex(at) for at in inner & targets] == []
