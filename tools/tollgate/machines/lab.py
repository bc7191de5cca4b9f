"""A laboratory of machines: each place of a labgrid environment is booted and its records kept.

`tollgate bench --platform=lab:PLACE,...` takes those places, `tollgate sweep --lab=FILE` all.
Places are booted side by side, each by a process of its own (lab_place.py).  A place that does not
answer is a sentence, and the others go on.
"""

from __future__ import annotations

import importlib.util
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from tollgate.bench import Choice, check_suites, make_out
from tollgate.errors import TollgateError, UsageError, install
from tollgate.machines.boot import BUILD, INITRD, KERNEL, ROOT, Boot
from tollgate.machines.child import Child
from tollgate.machines.plan import SERIAL
from tollgate.machines.progress import Progress
from tollgate.printable import plain, printable
from tollgate.records import input_file, provenance
from tollgate.records.capture import Line
from tollgate.records.format import MachineRun, save
from tollgate.records.results_folder import RECORDS
from tollgate.records.rules import told

PREFIX = "lab:"
SILENCE = 300.0
"""Seconds without a byte, after which a machine is given up; `silence` in the environment's options
is another number."""
LEAVE = 60.0
"""Seconds that a place has to switch its machine off."""
BYTES = 65536
ENDED = "it has ended before its machine has"


@dataclass
class Said:
    """The result of a place: its boots, and a sentence where that is not all."""

    place: str
    runs: list[MachineRun]
    problem: str = ""


def _environment(path: str) -> dict[str, Any]:
    if importlib.util.find_spec("labgrid") is None:
        raise TollgateError(
            "A laboratory needs the Python package labgrid, and it is missing: "
            f"`{install('lab')}` installs it."
        )
    if not path:
        raise UsageError("Which laboratory? LAB= names labgrid's environment file (docs/lab.md).")
    import yaml

    try:
        read = yaml.safe_load(input_file.read(Path(path), 1 << 20))
    except (ValueError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {printable(error)}.") from None
    if not isinstance(read, dict) or not isinstance(read.get("targets"), dict):
        raise UsageError(f"{path} has no targets: it is no environment file of labgrid's.")
    return read


def _places(targets: Sequence[str], platform: str, path: str) -> list[str]:
    wanted = [name for name in platform.removeprefix(PREFIX).split(",") if name]
    for name in wanted:
        if name not in targets:
            raise UsageError(f"{path} has no place {name!r}; it has {', '.join(targets)}.")
    if len(set(wanted)) < len(wanted):
        raise UsageError("PLATFORM names a place twice; a machine is measured once.")
    return wanted or list(targets)


LONG_MODE = "cpuid --ext 29 && set arch amd64 || set arch i386"
"""iPXE: the kernel that the processor can run."""


def script(place: str, arch: str, words: Sequence[str]) -> str:
    """The iPXE script of a machine; with an empty `arch` the processor decides."""
    return (
        f"#!ipxe\n{f'set arch {arch}' if arch else LONG_MODE}\n"
        f"kernel {place}-${{arch}}.elf {' '.join(words)}\n"
        f"module {place}-${{arch}}.cpio\nboot\n"
    )


def _has_stick(target: Any) -> bool:
    """Whether a driver of the place's can write the stick that its machine boots."""
    return "StorageDriver" in str(dict(target or {}).get("drivers"))


def _image(choice: Choice, folder: Path) -> list[str]:
    """The ISO, with what is to be measured in its menu; the processor decides on the kernel."""
    image = folder / "stick.iso"
    if not image.exists():
        words = " ".join([*choice.words(), "then=stop"])
        environment = {**os.environ, "BUILD": str(BUILD), "WORDS": words}
        done = subprocess.run([ROOT / "tools" / "iso.sh", image], env=environment)
        if done.returncode:
            raise TollgateError("tools/iso.sh could not make the image for a stick.")
    return [str(image)]


def _files(place: str, choice: Choice, folder: Path) -> list[str]:
    """The files of a place on its server, with names of their own, because places are served side
    by side.
    """
    files = [folder / f"{place}.ipxe"]
    files[0].write_text(script(place, choice.arch, [*choice.words(), "then=stop"]))
    for arch in (choice.arch,) if choice.arch else tuple(KERNEL):
        for end, name in (("elf", KERNEL[arch]), ("cpio", INITRD[arch])):
            kept = folder / f"{arch}.{end}"
            if not kept.exists():
                kept.write_bytes((BUILD / name).read_bytes())
            files.append(folder / f"{place}-{arch}.{end}")
            files[-1].hardlink_to(kept)
    return [str(file) for file in files]


def _listen(child: Child, log: Path, line: Line, advance: Any, silence: float) -> str:
    """Until the boot is over; why it is not, or an empty string."""
    assert child.process.stdout is not None
    number = child.process.stdout.fileno()
    heard = 0.0  # from its power on: before that it may wait for its turn
    with log.open("wb", buffering=0) as file:
        while not line.over:
            if select.select([number], [], [], 1.0)[0]:
                data = os.read(number, BYTES)
                if not data:
                    return ENDED
                heard = time.monotonic()
                file.write(data)
                for _ in line.feed(data):
                    advance()
            elif heard and time.monotonic() - heard > silence:
                return f"it has said nothing for {silence:g} s"
    return ""


def boot(
    environment: str, place: str, files: list[str], out: Path, advance: Any, silence: float
) -> Said:
    """One machine, from its reservation to its power switch."""
    line = Line()
    with tempfile.TemporaryFile() as errors:
        child = Child(
            [sys.executable, "-m", "tollgate.machines.lab_place", environment, place, *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            problem = _listen(child, out / f"{place}.{SERIAL}", line, advance, silence)
            line.close()
            assert child.process.stdin is not None
            child.process.stdin.close()
            if not child.ended(LEAVE):
                problem = problem or f"it was not given back within {LEAVE:g} s"
        finally:
            status = child.close()
        errors.seek(0)
        words = errors.read().decode("utf-8", "replace").strip().splitlines()
    if status and words:
        problem = words[-1] if problem == ENDED else f"{problem}; {words[-1]}"
    return Said(place, line.runs, printable(problem, 600))


def measure(verb: str, choice: Choice, lab: str, console: Console) -> tuple[Path, bool]:
    """Boot every place; the folder with what came, and whether each has answered whole."""
    read = _environment(lab)
    places = _places([str(name) for name in read["targets"]], choice.platform, lab)
    silence = float(dict(read.get("options") or {}).get("silence", SILENCE))
    Choice(arch=choice.arch, suite=choice.suite, samples=choice.samples, fence=choice.fence).check()
    check_suites(Boot(choice.arch or "amd64", words=choice.words()))
    sticks = [place for place in places if _has_stick(read["targets"][place])]
    if sticks and choice.arch:
        raise UsageError(
            f"{sticks[0]} boots a stick, whose menu takes the kernel that the processor can run: "
            "leave ARCH= out."
        )
    out = make_out(choice.out)
    provenance.keep(out, f"tollgate {verb} --lab={lab} of {', '.join(places)}")
    with tempfile.TemporaryDirectory() as folder, Progress(console, places) as progress:
        made = Path(folder)
        files = {
            place: _image(choice, made) if place in sticks else _files(place, choice, made)
            for place in places
        }

        def one(number: int) -> Said:
            progress.start(number)
            place = places[number]
            said = boot(lab, place, files[place], out, lambda: progress.advance(number), silence)
            progress.finish(number, said.problem or "done")
            return said

        with ThreadPoolExecutor(max_workers=len(places)) as pool:
            answers = list(pool.map(one, range(len(places))))
    good = True
    for said in answers:
        wrong = said.problem or "; ".join(filter(None, map(told, said.runs)))
        if wrong or not said.runs:
            good = False
            console.print(
                plain(f"{said.place}: {wrong or 'it has sent no record'}", longest=1000),
                style="red",
                soft_wrap=True,
            )
    runs = [run for said in answers for run in said.runs]
    if not runs:
        raise TollgateError(f"No place has sent a record; what came is in {out}.")
    save(runs, out / RECORDS)
    return out, good
