"""Results as one table: a row for each result record, a column for each known fact.

`tollgate export FILE` writes it as CSV.  COLUMNS is the only list of columns, which `tollgate
export --columns` prints.  A boot that breaks a rule is left out: none of its figures may be shown.
"""

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tollgate.errors import Exit, TollgateError, reason
from tollgate.printable import whole
from tollgate.records import provenance
from tollgate.records.confidence import interval
from tollgate.records.format import MachineRun, Results
from tollgate.records.image import run_id
from tollgate.records.provenance import Made
from tollgate.records.rules import POINTS, told
from tollgate.show.kcidb import as_kcidb

NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false"}
"""The name of each kind of column."""
Value = str | int | float | bool | None
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: `kind` is str, int, float or bool, `says` its meaning; None is a missing value."""

    name: str
    kind: type
    says: str


OF_BOOT = (
    Column("run", str, "the boot's own name: the SHA-256 of its records, as `tollgate check` says"),
    Column("machine", str, "a short label: arch, model and platform"),
    Column("arch", str, "i386 or amd64: which kernel"),
    Column("model", str, "the processor model that was asked of an emulator; else a label"),
    Column("platform", str, "qemu-icount, bochs, qemu-tcg, kvm, hardware, linux, or a label"),
    Column("unit", str, "of every figure of the row: instructions, host ticks or cycles"),
    Column("deterministic", bool, "whether two such boots give the same records"),
    Column("vendor", str, "CPUID's vendor"),
    Column("brand", str, "CPUID's brand string"),
    Column("family", int, "CPUID's family"),
    Column("model_number", int, "CPUID's model number"),
    Column("stepping", int, "CPUID's stepping"),
    Column("hypervisor", str, "the hypervisor that CPUID names, empty for none"),
    Column("firmware", str, "how the kernel was loaded"),
    Column("cmdline", str, "the kernel's command line"),
    Column("fence", str, "the fence beside RDTSC in a stamp"),
    Column("tsc_hz", int, "ticks of the time-stamp counter per second, 0 where there is no rate"),
    Column("version", str, "Tollgate's version, by the kernel"),
    Column("commit", str, "the commit of the tree that measured, `-dirty` if it was changed"),
    Column("date", str, "when it was measured: ISO 8601, UTC"),
    Column("host", str, "the machine that an emulator ran on"),
    Column("compiler", str, "what compiled the kernel's C"),
    Column("assembler", str, "what assembled the ways in"),
    Column("emulator", str, "which emulator, empty for none"),
    Column("kernel", str, "the kernel's SHA-256"),
    Column("initrd", str, "the initrd's SHA-256"),
)
"""Columns about the boot: equal in all its rows."""

SECTIONS = tuple(f"{a}_{b}".lower() for a, b in pairwise(POINTS))
"""mp1_mp2 to mp7_mp8."""
COUNTED = {
    "calls": "calls that a request makes (web)",
    "client": "instructions between them in the client (web)",
    "server": "instructions between them in the server (web)",
    "kernel_part": "what is left for the kernel (web)",
    "entry": "what that many of the shortest calls take (web)",
    "bytes": "bytes of the file that is asked for (web)",
    "count": "calls, statements or rows that the figure is a sum of (wisconsin)",
    "windows": "windows for interrupts that were open in these calls (wisconsin)",
    "rows": "rows that a statement gave (wisconsin)",
    "checksum": "of those rows (wisconsin)",
    "pages": "pages of memory that the program got meanwhile (wisconsin)",
    "ticks": "interrupts that the timer raised (wisconsin)",
}
"""Whole numbers that only one suite's rows have. `kernel_part` is named `kernel` in a record."""

OF_ROW = (
    Column("suite", str, "the program that measured; control is the instrument's own check"),
    Column("id", str, "the row: origin/way/variant"),
    Column("origin", str, "first part of the id: user, compat, trusted, kernel or control"),
    Column("way", str, "second part: the mechanism or the path"),
    Column("variant", str, "third part, such as standard, nowork, service, bare; may be empty"),
    Column("part", str, "what follows the variant in an id that has more; mostly empty"),
    Column("label", str, "the row's name in the literature, such as int80"),
    Column("n", int, "samples"),
    Column("min", float, "least sample"),
    Column("median", float, "median; the headline figure"),
    Column("median_low", float, "lower end of the median's 95 % interval, by its own samples"),
    Column("median_high", float, "upper end; equal ends: the figure is exact"),
    Column("p90", float, "90 % quantile, by nearest rank"),
    Column("p99", float, "99 % quantile"),
    Column("max", float, "greatest sample"),
    Column("mean", float, "arithmetic mean"),
    Column("batch", float, "mean of calls that were made one after the other under two stamps"),
    Column("median_ns", float, "the median in nanoseconds; only in cycles with a known rate"),
    Column("noisy", bool, "the figure stands and must not be relied on"),
    *(Column(n, float, f"median of section {n.upper().replace('_', '-')}") for n in SECTIONS),
    *(
        Column(f"{n}_min", float, f"least of section {n.upper().replace('_', '-')}")
        for n in SECTIONS
    ),
    Column("probe", float, "what one probe costs, already taken off the sections"),
    Column("residue", float, "median less the sum of the sections' medians"),
    Column("disturbed", int, "samples that were thrown away and taken again"),
    Column("repeated", int, "tries that were made again"),
    Column("core", int, "core cycles over all samples, where they are counted"),
    Column("reference", int, "ticks of the TSC over the same samples"),
    Column(
        "retired", float, "instructions of a call in a batch, by the processor\u2019s own counter"
    ),
    Column("smis", int, "system-management interrupts meanwhile, where they are counted"),
    Column("plain", float, "of a path under many conditions: under none of them (around)"),
    Column("condition", str, "what the maximum was under (around)"),
    *(Column(name, int, says) for name, says in COUNTED.items()),
)
"""Columns about one result record."""

COLUMNS = (*OF_BOOT, *OF_ROW)


def table(results: Results) -> Iterator[dict[str, Value]]:
    """The rows: a value, or None, for each of COLUMNS."""
    made = provenance.beside(results.path.parent)
    for run in results.runs:
        if told(run):
            continue
        boot, doubts = of_boot(run, made), run.doubts
        for record in run.results:
            row = {
                **boot,
                **of_row(record, run),
                "noisy": (record["suite"], record["id"]) in doubts,
            }
            yield {column.name: cell(column, row.get(column.name)) for column in COLUMNS}


def cell(column: Column, value: object) -> Value:
    """A value in its column's type; None if a record has another type there."""
    if isinstance(value, bool) or column.kind is bool:
        return value if isinstance(value, bool) and column.kind is bool else None
    if column.kind is float and isinstance(value, int | float):
        return float(value)
    return value if isinstance(value, str | int) and isinstance(value, column.kind) else None


def of_boot(run: MachineRun, made: Made | None) -> Row:
    """The columns from a boot's run record and the files with it."""
    said = run.run
    cpu, tools, image = said["cpu"], said["tools"], said.get("image", {})
    words = ("arch", "platform", "unit", "deterministic", "hypervisor", "firmware", "cmdline")
    return {
        **{key: said[key] for key in (*words, "fence", "tsc_hz", "version")},
        "run": run_id(run),
        "machine": run.name,
        "model": said["cpu_model"],
        **{key: cpu.get(key) for key in ("vendor", "brand", "family", "stepping")},
        "model_number": cpu.get("model"),
        **({"commit": made.commit, "date": made.date, "host": made.host} if made else {}),
        "compiler": tools.get("compiler"),
        "assembler": tools.get("nasm"),
        "emulator": tools.get("emulator"),
        **{key: image.get(key) for key in ("kernel", "initrd")},
    }


def of_row(record: Mapping[str, Any], run: MachineRun) -> Row:
    """The figures of a result record."""
    names = [column.name for column in OF_ROW]
    row: Row = {name: record.get(name) for name in names}
    row["kernel_part"] = record.get("kernel")
    parts = [*record["id"].split("/", 3), "", "", ""]
    row |= dict(zip(("origin", "way", "variant", "part"), parts, strict=False))
    for part in record.get("sections", []):
        name = f"{part['from']}_{part['to']}".lower()
        row |= {name: part["median"], f"{name}_min": part["min"]}
    row["median_low"], row["median_high"] = interval(record) or (None, None)
    hertz = run.run["tsc_hz"] if run.unit == "cycles" else 0
    row["median_ns"] = record["median"] * 1e9 / hertz if hertz else None
    return row


def text(value: Value) -> str:
    """A value for CSV: whole numbers without commas, true and false, nothing for None.

    CSV is shown on terminals, so texts have no control characters.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return "" if value is None else whole(str(value))


def as_csv(rows: Iterator[dict[str, Value]]) -> bytes:
    """The table as CSV (RFC 4180 except for line ends); the first line has the columns' names."""
    to = io.StringIO()
    lines = csv.writer(to, lineterminator="\n")
    lines.writerow(column.name for column in COLUMNS)
    lines.writerows([text(value) for value in row.values()] for row in rows)
    return to.getvalue().encode("utf-8")


def export(files: Sequence[Results], form: str = "csv") -> bytes:
    """The rows of several files as `csv`, or as `kcidb`, which is KernelCI's."""
    if form == "kcidb":
        return as_kcidb(files)
    return as_csv(row for results in files for row in table(results))


def left_out(files: Sequence[Results]) -> list[str]:
    """A sentence for each boot left out of the table."""
    said = [
        f"{results.path}: {run.name} is left out: {told(run)}."
        for results in files
        for run in results.runs
        if told(run)
    ]
    return said + [
        f"{results.path} is not whole: {name} is missing."
        for results in files
        for name in results.missing
    ]


def write(files: Sequence[Results], form: str, out: str, say: Callable[[str], None]) -> Exit:
    """Write the table to `out`, `-` for the standard output; FAIL if a boot is left out."""
    made = export(files, form)
    for sentence in (wrong := left_out(files)):
        say(sentence)
    if out == "-":
        sys.stdout.buffer.write(made)
        sys.stdout.flush()
    else:
        try:
            Path(out).write_bytes(made)
        except OSError as error:
            raise TollgateError(f"{out} cannot be written: {reason(error)}.") from None
    return Exit.FAIL if wrong else Exit.PASS
