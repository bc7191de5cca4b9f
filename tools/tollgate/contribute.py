"""`tollgate contribute`: from a capture, or photos, of a machine to an archive that can be sent.

What is not whole and honest (contribution.py), or was not counted in a processor's cycles, is
refused before anything is asked.  The questions are those of results/contributed/README.md; what
the records know is offered as the answer.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from tollgate import given
from tollgate.bench import RESULTS
from tollgate.capture import Line
from tollgate.contribution import MAKERS, SILICON, check
from tollgate.errors import Exit, TollgateError, UsageError
from tollgate.kept import RECORDS
from tollgate.plan import SERIAL
from tollgate.printable import plain, printable
from tollgate.provenance import beside
from tollgate.records import MOST, MachineRun, load, save
from tollgate.scan import scan

CONTRIBUTED = RESULTS / "contributed"
ABOUT = "machine.md"
PICTURES = {".png", ".jpg", ".jpeg", ".heic", ".heif", ".webp"}
FIRMWARE = {"multiboot1": "BIOS", "multiboot2 bios": "BIOS", "multiboot2 uefi": "UEFI"}
NOT_SAID = "not said"
LONGEST = 300
"""Characters of an answer."""
Ask = Callable[[str], str]


@dataclass(frozen=True)
class Question:
    """A line of machine.md: what it is called, what helps to answer it, and what is offered."""

    name: str
    hint: str
    offer: Callable[[MachineRun], str] = lambda run: ""
    needed: bool = False


def _processor(run: MachineRun) -> str:
    cpu = run.run["cpu"]
    return "{}, family {}, model {}, stepping {}".format(
        cpu["brand"].strip(), cpu["family"], cpu["model"], cpu["stepping"]
    )


def _entry(run: MachineRun) -> str:
    return f"{run.run['arch']}, {run.run['cmdline'] or 'no words'}"


QUESTIONS = (
    Question("Machine", "its maker's name, or the board's", needed=True),
    Question("Processor", "as it calls itself", _processor),
    Question("Firmware", "its version", lambda run: FIRMWARE.get(str(run.run["firmware"]), "")),
    Question("Memory", "how much, which kind"),
    Question("Hyper-threading", "on or off in the firmware"),
    Question(
        "Turbo", "on or off", lambda run: str(dict(run.run.get("clock", {})).get("turbo", ""))
    ),
    Question("Sleep states", "on or off in the firmware (C-states)"),
    Question("Medium", "CD, stick, network"),
    Question("Entry", "of the menu, and words that were added", _entry),
    Question("Whom to ask", "a name or an address, as you want it published"),
)


def asked(run: MachineRun, ask: Ask) -> list[tuple[str, str]]:
    """The lines of machine.md.  An empty answer takes what is offered."""
    answers = []
    for question in QUESTIONS:
        offer = printable(question.offer(run), LONGEST)
        prompt = f"{question.name} ({question.hint}){f' [{offer}]' if offer else ''}: "
        answer = printable(ask(prompt).strip(), LONGEST) or offer
        while question.needed and not answer:
            answer = printable(ask(f"{question.name} must be said: ").strip(), LONGEST)
        answers.append((question.name, answer or NOT_SAID))
    return answers


def machine_md(name: str, answers: Iterable[tuple[str, str]]) -> str:
    """The file, as results/contributed/README.md wants it."""
    rows = (f"| {key} | {value.replace('|', '/')} |" for key, value in answers)
    return "\n".join([f"# {name}", "", "| | |", "|---|---|", *rows, ""])


def name_of(run: MachineRun, date: str) -> str:
    """VENDOR-MODEL-YYYY-MM-DD."""
    cpu = run.run["cpu"]
    maker = MAKERS.get(str(cpu["vendor"]), str(cpu["vendor"]))
    brand = re.sub(r"\((R|TM|tm)\)|@.*|\bCPU\b|\bProcessor\b", " ", str(cpu["brand"]))
    words = [w for w in re.findall(r"[A-Za-z0-9]+", brand) if w.lower() != maker.lower()]
    model = words or [f"family{cpu['family']}", f"model{cpu['model']}"]
    return "-".join([maker.lower(), *model, date]).lower()


def _is_picture(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in PICTURES


def gathered(sources: Sequence[Path], place: Path, console: Console) -> Path:
    """The records of what was named, as a file that is kept; in `place` if it has to be made."""
    for path in sources:
        if not path.exists():
            raise UsageError(f"{path} does not exist.")
    if all(map(_is_picture, sources)):
        return scan(sources, str(place), console) / RECORDS
    if len(sources) > 1:
        raise UsageError("contribute takes one folder, one file, or photos of one machine's codes.")
    path = sources[0] / RECORDS if sources[0].is_dir() else sources[0]
    if not path.exists():
        raise UsageError(f"{sources[0]} has no {RECORDS}: name the folder of a capture or a scan.")
    content = given.read(path, MOST)
    if not re.search(rb"^@\{", content, re.MULTILINE):
        return path
    line = Line()
    line.feed(content)
    line.close()
    if not line.runs:
        raise TollgateError(f"{path} holds no boot.", Exit.FAIL)
    save(line.runs, place / RECORDS)
    shutil.copyfile(path, place / SERIAL)
    return place / RECORDS


def _refuse_what_is_no_silicon(path: Path, console: Console) -> list[MachineRun]:
    if not check(path, console):
        raise TollgateError(
            "It is not whole and honest, for what is named above: nothing was packed.", Exit.FAIL
        )
    runs = load(path).runs
    other = [run for run in runs if run.unit != SILICON]
    if other:
        raise TollgateError(
            f"{other[0].name} was counted in {other[0].unit}: only a processor's cycles are "
            "collected.",
            Exit.FAIL,
        )
    brands = {_processor(run) for run in runs}
    if len(brands) > 1:
        raise TollgateError(
            f"These boots are of {len(brands)} processors: contribute each alone.", Exit.FAIL
        )
    return runs


def _packed(folder: Path, archive: Path) -> None:
    with (
        archive.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=0) as out,
        tarfile.open(fileobj=out, mode="w") as tar,
    ):
        for path in sorted(folder.iterdir()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"{folder.name}/{path.name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))


def contribute(sources: Sequence[Path], out: str, ask: Ask, console: Console) -> Path:
    """Check, ask, and leave a folder and its archive in `out` ("": results/contributed).

    TollgateError where it is no machine's, not whole, or there already.
    """
    place = Path(out) if out else CONTRIBUTED
    with tempfile.TemporaryDirectory() as scratch:
        records = gathered(sources, Path(scratch), console)
        runs = _refuse_what_is_no_silicon(records, console)
        made = beside(sources[0]) if sources[0].is_dir() else None
        date = made.date[:10] if made else datetime.now(UTC).strftime("%Y-%m-%d")
        name = name_of(runs[0], date)
        folder, archive = place / name, place / f"{name}.tar.gz"
        if folder.exists():
            raise TollgateError(f"{folder} is there already: move it away, or choose --out=DIR.")
        console.print("Each line of machine.md; Return takes the words in brackets.")
        about = machine_md(name, asked(runs[0], ask))
        try:
            folder.mkdir(parents=True)
            shutil.copyfile(records, folder / RECORDS)
            log = records.with_name(SERIAL)
            if log.exists():
                shutil.copyfile(log, folder / SERIAL)
            (folder / ABOUT).write_text(about, "utf-8")
            _packed(folder, archive)
        except OSError as error:
            raise TollgateError(f"{folder} cannot be written: {error.strerror}.") from None
    console.print(plain(f"folder:  {folder}"), soft_wrap=True)
    console.print(plain(f"archive: {archive}"), soft_wrap=True)
    where = "Attach the archive to an issue of Tollgate's repository, or send a pull request that "
    console.print(f"{where}adds the folder to results/contributed.", soft_wrap=True)
    return archive
