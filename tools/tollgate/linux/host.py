"""The same programs on this host's own kernel, beside a boot of each of ours.

A program that makes no call of Tollgate's runs on any Linux.  `kinds` times an empty read of every
kind of file, as usystime does; the others say what the kinds promise.  A time-stamp counter's ticks
on a host that others use, or below a hypervisor, are host ticks, never cycles.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from tollgate.errors import TollgateError
from tollgate.linux.record import PLATFORM, run_record
from tollgate.machines.boot import BUILD, Boot, built
from tollgate.machines.child import LimitError, run
from tollgate.machines.cleanup import folder
from tollgate.machines.emulator import run_boot
from tollgate.printable import plain
from tollgate.records.format import MachineRun, Record, RecordReader, host_record
from tollgate.records.rules import faults
from tollgate.show.table import figure, new_table

SUITE = "kinds"
SAME = ("procfs", "ptys", "sockets", "filecalls")
"""The programs that test the promises of each kind of file: the same on both."""
CPU = "EPYC"
"""The processor of our boots."""
LIMIT = 60.0
"""Seconds that a program of these may use."""

CPUINFO = Path("/proc/cpuinfo")
VULNERABILITIES = Path("/sys/devices/system/cpu/vulnerabilities")
CANNOT_EXECUTE = (126, 127)
"""Statuses of a program that this kernel does not run: one of 32 bits may be."""


def mitigations() -> dict[str, str]:
    """This kernel's mitigation of each flaw of its processor, in its own words."""
    if not VULNERABILITIES.is_dir():
        return {}
    return {file.name: file.read_text().strip() for file in sorted(VULNERABILITIES.iterdir())}


def said_of_host(arch: str, words: str) -> Record:
    """The run record of this host's kernel."""
    host = os.uname()
    return run_record(
        arch,
        words,
        CPUINFO.read_text() if CPUINFO.exists() else "",
        unit="host ticks",
        deterministic=False,
        firmware=f"{host.sysname} {host.release}",
        kernel=f"{host.sysname} {host.release} {host.version}",
        mitigations=mitigations(),
    )


def on_host(arch: str, samples: str) -> MachineRun | None:
    """The records of the programs of one width on this host; None where its kernel does not run
    them.
    """
    words = [f"samples={samples}"] if samples else []
    records = [said_of_host(arch, " ".join(words))]
    with folder() as directory:
        for name in (SUITE, *SAME):
            if name == "procfs" and os.geteuid():
                continue  # it writes to files of /proc, as root
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
    """Their records in a boot of the kernel of that width."""
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


def columns(runs: Sequence[MachineRun]) -> dict[str, Mapping[str, float]]:
    """A column for each machine's each origin."""
    theirs = {PLATFORM: "Linux "}
    return {
        f"{theirs.get(found.run['platform'], '')}{found.run['arch']} {origin}": figures
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
