"""The same programs on Linux: what they find there, and what it costs, beside ours.

A program that makes no call of Tollgate's runs on any Linux.  `kinds` times an empty read of every
kind of file, as usystime does; the others say what the kinds promise.  Here they run on the host's
own kernel, in both widths, and in a boot of each of ours: one file of records, through the same
statistics, and a table for each unit.  A time-stamp counter's ticks on a host that others use, or
below a hypervisor, are host ticks, never cycles.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from tollgate import __version__, bench, provenance
from tollgate.boot import ARCHES, BUILD, Boot, built
from tollgate.child import LimitError, run
from tollgate.errors import Exit, TollgateError
from tollgate.kept import RECORDS
from tollgate.machine import run_boot
from tollgate.printable import plain
from tollgate.records import MachineRun, Record, RecordReader, host_record, save
from tollgate.rules import faults
from tollgate.table import figure, new_table, print_faults
from tollgate.warden import folder

PLATFORM = "linux"
SUITE = "kinds"
SAME = ("procfs", "ptys", "sockets", "filecalls")
"""What says what the kinds of files promise: the same on both."""
CPU = "EPYC"
"""The processor of our boots."""
LIMIT = 60.0
"""Seconds that a program of these may use."""

CPUINFO = Path("/proc/cpuinfo")
VULNERABILITIES = Path("/sys/devices/system/cpu/vulnerabilities")
CANNOT_EXECUTE = (126, 127)
"""Statuses of a program that this kernel does not run: one of 32 bits may be."""


def cpu_of(text: str) -> dict[str, Any]:
    """The processor of /proc/cpuinfo, as a run record has it."""
    found = dict(re.findall(r"^([^\t\n]+?)\s*: (.*)$", text.partition("\n\n")[0], re.M))

    def number(key: str) -> int:
        return int(found[key]) if found.get(key, "").isdigit() else 0

    return {
        "vendor": found.get("vendor_id", ""),
        "brand": found.get("model name", "").strip(),
        "family": number("cpu family"),
        "model": number("model"),
        "stepping": number("stepping"),
        "flags": found.get("flags", "").split(),
    }


def mitigations() -> dict[str, str]:
    """What this kernel does against each flaw of its processor, in its own words."""
    if not VULNERABILITIES.is_dir():
        return {}
    return {file.name: file.read_text().strip() for file in sorted(VULNERABILITIES.iterdir())}


def run_record(arch: str, words: str) -> Record:
    """What a kernel of ours says of itself, said of the host's."""
    cpu = cpu_of(CPUINFO.read_text() if CPUINFO.exists() else "")
    flags = cpu.pop("flags")
    host = os.uname()
    return host_record(
        "run",
        arch=arch,
        platform=PLATFORM,
        cpu_model=cpu["brand"] or host.machine,
        unit="host ticks",
        deterministic=False,
        firmware=f"{host.sysname} {host.release}",
        cpu=cpu,
        hypervisor="unnamed" if "hypervisor" in flags else "",
        cmdline=words,
        fence="none",
        version=__version__,
        tools={},
        tsc_hz=0,
        readable=True,
        kernel=f"{host.sysname} {host.release} {host.version}",
        mitigations=mitigations(),
    )


def on_host(arch: str, samples: str) -> MachineRun | None:
    """What the programs of one width say on this host; None where its kernel does not run them."""
    words = [f"samples={samples}"] if samples else []
    records = [run_record(arch, " ".join(words))]
    with folder() as directory:
        for name in (SUITE, *SAME):
            program = built(BUILD / arch / "bin" / name)
            options = words if name == SUITE else []
            try:
                done = run([program, *options], LIMIT, cwd=directory)
            except LimitError as error:
                raise TollgateError(f"{name} does not end on this host: {error}") from None
            if done.returncode in CANNOT_EXECUTE:
                return None
            reader = RecordReader()
            records += reader.feed(done.stdout.encode()) + reader.close()
    found = MachineRun(records)
    failed = len(found.failed_checks)
    found.records.append(host_record("end", records=found.arrived, failed=failed))
    return found


def on_ours(arch: str, samples: str) -> MachineRun:
    """What they say in a boot of the kernel of that width."""
    words = [f"suite={','.join((SUITE, *SAME))}", *([f"samples={samples}"] if samples else [])]
    with folder() as directory:
        result = run_boot(Boot(arch, cpu=CPU, words=tuple(words)), directory)
    if result.machine_run is None:
        raise TollgateError(f"{result.boot.name} left no records: {result.reason}")
    return result.machine_run


def best(found: MachineRun) -> dict[str, dict[str, float]]:
    """Of each origin the least of each kind: what usystime calls the figure."""
    figures: dict[str, dict[str, float]] = {}
    for row in found.results:
        if row["suite"] == SUITE:
            origin, _, kind = row["id"].partition("/read/")
            figures.setdefault(origin, {})[kind] = row["min"]
    return figures


def system(found: MachineRun) -> str:
    """Whose figures they are."""
    theirs = found.run["platform"] == PLATFORM
    return str(found.run["firmware"]) if theirs else f"Tollgate ({found.run['platform']})"


def label(found: MachineRun) -> str:
    """What stands above a column: the kernel, and what it does against flaws if it was told."""
    told = found.run.get("mitigations", {}).get("all")
    theirs = "Linux " if found.run["platform"] == PLATFORM else ""
    return f"{theirs}{found.run['arch']}" + (f" ({told})" if told else "")


def columns(runs: Sequence[MachineRun]) -> dict[str, Mapping[str, float]]:
    """A column for each machine's each origin."""
    return {
        f"{label(found)} {origin}": figures
        for found in runs
        for origin, figures in best(found).items()
    }


def show(runs: Sequence[MachineRun], console: Console) -> None:
    """A table for each unit, Linux's first: kinds by machines."""
    for unit in dict.fromkeys(found.unit for found in runs):
        of_unit = [found for found in runs if found.unit == unit and not faults(found)]
        shown = columns(of_unit)
        kinds = list(dict.fromkeys(kind for figures in shown.values() for kind in figures))
        machines = dict.fromkeys(f"{system(f)}, {f.run['cpu_model']}" for f in of_unit)
        heading = f"{'; '.join(machines)}: an empty read, best of N, in {unit}"
        console.print(plain(heading), style="bold")
        table = new_table(["", *shown], 1)
        for kind in kinds:
            table.add_row(plain(kind), *(figure(of.get(kind)) for of in shown.values()))
        console.print(table)


def differences(linux: MachineRun, ours: MachineRun) -> list[str]:
    """The checks that Linux passes and ours does not, and that fail on Linux, by name."""
    passed = {check["name"] for check in ours.checks if check["ok"]}
    failed = {check["name"] for check in ours.failed_checks}
    names = dict.fromkeys(check["name"] for check in linux.checks if check["ok"])
    lines = [f"{name}: not here" for name in names if name not in passed or name in failed]
    return lines + [f"{check['name']}: not on Linux" for check in linux.failed_checks]


def in_qemu(samples: str, console: Console) -> list[MachineRun]:
    """The distribution's Linux in the QEMU that boots ours; none, and a sentence, without it."""
    from tollgate import linux_guest

    try:
        return linux_guest.runs(samples)
    except linux_guest.NoPackageError as error:
        console.print(plain(f"not here: {error}"), soft_wrap=True)
        return []


def compare(out: str, samples: str, boots: bool, console: Console) -> Exit:
    """Run all on the host and on ours, keep the records, print the tables and what differs.

    `boots`: the distribution's Linux, too, in QEMU.
    """
    bench.Choice(samples=samples).check()
    path = bench.make_out(out)
    runs, wrong = [], []
    for arch in ARCHES:
        linux = on_host(arch, samples)
        if linux is None:
            console.print(f"not here: this host's kernel runs no program of {arch}.")
            continue
        ours = on_ours(arch, samples)
        wrong += [f"{arch}: {line}" for line in differences(linux, ours)]
        same = sum(check["ok"] for check in linux.checks)
        console.print(f"{arch}: {same} checks of {', '.join(SAME)} hold on Linux.", soft_wrap=True)
        runs += [linux, ours]
    runs += in_qemu(samples, console) if boots else []
    runs.sort(key=lambda found: found.run["platform"] != PLATFORM)
    save(runs, path / RECORDS)
    provenance.keep(path, "make linux" + " BOOT=1" * boots)
    for found in runs:
        print_faults(found, str(path / RECORDS), console)
    show(runs, console)
    for line in wrong:
        console.print(plain(line), style="red", soft_wrap=True)
    console.print(plain(f"records: {path / RECORDS}"), soft_wrap=True)
    return Exit.FAIL if wrong or any(map(faults, runs)) or not runs else Exit.PASS
