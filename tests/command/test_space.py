"""The host tools in a folder with a space in its name: make, tests, gdb, both emulators."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run
from tollgate.teach.grade import environment

LIMIT = 3000.0
"""Seconds that all tests together may use."""
OF_THE_BUILD = "i386 amd64 qrcodegen disk.img codes.words codes.words.c".split()


@pytest.fixture(scope="session")
def spaced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree and its build; times are kept, so nothing is built again."""
    tree = tmp_path_factory.mktemp("a folder") / "my tollgate"
    listed = ["git", "-C", str(ROOT), "ls-files", "-z"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():  # except files that a person deleted without a commit
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    (tree / "build").mkdir()
    built = [BUILD / name for name in OF_THE_BUILD]
    subprocess.run(["cp", "-a", *built, tree / "build"], check=True)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run --arch=i386 --cpu=EPYC --cmdline=suite=usystime", "tollgate: passed"),
        ("lesson int --arch=i386 --headless", "ok 1 - "),
    ],
    ids=["boot", "gdb"],
)
@pytest.mark.patient
def test_a_path_of_each_kind_reaches_whom_it_is_for(spaced: Path, words: str, said: str) -> None:
    """Paths in QEMU's options and in gdb."""
    command = [sys.executable, "-m", "tollgate", *words.split()]
    done = run(command, LIMIT, cwd=spaced, env=environment(spaced), merge=True)
    assert done.returncode == 0 and said in done.stdout, done.stdout[-5000:]
