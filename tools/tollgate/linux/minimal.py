"""A minimal Linux, with only what our programs need, from the distribution's source.

It is built once, with minimal.config in this folder, and cached.
"""

import os
import re
import shutil
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.linux.package import Kernel, NoPackageError, cache, said_by
from tollgate.machines.child import LimitError, run
from tollgate.machines.cleanup import folder

CONFIG = Path(__file__).with_name("minimal.config")
SOURCE = "linux-source-6.1"
NEEDS = {"flex": "flex", "bison": "bison", "bc": "bc", "/usr/include/libelf.h": "libelf-dev"}
"""Needs of the build: a command or a file, and its Debian package."""
LIMIT = 3600.0
"""Seconds that the build may take: it needs about 240 of processor time."""
NAME = f"{SOURCE}, minimal"


def _kept(version: str) -> tuple[Path, Path]:
    """The cached kernel's path, and its symbols'."""
    place = cache() / f"minimal-{version.replace(':', '_')}"
    return place / "bzImage", place / "vmlinux"


def kept() -> Kernel | None:
    """The kernel that was built last; None without one."""
    found = sorted(cache().glob("minimal-*/bzImage"), key=lambda file: file.stat().st_mtime)
    if not found:
        return None
    version = found[-1].parent.name.partition("-")[2]
    return Kernel("amd64", NAME, version, found[-1])


def build() -> Kernel:
    """The kernel from the newest source; NoPackageError, with the reason, if it cannot be built."""
    missing = [package for there, package in NEEDS.items() if not _is_there(there)]
    if missing:
        raise NoPackageError(f"a minimal kernel needs {', '.join(missing)}.")
    shown = re.search(r"^Version: (\S+)", said_by("apt-cache", "show", SOURCE), re.M)
    if not shown:
        raise NoPackageError(f"this system's packages have no {SOURCE}.")
    image, symbols = _kept(shown[1])
    if not image.exists():
        with folder() as directory:
            _build(shown[1], directory)
            image.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(directory / "made" / "vmlinux", symbols)
            shutil.move(directory / "made" / "arch" / "x86" / "boot" / "bzImage", image)
    return Kernel("amd64", NAME, shown[1], image)


def _is_there(what: str) -> bool:
    return Path(what).exists() if what.startswith("/") else shutil.which(what) is not None


def _build(version: str, directory: Path) -> None:
    """Build bzImage and vmlinux in a folder."""
    said_by("apt-get", "download", f"{SOURCE}={version}", cwd=directory)
    (archive,) = directory.glob("*.deb")
    said_by("dpkg-deb", "-x", str(archive), "package", cwd=directory)
    (source,) = (directory / "package" / "usr" / "src").glob("*.tar.xz")
    said_by("tar", "-xf", str(source), cwd=directory)
    make = ["make", "-s", "-C", str(directory / SOURCE), f"O={directory / 'made'}"]
    steps = ([f"KCONFIG_ALLCONFIG={CONFIG}", "allnoconfig"], [f"-j{os.cpu_count()}", "bzImage"])
    for words in steps:
        try:
            done = run([*make, *words], LIMIT, merge=True)
        except LimitError as error:
            raise NoPackageError(f"{NAME} does not come to its end: {error}") from None
        if done.returncode:
            raise TollgateError(f"{NAME} cannot be built: {done.stdout.strip()[-500:]}")
