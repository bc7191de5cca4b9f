"""Disks: damaged ones, slow ones, ones that never answer; none is ever written."""

import re
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines import platforms
from tollgate.machines.boot import BUILD, DISK, ROOT
from tollgate.machines.outcome import Outcome
from tollgate.machines.qemu import DRIVE

from ..emulators import DISKS, known
from ..unit.test_unit import built, output_of
from .test_kinds import TOGETHER, disk_files

TOOLS = {"PATH": "/usr/bin:/usr/sbin:/sbin"}


def mke2fs_version() -> tuple[int, ...]:
    """The version from `mke2fs -V`, because its options change."""
    said = subprocess.run(["mke2fs", "-V"], check=True, env=TOOLS, capture_output=True, text=True)
    found = re.search(r"mke2fs ([\d.]+)", said.stderr)
    return platforms.number(f"mke2fs-{found[1]}") if found else ()


ARCHES = pytest.mark.parametrize("arch", ["i386", "amd64"])
BOCHS = {"i386": "p3_katmai", "amd64": "corei7_haswell_4770"}
REVISION_0 = ("-E", "revision=0") if mke2fs_version() >= (1, 47, 1) else ("-r", "0")
SIZES = {
    "1k": ("-b", "1024", "-I", "128", "-O", "none,filetype"),
    "2k": ("-b", "2048", "-I", "256"),
    "4k": ("-b", "4096"),
    "old": ("-b", "1024", *REVISION_0),
    "groups": ("-b", "1024", "-g", "1024"),
}
"""Possible numbers of blocks, inodes and groups for a file system."""

NEVER = "if=none,id={name},driver=null-co,size=1M,read-zeroes=on,latency-ns=100000000000000"
"""A drive that exists, but takes a day for each answer."""
BEHIND = "ide-hd,drive={name},bus=ide.{bus},unit={unit},cyls=2,heads=16,secs=63"
"""A disk on such a drive: its geometry is given, so that QEMU does not have to guess it."""


def make(image: Path, *options: str) -> Path:
    """An ext2 file system with the files of the bench's disk."""
    files = disk_files(image)
    image.unlink()
    command = ["mke2fs", "-q", "-F", "-t", "ext2", "-m", "0", "-N", "128", *options]
    subprocess.run(
        [*command, "-d", files, image, "2048k"],
        check=True,
        env=TOOLS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return image


def debugfs(image: Path, *commands: str) -> None:
    for command in commands:
        subprocess.run(
            ["debugfs", "-w", "-R", command, image],
            check=True,
            env=TOOLS,
            stderr=subprocess.DEVNULL,
        )


def change(image: Path, *fields: str) -> None:
    """Set fields of inodes, such as `/LICENSE mode 0`."""
    debugfs(image, *(f"set_inode_field {field}" for field in fields))


def drives(*images: Path) -> list[str]:
    """QEMU's arguments for disks, starting with hda."""
    files = [DRIVE.format(index=index, file=image) for index, image in enumerate(images)]
    return [word for drive in files for word in ("-drive", drive)]


def test_the_reader_of_ext2_answers_whatever_a_disk_holds(tmp_path: Path) -> None:
    """Tested on the host, under sanitizers: five real file systems, and damaged ones."""
    images = [make(tmp_path / name, *options) for name, options in SIZES.items()]
    assert "[  PASSED  ]" in output_of(built("ext2"), *images)


def test_damage_and_silence_are_said(boot: Any, tmp_path: Path) -> None:
    """An unsupported feature, damage, a disk that never answers, a drive without a CD."""
    other = make(tmp_path / "other", "-O", "extent")
    damaged = make(tmp_path / "damaged", *SIZES["1k"])
    change(damaged, "/LICENSE block[0] 99999", "/names mode 0", "/link size 99999")
    debugfs(damaged, "mkdir /circle", "link /circle /circle/circle")
    silent = "silent" not in known(DISKS, platforms.version(platforms.QEMU["amd64"]))
    never: tuple[str, ...] = (
        "-drive",
        NEVER.format(name="n"),
        "-device",
        BEHIND.format(name="n", bus=1, unit=0),
    )
    if not silent:
        never = ()
    empty = ("-drive", "if=ide,index=3,media=cdrom")
    result = boot("amd64", cmdline="suite=rummage", extra=[*drives(other, damaged), *never, *empty])
    assert result.outcome is Outcome.PASS, result.reason
    sentences = [
        "hda: not mounted: it has the feature extent, which is not here.",
        "hdb: QEMU HARDDISK, 2048 KiB; its ext2 is at /diskb.",
        "hdd: a drive for CDs, which is not read.",
    ]
    if silent:
        sentences.append("hdc: it does not answer; it is not asked any more.")
    for sentence in sentences:
        assert result.text.count(f"{sentence}\n") == 1, sentence
    for wrong in ("a block lies outside the file system", "an inode is of no type"):
        assert re.search(rf"^hdb: ext2, inode \d+: {wrong}\.$", result.text, re.M)
    assert re.search(r"^ok \d /diskb # .*; [1-9] times damage, 0 times not", result.text, re.M)
    assert re.search(r"^ok \d /diskb # a circle: -23 after 163\d\d steps", result.text, re.M)
    if silent:
        assert re.search(r"^ok \d /dev/hdc # .*; 0 times damage, 3 times not", result.text, re.M)


@pytest.mark.clocked
@pytest.mark.long
@pytest.mark.parametrize("arch", [pytest.param("i386", marks=pytest.mark.long), "amd64"])
def test_a_disk_may_answer_late(boot: Any, tmp_path: Path, arch: str) -> None:
    """200 answers a second: look-ups sleep, and earlier parts of their paths change meanwhile."""
    image = make(tmp_path / "late", *SIZES["1k"])
    drive = f"if=none,id=l,format=raw,file={image},throttling.iops-total=200"
    extra = ("-drive", drive, "-device", BEHIND.format(name="l", bus=0, unit=0))
    result = boot(arch, cmdline="suite=late", platform="qemu-tcg", extra=extra)
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome in (Outcome.PASS, Outcome.NOISY), result.reason
    assert result.text.count(" still there ") >= 2


@pytest.mark.figures
def test_no_disk_is_written(boot: Any, tmp_path: Path) -> None:
    """After a boot the image equals the script's output; and the driver has no write command."""
    result = boot("amd64", cmdline=TOGETHER, disk=DISK)
    assert result.outcome is Outcome.PASS, result.reason
    again = tmp_path / "again.img"
    subprocess.run(
        [ROOT / "tools" / "disk.sh", again, BUILD / "i386" / "console" / "true"], check=True
    )
    assert again.read_bytes() == DISK.read_bytes()
    source = (ROOT / "kernel" / "dev" / "ata.c").read_text()
    told = set(re.findall(r"out8\(port->base \+ COMMAND, (.*?)\);", source))
    assert told == {"IDENTIFY", "SET_MULTIPLE", "reads[port->together > 1][wide]"}
    assert "{{READ, READ_WIDE}, {READ_MULTIPLE, READ_MULTIPLE_WIDE}}" in source
    numbers = re.findall(r"#define (IDENTIFY|SET_MULTIPLE|READ\w*) (0x\w\w)\b", source)
    assert {int(number, 16) for _, number in numbers} == {0xEC, 0xC6, 0x20, 0x24, 0xC4, 0x29}
    assert not re.search(r"\bouts[bwl]?\b", source)


def entry(inode: int, name: bytes, length: int) -> bytes:
    return struct.pack("<IHBB", inode, length, len(name), 2) + name.ljust(length - 8, b"\0")


def endless(image: Path) -> Path:
    """ext2 whose /big has 4,194,303 equal blocks: three tables, one block each."""
    size, blocks, first = 1024, 4 << 20, 40
    root, empty, *tables = range(50, 55)

    def inode(length: int, *points: int) -> bytes:
        head = struct.pack("<HHI16xHHI8x", 0o040755, 0, length, 0, 3, 2)
        return (head + struct.pack("<15I", *points, *[0] * (15 - len(points)))).ljust(128, b"\0")

    super_block = bytearray(size)
    fields = {0: 4096, 4: blocks, 20: 1, 32: 8192, 40: 8, 76: 1, 84: 11, 96: 2}
    for at, value in fields.items():
        super_block[at : at + 4] = value.to_bytes(4, "little")
    super_block[56:58], super_block[88] = b"\x53\xef", 128
    inodes = bytes(128) + inode(size, root) + inode(blocks * size - size, *[empty] * 12, *tables)
    names = entry(2, b".", 12) + entry(2, b"..", 12) + entry(3, b"big", size - 24)
    contents = {1: bytes(super_block), 2: struct.pack("<III", 38, 39, first), first: inodes}
    contents |= {root: names, empty: entry(0, b"", size)}
    for table, to in zip(tables, (empty, *tables), strict=False):
        contents[table] = struct.pack("<I", to) * 256
    with image.open("wb") as file:
        file.truncate(blocks * size)
        for block, content in contents.items():
            file.seek(block * size)
            file.write(content)
    return image


@pytest.mark.figures
@ARCHES
def test_a_call_without_end_keeps_nobody_waiting(
    boot: Any, suites: Any, tmp_path: Path, arch: str
) -> None:
    """Other threads run during a look-up in an endless directory, reads and writes of 256 MiB, and
    hundreds of paths; each dies within a million instructions, or after the disk's answer."""
    disk = drives(endless(tmp_path / "endless"))
    module = suites(arch, "looker", folders=("bin",))
    result = boot(arch, cmdline="suite=looker", module=module, extra=disk)
    print(result.text)
    assert [c for c in result.checks if not c["ok"]] == []
    assert len(result.checks) == 14, result.reason


@pytest.mark.long
@ARCHES
def test_disks_in_bochs(boot: Any, arch: str) -> None:
    result = boot(arch, BOCHS[arch], "suite=disks", platform="bochs", disk=DISK)
    assert [c for c in result.checks if not c["ok"]] == []
    assert len(result.checks) > 200
    assert result.outcome is Outcome.PASS, result.reason


@pytest.mark.long
@ARCHES
def test_bytes_cost_the_same_in_bochs(boot: Any, arch: str) -> None:
    """They differ by REP, whose last check QEMU counts, too: at most once per copied page."""
    ours, theirs = (
        {r["id"]: r["median"] for r in boot(arch, cpu, "suite=copy samples=5", platform=on).results}
        for cpu, on in (("EPYC", "qemu-icount"), (BOCHS[arch], "bochs"))
    )
    common = {row for row in ours if row in theirs}
    assert len(common) > 50
    size = {row: int(row.rpartition("-")[2]) for row in common}
    far = {row for row in common if not 0 <= ours[row] - theirs[row] <= 2 + size[row] // 2048}
    assert not far
