"""The platforms: a table of their units, emulators and processors.

QEMU and Bochs count retired instructions exactly (`-icount shift=0`, Bochs' tick); plain TCG shows
host time, KVM the processor's cycles.  A unit belongs to its platform and is never converted.
"""

import difflib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tollgate.errors import TollgateError, UsageError

FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/usr/games")
"""Folders with programs that may be missing in PATH."""
SYS_MODULE = Path("/sys/module")
QEMU = {"i386": "qemu-system-i386", "amd64": "qemu-system-x86_64"}
BOCHS = "bochs-bin"

DEFAULT_MACHINES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "qemu": (("i386", "EPYC"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")),
    "bochs": (("i386", "ryzen"), ("amd64", "corei7_haswell_4770"), ("amd64", "ryzen")),
    "kvm": (("i386", "host"), ("amd64", "host")),
}
"""The machines of a default bench: SMEP, SMAP, SYSENTER and compat SYSCALL all occur in them."""

I386_ONLY: Mapping[str, frozenset[str]] = {
    "qemu": frozenset("486 pentium pentium2 pentium3 athlon qemu32 kvm32 coreduo n270".split()),
    "bochs": frozenset(
        "i386 i486dx4 pentium pentium_mmx amd_k6_2_chomper athlon_xp p2_klamath "
        "p3_katmai p4_willamette core_duo_t2400_yonah atom_n270".split()
    ),
    "kvm": frozenset(),
}
"""Processors without long mode: they run only the i386 kernel."""


@dataclass(frozen=True)
class Platform:
    """One way to run a kernel.

    `family` chooses the processors (`qemu`, `bochs`, `kvm`), `unit` is the unit of rdtsc, `limit`
    is the number of usable seconds without a serial byte after which a guest counts as stuck.
    """

    name: str
    family: str
    unit: str
    accelerator: tuple[str, ...]
    limit: float
    says: str


PLATFORMS: Mapping[str, Platform] = {
    platform.name: platform
    for platform in (
        Platform(
            "qemu-icount",
            "qemu",
            "instructions",
            ("-accel", "tcg", "-icount", "shift=0,sleep=off"),
            20.0,
            "QEMU counting retired instructions: exact and repeatable (the default)",
        ),
        Platform(
            "qemu-tcg",
            "qemu",
            "host ticks",
            ("-accel", "tcg"),
            20.0,
            "QEMU against the host's clock: noisy, ranks the emulator's helpers, not hardware",
        ),
        Platform(
            "bochs",
            "bochs",
            "instructions",
            (),
            60.0,
            "Bochs, from a CD image: exact, and strict about what a processor lacks",
        ),
        Platform(
            "kvm",
            "kvm",
            "cycles",
            ("-accel", "kvm"),
            20.0,
            "the host's own processor, where kvm_intel or kvm_amd is loaded",
        ),
    )
}
DEFAULT = "qemu-icount"


def find(name: str) -> tuple[Platform, str]:
    """Return the platform and, as in `bochs:p2_klamath`, the processor in `name`."""
    base, _, model = name.partition(":")
    platform = PLATFORMS.get(base or DEFAULT)
    if platform is None:
        raise UsageError(f"There is no platform {base!r}; choose one of {', '.join(PLATFORMS)}.")
    return platform, model


def kvm_loaded() -> bool:
    """Whether the host has hardware virtualisation; other providers of /dev/kvm do not count."""
    return any((SYS_MODULE / module).is_dir() for module in ("kvm_intel", "kvm_amd"))


def emulator(platform: Platform, arch: str, cpu: str) -> str:
    """The program that emulates this machine.

    The i386 kernel runs in qemu-system-x86_64 if the processor has long mode, because
    qemu-system-i386 has no SYSCALL; processors without long mode use the program of their width.
    """
    if platform.family == "bochs":
        return BOCHS
    narrow = arch == "i386" and base_model(cpu) in I386_ONLY["qemu"]
    return QEMU["i386" if narrow else "amd64"]


def require(platform: Platform, program: str) -> str:
    """Return the program's path; TollgateError if it or the platform is missing."""
    if platform.family == "kvm" and not kvm_loaded():
        raise TollgateError(
            "Neither kvm_intel nor kvm_amd is loaded, so kvm cannot run here; use qemu-icount."
        )
    return installed(program)


def installed(program: str) -> str:
    """The program's path; TollgateError says whether it is missing or just not in PATH."""
    path = shutil.which(program)
    if path is not None:
        return path
    elsewhere = shutil.which(program, path=os.pathsep.join(FOLDERS))
    if elsewhere is not None:
        folder = Path(elsewhere).parent
        raise TollgateError(f"{program} is in {folder}, which is not in PATH; add it there.")
    raise TollgateError(f"{program} is not installed; `make setup` installs it.")


def base_model(cpu: str) -> str:
    """The processor model of `EPYC,-sep`: EPYC."""
    return re.split(r"[,+]", cpu, maxsplit=1)[0]


def cores(platform: Platform, cpu: str) -> tuple[str, ...]:
    """The kernels that can run on this processor."""
    return ("i386",) if base_model(cpu) in I386_ONLY[platform.family] else ("i386", "amd64")


def _output(*command: str) -> str:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return done.stdout + done.stderr


@lru_cache
def models(program: str) -> frozenset[str]:
    """The processor models in an emulator's own list."""
    if program == BOCHS:
        text = _output(program, "--help", "cpu")
        return frozenset(re.findall(r"^([a-z][a-z0-9_]+)$", text, re.MULTILINE))
    text = _output(program, "-cpu", "help").partition("\n\n")[0]
    # QEMU 7.2 writes `x86 Haswell  (alias ...`, QEMU 10 `  Haswell  (alias ...`.
    return frozenset(re.findall(r"^(?:x86|) +(\S+)", text, re.MULTILINE))


@lru_cache
def version(program: str) -> str:
    """Name and version as in the `run` record, such as `qemu-7.2.22`."""
    text = _output(program, "--version" if program != BOCHS else "--help")
    match = re.search(r"(?:emulator version|Emulator) (\d[\w.]*)", text)
    name = "bochs" if program == BOCHS else "qemu"
    return f"{name}-{match[1]}" if match else name


def number(version: str) -> tuple[int, ...]:
    """The numbers of `qemu-10.0.13`: (10, 0, 13)."""
    return tuple(int(part) for part in version.partition("-")[2].split(".") if part.isdigit())


@lru_cache
def takes(program: str, option: str) -> bool:
    """Whether an emulator's help lists this option."""
    return option in _output(program, "--help").split()


def check_cpu(platform: Platform, arch: str, cpu: str) -> None:
    """Raise UsageError, with the nearest names, for a processor unknown to the emulator."""
    if platform.family == "kvm":
        return
    if platform.family == "bochs" and cpu != base_model(cpu):
        raise UsageError(
            f"Bochs cannot take single features away; name a model alone, not {cpu!r}."
        )
    program = emulator(platform, arch, cpu)
    require(platform, program)
    known = models(program)
    model = base_model(cpu)
    if others := [word for word in cpu.split(",")[1:] if word in known]:
        raise UsageError(f"CPU={cpu} names {1 + len(others)} processors; one machine has one.")
    if not known or model in known:
        if arch not in cores(platform, cpu):
            raise UsageError(
                f"{model} has no long mode, so it cannot run the {arch} kernel; use i386."
            )
        return
    near = difflib.get_close_matches(model, known, n=3, cutoff=0.4)
    hint = f"; did you mean {' or '.join(near)}?" if near else "."
    raise UsageError(f"{program} knows no processor {model!r}{hint}")


def default_machines(platform: Platform) -> tuple[tuple[str, str], ...]:
    """(arch, processor) of each machine in a default bench."""
    return DEFAULT_MACHINES[platform.family]


def default_cpu(platform: Platform, arch: str) -> str:
    """The default processor for one boot."""
    return next(cpu for core, cpu in default_machines(platform) if core == arch)
