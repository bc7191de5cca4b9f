"""The distribution's Linux, booted in the QEMU that boots ours: its figures are instructions, too.

The package is fetched once, by apt, and its kernel kept in the user's cache; its first program is
ours (`user/suites/onlinux.c`), and runs `kinds` in both widths.  Each machine boots twice: with the
mitigations that the kernel chooses, and with none.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tollgate import __version__, cpio
from tollgate.boot import BUILD, built
from tollgate.child import LimitError, run
from tollgate.errors import TollgateError
from tollgate.linux import CPU, PLATFORM, cpu_of
from tollgate.platforms import QEMU
from tollgate.records import MachineRun, RecordReader, host_record
from tollgate.warden import folder

META = "linux-image-amd64"
"""The package that depends on the kernel's."""
MITIGATIONS = ("default", "off")
LIMIT = 600.0
"""Seconds that a boot may use: it takes some 15."""
DONE = "onlinux: done"


class NoPackageError(TollgateError):
    """There is no kernel to boot; the message says why."""


def said_by(*command: str, cwd: Path | None = None) -> str:
    """What a program of the distribution says; NoPackageError where it is not there or fails."""
    try:
        return run(command, LIMIT, cwd=cwd).stdout
    except (OSError, LimitError) as error:
        raise NoPackageError(f"{command[0]} cannot be asked for {META}: {error}") from None


def package() -> tuple[str, str]:
    """The kernel's package and its version."""
    depends = re.search(r"Depends: (linux-image-[0-9]\S+)", said_by("apt-cache", "depends", META))
    name = depends[1] if depends else ""
    version = re.search(r"^Version: (\S+)", said_by("apt-cache", "show", name or META), re.M)
    if not name or not version:
        raise NoPackageError(f"this system's packages have no {META}; `apt-get update` may help.")
    return name, version[1]


def cache() -> Path:
    """Where kernels are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tollgate" / "linux"


def image(name: str, version: str) -> Path:
    """The package's kernel, fetched if it is not kept yet."""
    kept = cache() / f"{name}-{version.replace(':', '_')}"
    if kept.exists():
        return kept
    with folder() as directory:
        said_by("apt-get", "download", f"{name}={version}", cwd=directory)
        found = next(directory.glob("*.deb"), None)
        if found is None:
            raise NoPackageError(f"{name} {version} cannot be fetched; is there a network?")
        said_by("dpkg-deb", "-x", str(found), "tree", cwd=directory)
        kernel = next((directory / "tree" / "boot").glob("vmlinuz*"), None)
        if kernel is None:
            raise NoPackageError(f"{name} {version} has no kernel in it.")
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        part.write_bytes(kernel.read_bytes())
        part.replace(kept)
    return kept


def tree() -> bytes:
    """The first program, and what it runs."""
    wide, narrow = BUILD / "amd64" / "bin", BUILD / "i386" / "bin"
    files = {
        "init": wide / "onlinux",
        "bin/kinds": wide / "kinds",
        "compat/kinds": narrow / "kinds",
    }
    return cpio.build({name: built(path).read_bytes() for name, path in files.items()})


def run_of(text: str, words: str, name: str, version: str, mitigations: str) -> MachineRun:
    """The records among what a boot said; TollgateError if it did not come to its end."""
    if DONE not in text:
        raise TollgateError(f"{name} did not boot: {text.strip()[-300:] or 'it said nothing'}")
    cpu = cpu_of(text[text.index("processor\t") :])
    cpu.pop("flags")
    release = re.search(r"^Linux version (\S+)", text, re.M)
    first = host_record(
        "run",
        arch="amd64",
        platform=PLATFORM,
        cpu_model=f"{CPU}, mitigations {mitigations}",
        unit="instructions",
        deterministic=True,
        firmware=f"Linux {release[1]}" if release else "Linux",
        cpu=cpu,
        hypervisor="TCGTCGTCGTCG",
        cmdline=words,
        fence="none",
        version=__version__,
        tools={},
        tsc_hz=0,
        readable=True,
        kernel=f"{name} {version}",
        mitigations={"all": mitigations},
    )
    reader = RecordReader()
    found = MachineRun([first, *reader.feed(text.encode()), *reader.close()])
    found.records.append(host_record("end", records=found.arrived, failed=0))
    return found


def boot(kernel: Path, words: str) -> str:
    """What a boot says on its serial line."""
    with folder() as directory:
        (directory / "initrd").write_bytes(tree())
        command = [
            *(QEMU["amd64"], "-nodefaults", "-M", "pc", "-m", "128", "-cpu", CPU),
            *("-accel", "tcg", "-icount", "shift=0,sleep=off", "-display", "none", "-no-reboot"),
            *("-kernel", kernel, "-initrd", directory / "initrd", "-append", words),
            *("-serial", f"file:{directory / 'serial'}"),
        ]
        try:
            run([str(word) for word in command], LIMIT)
        except (OSError, LimitError, subprocess.SubprocessError) as error:
            raise TollgateError(f"Linux does not come to its end in QEMU: {error}") from None
        return (directory / "serial").read_text(errors="replace")


def runs(samples: str) -> list[MachineRun]:
    """A boot for each of MITIGATIONS; NoPackageError where there is no kernel."""
    name, version = package()
    kernel = image(name, version)
    found = []
    for mitigations in MITIGATIONS:
        off = " mitigations=off" if mitigations == "off" else ""
        own = f"samples={samples or '1000'} exact=1"
        words = f"console=ttyS0 quiet panic=-1{off} -- {own}"
        found.append(run_of(boot(kernel, words), words, name, version, mitigations))
    return found
