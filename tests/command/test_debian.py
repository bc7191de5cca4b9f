"""The first of the two commands, on freshly installed other systems."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.child import run

SCRIPTS = Path("/usr/share/debootstrap/scripts")


@dataclass(frozen=True)
class System:
    """A suite of an archive; `like`: an older suite with a script that every debootstrap has."""

    suite: str
    mirror: str
    like: str
    sources: str


DEBIAN_13 = System("trixie", "http://deb.debian.org/debian", "sid", "")
UBUNTU = "http://archive.ubuntu.com/ubuntu"
UBUNTU_24_04 = System(
    "noble",
    UBUNTU,
    "gutsy",
    f"deb {UBUNTU} noble main universe\ndeb {UBUNTU} noble-updates main universe\n",
)

LIMIT = 1200.0
"""Seconds that a step may use: packages are downloaded."""

NO_PACKAGE = ("E: Failed to fetch", "E: Unable to fetch", "E: Unable to locate package")
"""apt's messages if the network is the cause; any other is our failure."""

MOUNTS = """
set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
"""
"""In separate mount and process namespaces: both end with it, and no mount stays."""

MAKE = """
chroot "$1" apt-get update -qq
chroot "$1" apt-get install -y -qq make >/dev/null 2>&1
"""
BENCH = MAKE + 'exec chroot "$1" make -C /tollgate bench\n'


def system(folder: Path, one: System = DEBIAN_13) -> None:
    """A fresh system in `folder`, with this host's network; or a skip."""
    if os.geteuid():
        pytest.skip("only root can make a system in a folder and change into it")
    if not shutil.which("debootstrap"):
        pytest.skip("debootstrap is not installed; `make setup` installs it")
    script = SCRIPTS / (one.suite if (SCRIPTS / one.suite).exists() else one.like)
    command: list[str | Path] = ["debootstrap", "--variant=minbase"]
    command += [one.suite, folder, one.mirror, script]
    done = run(command, LIMIT)
    if "Failed getting release file" in done.stdout + done.stderr:
        pytest.skip(f"no network: {one.mirror} does not answer")
    assert done.returncode == 0, done.stdout[-2000:]
    if one.sources:
        (folder / "etc" / "apt" / "sources.list").write_text(one.sources)
    for name in ("etc/resolv.conf", "etc/hosts", "etc/pip.conf"):
        if Path("/", name).exists():
            shutil.copyfile(Path("/", name), folder / name)
    for name in ("etc/ssl/certs", "usr/local/share/ca-certificates"):
        if Path("/", name).is_dir():
            shutil.copytree(Path("/", name), folder / name, dirs_exist_ok=True)


def inside(root: Path, script: str, limit: float = LIMIT) -> subprocess.CompletedProcess[str]:
    """The output of a script with the system's folder as $1; a skip without a network."""
    ours = ("MAKE", "PIP_F", "TMPDIR", "TOLLGATE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    namespaces = ["--mount", "--pid", "--fork", "--kill-child"]
    command: list[str | Path] = ["unshare", *namespaces, "sh", "-c", MOUNTS + script, "sh", root]
    done = run(command, limit, env=environment, merge=True)
    shutil.rmtree(root, ignore_errors=True)
    lost = [line for line in done.stdout.splitlines() if line.startswith(NO_PACKAGE)]
    if done.returncode and lost:
        pytest.skip(f"the network does not bring the packages: {lost[0]}")
    return done


def fresh(
    root: Path, one: System, script: str, limit: float = LIMIT
) -> subprocess.CompletedProcess[str]:
    """The output of a script in a fresh system with a clone of this tree."""
    system(root, one)
    assert run(["git", "clone", "-q", ROOT, root / "tollgate"], LIMIT).returncode == 0
    return inside(root, script, limit)


EACH = pytest.mark.parametrize(
    "one", [pytest.param(s, id=s.suite) for s in (DEBIAN_13, UBUNTU_24_04)]
)


@pytest.mark.long
@pytest.mark.weekly
@pytest.mark.limit(3 * LIMIT)
@EACH
def test_make_bench_on_a_fresh_system(tmp_path: Path, one: System) -> None:
    done = fresh(tmp_path / "system", one, BENCH)
    assert done.returncode == 0, done.stdout[-3000:]
    assert re.search(r"^3 boots in [0-9.]+ s: pass\.\r?$", done.stdout, re.M), done.stdout[-300:]
