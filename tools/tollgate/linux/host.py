"""The same programs on this host's own kernel, beside a boot of each of ours.

A program without Tollgate calls runs on any Linux.  `kinds` times an empty read of every kind of
file, as usystime does; the others test the kinds' behaviour.  On a shared host, or under a
hypervisor, a time-stamp counter's ticks are host ticks, never cycles.
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
"""The programs that test each kind of file: the same on both."""
CPU = "EPYC"
"""The processor in our boots."""
LIMIT = 60.0
"""Seconds that such a program may take."""

CPUINFO = Path("/proc/cpuinfo")
VULNERABILITIES = Path("/sys/devices/system/cpu/vulnerabilities")
CANNOT_EXECUTE = (126, 127)
"""Exit statuses if this kernel cannot run a program, such as a 32-bit one."""


def mitigations() -> dict[str, str]:
    """This kernel's mitigation of each processor flaw, in its own words."""
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
    """The records of one width's programs on this host; None if its kernel cannot run them."""
    words = [f"samples={samples}"] if samples else []
    records = [said_of_host(arch, " ".join(words))]
    with folder() as directory:
        for name in (SUITE, *SAME):
            if name == "procfs" and os.geteuid():
                continue  # as root it would write to files of /proc
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
    """The records of our kernel of this width."""
    words = [f"suite={','.join((SUITE, *SAME))}", *([f"samples={samples}"] if samples else [])]
    with folder() as directory:
        result = run_boot(Boot(arch, cpu=CPU, words=tuple(words)), directory)
    if result.machine_run is None:
        raise TollgateError(f"{result.boot.name} left no records: {result.reason}")
    return result.machine_run


def best(found: MachineRun) -> dict[str, dict[str, float]]:
    """The minimum of each kind, for each origin: usystime's figure."""
    figures: dict[str, dict[str, float]] = {}
    for row in found.results:
        if row["suite"] == SUITE:
            origin, _, kind = row["id"].partition("/read/")
            figures.setdefault(origin, {})[kind] = row["min"]
    return figures


def system(found: MachineRun) -> str:
    """The system that was measured."""
    theirs = found.run["platform"] == PLATFORM
    return str(found.run["firmware"]) if theirs else f"Tollgate ({found.run['platform']})"


def columns(runs: Sequence[MachineRun]) -> dict[str, Mapping[str, float]]:
    """A column for each origin of each machine."""
    theirs = {PLATFORM: "Linux "}
    return {
        f"{theirs.get(found.run['platform'], '')}{found.run['arch']} {origin}": figures
        for found in runs
        for origin, figures in best(found).items()
    }


def show(runs: Sequence[MachineRun], console: Console) -> None:
    """A table for each unit, Linux first: kinds by machines."""
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
    """The names of checks that pass on Linux and fail on ours, and of those that fail on Linux."""
    passed = {check["name"] for check in ours.checks if check["ok"]}
    failed = {check["name"] for check in ours.failed_checks}
    names = dict.fromkeys(check["name"] for check in linux.checks if check["ok"])
    lines = [f"{name}: not here" for name in names if name not in passed or name in failed]
    return lines + [f"{check['name']}: not on Linux" for check in linux.failed_checks]
