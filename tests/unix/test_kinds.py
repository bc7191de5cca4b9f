"""Kinds of files: the suite of each passes on both kernels as on Linux."""

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, DISK, ROOT, disk_for
from tollgate.machines.child import run
from tollgate.machines.outcome import Outcome

ARCHES = pytest.mark.parametrize("arch", ["i386", "amd64"])
SUITES = {"procfs": 84, "ptys": 60, "sockets": 190, "disks": 60}
"""The suites, and the minimum number of their checks."""

TOGETHER = f"suite={','.join(SUITES)}"
"""One boot runs all of them."""


def disk_files(image: Path) -> Path:
    """A folder with the files of the bench's disk, beside a new image of it."""
    files = image.with_suffix(".files")
    program = BUILD / "i386" / "console" / "true"
    assert run([ROOT / "tools" / "disk.sh", image, program, files], 60).returncode == 0
    return files


@pytest.mark.long
@ARCHES
@pytest.mark.parametrize("suite", SUITES)
def test_what_it_promises_is_what_linux_does(
    host_runs: Any, arch: str, suite: str, tmp_path: Path
) -> None:
    host_runs(arch)
    options = [f"at={disk_files(tmp_path / 'disk.img')}"] if suite == "disks" else []
    done = run([BUILD / arch / "bin" / suite, *options], 60, cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith("not ok")] == []
    assert done.returncode == 0
    assert f"\nok {SUITES[suite]} " in done.stdout


@pytest.mark.figures
@pytest.mark.parametrize("arch", [pytest.param("i386", marks=pytest.mark.long), "amd64"])
def test_they_keep_their_promises(boot: Any, arch: str) -> None:
    """They run in /bin, as trusted programs, and on amd64 as 32-bit ones."""
    result = boot(arch, cmdline=TOGETHER, disk=DISK)
    assert [c for c in result.checks if not c["ok"]] == []
    plans = re.findall(r"^1\.\.", result.text, re.M)
    assert len(plans) == {"i386": 2, "amd64": 3}[arch] * len(SUITES)
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems


@pytest.mark.long
@ARCHES
@pytest.mark.parametrize("suite", SUITES)
def test_it_is_opened_a_thousand_times(boot: Any, arch: str, suite: str) -> None:
    line = f"suite={suite} samples=1000"
    result = boot(arch, cmdline=line, timeout=120, disk=disk_for([suite]))
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome is Outcome.PASS, result.reason
