"""Programs that nobody has made for Tollgate end here as on this host, in both rings and widths.

Debian's busybox, by the commands of tests/busybox.txt, and the tests of musl's libc-test, which is
no package: LIBC_TEST names a folder with its sources.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.child import run

from .test_linux import COMPILERS, Build, answers, build

__all__ = ["build"]

pytestmark = [pytest.mark.long, pytest.mark.limit(3600.0)]
MODES = {
    "user": ("amd64", "bin", ""),
    "trusted": ("amd64", "trusted", ""),
    "trusted-syscall": ("amd64", "trusted", "direct=off"),
    "compat": ("amd64", "compat", ""),
    "user32": ("i386", "bin", ""),
    "trusted32": ("i386", "trusted", ""),
}
"""Kernel, folder, and words for it; in the first of a trusted one its system calls are calls."""

modes = pytest.mark.parametrize("mode", MODES)


def width_of(mode: str) -> str:
    arch, folder, _ = MODES[mode]
    return "i386" if folder == "compat" else arch


def ends(said: str) -> dict[int, str]:
    """How each command ended, by its number."""
    lines = [line.split(maxsplit=2)[1:] for line in answers(said.replace("\r", "")).splitlines()]
    return {int(number): end for number, end in lines}


def here(folder: Path, runner: bytes, commands: list[str]) -> dict[int, str]:
    (folder / "commands").write_text("\n".join(commands) + "\n")
    program = folder / "ends"
    program.write_bytes(runner)
    program.chmod(0o755)
    return ends(run([program], 1200, cwd=folder).stdout)


def there(boot: Any, tree: Any, mode: str, files: dict[str, bytes], memory: int) -> dict[int, str]:
    arch, _, words = MODES[mode]
    more = {"tmp/.here": b"", "dev/shm/.here": b""}
    result = boot(
        *(arch, "EPYC", f"suite=ends {words}".strip()),
        module=tree(files | more),
        memory=memory,
        timeout=600.0,
        deadline=3000.0,
    )
    assert result.outcome.value == "pass", result.reason
    return ends(result.text)


def debians(arch: str, package: str, file: str, out: Path) -> bytes:
    done = subprocess.run(
        [ROOT / "tools" / "debian.sh", arch, package, file, out],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(done.stderr)
    return out.read_bytes()


COMMANDS = (ROOT / "tests" / "busybox.txt").read_text().splitlines()


@modes
def test_busybox_says_what_it_says_on_linux(
    boot: Any, tree: Any, build: Build, tmp_path: Path, mode: str
) -> None:
    """The exit status of each of 153 commands, and all that it wrote."""
    folder = MODES[mode][1]
    busybox = debians(width_of(mode), "busybox-static", "bin/busybox", tmp_path / "busybox")
    (tmp_path / "busybox").chmod(0o755)
    runner = build("ends", "glibc64" if width_of(mode) == "amd64" else "glibc32")
    linux = here(tmp_path, runner, [str(tmp_path / "busybox"), *COMMANDS])
    files = {
        "commands": "\n".join([f"/{folder}/busybox", *COMMANDS, ""]).encode(),
        f"{folder}/ends": runner,
        f"{folder}/busybox": busybox,
        "bin/sh": busybox,
    }
    ours = there(boot, tree, mode, files, 256)
    assert len(linux) == len(COMMANDS) == 153
    assert {COMMANDS[n - 1]: end for n, end in ours.items() if end != linux[n]} == {}
    assert ours.keys() == linux.keys()


COMMON = "print fdfill memfill mtest path rand setrlim utf8 vmfill".split()
OPTIONS = (
    "-std=c99 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 -w -O1 "
    "-fno-builtin -frounding-math -pthread"
).split()
LEAST = {"musl64": 139, "glibc32": 135}
"""So many tests can be built."""
ABSENT = {"ipc_msg", "ipc_sem", "ipc_shm", "pthread_mutex_pi", "pthread_robust", "socket"}
"""Those that end otherwise than on Linux, because of what is not there: System V IPC, mutexes with
priority inheritance, and AF_INET (docs/programs.md)."""
DIFFERENT = {"musl64": ABSENT, "glibc32": ABSENT | {"mbc", "r-fgetwc-buffering"}}
"""glibc, unlike musl, has UTF-8 by files of the host's, which the tree has not."""
CHANCE = {"r-raise-race"}
"""With glibc it ends by whichever of its signals comes first."""


@pytest.fixture(scope="session")
def libc_tests(shared: Path) -> Any:
    """A callable that returns the tests of libc-test, as programs linked with a libc."""
    sources = Path(os.environ.get("LIBC_TEST", "/nothing"))
    if not (sources / "src" / "functional").is_dir():
        pytest.skip("LIBC_TEST names no folder with the sources of musl's libc-test")

    def compile_all(libc: str) -> dict[str, bytes]:
        out = shared / f"libc-test-{libc}-{os.getpid()}"
        out.mkdir(parents=True, exist_ok=True)
        compiler = [*COMPILERS[libc], *OPTIONS, f"-I{sources}/src/common"]
        common = [sources / "src" / "common" / f"{name}.c" for name in COMMON]
        objects = [out / f"{name}.o" for name in COMMON]
        for source, made in zip(common, objects, strict=True):
            subprocess.run([*compiler, "-c", source, "-o", made], check=True)
        for part, before in (("functional", ""), ("regression", "r-")):
            for source in sorted((sources / "src" / part).glob("*.c")):
                program = out / f"{before}{source.stem}"
                words: list[str | Path] = [
                    *compiler,
                    source,
                    *objects,
                    "-o",
                    program,
                    "-lm",
                    "-lrt",
                ]
                subprocess.run(words, check=False, capture_output=True)
        return {p.name: p.read_bytes() for p in sorted(out.iterdir()) if p.suffix != ".o"}

    return compile_all


@modes
def test_libc_tests_end_as_on_linux(
    boot: Any, tree: Any, build: Build, libc_tests: Any, tmp_path: Path, mode: str
) -> None:
    libc = {"amd64": "musl64", "i386": "glibc32"}[width_of(mode)]
    folder, programs = MODES[mode][1], libc_tests(libc)
    names = list(programs)
    assert len(names) >= LEAST[libc]
    runner = build("ends", "glibc64" if libc == "musl64" else "glibc32")
    for name, program in programs.items():
        (tmp_path / name).write_bytes(program)
        (tmp_path / name).chmod(0o755)
    linux = here(tmp_path, runner, ["-", *(str(tmp_path / name) for name in names)])
    busybox = debians(MODES[mode][0], "busybox-static", "bin/busybox", tmp_path / "busybox")
    files = {f"{folder}/{name}": program for name, program in programs.items()} | {
        "commands": "\n".join(["-", *(f"/{folder}/{name}" for name in names), ""]).encode(),
        f"{folder}/ends": runner,
        "bin/sh": busybox,
        "bin/echo": busybox,
    }
    ours = there(boot, tree, mode, files, 1024)
    status = {names[n - 1]: end.partition(",")[0] for n, end in ours.items()}
    wanted = {names[n - 1]: end.partition(",")[0] for n, end in linux.items()}
    different = {name for name in names if status.get(name) != wanted[name]}
    assert different - CHANCE == DIFFERENT[libc]
