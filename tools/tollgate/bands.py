"""What paths through C take by compiler: docs/compilers.json, which `make compilers` measures.

A way in is assembly and takes the same whoever compiles the kernel.  What goes through C does not,
so a document prints a band beside such a figure: the least and the most of these compilers, kernel
and programs built by each.  Unit: instructions, qemu-icount, EPYC; medians.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tollgate.boot import ARCHES, KERNEL, ROOT, Boot, disk_for
from tollgate.budgets import suite_of
from tollgate.errors import TollgateError
from tollgate.machine import run_boot
from tollgate.measured import CPU
from tollgate.outcome import Outcome

FILE = ROOT / "docs" / "compilers.json"
COMPILERS = ("gcc 12", "gcc 13", "gcc 14", "clang")
"""In the file's order; the first is the one of all figures in the documents."""
SUITES = (
    *("calls", "copy", "faults", "files", "html", "kinds", "ladder", "spawn", "switch"),
    *("usystime", "vsyscall", "web"),
)
PROGRAMS = (*SUITES, "starve")
LAST_LINES = 10
"""Of what a compiler says of a program that it refuses."""
BOOTS = (f"suite={','.join(SUITES)} samples=20", "suite=starve only=time samples=20")

Figures = dict[str, list[int | None]]
"""By row, `ARCH SUITE ID`: a figure for each compiler; None where it has measured an older path."""


@lru_cache
def load() -> tuple[list[str | None], Figures]:
    """The compilers' versions and the figures; not to be changed."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found.pop("compilers"), found


def figures() -> Figures:
    """The figures, to be changed."""
    return {row: list(told) for row, told in load()[1].items()}


def write(versions: Sequence[str | None], found: Figures) -> None:
    """The file anew, a row a line."""
    lines = {"compilers": list(versions), **dict(sorted(found.items()))}
    text = ",\n".join(f"{json.dumps(row)}: {json.dumps(told)}" for row, told in lines.items())
    FILE.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    load.cache_clear()


def band(rows: Sequence[str]) -> str:
    """Of one row the least and the most of all compilers; of several, in percent of the first's."""
    told = [[f for f in figures().get(row, [None]) if f is not None] for row in rows]
    if min(map(len, told)) < 2:
        return f"{COMPILERS[0]} alone"
    if all(min(one) == max(one) for one in told):
        return "the same"
    if len(rows) == 1:
        return f"{min(told[0]):,} to {max(told[0]):,}"
    least = min((min(one) - one[0]) * 100 // one[0] for one in told)
    most = max(-((one[0] - max(one)) * 100 // one[0]) for one in told)
    return f"{least:+d} to {most:+d} %".replace("+0", "0")


def names() -> str:
    """The compilers with their versions, as a sentence has them."""
    *most, last = [version for version in load()[0] if version]
    return f"{', '.join(most)} and {last}"


def settle(value: Callable[[str], int | None]) -> None:
    """Drop what was measured on older paths: `value` is what the first compiler has today."""
    found = figures()
    for row, told in found.items():
        if (today := value(row)) is not None and today != told[0]:
            found[row] = [today, *[None] * (len(COMPILERS) - 1)]
    if found != figures():
        write(load()[0], found)


def present(compiler: str) -> tuple[str, str] | None:
    """The command and the version of a compiler such as `gcc 13`; None where it is not here."""
    name, _, major = compiler.partition(" ")
    for command in (name, f"{name}-{major}"):
        if shutil.which(command):
            asked = [command, "-dumpfullversion", "-dumpversion"]
            version = subprocess.run(asked, capture_output=True, text=True).stdout.split()[0]
            if version.partition(".")[0] == (major or version.partition(".")[0]):
                return command, f"{name} {version}"
    return None


def built(command: str) -> Path:
    """Both kernels and the programs by a compiler, in the folder where make has them."""
    folder = Path("build" if command == "gcc" else f"build-{command}")
    programs = [f"{folder}/{a}/bin/{s}" for a in ARCHES for s in PROGRAMS]
    jobs = f"-j{len(os.sched_getaffinity(0))}"
    goals = [*(f"{folder}/{KERNEL[arch]}" for arch in ARCHES), *programs]
    words = ["make", "-s", jobs, f"CC={command}", f"BUILD={folder}", *goals]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-LAST_LINES:])
        raise TollgateError(
            f"{command} does not build it; no figure is changed. Its last lines:\n{said}"
        )
    return ROOT / folder


def boot(arch: str, build: Path, words: str) -> dict[str, int]:
    """The figures of one boot; TollgateError where it does not pass."""
    asked = tuple(words.split())
    folders = {"bin": arch, "trusted": arch} | ({"compat": "i386"} if arch == "amd64" else {})
    with tempfile.TemporaryDirectory(prefix="tollgate.") as place:
        module = Path(place) / "suites.cpio"
        packed = ["dev=", "tmp=", "pages=user/pages"]
        packed += [f"{to}={build / of / 'bin' / s}" for to, of in folders.items() for s in PROGRAMS]
        subprocess.run(["tools/initrd.sh", str(module), *packed], cwd=ROOT, check=True)
        machine = Boot(arch, cpu=CPU, words=asked, kernel=build / KERNEL[arch], module=module,
                       disk=disk_for(asked))  # fmt: skip
        done = run_boot(machine, Path(place))
    if done.outcome is not Outcome.PASS:
        raise TollgateError(f"{build.name}, {arch}: {done.reason}; no figure is changed.")
    return {f"{arch} {suite_of(row)} {row['id']}": round(row["median"]) for row in done.results}


def measure(rows: Iterable[str], say: Callable[[str], None]) -> None:
    """Measure these rows with each compiler that is here; the others keep figures of paths that
    have not changed, as a compiler of the same version has shown."""
    before, old = load() if FILE.exists() else ([None] * len(COMPILERS), {})
    versions = list(before)
    found: dict[int, Mapping[str, int]] = {}
    for place, compiler in enumerate(COMPILERS):
        here = present(compiler)
        if here is None:
            say(f"{compiler} is not here: its figures stay where a path has not changed")
            continue
        say(f"{here[1]} ...")
        build, versions[place] = built(here[0]), here[1]
        found[place] = {
            row: told
            for arch in ARCHES
            for words in BOOTS
            for row, told in boot(arch, build, words).items()
        }
    fresh: Figures = {}
    for row in rows:
        kept = old.get(row, [None] * len(COMPILERS))
        same = (p for p in found if versions[p] == before[p])
        if any(kept[place] != found[place][row] for place in same):
            kept = [None] * len(COMPILERS)
        fresh[row] = [found[p][row] if p in found else kept[p] for p in range(len(COMPILERS))]
    write(versions, fresh)
