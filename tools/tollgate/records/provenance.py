"""The origin of results: date, commit, command, host.

It is stored beside results.jsonl, not in it: two runs of one commit have the same records, to the
last byte, but other times.
"""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tollgate import __version__
from tollgate.machines.boot import ROOT
from tollgate.printable import printable

BESIDE = "made.json"
"""The file beside results.jsonl."""
CPUINFO = Path("/proc/cpuinfo")
LONGEST = 200
"""Characters of the file's content, which others may have written."""


@dataclass(frozen=True)
class Made:
    """The origin of results: `date` as in ISO 8601, in UTC."""

    date: str
    commit: str
    command: str
    host: str


def commit() -> str:
    """The checked-out commit, with `-dirty` if the tree differs from it."""
    git = ["git", "-C", str(ROOT)]
    try:
        top = subprocess.run([*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True)
        said = subprocess.run(
            [*git, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            capture_output=True,
            text=True,
        )
    except OSError:
        return f"version {__version__}"
    own = top.returncode == 0 and Path(top.stdout.strip()).resolve() == ROOT
    return said.stdout.strip() if own and said.stdout.strip() else f"version {__version__}"


def host() -> str:
    """This machine: its processor, the number of usable ones, its system."""
    text = CPUINFO.read_text(errors="replace") if CPUINFO.exists() else ""
    brands = (line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line)
    brand = next(brands, "") or platform.machine()
    cores = len(os.sched_getaffinity(0))
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        system = ""
    uname = os.uname()
    kernel = f"{uname.sysname} {uname.release}"
    count = "1 processor" if cores == 1 else f"{cores} processors"
    return ", ".join(filter(None, (brand, count, system, kernel)))


def command_of(verb: str, asked: Mapping[str, str]) -> str:
    """A command that repeats the measurement: the bench's verb and given options."""
    return " ".join(["tollgate", verb, *(f"--{name}={value}" for name, value in asked.items())])


def keep(folder: Path, command: str) -> None:
    """Store the origin of the results in `folder`."""
    made = Made(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", commit(), command, host())
    (folder / BESIDE).write_text(json.dumps(asdict(made), indent=1) + "\n", encoding="utf-8")


def beside(folder: Path) -> Made | None:
    """The origin of the results in `folder`; None if it is missing or unreadable."""
    try:
        said: Any = json.loads((folder / BESIDE).read_text(encoding="utf-8"))
        fields = Made.__dataclass_fields__
        return Made(**{name: printable(said[name], LONGEST) for name in fields})
    except (OSError, ValueError, KeyError, TypeError):
        return None
