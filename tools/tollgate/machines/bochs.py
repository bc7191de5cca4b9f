"""Bochs: a CD image and a configuration for a boot, and the reading of its log.

Bochs always exits with status 1, ignores SIGTERM, and reads its debugger's `c` (continue) from a
command file.  Its clock counts retired instructions (COUNTING); `ips` only sets how many make a
second for its devices.  With a small number the serial line is fast, because the kernel waits for
each byte; if it is too small the timer leaves programs no time.
"""

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.boot import Boot, built
from tollgate.machines.child import run
from tollgate.machines.plan import EXCEPTIONS, LOG, SERIAL, Ending, Plan, link, words
from tollgate.machines.platforms import BOCHS, Platform, number, require, takes, version

GRUB_PC = Path("/usr/lib/grub/i386-pc")
BIOS = Path("/usr/share/bochs/BIOS-bochs-latest")
LEGACY_BIOS = BIOS.with_name("BIOS-bochs-legacy")
BROKEN_BIOS = "4d208c058ff05d4485827eda3fcade523a708ac119d22c415fdd30db2f431893"
"""SHA-256 of Ubuntu 24.04's BIOS (bochsbios 2.7+dfsg-4build5): its 32-bit half triple faults at
every boot.  The legacy BIOS has no such half, and no ACPI tables."""
VGA_BIOS = Path("/usr/share/vgabios/vgabios.bin")

MEDIUM = 60.0
"""Seconds for making a medium."""

QUIET = "screen=none"
"""No person looks at the screen, so Bochs draws nothing: drawing is slow."""


@dataclass(frozen=True)
class Counting:
    """The counting of Bochs from a version on: always exact, or only with this option."""

    since: tuple[int, ...]
    option: str
    reason: str


COUNTING = (
    Counting(
        (3, 0),
        "-debugger",
        "it executes chains of instructions and counts each chain as a whole, so RDTSC reads a "
        "count of some instructions ago; with its debugger on it goes one by one",
    ),
    Counting((), "", "it executes and counts one instruction after the other"),
)
"""Newest first."""

_MEDIA = """\
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-{place}: type=cdrom, path=boot.iso, status=inserted"""
_DISK = """\
ata0-master: type=disk, path=disk.img, mode=flat"""

_TRIPLE_FAULT = re.compile(r"3rd \((\d+)\) exception with no resolution")
_DISPLAY = re.compile(r'^Bochs connected to screen "(.+)"$', re.MULTILINE)
_RESET = "bx_pc_system_c::Reset("
_SHUTDOWN = "Shutdown port: shutdown requested"
_PANIC = re.compile(r">>PANIC<< (.*)")

_CONFIGURATION = """\
megs: {memory}
romimage: file={bios}, options=fastboot
vgaromimage: file={vga_bios}
{media}
boot: cdrom
com1: enabled=1, mode=file, dev={serial}
clock: sync=none, time0=1577836800
cpu: model={cpu}, count=1, ips=20000000, reset_on_triple_fault=0, ignore_bad_msrs=0
log: {log}
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
display_library: term
vga: extension=none
speaker: enabled=0
sound: driver=dummy
"""

_MENU = """\
multiboot /boot/kernel.elf {line}
module /boot/initrd.cpio
boot
"""


def quote(word: str) -> str:
    """One word in GRUB's script language."""
    return "'" + word.replace("'", "'\\''") + "'"


def make_iso(boot: Boot, directory: Path) -> None:
    """Write boot.iso in `directory`: GRUB for BIOS, one kernel, its initrd and its command line."""
    tool = shutil.which("grub-mkrescue")
    if tool is None or not GRUB_PC.is_dir():
        raise TollgateError(
            "grub-mkrescue or its BIOS modules are missing; `make setup` installs them."
        )
    root = directory / "iso"
    menu = root / "boot" / "grub"
    menu.mkdir(parents=True, exist_ok=True)
    kernel = root / "boot" / "kernel.elf"
    shutil.copyfile(boot.grub_file(), kernel)
    if strip := shutil.which("strip"):  # symbols that GRUB does not need
        subprocess.run([strip, "--strip-debug", kernel], check=False)
    shutil.copyfile(boot.module_file(), root / "boot" / "initrd.cpio")
    line = " ".join(quote(word) for word in words(boot, version(BOCHS)))
    (menu / "grub.cfg").write_text(_MENU.format(line=line), encoding="utf-8")
    modules = "multiboot biosdisk iso9660 normal"
    command = [tool, "-d", str(GRUB_PC), f"--install-modules={modules}", "--fonts=", "--themes="]
    command += ["--locales=", "-o", "boot.iso", "iso"]
    own = os.environ | {"TMPDIR": str(directory)}  # its leftover files are removed with ours
    done = run(command, MEDIUM, cwd=directory, env=own)
    if done.returncode:
        raise TollgateError(f"grub-mkrescue failed: {done.stderr.strip().splitlines()[-1:]}.")


def plan(boot: Boot, platform: Platform, directory: Path) -> Plan:
    """The headless run of `boot`, with its files in `directory`."""
    program = require(platform, BOCHS)
    firmware = bios()
    for path in (firmware, VGA_BIOS):
        if not path.is_file():
            raise TollgateError(f"{path} is missing; `make setup` installs it.")
    if boot.extra or boot.qmp:
        raise TollgateError("Bochs takes no arguments of QEMU and has no QMP; use a QEMU platform.")
    if boot.labels:
        boot = replace(boot, words=(QUIET, *boot.words))
    if boot.iso is not None:
        link(built(boot.iso), directory / "boot.iso")
    else:
        make_iso(boot, directory)
    media = _MEDIA.format(place="master" if boot.disk is None else "slave")
    if boot.disk is not None:
        link(built(boot.disk), directory / "disk.img")
        media += "\n" + _DISK
    configuration = _CONFIGURATION.format(
        media=media,
        memory=boot.memory,
        bios=firmware,
        vga_bios=VGA_BIOS,
        cpu=boot.cpu,
        serial=SERIAL,
        log=LOG,
    )
    (directory / "bochsrc").write_text(configuration, encoding="utf-8")
    (directory / "debugger").write_text("c\n", encoding="utf-8")
    command = [program, "-q", *one_by_one(program), "-f", "bochsrc", "-rc", "debugger"]
    return Plan(command, directory, ending, restarted, display)


def bios() -> Path:
    """A BIOS that works."""
    if BIOS.is_file() and hashlib.sha256(BIOS.read_bytes()).hexdigest() == BROKEN_BIOS:
        return LEGACY_BIOS
    return BIOS


def one_by_one(program: str) -> tuple[str, ...]:
    """The option that makes this Bochs count exactly, if it needs one and has it."""
    option = counting(version(program)).option
    return (option,) if option and takes(program, option) else ()


def counting(emulator: str) -> Counting:
    """How this Bochs (`bochs-2.7`) counts."""
    return next(way for way in COUNTING if number(emulator) >= way.since)


def is_exact(program: str) -> bool:
    """Whether single samples are exact; means over a batch are exact with every Bochs."""
    option = counting(version(program)).option
    return not option or takes(program, option)


def display(stderr: str) -> str:
    """The terminal that Bochs opened for its screen."""
    found = _DISPLAY.search(stderr)
    return found[1] if found else ""


def restarted(log: str) -> bool:
    """Whether the guest reset: the first reset in the log is the machine's start."""
    return log.count(_RESET) > 1


def ending(status: int, log: str, stderr: str) -> Ending:
    """The guest's end by Bochs' log; `status` is useless unless a signal ended Bochs.

    The shutdown port carries no verdict: it follows from the records before, or from their absence.
    """
    if third := _TRIPLE_FAULT.search(log):
        name = EXCEPTIONS.get(int(third[1]), f"vector {third[1]}")
        return Ending(True, chain=f"... -> #DF(0) -> {name} -> triple fault")
    if restarted(log):
        return Ending(False, left=True)
    if status < 0:
        return Ending(False, complaint=f"Bochs was ended by signal {-status}")
    if _SHUTDOWN in log:
        return Ending(False)
    panics = _PANIC.findall(log) or _PANIC.findall(stderr)
    return Ending(
        False, complaint=f"Bochs stopped: {panics[-1].strip() if panics else 'no message'}"
    )
