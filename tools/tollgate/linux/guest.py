"""The distribution's Linux, booted in our QEMU: its figures are instructions, too.

Its first program is ours (`user/suites/onlinux.c`), and runs SUITES in the kernel's widths.  Each
machine boots twice: with the kernel's default mitigations, and with none.
"""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.linux.package import Kernel
from tollgate.linux.record import run_record
from tollgate.machines import cpio
from tollgate.machines.boot import BUILD, built
from tollgate.machines.child import LimitError, run
from tollgate.machines.cleanup import folder
from tollgate.machines.platforms import QEMU
from tollgate.records.format import MachineRun, RecordReader, host_record

SUITES = ("kinds", "calls", "faults", "switch", "spawn")
"""Our suites that Linux can run, as in onlinux."""
CPUS = ("EPYC", "Skylake-Client")
MITIGATIONS = ("off", "default")
MINIMAL = "minimal"
"""The value for a kernel that was built without any."""
MEMORY = 256
"""MiB."""
LIMIT = 900.0
"""Seconds that a boot may take: it usually takes 20."""
JOBS = 2
"""Boots in parallel."""
DONE = "onlinux: done"
VULNERABILITY = re.compile(r"^vulnerability (\S+): (.*?)\r?$", re.MULTILINE)
"""A processor flaw, and the kernel's mitigation."""


@dataclass(frozen=True)
class Guest:
    """One boot: a kernel, a processor, and the choice of mitigations."""

    kernel: Kernel
    cpu: str
    mitigations: str
    samples: str = "1000"

    @property
    def name(self) -> str:
        """The name in a failure's message."""
        return f"{self.kernel.name} on {self.cpu}, mitigations {self.mitigations}"

    @property
    def words(self) -> str:
        """Linux's command line; the suites' words follow `--`."""
        off = " mitigations=off" if self.mitigations == "off" else ""
        return f"console=ttyS0 quiet panic=-1{off} -- samples={self.samples} exact=1"


WIDTHS = {"amd64": {"bin": "amd64", "compat": "i386"}, "i386": {"bin": "i386"}}
"""The programs' folders, and the architecture of each."""


def tree(guest: Guest) -> bytes:
    """The initrd: the first program, and those that it runs."""
    arch = guest.kernel.arch
    files = {"init": BUILD / arch / "bin" / "onlinux"} | {
        f"{place}/{name}": BUILD / width / "bin" / name
        for place, width in WIDTHS[arch].items()
        for name in SUITES
    }
    return cpio.build({name: built(path).read_bytes() for name, path in files.items()})


def run_of(text: str, guest: Guest) -> MachineRun:
    """The records in a boot's output; TollgateError if it did not finish."""
    if DONE not in text:
        raise TollgateError(
            f"{guest.name} did not boot: {text.strip()[-300:] or 'it said nothing'}"
        )
    release = re.search(r"^Linux version (\S+)", text, re.M)
    first = run_record(
        guest.kernel.arch,
        guest.words,
        text[text.index("processor\t") :],
        cpu_model=f"{guest.cpu}, mitigations {guest.mitigations}",
        unit="instructions",
        deterministic=True,
        firmware=f"Linux {release[1]}" if release else "Linux",
        hypervisor="TCGTCGTCGTCG",
        kernel=f"{guest.kernel.name} {guest.kernel.version}",
        mitigations={"all": guest.mitigations} | dict(VULNERABILITY.findall(text)),
    )
    reader = RecordReader()
    found = MachineRun([first, *reader.feed(text.encode()), *reader.close()])
    failed = len(re.findall(r"^onlinux: \S+: status ", text, re.M))
    found.records.append(host_record("end", records=found.arrived, failed=failed))
    return found


def arguments(guest: Guest, directory: Path) -> list[str]:
    """QEMU's command line without a serial line; the files to load are put into `directory`."""
    (directory / "initrd").write_bytes(tree(guest))
    command = [
        *(QEMU[guest.kernel.arch], "-nodefaults", "-M", "pc", "-m", MEMORY, "-cpu", guest.cpu),
        *("-accel", "tcg", "-icount", "shift=0,sleep=off", "-display", "none", "-no-reboot"),
        *("-kernel", guest.kernel.path, "-initrd", directory / "initrd", "-append", guest.words),
    ]
    return [str(word) for word in command]


def boot(guest: Guest) -> MachineRun:
    """The outcome of a boot; TollgateError if it does not end, or fails."""
    with folder() as directory:
        serial = directory / "serial"
        try:
            run([*arguments(guest, directory), "-serial", f"file:{serial}"], LIMIT)
        except LimitError as error:
            raise TollgateError(f"{guest.name} does not come to its end: {error}") from None
        text = serial.read_text(errors="replace") if serial.exists() else ""
    return run_of(text, guest)


def machines(kernel: Kernel, samples: str, choices: Sequence[str] = MITIGATIONS) -> Iterator[Guest]:
    """Every boot of a kernel."""
    for cpu in CPUS:
        for mitigations in choices:
            yield Guest(kernel, cpu, mitigations, samples or "1000")


def runs(guests: list[Guest]) -> list[MachineRun]:
    """Run the boots, a few in parallel; results in their order."""
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(boot, guests))
