"""The rows of the kernel's tables (kernel/core/entry/*.def), from tools/rows.awk, and the words
shared by both sides of a code (tollgate.records.packing).

`python -m tollgate.records.kernel_tables`: prints those words, for the build.  It runs before
anything is installed.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tollgate.errors import TollgateError
from tollgate.machines.boot import ARCHES, ROOT

ORIGINS = {"i386": "user trusted", "amd64": "user compat trusted"}
OWN_WORDS = ROOT / "user" / "console" / "codes" / "words"
"""Words of records; in the table, ids and labels of rows come after them."""


@dataclass(frozen=True)
class Listed:
    """A row of a kernel: its suite, its id and its name in the literature."""

    suite: str
    id: str
    label: str


def command(want: str, arch: str) -> list[str]:
    """The command line for tools/rows.awk; TollgateError without awk."""
    awk = shutil.which("awk")
    if awk is None:
        raise TollgateError("awk is not installed; it reads the kernel's tables of rows.")
    entry = ROOT / "kernel" / "core" / "entry"
    words = {
        "want": want,
        "arch": arch,
        "origins": ORIGINS[arch],
        "all_archs": " ".join(ARCHES),
        "all_origins": "compat trusted user",
        "files": " ".join(path.name for path in entry.glob("*.asm")),
        "part_files": " ".join(path.name for path in entry.glob("part/*.inc")),
    }
    options = [part for name, value in words.items() for part in ("-v", f"{name}={value}")]
    tables = [str(entry / f"{name}.def") for name in ("mechanism", "entry", "exception", "part")]
    return [awk, "-f", str(ROOT / "tools" / "rows.awk"), *options, *tables]


def _made(want: str, arch: str) -> str:
    return subprocess.run(command(want, arch), capture_output=True, text=True, check=True).stdout


@lru_cache
def listed(arch: str) -> tuple[Listed, ...]:
    """The rows of one kernel, in the tables' order."""
    pattern = r'^ROW\((\w+), (\w+), \w+, (\w+), (\w+), "([^"]*)", \w+, \w+, "([^"]*)"'
    found = re.findall(pattern, _made("c", arch), re.M)
    return tuple(Listed(suite, "/".join(id_) + of, label) for suite, *id_, of, label in found)


@lru_cache
def sets() -> tuple[tuple[str, ...], ...]:
    """The lines of `want=sets`, split into fields: parts of an entry, and sets of them."""
    return tuple(tuple(line.split("\t")) for line in _made("sets", "amd64").splitlines())


def words() -> str:
    """One line for each word in a code's table, in order."""

    def each() -> Iterator[str]:
        yield from OWN_WORDS.read_text(encoding="utf-8").splitlines()
        for row in (row for arch in ARCHES for row in listed(arch)):
            yield from (row.id, row.label)

    return "".join(f"{word}\n" for word in dict.fromkeys(each()))


if __name__ == "__main__":
    sys.stdout.write(words())
