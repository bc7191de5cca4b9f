"""The image of functions that programs call: who finds it, what it says, and the way out of it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerSymSection

from tollgate.boot import BUILD
from tollgate.child import run

from .test_linux import Build, build  # noqa: F401  (a fixture)

IMAGES = ["i386/vdso/user", "i386/vdso/trusted", "amd64/vdso/user", "amd64/vdso/compat"]
TIMES = {"__vdso_gettimeofday", "__vdso_time", "__vdso_clock_gettime", "__vdso_clock_getres"}
OF_32 = {"__kernel_vsyscall", "__kernel_sigreturn", "__kernel_rt_sigreturn"}
STEPPED = re.compile(
    r"^(?P<code>.*): (?P<calls>\d+) calls, (?P<steps>\d+) steps, (?P<inside>\d+) in the image, "
    r"(?P<lost>\d+) lost",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    ("arch", "libc", "folder"),
    [
        ("amd64", "glibc64", "bin"),
        ("amd64", "glibc64", "trusted"),
        ("amd64", "musl64", "bin"),
        ("amd64", "glibc32", "compat"),
        ("i386", "glibc32", "bin"),
        ("i386", "glibc32", "trusted"),
    ],
)
def test_a_libcs_program_asks_for_the_time_without_a_system_call(
    boot: Any,
    tree: Any,
    build: Build,  # noqa: F811
    arch: str,
    libc: str,
    folder: str,
) -> None:
    """And finds its way back to main from each instruction, through the frame of SIGTRAP."""
    module = tree({f"{folder}/vsyscall": build("vsyscall", libc)})
    result = boot(arch, "EPYC", "suite=vsyscall", module=module)
    assert result.outcome.value == "pass", result.reason
    *times, parent = STEPPED.finditer(result.text)
    assert len(times) == 5
    for asked in times:
        assert asked["calls"] == "0", asked[0]
        assert int(asked["inside"]) >= 10, asked[0]
        assert asked["lost"] == "0", asked[0]
    assert parent["code"] == "getppid()"
    assert parent["lost"] == "0"
    if folder != "trusted" or arch == "amd64":
        assert parent["calls"] == "1", "what counts them counts none"


@pytest.mark.parametrize("image", IMAGES)
def test_readers_of_elf_files_are_content(tmp_path: Path, image: str) -> None:
    file = tmp_path / "vdso.so"
    file.write_bytes((BUILD / f"{image}.so.image").read_bytes())
    wide = "amd64" in image and "compat" not in image
    said = run(["readelf", "-aW", "--debug-dump=frames", str(file)], 20, merge=True)
    assert said.returncode == 0
    assert not re.search(r"(?i)warning|error|corrupt", said.stdout), said.stdout
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        symbols = elf.get_section_by_name(".dynsym")
        versions = elf.get_section_by_name(".gnu.version")
        defined = elf.get_section_by_name(".gnu.version_d")
        assert isinstance(versions, GNUVerSymSection)
        assert isinstance(defined, GNUVerDefSection)
        names = {
            version["vd_ndx"]: next(iter(names)).name for version, names in defined.iter_versions()
        }
        found = {
            symbol.name: names.get(versions.get_symbol(index)["ndx"])
            for index, symbol in enumerate(symbols.iter_symbols())
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] == "STT_FUNC"
        }
        assert {name for name, of in found.items() if of == "LINUX_2.6"} >= TIMES
        assert {name for name, of in found.items() if of == "LINUX_2.5"} == (
            set() if wide else OF_32
        )
        frames = elf.get_dwarf_info().EH_CFI_entries()
        covered = sum(f["address_range"] for f in frames if "address_range" in f.header)
        assert covered >= sum(s["st_size"] for s in symbols.iter_symbols())
    gdb = ["gdb", "-nx", "-batch", "-ex", "info functions time$", str(file)]
    assert "__vdso_time" in run(gdb, 20).stdout


def test_linuxs_vsyscalls_are_where_linux_has_them() -> None:
    """And where the talk of 2001 has them (+0, +0x400; getcpu came later)."""
    listed = subprocess.run(
        ["nm", BUILD / "amd64/vdso/user.so"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    at = {line.split()[2]: int(line.split()[0], 16) for line in listed.splitlines()}
    page = 0xFFFFFFFFFF600000
    assert at["__vdso_gettimeofday"] == page
    assert at["__vdso_time"] == page + 0x400
    assert at["__vdso_getcpu"] == page + 0x800


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_bad_pointer_does_three_things_in_three_ways(boot: Any, arch: str) -> None:
    """-EFAULT, SIGSEGV where it is stored, -EFAULT; and the ways to ask agree on the time."""
    result = boot(arch, "EPYC", "suite=badtime,vsyscall samples=20")
    assert result.outcome.value == "pass", result.reason
    measured = {r["id"]: r["median"] for r in result.results if r["suite"] == "vsyscall"}
    assert len(measured) == 13 * (2 if arch == "i386" else 3)
    assert measured["user/gettimeofday/function"] < measured["user/gettimeofday/call"] / 1.5
    bad = {way: measured[f"user/bad/{way}"] for way in ("call", "twin", "function")}
    assert max(bad["call"], bad["twin"]) < bad["function"]
