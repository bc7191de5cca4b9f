"""The files that `ADD=` puts into a machine, and the sentence for each refused one."""

import os
import struct
import subprocess
from pathlib import Path

import pytest

from tollgate.cli import main
from tollgate.errors import UsageError
from tollgate.machines import cpio, programs
from tollgate.machines.boot import BUILD, INITRD, Boot


@pytest.fixture
def program() -> bytes:
    """A static 64-bit program."""
    return (BUILD / "amd64" / "console" / "true").read_bytes()


def said(path: Path, arch: str = "amd64") -> str:
    with pytest.raises(UsageError) as refused:
        programs.gather(path, Boot(arch))
    return str(refused.value)


def header(kind: int = 2, machine: int = 62, width: int = 2, order: int = 1) -> bytes:
    start = b"\x7fELF" + bytes([width, order, 1]) + bytes(9)
    return start + struct.pack("<HH", kind, machine) + bytes(44)


def segment(kind: int, offset: int, filed: int, memory: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, 5, offset, 0x400000, 0, filed, memory, 4096)


def with_segments(*segments: bytes) -> bytes:
    start = bytearray(header())
    struct.pack_into("<Q", start, 32, 64)
    struct.pack_into("<HH", start, 54, 56, len(segments))
    return bytes(start) + b"".join(segments)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"MZ\x90", "is a program for Windows"),
        (b"\xcf\xfa\xed\xfe", "is a program for macOS"),
        (b"\x7fELF", "is a damaged ELF file"),
        (header()[:30], "is a damaged ELF file"),
        (header(machine=183), "is a program for another machine (ARM)"),
        (header(machine=9999), "is a program for another machine (number 9999)"),
        (header(order=2), "is a program for another machine"),
        (header(width=1), "is a program of the x32 ABI"),
        (header(kind=1), "is not linked"),
        (header(kind=4), "is not linked"),
        (header(), "is an ELF file with nothing to load"),
        (with_segments(segment(3, 0, 1, 1)), "is dynamically linked"),
        (
            with_segments(segment(2, 64 + 56, 32, 32)) + struct.pack("<4Q", 1, 1, 0, 0),
            "is dynamically linked",
        ),
        (with_segments(segment(1, 0, 9999, 9999)), "is cut off"),
        (with_segments(segment(1, 1 << 63, 1 << 63, 1)), "is cut off"),
        (with_segments(segment(1, 0, 64, 1 << 40)), "wants 1048576 MiB of memory"),
        (with_segments(*[segment(1, 0, 64, 64)] * 2)[:-9], "is a damaged ELF file"),
    ],
)
def test_what_cannot_run_is_a_sentence(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "program").write_bytes(data)
    assert why in said(tmp_path / "program")


def test_any_cut_of_a_program_is_a_sentence(tmp_path: Path, program: bytes) -> None:
    for length in (*range(0, 400, 7), len(program) // 2):
        (tmp_path / "program").write_bytes(program[:length])
        if length not in (0, *range(1, 4)):
            said(tmp_path / "program")


def test_a_program_of_64_bits_is_not_for_the_i386_kernel(tmp_path: Path, program: bytes) -> None:
    (tmp_path / "program").write_bytes(program)
    assert "which the i386 kernel does not run; use ARCH=amd64" in said(
        tmp_path / "program", "i386"
    )
    files, left = programs.gather(tmp_path / "program", Boot("amd64"))
    assert files == {"program": program}
    assert not left


def test_a_folder_brings_what_can_run_and_says_what_cannot(tmp_path: Path, program: bytes) -> None:
    (tmp_path / "program").write_bytes(program)
    (tmp_path / "script").write_text("#!/bin/sh\necho\n")
    (tmp_path / "with space").write_bytes(program)
    (tmp_path / "sub").mkdir()
    (tmp_path / "nowhere").symlink_to("nothing")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "endless").symlink_to("/dev/zero")
    with (tmp_path / "long").open("wb") as file:
        file.truncate(1 << 40)
    files, left = programs.gather(tmp_path, Boot("amd64"))
    assert sorted(files) == ["program", "script"]
    assert len(left) == 6
    for word in (
        "endless is no regular file",
        "fifo is no regular file",
        "long is too large: 12",
        "nowhere cannot be read: No such file or directory",
        "sub is a folder",
        "'with space' is no name for a program here",
    ):
        assert [line for line in left if word in line and line.endswith("It is left out.")], word


def test_a_folder_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    assert "holds nothing that can be brought." in said(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    assert "fifo is no regular file" in said(tmp_path)


def test_a_name_that_bin_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sh").write_text("#!/bin/cat\n")
    assert main(["run", f"--add={tmp_path / 'sh'}"]) == 2
    assert "/bin has a program 'sh' already" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["run", "bench"])
def test_a_refusal_comes_before_the_boot(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, f"--add={tmp_path / 'nothing'}"]) == 2
    assert "nothing cannot be read: No such file or directory." in capsys.readouterr().err


def test_much_to_bring_is_given_memory(tmp_path: Path) -> None:
    boot = Boot("amd64")
    for size, memory in ((1 << 20, 64), (24 << 20, 128)):
        made = programs.aboard(boot, {"data": bytes(size)}, tmp_path / "initrd")
        assert made.memory == memory


def test_the_tree_with_more_in_it_is_what_initrd_sh_makes(tmp_path: Path) -> None:
    archive = (BUILD / INITRD["i386"]).read_bytes()
    more = cpio.add(archive, {"bin/zzz": b"more"})
    (tmp_path / "archive").write_bytes(more)
    tree = tmp_path / "tree"
    tree.mkdir()
    command = "cpio -id --quiet < ../archive && cat sha256 && printf ' ' && find . -type f ! -name "
    command += "sha256 | LC_ALL=C sort | xargs sha256sum | sha256sum"
    done = subprocess.run(command, shell=True, cwd=tree, capture_output=True, text=True, check=True)
    told, found = done.stdout.split()[:2]
    assert told == found
    assert told != cpio.read(archive)["sha256"].decode()
    assert cpio.read(more) == {**cpio.read(archive), "bin/zzz": b"more", "sha256": told.encode()}
