"""Every way in of docs/doors.md, by the lines that stand there, with the files of a release."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import Child
from tollgate.machines.clock import LOOK, Clock
from tollgate.records.format import MachineRun, RecordReader, group

from .test_iso import SOON, smbios, uefi

pytestmark = [pytest.mark.long, pytest.mark.patient]

LIMIT = 100.0
"""Seconds that a machine could use before its test is given up."""
QUICK = "suite=usystime samples=10"
GRUB = Path("/usr/lib/grub")
SECTOR = 512
FIRST = 2048
"""Where a disk's partition begins, in sectors: GRUB lies before it."""
NOBODY = 65534


def blocks(section: str, kind: str) -> list[str]:
    """The code of a kind in a section of the page, with less to measure."""
    text = (ROOT / "docs" / "doors.md").read_text()
    (part,) = re.findall(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    found = re.findall(rf"^```{kind}\n(.*?)^```", part, re.M | re.S)
    assert found, f"the section {section} has no {kind}"
    return [one.replace("suite=toll", QUICK) for one in found]


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a release of this tree that can be booted."""
    folder = tmp_path_factory.mktemp("dist")
    environment = {**os.environ, "BUILD": str(BUILD)}
    command = [str(ROOT / "tools/dist.sh"), str(folder), "boot"]
    subprocess.run(command, check=True, env=environment)
    return folder


def said(command: list[str], log: Path, cwd: Path) -> bytes:
    """A machine's output until its last line, or its refusal, whatever it does afterwards."""
    child = Child(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        clock = Clock(child.pid, family=True)
        while clock.read() < LIMIT:
            ended = child.ended(LOOK)
            text = log.read_bytes() if log.exists() else b""
            if ended or re.search(rb"^tollgate: .*\n", text, re.M):
                return text
    finally:
        child.close()
    pytest.fail(f"it does not end: {text[-2000:]!r}")


def run_of(text: bytes) -> MachineRun:
    """The one boot that a machine has told of, which has failed in nothing and lost nothing."""
    reader = RecordReader()
    (run,) = group(reader.feed(text) + reader.close())
    assert not reader.problems
    assert run.end is not None, text[-2000:]
    assert (run.end["failed"], run.lost) == (0, 0)
    assert len(run.results) >= 6
    return run


def typed(line: str, folder: Path, log: Path, *more: str) -> bytes:
    """QEMU's output when the page's line is typed in `folder`, with the serial line in a file."""
    words = shlex.split(line)
    words[words.index("-nographic")] = "-display"
    words.insert(words.index("-display") + 1, "none")
    return said([*words, "-serial", f"file:{log}", "-no-reboot", *more], log, folder)


@pytest.mark.parametrize(("number", "arch"), [(0, "amd64"), (1, "i386")])
def test_qemu(dist: Path, tmp_path: Path, number: int, arch: str) -> None:
    line = blocks("QEMU", "sh")[number]
    run = run_of(typed(line, dist, tmp_path / "log", *SOON))
    assert run.run["arch"] == arch
    assert run.run["cmdline"] == f"{QUICK} then=stop"


def test_ipxe(dist: Path, tmp_path: Path) -> None:
    (script,) = blocks("Network (iPXE)", "ipxe")
    (line,) = blocks("Network (iPXE)", "sh")
    for file in dist.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "tollgate.ipxe").write_text(script.replace(QUICK, f"{QUICK} then=stop"))
    text = typed(line, tmp_path, tmp_path / "log", *SOON)
    assert run_of(text).run["cmdline"] == f"{QUICK} then=stop"
    assert b"booted by iPXE" in text


def entries(*changes: tuple[str, str]) -> str:
    """The page's entries, for where nobody is, with these words exchanged."""
    menu = "".join(blocks("A GRUB that is installed", "grub"))
    for old, new in ((QUICK, f"{QUICK} then=stop"), *changes):
        assert old in menu
        menu = menu.replace(old, new)
    return "set timeout=0\n" + menu


def folder_of(place: Path, dist: Path, menu: str, platform: str) -> Path:
    """The content of a disk on which this GRUB is installed."""
    root = place / "root"
    (root / "boot/grub").mkdir(parents=True)
    shutil.copytree(dist, root / "boot/tollgate")
    modules = root / "boot/grub" / platform
    shutil.copytree(GRUB / platform, modules)
    tried = (modules / "fs.lst").read_text()  # of them squash4 would bring xzio with it
    (modules / "fs.lst").write_text(tried.replace("squash4\n", ""))
    (root / "boot/grub/grub.cfg").write_text(menu)
    return root


def installed(place: Path, dist: Path, menu: str) -> Path:
    """A disk with one partition of ext2, and Debian's GRUB before it, which has few modules."""
    root = folder_of(place, dist, menu, "i386-pc")
    pc = GRUB / "i386-pc"
    core = ["grub-mkimage", "-O", "i386-pc", "-p", "(hd0,msdos1)/boot/grub", "-o", "core.img"]
    subprocess.run([*core, "biosdisk", "part_msdos", "ext2"], check=True, cwd=place)
    disk, size = place / "disk.img", 64 << 20
    sectors = size // SECTOR
    entry = bytes([0x80, 0, 0, 0, 0x83, 0, 0, 0])
    entry += FIRST.to_bytes(4, "little") + (sectors - FIRST).to_bytes(4, "little")
    boot = (pc / "boot.img").read_bytes()[:446] + entry.ljust(64, b"\0") + b"\x55\xaa"
    start = boot + (place / "core.img").read_bytes()
    assert len(start) <= FIRST * SECTOR
    disk.write_bytes(start)
    os.truncate(disk, size)
    make = [
        "/sbin/mke2fs",
        "-q",
        "-F",
        "-t",
        "ext2",
        "-d",
        str(root),
        "-E",
        f"offset={FIRST * SECTOR}",
    ]
    subprocess.run([*make, str(disk), f"{(size - FIRST * SECTOR) >> 10}k"], check=True)
    return disk


def machine(place: Path, *arguments: str) -> bytes:
    """A PC's output on its serial line."""
    command = ["qemu-system-x86_64", "-m", "128", "-nodefaults", "-vga", "std", "-display", "none"]
    log = place / "log"
    return said([*command, "-serial", f"file:{log}", *SOON, *arguments], log, place)


def disk(path: Path) -> tuple[str, str]:
    return "-drive", f"file={path},format=raw,if=ide"


def test_grub(dist: Path, tmp_path: Path) -> None:
    run = run_of(machine(tmp_path, *disk(installed(tmp_path, dist, entries()))))
    assert (run.run["arch"], run.run["firmware"]) == ("amd64", "multiboot2 bios")


def test_without_xzio_the_kernel_names_what_it_got(dist: Path, tmp_path: Path) -> None:
    image = installed(tmp_path, dist, entries(("        insmod xzio\n", "")))
    told = b"tollgate: the initrd is still compressed (xz): GRUB unpacks it after `insmod xzio'"
    assert told in machine(tmp_path, *disk(image))


def test_loopback(dist: Path, tmp_path: Path) -> None:
    """The ISO's menu, in a GRUB that has no xzio built in."""
    image = installed(tmp_path, dist, "set default=1\n" + entries())
    run = run_of(machine(tmp_path, *disk(image), *smbios("i386", f"{QUICK} then=stop")))
    assert (run.run["arch"], run.run["cmdline"]) == ("i386", f"{QUICK} then=stop")


@pytest.mark.parametrize("default", [0, 1])
def test_grub_by_uefi(dist: Path, tmp_path: Path, default: int) -> None:
    root = folder_of(tmp_path, dist, f"set default={default}\n" + entries(), "x86_64-efi")
    (root / "EFI/BOOT").mkdir(parents=True)
    efi = ["grub-mkimage", "-O", "x86_64-efi", "-p", "(hd0,msdos1)/boot/grub"]
    efi += ["-o", str(root / "EFI/BOOT/BOOTX64.EFI"), "part_msdos", "fat"]
    subprocess.run(efi, check=True)
    arguments = [*uefi(tmp_path), "-m", "192", *disk(Path(f"fat:rw:{root}"))]
    run = run_of(machine(tmp_path, *arguments, *smbios("amd64", f"{QUICK} then=stop")))
    assert (run.run["arch"], run.run["firmware"]) == ("amd64", "multiboot2 uefi")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody can reach: root's libvirt wants a user that its service makes."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_libvirt(dist: Path, place: Path) -> None:
    """libvirt's own driver for QEMU, in a process of ours (virt-qemu-run)."""
    (xml,) = blocks("libvirt", "xml")
    log = place / "log"
    assert "<serial type='pty'/>" in xml
    xml = xml.replace("/var/lib/libvirt/images", str(place))
    xml = xml.replace(
        "<serial type='pty'/>", f"<serial type='file'><source path='{log}'/></serial>"
    )
    (place / "tollgate.xml").write_text(xml)
    for file in dist.glob("*amd64*"):
        shutil.copy(file, place)
    (place / "root/etc").mkdir(parents=True)
    (place / "root/etc/qemu.conf").write_text('stdio_handler = "file"\n')
    variables = ["HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]
    command = ["env", *(f"{name}={place}" for name in variables)]
    if os.getuid() == 0:
        for path in place.rglob("*"):
            shutil.chown(path, NOBODY, NOBODY)
        command += ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    command += ["virt-qemu-run", f"--root={place}/root", "tollgate.xml"]
    run = run_of(said(command, log, place))
    assert run.run["hypervisor"]
