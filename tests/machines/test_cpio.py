"""Initrds, read back by the system's cpio."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tollgate.machines import cpio

TREE = {"bin/toll": b"\x7fELF" + bytes(999), "etc/a/b": b"", "/top": b"abc"}


def test_cpio_reads_it_back(tmp_path: Path) -> None:
    command = ["cpio", "--extract", "--make-directories", "--quiet"]
    done = subprocess.run(
        command, input=cpio.build(TREE), cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b"", "cpio found a checksum wrong"
    for name, content in TREE.items():
        assert (tmp_path / name.strip("/")).read_bytes() == content


def test_what_was_written_can_be_read() -> None:
    assert cpio.read(cpio.build(TREE)) == {name.strip("/"): data for name, data in TREE.items()}


def test_equal_trees_give_equal_archives() -> None:
    assert cpio.build(TREE) == cpio.build(dict(TREE))
    assert cpio.build(TREE).startswith(b"070702")
    assert len(cpio.build({})) % 4 == 0


def test_an_archive_can_lie() -> None:
    lie = cpio.member("bin/x", b"abc", cpio.FILE_MODE, 1, checksum=7)
    truth = cpio.member("bin/x", b"abc", cpio.FILE_MODE, 1)
    assert len(lie) == len(truth)
    assert lie[102:110] == b"00000007"
    assert truth[102:110] == b"%08X" % sum(b"abc")
