"""The image of functions that programs call: finding it, its contents, and the exit from it."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerSymSection

from tollgate.machines.boot import BUILD, Boot
from tollgate.machines.child import run
from tollgate.machines.debug import session
from tollgate.records import budgets

from ..elf import symbols
from ..emulators import BAD_TIMES, known
from .test_linux import Build, build  # noqa: F401  (a fixture)

HERE = Path(__file__).parent
RETURN = """
break *(&__vdso_gettimeofday + 0)
continue
stepi 14
python assert gdb.newest_frame().name() == "__vdso_gettimeofday"
return (int) 77
python print("returned to", gdb.newest_frame().name())
delete
break check_status
continue
"""
"""A stop in the middle of the function: it has saved registers, and read some of the page."""
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
    """It also unwinds to main from each instruction, through the frame of SIGTRAP."""
    module = tree({f"{folder}/asks": build("vsyscall", libc)})
    counted = "suite=asks direct=off" if arch == "amd64" else "suite=asks"
    result = boot(arch, "EPYC", counted, module=module)
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
@pytest.mark.patient
def test_readers_of_elf_files_are_content(tmp_path: Path, image: str) -> None:
    file = tmp_path / "vdso.so"
    file.write_bytes((BUILD / f"{image}.so.image").read_bytes())
    wide = "amd64" in image and "compat" not in image
    said = run(["readelf", "-aW", "--debug-dump=frames", str(file)], 20, merge=True)
    assert said.returncode == 0
    assert not re.search(r"(?i)warning|error|corrupt", said.stdout), said.stdout
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        dynamic = elf.get_section_by_name(".dynsym")
        versions = elf.get_section_by_name(".gnu.version")
        defined = elf.get_section_by_name(".gnu.version_d")
        assert isinstance(versions, GNUVerSymSection)
        assert isinstance(defined, GNUVerDefSection)
        names = {
            version["vd_ndx"]: next(iter(names)).name for version, names in defined.iter_versions()
        }
        found = {
            symbol.name: names.get(versions.get_symbol(index)["ndx"])
            for index, symbol in enumerate(dynamic.iter_symbols())
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] == "STT_FUNC"
        }
        assert {name for name, of in found.items() if of == "LINUX_2.6"} >= TIMES
        assert {name for name, of in found.items() if of == "LINUX_2.5"} == (
            set() if wide else OF_32
        )
        frames = elf.get_dwarf_info().EH_CFI_entries()
        covered = sum(f["address_range"] for f in frames if "address_range" in f.header)
        assert covered >= sum(s["st_size"] for s in dynamic.iter_symbols())
    gdb = ["gdb", "-nx", "-batch", "-ex", "info functions time$", str(file)]
    assert "__vdso_time" in run(gdb, 20).stdout


def test_linuxs_vsyscalls_are_where_linux_has_them() -> None:
    """They are at +0, +0x400 and +0x800 of a page; the first two also in the talk of 2001."""
    listed = subprocess.run(
        ["nm", BUILD / "amd64/vdso/user.so"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    at = {line.split()[2]: int(line.split()[0], 16) for line in listed.splitlines()}
    page = 0xFFFFFFFFFF5FF000
    assert at["__vdso_gettimeofday"] == page
    assert at["__vdso_time"] == page + 0x400
    assert at["__vdso_getcpu"] == page + 0x800


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_bad_pointer_does_three_things_in_three_ways(boot: Any, arch: str) -> None:
    """The call returns -EFAULT, the function gets SIGSEGV, its twin returns -EFAULT."""
    result = boot(arch, "EPYC", "suite=badtime,image")
    wrong = {check["name"] for check in result.checks if not check["ok"]}
    assert wrong <= known(BAD_TIMES, result.run["tools"]["emulator"])
    assert result.outcome.value == ("fail" if wrong else "pass"), result.reason


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_time_costs_what_the_budgets_say(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=vsyscall samples=20")
    assert result.outcome.value == "pass", result.reason
    assert budgets.differences(result, "vsyscall") == {}, "tests/budgets.toml"


@pytest.mark.long
@pytest.mark.parametrize(
    ("arch", "qemu", "bochs"),
    [("i386", "pentium3", "p3_katmai"), ("amd64", "Haswell", "corei7_haswell_4770")],
)
def test_qemu_and_bochs_agree(boot: Any, suite: Any, arch: str, qemu: str, bochs: str) -> None:
    """They differ in two things: Bochs counts an instruction that a fault stops, and QEMU counts
    the last round of a REP (on the way to a handler).
    """
    here = boot(arch, qemu, "suite=vsyscall samples=5 clock=ticks")
    there = suite(arch, bochs, "bochs", "vsyscall")
    one, other = (
        {r["id"]: r["median"] for r in result.results if r["suite"] == "vsyscall"}
        for result in (here, there)
    )
    assert len(one) > 30
    assert one.keys() == other.keys()
    apart = {row: other[row] - one[row] for row in one if other[row] != one[row]}
    assert all("/bad/" in row and more == 1 for row, more in apart.items()), apart


SOME = ("__vdso_gettimeofday", "__toll_getcpu", "__kernel_")
"""The functions of the short test: each kind of frame."""


def functions_of(image: Path, names: tuple[str, ...]) -> str:
    """Lists NAME:ADDRESS:SIZE for gdb, for each function whose name begins so."""
    there = symbols(image).items()
    found = [f"{name}:{at}:{size}" for name, (at, size) in there if name.startswith(names) and size]
    assert len(found) >= 2
    return " ".join(found)


def image_of(arch: str, folder: str) -> Path:
    return BUILD / arch / "vdso" / ("trusted.so" if folder == "trusted" else "user.so")


def debugged(arch: str, image: Path, words: str, script: Path, settings: list[str]) -> str:
    """The output of gdb and the guest, when the script has released or ended the guest."""
    with session(Boot(arch, cpu="EPYC", words=("suite=image", *words.split()))) as machine:
        command = machine.gdb(None, headless=True)
        command += ["-ex", "program image", "-ex", f'add-symbol-file "{image}"']
        for setting in settings:
            command += ["-ex", f"set {setting}"]
        done = machine.run([*command, "-x", str(script)], 300)
        return done.stdout + machine.serial.read_text("utf-8", "replace")


WAY_BACK = re.compile(
    r"way back: (\d+) instructions, (\d+) through a signal frame; lost: (.*); not reached: (.*)"
)


def way_back(arch: str, folder: str, deep: bool, names: tuple[str, ...]) -> tuple[int, int]:
    image = image_of(arch, folder)
    settings = [f'$functions = "{functions_of(image, names)}"', f"$deep = {int(deep)}"]
    settings += [f"$turn = {2 if folder == 'trusted' else 1}"]
    said = debugged(arch, image, "", HERE / "backtrace.py", settings)
    found = WAY_BACK.search(said)
    assert found, said[-2000:]
    assert found[3] == "[]", "there the way back to main is lost"
    assert found[4] == "[]", "no call has led there"
    return int(found[1]), int(found[2])


@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.patient
def test_gdb_finds_the_way_back_from_each_instruction(arch: str) -> None:
    """It also unwinds through the signal frame of a fault within the image."""
    looked, through = way_back(arch, "bin", True, SOME)
    assert looked == through > 30


@pytest.mark.long
@pytest.mark.parametrize(
    ("arch", "folder"),
    [("i386", "bin"), ("amd64", "bin"), ("i386", "trusted"), ("amd64", "trusted")],
)
@pytest.mark.patient
def test_gdb_finds_the_way_back_in_either_ring(arch: str, folder: str) -> None:
    looked, through = way_back(arch, folder, False, ("",))
    assert looked > through > 250


@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.patient
def test_gdbs_return_takes_the_frame_off(arch: str, tmp_path: Path) -> None:
    """The talk's page 11: the program continues with the result that it was given."""
    script = tmp_path / "return.gdb"
    script.write_text(RETURN)
    said = debugged(arch, image_of(arch, "bin"), "only=return", script, [])
    assert "returned to answered" in said, said[-2000:]
    assert "ok 1 answered # 77" in said, said[-2000:]


@pytest.mark.parametrize("cpu", ["EPYC", "EPYC,-smep,-smap"])
@pytest.mark.parametrize("folder", ["bin", "trusted"])
def test_linuxs_vsyscalls_work_in_either_ring(
    boot: Any,
    tree: Any,
    build: Build,  # noqa: F811
    folder: str,
    cpu: str,
) -> None:
    """They are on a page that is execute-only in either ring, and that maps lists."""
    module = tree({f"{folder}/fixed": build("fixed", "glibc64")})
    result = boot("amd64", cpu, "suite=fixed", module=module)
    assert result.text.count("right") == 8, result.text
    assert result.outcome.value == "pass", result.reason
