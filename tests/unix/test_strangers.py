"""Programs not made for Tollgate end here as on this host, in both rings and widths.

Debian's busybox, with the commands of tests/busybox.txt.
"""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.child import run

from .test_linux import Build, answers, build

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
"""Kernel, folder, and settings; in the first trusted one, system calls become function calls."""

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
    """The exit status of each command, and all its output."""
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
    assert len(linux) == len(COMMANDS)
    assert {COMMANDS[n - 1]: end for n, end in ours.items() if end != linux[n]} == {}
    assert ours.keys() == linux.keys()
