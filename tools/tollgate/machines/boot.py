"""A boot request and its result: plain data, shared by all platforms."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError, UsageError
from tollgate.machines.outcome import Outcome
from tollgate.records.format import MachineRun, Record
from tollgate.suites import TABLE

ROOT = Path(__file__).resolve().parents[3]
"""The source tree."""
BUILD = Path(os.environ.get("TOLLGATE_BUILD") or ROOT / "build")
"""The build's folder: a different one for each compiler but gcc (`make bench CC=clang`)."""
KERNELS = Path(os.environ.get("TOLLGATE_KERNELS") or BUILD)
"""The kernels' folder, if not the build's own: that of `make SANITIZE=1`."""
ARCHES = ("i386", "amd64")
FENCES = ("none", "lfence", "both", "rdtscp", "cpuid")

KERNEL: Mapping[str, str] = {"i386": "i386/kernel.elf", "amd64": "amd64/kernel32.elf"}
"""The file for `-kernel`, which refuses ELF64: amd64 has an ELF32 copy."""
SYMBOLS: Mapping[str, str] = {"i386": "i386/kernel.elf", "amd64": "amd64/kernel.elf"}
"""The file for GRUB and gdb."""
INITRD: Mapping[str, str] = {"i386": "i386/initrd.cpio", "amd64": "amd64/initrd.cpio"}

DISK = BUILD / "disk.img"
"""The disk for a bench, `make run`, and most tests with a disk."""
OF_DISKS = {*(suite.name for suite in TABLE if suite.disk), "disks", "rummage"}
"""Programs that read one.  Other machines have none, because the firmware is slow with disks."""


def disk_for(words: Iterable[str]) -> Path | None:
    """The disk for a machine with this command line, if one of its suites reads it."""
    suites = {name for word in words for name in word.removeprefix("suite=").split(",")}
    return DISK if suites & OF_DISKS else None


def module_for(arch: str, words: Iterable[str]) -> Path | None:
    """The initrd for a machine with this command line, if one of its suites has its own."""
    named = {name for word in words for name in word.removeprefix("suite=").split(",")}
    apart = [suite.name for suite in TABLE if suite.apart and suite.name in named]
    return BUILD / arch / f"{apart[0]}.cpio" if apart else None


def built(path: Path, by: str = "make") -> Path:
    """Return `path` if it exists; otherwise report what is missing and which command builds it."""
    if not path.is_file():
        raise TollgateError(f"{path} is missing; `{by}` builds it.")
    return path


@dataclass(frozen=True)
class Boot:
    """One boot of one kernel on one machine.

    `words` go to the kernel's command line unchanged, after the platform's labels. `extra` are
    further arguments of the emulator, `qmp` opens its monitor protocol (QEMU only). `resets`: it
    must end in a triple fault, and the emulator logs the exceptions before it. `disk` is the first
    disk's image, which no kernel of ours writes. `memory` is in MiB.  `limit` is the number of
    seconds without a new byte on the serial line after which the guest counts as stuck (0: the
    platform's default), `deadline` the total number: usable time, not wall time (see clock.py).
    """

    arch: str
    platform: str = "qemu-icount"
    cpu: str = ""
    words: tuple[str, ...] = ()
    kernel: Path | None = None
    module: Path | None = None
    iso: Path | None = None
    disk: Path | None = None
    memory: int = 64
    extra: tuple[str, ...] = ()
    labels: bool = True
    qmp: bool = False
    resets: bool = False
    limit: float = 0.0
    deadline: float = 600.0

    def __post_init__(self) -> None:
        if self.arch not in ARCHES:
            raise UsageError(f"There is no kernel for {self.arch!r}; choose i386 or amd64.")

    @property
    def name(self) -> str:
        """A short label, the same as for the boot's run."""
        return f"{self.arch} {self.cpu} ({self.platform})" + ", to reset" * self.resets

    @property
    def slug(self) -> str:
        """The name as part of a file name."""
        words = f"{self.arch}-{self.cpu}-{self.platform}" + "-reset" * self.resets
        return "".join(c if c.isalnum() or c in "-_." else "-" for c in words)

    def kernel_file(self) -> Path:
        """The image that QEMU's `-kernel` boots."""
        return built(self.kernel or KERNELS / KERNEL[self.arch])

    def grub_file(self) -> Path:
        """The image that GRUB boots."""
        return built(self.kernel or KERNELS / SYMBOLS[self.arch])

    def module_file(self) -> Path:
        """The initrd."""
        return built(self.module or BUILD / INITRD[self.arch])


@dataclass
class BootResult:
    """The result of a boot. `text` is the whole serial output; times are in seconds of the host."""

    boot: Boot
    outcome: Outcome
    reason: str
    text: str
    runs: list[MachineRun]
    records: list[Record]
    problems: list[str]
    status: int | None
    seconds: float
    first_byte: float | None
    directory: Path
    command: list[str] = field(default_factory=list)
    chain: str = ""
    """The exceptions before a triple fault, empty without one."""
    silence: float = 0.0
    """The longest silence, in seconds that the emulator could use."""

    @property
    def machine_run(self) -> MachineRun | None:
        """The records of the boot as one run, None without a `run` record."""
        return self.runs[-1] if self.runs else None

    @property
    def run(self) -> dict[str, Any]:
        """The `run` record, empty without one."""
        return self.runs[-1].run if self.runs else {}

    @property
    def results(self) -> list[dict[str, Any]]:
        """The `result` records."""
        return self.runs[-1].results if self.runs else []

    @property
    def skips(self) -> list[dict[str, Any]]:
        """The `skip` records."""
        return self.runs[-1].skips if self.runs else []

    @property
    def checks(self) -> list[dict[str, Any]]:
        """The `check` records."""
        return self.runs[-1].checks if self.runs else []

    @property
    def end(self) -> dict[str, Any] | None:
        """The `end` record, None if the guest did not finish."""
        return self.runs[-1].end if self.runs else None

    def said(self, lines: int) -> list[str]:
        """The last `lines` lines for people: no records, no empty lines."""
        people = [line for line in self.text.splitlines() if line.strip() and line[:2] != "@{"]
        return people[-lines:]

    def tail(self, lines: int = 40) -> str:
        """The last `lines` lines of the serial output."""
        return "\n".join(self.text.splitlines()[-lines:])
