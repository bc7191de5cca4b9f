"""The first of the two commands on a fresh machine of the other system that is supported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tollgate.boot import ROOT
from tollgate.child import run

SUITE = "trixie"
MIRROR = "http://deb.debian.org/debian"

LIMIT = 1200.0
"""Seconds that a step could use: packages come over the network."""

NO_PACKAGE = ("E: Failed to fetch", "E: Unable to fetch", "E: Unable to locate package")
"""What apt says where the network is why; whatever else it says is a failure of ours."""

MOUNTS = """
set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
"""
"""In a mount and a process namespace of its own: both end with it, and nothing stays mounted."""

BENCH = """
chroot "$1" apt-get install -y -qq make >/dev/null 2>&1
exec chroot "$1" make -C /tollgate bench
"""


def system(folder: Path, suite: str = SUITE) -> None:
    """A fresh Debian in `folder`, with this host's way to the network; or a skip."""
    if os.geteuid():
        pytest.skip("only root can make a system in a folder and change into it")
    if not shutil.which("debootstrap"):
        pytest.skip("debootstrap is not installed; tools/setup.sh installs it")
    done = run(["debootstrap", "--variant=minbase", suite, folder, MIRROR], LIMIT)
    if "Failed getting release file" in done.stdout + done.stderr:
        pytest.skip(f"no network: {MIRROR} does not answer")
    assert done.returncode == 0, done.stdout[-2000:]
    for name in ("etc/resolv.conf", "etc/hosts", "etc/pip.conf"):
        if Path("/", name).exists():
            shutil.copyfile(Path("/", name), folder / name)
    for name in ("etc/ssl/certs", "usr/local/share/ca-certificates"):
        if Path("/", name).is_dir():
            shutil.copytree(Path("/", name), folder / name, dirs_exist_ok=True)


def inside(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    """What a script says that has the system's folder as $1; without a network a skip."""
    ours = ("MAKE", "PIP_F", "TMPDIR", "TOLLGATE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    namespaces = ["--mount", "--pid", "--fork", "--kill-child"]
    command: list[str | Path] = ["unshare", *namespaces, "sh", "-c", MOUNTS + script, "sh", root]
    done = run(command, LIMIT, env=environment, merge=True)
    shutil.rmtree(root, ignore_errors=True)
    lost = [line for line in done.stdout.splitlines() if line.startswith(NO_PACKAGE)]
    if done.returncode and lost:
        pytest.skip(f"the network does not bring the packages: {lost[0]}")
    return done


@pytest.mark.long
@pytest.mark.limit(3 * LIMIT)
def test_make_bench_on_a_fresh_debian_13(tmp_path: Path) -> None:
    root = tmp_path / "debian13"
    system(root)
    assert run(["git", "clone", "-q", ROOT, root / "tollgate"], LIMIT).returncode == 0
    done = inside(root, BENCH)
    assert done.returncode == 0, done.stdout[-3000:]
    assert re.search(r"^3 boots in [0-9.]+ s: pass\.\r?$", done.stdout, re.M), done.stdout[-300:]
