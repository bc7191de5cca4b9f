"""A release: the same bytes from the same commit, wherever the tree lies, and what is in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tollgate.machines.boot import ROOT
from tollgate.records.check import found
from tollgate.records.format import load
from tollgate.records.image import kernel, run_id

LIMIT = 900.0
"""Seconds for two releases, each with both kernels and the book: 150 to 200 s of processor time."""

FILES = {
    *("SHA256SUMS", "CITATION.cff"),
    *(
        f"tollgate-0.1.0{end}"
        for end in (
            *(".iso", "-i386.elf", "-amd64.elf", "-amd64-elf32.elf", "-book.tar.gz"),
            *("-i386.cpio", "-i386.cpio.xz", "-amd64.cpio", "-amd64.cpio.xz"),
            *("-results.jsonl", "-runs.txt", "-source.tar.gz"),
            *(".html", "-html-licenses.txt"),
        )
    ),
}


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """As a person would, in a tree of their own: no variable of this tree's build."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "TOLLGATE"))
    }
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def clone(folder: Path) -> Path:
    """The commit that is checked out, in a folder of its own."""
    assert run("git", "clone", "-q", str(ROOT), str(folder), cwd=ROOT).returncode == 0
    (folder / ".venv").symlink_to(ROOT / ".venv")
    with (folder / ".git" / "info" / "exclude").open("a") as file:
        file.write("/.venv\n")
    return folder


def dist(tree: Path) -> dict[str, bytes]:
    """The files that `make dist` leaves in a tree."""
    made = run("make", "-s", "-j2", "all", cwd=tree)
    assert made.returncode == 0, made.stderr
    made = run("tools/dist.sh", "build/dist", cwd=tree)
    assert made.returncode == 0, made.stderr
    return {file.name: file.read_bytes() for file in (tree / "build" / "dist").iterdir()}


def published_runs(folder: Path, scratch: Path) -> None:
    """A boot of the published bytes gives the published records, by name and to the byte."""
    name = folder / "tollgate-0.1.0"
    told = Path(f"{name}-runs.txt").read_text().splitlines()
    runs = load(Path(f"{name}-results.jsonl")).runs
    assert [line.split()[0] for line in told] == [run_id(one) for one in runs]
    for one in runs:
        arch = one.run["arch"]
        assert one.run["image"]["kernel"] == kernel(Path(f"{name}-{arch}.elf"))
        assert found(one) == []
    kept = runs[-1]
    options = ["-accel", "tcg", "-icount", "shift=0,sleep=off", "-cpu", kept.run["cpu_model"]]
    options += ["-m", "32", "-display", "none", "-no-reboot", "-serial", f"file:{scratch}/serial"]
    options += ["-device", "isa-debug-exit,iobase=0xf4,iosize=4"]
    options += ["-kernel", f"{name}-amd64-elf32.elf", "-initrd", f"{name}-amd64.cpio"]
    run("qemu-system-x86_64", *options, "-append", kept.run["cmdline"], cwd=scratch)
    (again,) = load(scratch / "serial").runs
    assert run_id(again) == run_id(kept)


@pytest.mark.long
@pytest.mark.weekly
@pytest.mark.limit(LIMIT)
def test_two_folders_make_the_same_release(tmp_path: Path) -> None:
    near = clone(tmp_path / "a")
    first = dist(near)
    assert set(first) == FILES
    checked = run("sha256sum", "-c", "SHA256SUMS", cwd=near / "build" / "dist")
    assert checked.stdout.count(": OK") == len(FILES) - 1
    listed = run("tar", "-tzf", "tollgate-0.1.0-source.tar.gz", cwd=near / "build" / "dist").stdout
    files = run("git", "ls-files", cwd=near).stdout.split("\n")
    assert {f"tollgate-0.1.0/{name}" for name in files if name} <= set(listed.split("\n"))
    published_runs(near / "build" / "dist", tmp_path)
    with (near / "build" / "dist" / "tollgate-0.1.0-amd64.elf").open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        assert symbols.get_symbol_by_name("kernel_main")
    shutil.rmtree(near)
    assert dist(clone(tmp_path / "a folder with a name that is much longer")) == first


def test_what_is_not_committed_is_no_release(tmp_path: Path) -> None:
    tree = clone(tmp_path / "tree")
    (tree / "README.md").write_text("mine")
    told = run("tools/dist.sh", str(tmp_path / "out"), cwd=tree)
    assert told.returncode == 4
    assert "the tree is not the commit: commit or take back what `git status' names" in told.stderr
    assert not (tmp_path / "out").exists()
