"""The rows of the kernel's tables (kernel/core/entry/*.def), as tools/rows.awk has them, and the
words that both sides of a code know (tollgate.records.packing).

`python -m tollgate.records.kernel_tables`: print those words, for the build.  It runs
before anything is installed.
"""

from __future__ import annotations

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
"""Words of records; ids and labels of rows come behind them."""


@dataclass(frozen=True)
class Listed:
    """A row of a kernel: its suite, its id and the name that the literature has for it."""

    suite: str
    id: str
    label: str


@lru_cache
def listed(arch: str) -> tuple[Listed, ...]:
    """The rows of one kernel, in the tables' order; TollgateError where there is no awk."""
    awk = shutil.which("awk")
    if awk is None:
        raise TollgateError("awk is not installed; it reads the kernel's tables of rows.")
    entry = ROOT / "kernel" / "core" / "entry"
    words = {
        "want": "c",
        "arch": arch,
        "origins": ORIGINS[arch],
        "all_archs": " ".join(ARCHES),
        "all_origins": "compat trusted user",
        "files": " ".join(path.name for path in entry.glob("*.asm")),
    }
    command = [awk, "-f", str(ROOT / "tools" / "rows.awk")]
    command += [part for name, value in words.items() for part in ("-v", f"{name}={value}")]
    command += [str(entry / f"{name}.def") for name in ("mechanism", "entry", "exception")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r'^ROW\((\w+), (\w+), \w+, (\w+), (\w+), \w+, \w+, "([^"]*)"', text, re.M)
    return tuple(Listed(suite, "/".join(parts), label) for suite, *parts, label in found)


def words() -> str:
    """A line for each word of a code's table, in its order."""

    def each() -> Iterator[str]:
        yield from OWN_WORDS.read_text(encoding="utf-8").splitlines()
        for row in (row for arch in ARCHES for row in listed(arch)):
            yield from (row.id, row.label)

    return "".join(f"{word}\n" for word in dict.fromkeys(each()))


if __name__ == "__main__":
    sys.stdout.write(words())
