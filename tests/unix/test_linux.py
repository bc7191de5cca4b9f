"""Unmodified Linux programs, statically linked with glibc and musl, in either ring."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.child import run

from ..person import Person

SOURCES = ROOT / "tests" / "linux"
# Debian keeps asm/ in one folder for both widths.
NARROW = ["-m32", "-isystem", "/usr/include/x86_64-linux-gnu"]
COMPILERS = {
    "glibc64": ["gcc", "-static"],
    "glibc32": ["gcc", "-static", *NARROW],
    "musl64": ["musl-gcc", "-static"],
    "pie64": ["gcc", "-static-pie", "-fPIE"],
    "pie32": ["gcc", "-static-pie", "-fPIE", *NARROW],
}
# Ubuntu's gcc enables these by default: checked libc functions, ENDBR64, canaries.
ASKED = ["-U_FORTIFY_SOURCE", "-fcf-protection=none", "-fno-stack-protector"]
OPTIONS = [
    "-O1",
    *ASKED,
    "-pthread",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Werror",
    f"-idirafter{ROOT}/kernel",
]

Build = Callable[[str, str], bytes]


@pytest.fixture(scope="session")
def build(once: Any) -> Build:
    """A callable that builds a program of tests/linux with a libc, once for all workers."""

    def compile_one(name: str, libc: str) -> bytes:
        def make(folder: Path) -> None:
            sources = sorted((SOURCES / name).glob("*.c")) or [SOURCES / f"{name}.c"]
            out = folder / "program"
            subprocess.run([*COMPILERS[libc], *OPTIONS, *sources, "-o", out], check=True)

        return (Path(once(f"{name}-{libc}", make)) / "program").read_bytes()

    return compile_one


@pytest.mark.parametrize(
    ("arch", "cpu", "libc"),
    [
        ("i386", "pentium2,-fxsr", "glibc32"),  # FNSAVE, which clears the registers
        ("i386", "EPYC", "glibc32"),
        ("amd64", "EPYC", "glibc64"),
    ],
)
def test_fork_keeps_the_floating_point_registers(
    boot: Any, tree: Any, build: Build, arch: str, cpu: str, libc: str
) -> None:
    result = boot(arch, cpu, "suite=floats", module=tree({"bin/floats": build("floats", libc)}))
    assert "parent: whole" in result.text
    assert "WRONG" not in result.text
    assert result.outcome.value == "pass", result.reason


@pytest.mark.parametrize(
    ("arch", "cpu", "platform", "libc", "folder"),
    [
        ("amd64", "EPYC", "qemu-icount", "glibc64", "bin"),
        ("amd64", "EPYC", "qemu-icount", "glibc64", "trusted"),
        ("amd64", "EPYC", "qemu-icount", "glibc32", "compat"),
        ("amd64", "EPYC", "qemu-icount", "musl64", "bin"),
        ("amd64", "EPYC", "qemu-icount", "pie64", "bin"),
        pytest.param("amd64", "EPYC", "qemu-icount", "pie64", "trusted", marks=pytest.mark.long),
        ("amd64", "EPYC", "qemu-icount", "pie32", "compat"),
        ("i386", "pentium2", "qemu-icount", "pie32", "trusted"),
        pytest.param(
            *("amd64", "corei7_haswell_4770", "bochs", "musl64", "trusted"), marks=pytest.mark.long
        ),
        ("i386", "EPYC", "qemu-icount", "glibc32", "bin"),
        ("i386", "pentium2", "qemu-icount", "glibc32", "trusted"),
        pytest.param(*("i386", "p3_katmai", "bochs", "glibc32", "trusted"), marks=pytest.mark.long),
    ],
)
def test_a_libcs_program_finds_what_it_needs(
    boot: Any, tree: Any, build: Build, arch: str, cpu: str, platform: str, libc: str, folder: str
) -> None:
    """Memory, processes, signals, and sharing, waiting and ends of threads."""
    module = tree({f"{folder}/threads": build("threads", libc)})
    result = boot(arch, cpu, "suite=threads", platform=platform, module=module)
    assert "WRONG" not in result.text
    assert "threads: 0 failures" in result.text
    assert result.outcome.value == "pass", result.reason


@pytest.mark.long
@pytest.mark.parametrize("libc", COMPILERS)
def test_what_is_expected_is_what_linux_does(
    host_runs: Any, tmp_path: Path, build: Build, libc: str
) -> None:
    host_runs("i386" if libc.endswith("32") else "amd64")
    program = tmp_path / "threads"
    program.write_bytes(build("threads", libc))
    program.chmod(0o755)
    done = run([program], 60, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def hosts_answers(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """A callable that returns this host's answers to the questions of tests/linux/answers."""

    def ask(libc: str) -> str:
        program = tmp_path_factory.mktemp("answers") / "answers"
        program.write_bytes(build("answers", libc))
        program.chmod(0o755)
        return answers(run([program], 60, cwd=program.parent).stdout)

    return ask


def answers(said: str) -> str:
    """The lines with answers; without those that differ for a host's user who is not root."""
    found = "".join(line for line in said.splitlines(keepends=True) if line.startswith("= "))
    if os.geteuid():
        found = re.sub("= root's alone: from.*?: to here\n", "", found, flags=re.S)
    return found


@pytest.mark.parametrize(
    ("arch", "libc", "folder"),
    [
        pytest.param("amd64", "glibc64", "bin", marks=pytest.mark.long),
        ("amd64", "glibc64", "trusted"),
        pytest.param("amd64", "glibc32", "compat", marks=pytest.mark.long),
        pytest.param("amd64", "musl64", "bin", marks=pytest.mark.long),
        *(
            pytest.param("i386", "glibc32", folder, marks=pytest.mark.long)
            for folder in ("bin", "trusted")
        ),
    ],
)
def test_the_answers_are_linuxs(
    boot: Any,
    tree: Any,
    build: Build,
    host_runs: Any,
    hosts_answers: Any,
    arch: str,
    libc: str,
    folder: str,
) -> None:
    module = tree({f"{folder}/answers": build("answers", libc), "tmp/.here": b""})
    result = boot(arch, "EPYC", "suite=answers", module=module)
    host_runs("i386" if libc.endswith("32") else "amd64")
    assert answers(result.text) == hosts_answers(libc)
    assert result.outcome.value == "pass", result.reason


SHELLS = {
    "busybox": ("exec busybox sh", "Enter 'help' for a list of built-in commands."),
    "bash-static": ("export ENV=/hello; exec bash-static --posix --noediting", "hello"),
}


@pytest.mark.parametrize("name", SHELLS)
def test_a_foreign_shell_is_interactive(person: Person, name: str) -> None:
    path = shutil.which(name)
    if not path:
        pytest.skip(f"{name} is not installed; `make setup` installs it")
    start, hello = SHELLS[name]
    files = {f"bin/{name}": Path(path).read_bytes(), "hello": b"PS1='/ # '; echo hello\n"}
    evening = [
        ("", f"{start}\n"),
        (hello, "echo ready; read x y; echo $y, $x\n"),
        ("ready", "one two three\n"),
        ("two three, one", "sh -c 'echo front; exec sleep 100'\n"),
        ("front", "\x03echo status $?\n"),
        ("status 130", "sleep 100 & kill %1; wait; echo over\n"),
        ("over", "exit\n"),
    ]
    said = person.works("amd64", evening, person.at_the_line, files)
    assert "job control" not in said


CALLS = ["getpid", "write", "mmap", "fork", "signal", "execve"]


@pytest.mark.parametrize(
    ("folder", "way"), [("bin", "a gate"), ("trusted", "a direct call")], ids=["user", "trusted"]
)
def test_an_unmodified_i386_program_takes_the_direct_call(
    boot: Any, tree: Any, build: Build, folder: str, way: str
) -> None:
    module = tree({f"{folder}/direct": build("direct", "glibc32")})
    result = boot("i386", "EPYC", "suite=direct", module=module)
    assert [f"{name}: {way}" for name in CALLS] == [
        line for line in result.text.splitlines() if line.endswith(("a gate", "a direct call"))
    ]
    assert "wait4: made again" in result.text.splitlines()
    assert result.outcome.value == "pass", result.reason
