"""/proc: suite procfs passes on both kernels as on Linux, and unmodified programs read it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tollgate.boot import BUILD
from tollgate.child import run
from tollgate.outcome import Outcome

from .person import Person


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_proc_promises_is_what_linux_does(host_runs: Any, arch: str, tmp_path: Path) -> None:
    host_runs(arch)
    done = run([BUILD / arch / "bin" / "procfs"], 60, cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith("not ok")] == []
    assert done.returncode == 0
    assert "\nok 80 " in done.stdout


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_proc(boot: Any, arch: str) -> None:
    """In /bin, as a trusted program, and on amd64 as one of 32 bits."""
    result = boot(arch, cmdline="suite=procfs")
    assert [c for c in result.checks if not c["ok"]] == []
    assert len(re.findall(r"^1\.\.", result.text, re.M)) == {"i386": 2, "amd64": 3}[arch]
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_proc_is_opened_ten_thousand_times(boot: Any, arch: str) -> None:
    result = boot(arch, cmdline="suite=procfs samples=10000", timeout=120)
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome is Outcome.PASS, result.reason


PS = "busybox ps -o pid,ppid,comm,args"
LOOKED = {
    "ps": PS,
    "top": "busybox top -b -n1",
    "free": "busybox free; busybox grep -E '^Mem(Total|Free)' /proc/meminfo",
    "uptime": "busybox uptime",
    "exe": "busybox readlink /proc/self/exe",
    "hostname": "busybox hostname other; cat /proc/sys/kernel/hostname; busybox uname -n",
    "written": "echo third > /proc/sys/kernel/hostname; busybox hostname",
    "ours": "ls /proc/self; wc -l /proc/version; cat /proc/sys/kernel/ostype; ls /proc/self/fd",
}


def test_an_unmodified_program_sees_what_it_expects(person: Person) -> None:
    busybox = shutil.which("busybox")
    if not busybox:
        pytest.skip("busybox is not installed; tools/setup.sh installs it")
    said = person.tries("amd64", LOOKED, {"bin/busybox": Path(busybox).read_bytes()})
    header, *lines = said["ps"].splitlines()
    assert header.split() == ["PID", "PPID", "COMMAND", "COMMAND"]
    rows = [line.split(maxsplit=3) for line in lines]
    assert rows[0][:3] == ["1", "0", "init"]
    assert rows[-1][2:] == ["busybox", PS]
    parents = {row[0]: row[1] for row in rows}
    assert all(parent in {"0", *parents} for parent in parents.values())
    top = said["top"].splitlines()
    assert re.fullmatch(r"Mem: \d+K used, \d+K free, \d+K shrd, 0K buff, \d+K cached", top[0])
    assert re.match(r"CPU: +\d+% usr +\d+% sys ", top[1])
    assert re.fullmatch(r"Load average: 0\.\d\d 0\.\d\d 0\.\d\d \d+/\d+ \d+", top[2])
    assert any(line.split()[3] == "R" and "top" in line for line in top[4:])
    numbers = [int(n) for n in re.findall(r"\d+", said["free"].partition("Mem:")[2])]
    total, used, free, _, cached = numbers[:5]
    assert total == used + free + cached
    assert f"MemTotal: {total:>14} kB" in said["free"]
    assert re.search(
        r" up 0 min, +0 users, +load average: 0\.\d\d, 0\.\d\d, 0\.\d\d", said["uptime"]
    )
    assert said["exe"] == "/bin/busybox\n"
    assert said["hostname"] == "other\nother\n"
    assert said["written"] == "third\n"
    assert said["ours"] == (
        "cmdline\ncwd\nexe\nfd\nmaps\nstat\nstatus\n1 /proc/version\nTollgate\n0\n1\n2\n3\n"
    )
