"""The host's side from a folder with a space in its name: make, tests, gdb, both emulators."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run
from tollgate.teach.grade import environment

LIMIT = 3000.0
"""Seconds that all tests could use."""
OF_THE_BUILD = "i386 amd64 qrcodegen disk.img disk.img.files codes.words codes.words.c".split()
EACH_KIND = (
    "tests/test_forgeries.py::test_a_boot_names_the_bytes_that_ran[i386]",
    "tests/test_vsyscall.py::test_gdbs_return_takes_the_frame_off[i386]",
)
"""Paths through gdb, QEMU's options, the kernel's words.  Bochs' configuration is tried
with the long tests, which run all that there are from such a folder."""


@pytest.fixture(scope="session")
def spaced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree and of what is built; times stay, so nothing is built again."""
    tree = tmp_path_factory.mktemp("a folder") / "my tollgate"
    listed = ["git", "-C", str(ROOT), "ls-files", "-z"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():  # not what a person has deleted and not committed
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    (tree / "build").mkdir()
    built = [BUILD / name for name in OF_THE_BUILD]
    subprocess.run(["cp", "-a", *built, tree / "build"], check=True)  # the disk's files have holes
    (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


def passed(tree: Path, *words: str) -> str:
    """What pytest says in a tree whose own package it takes; all must pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    done = run(command, LIMIT, cwd=tree, env=environment(tree), merge=True)
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


@pytest.mark.long
def test_bench_works(spaced: Path) -> None:
    """Make finds everything built, the machine boots, the report is written."""
    words = "-o setup bench SUITE=usystime SAMPLES=10 ARCH=i386 CPU=EPYC OUT=out".split()
    done = run(["make", "-s", *words], LIMIT, cwd=spaced, env=environment(spaced), merge=True)
    assert done.returncode == 0, done.stdout
    assert "building" not in done.stdout
    assert (spaced / "out" / "report.html").is_file()


@pytest.mark.long
def test_make_finds_all_that_is_built(spaced: Path) -> None:
    words = ["make", "-o", "setup", "built"]
    done = run(words, LIMIT, cwd=spaced, env=environment(spaced), merge=True)
    assert (done.returncode, "building" in done.stdout) == (0, False), done.stdout


def test_a_path_of_each_kind_reaches_whom_it_is_for(spaced: Path) -> None:
    assert f"{len(EACH_KIND)} passed" in passed(spaced, *EACH_KIND)
