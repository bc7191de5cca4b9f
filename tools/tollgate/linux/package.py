"""The distribution's kernel: its package is fetched once, by apt, and kept in the user's cache.

For a width without packages on this system there is a separate index, from the same sources. If apt
finds nothing, the last cached kernel is used.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.child import LimitError, run
from tollgate.machines.cleanup import folder

META = {"amd64": "linux-image-amd64", "i386": "linux-image-686"}
"""The package that depends on the newest kernel's, by width."""
LIMIT = 600.0
"""Seconds that a program of the distribution may take."""

_KEPT = re.compile(r"(linux-image-\S+?-(?:amd64|686))-(\d\S*)")


class NoPackageError(TollgateError):
    """No kernel to boot; the message has the reason."""


@dataclass(frozen=True)
class Kernel:
    """A distribution's kernel, and its package."""

    arch: str
    name: str
    version: str
    path: Path


def said_by(*command: str, cwd: Path | None = None) -> str:
    """The output of a distribution's program; NoPackageError if it is missing."""
    try:
        return run(command, LIMIT, cwd=cwd).stdout
    except (TollgateError, OSError, LimitError) as error:
        raise NoPackageError(f"{command[0]} cannot be asked for a kernel: {error}") from None


def cache() -> Path:
    """The folder for cached kernels."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tollgate" / "linux"


def index(arch: str) -> list[str]:
    """apt's options: none for this system's own packages, otherwise a separate index."""
    if said_by("dpkg", "--print-architecture").strip() == arch:
        return []
    place = cache() / f"apt-{arch}"
    for directory in ("lists/partial", "cache/archives/partial"):
        (place / directory).mkdir(parents=True, exist_ok=True)
    (place / "status").touch()
    options = {
        "APT::Architecture": arch,
        "APT::Architectures": arch,
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Dir::State::Lists": f"{place / 'lists'}",
        "Dir::State::status": f"{place / 'status'}",
        "Dir::Cache": f"{place / 'cache'}",
    }
    return [f"-o{name}={value}" for name, value in options.items()]


def newest(arch: str, options: list[str]) -> tuple[str, str]:
    """The kernel's package and its version; empty if the index has none."""
    meta = META[arch]
    depends = re.search(
        r"Depends: (linux-image-[0-9]\S+)", said_by("apt-cache", *options, "depends", meta)
    )
    name = depends[1] if depends else ""
    shown = said_by("apt-cache", *options, "show", name) if name else ""
    version = re.search(r"^Version: (\S+)", shown, re.M)
    return (name, version[1]) if version else ("", "")


def fetched(arch: str, name: str, version: str, options: list[str]) -> Kernel | None:
    """The package's kernel, from the cache or the distribution; None if neither has it."""
    kept = cache() / f"{name}-{version.replace(':', '_')}"
    if not kept.exists():
        with folder() as directory:
            said_by("apt-get", *options, "download", f"{name}={version}", cwd=directory)
            found = next(directory.glob("*.deb"), None)
            if found is None:
                return None
            said_by("dpkg-deb", "-x", str(found), "tree", cwd=directory)
            image = next((directory / "tree" / "boot").glob("vmlinuz*"), None)
            if image is None:
                raise NoPackageError(f"{name} {version} has no kernel in it.")
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_name(f"{kept.name}.{os.getpid()}")
            part.write_bytes(image.read_bytes())
            part.replace(kept)
    return Kernel(arch, name, version, kept)


def kept_last(arch: str) -> Kernel | None:
    """The last cached kernel; None without one."""
    suffix = META[arch].rpartition("-")[2]
    files = sorted(cache().glob(f"linux-image-*-{suffix}-*"), key=lambda file: file.stat().st_mtime)
    for file in reversed(files):
        if match := _KEPT.fullmatch(file.name):
            return Kernel(arch, match[1], match[2], file)
    return None


def kernel(arch: str) -> Kernel:
    """The distribution's newest kernel of this width; NoPackageError, with the reason, if none."""
    try:
        options = index(arch)
        name, version = newest(arch, options)
        found = fetched(arch, name, version, options) if name else None
        if options and not found:  # our own index is missing, or older than the mirror's
            said_by("apt-get", *options, "update")
            name, version = newest(arch, options)
            found = fetched(arch, name, version, options) if name else None
    except NoPackageError:
        found, name = None, ""
        if not kept_last(arch):
            raise
    found = found or kept_last(arch)
    if found:
        return found
    if name:
        raise NoPackageError(f"{name} {version} cannot be fetched; is there a network?")
    raise NoPackageError(f"this system's packages have no {META[arch]}; `apt-get update` may help.")
