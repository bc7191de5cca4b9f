"""`tollgate linux`: runs everything, saves the records, prints the tables."""

import tempfile
from pathlib import Path

from rich.console import Console

from tollgate import bench
from tollgate.errors import Exit, TollgateError
from tollgate.linux import columns, guest, minimal, package
from tollgate.machines.boot import ARCHES, Boot
from tollgate.machines.emulator import run_boot
from tollgate.printable import plain
from tollgate.records import provenance
from tollgate.records.format import MachineRun, save
from tollgate.records.results_folder import RECORDS
from tollgate.records.rules import faults
from tollgate.show.table import print_faults

PAGE = "linux.md"
"""The table as a page, saved with the records."""


def kernels(console: Console) -> list[package.Kernel]:
    """The distribution's kernels, one for each width; prints a sentence for a missing one."""
    found = []
    for arch in reversed(ARCHES):
        try:
            found.append(package.kernel(arch))
        except package.NoPackageError as error:
            console.print(plain(f"not here: Linux for {arch}: {error}"), soft_wrap=True)
    return found


def ours(arch: str, cpu: str, samples: str) -> MachineRun:
    """The same suites in a boot of ours, and the toll."""
    words = (f"suite={','.join(('toll', *guest.SUITES))}", f"samples={samples or '1000'}")
    with tempfile.TemporaryDirectory(prefix="tollgate.") as directory:
        result = run_boot(Boot(arch, cpu=cpu, words=words), Path(directory))
    if result.machine_run is None:
        raise TollgateError(f"{result.boot.name} left no records: {result.reason}")
    return result.machine_run


def minimal_kernel(wanted: bool, console: Console) -> package.Kernel | None:
    """The minimal one, built if it is wanted; None, with a sentence, if that is impossible."""
    try:
        return minimal.build() if wanted else minimal.kept()
    except package.NoPackageError as error:
        console.print(plain(f"not here: a minimal Linux: {error}"), soft_wrap=True)
        return None


def in_qemu(
    samples: str, console: Console, without: package.Kernel | None = None
) -> list[MachineRun]:
    """The distribution's Linux and ours, on each processor; without that Linux only a message.

    `without` is a minimal kernel.
    """
    found = kernels(console)
    guests = [each for kernel in found for each in guest.machines(kernel, samples)]
    if without and found:
        guests += guest.machines(without, samples, (guest.MINIMAL,))
    if guests:
        console.print(f"{len(guests)} boots of Linux, about 20 s each.")
    return [
        *guest.runs(guests),
        *(ours(kernel.arch, cpu, samples) for kernel in found for cpu in guest.CPUS),
    ]


def compare(out: str, samples: str, build: bool, console: Console) -> Exit:
    """Compare the distribution's kernel with ours, in QEMU.

    `build`: a minimal one, too, which is built if it is not in the cache.
    """
    bench.Choice(samples=samples).check()
    path = bench.make_out(out)
    runs = in_qemu(samples, console, minimal_kernel(build, console))
    save(runs, path / RECORDS)
    provenance.keep(path, "make linux")
    for found in runs:
        print_faults(found, str(path / RECORDS), console)
    whole = [found for found in runs if not faults(found)]
    if whole:
        columns.show(whole, console)
        (path / PAGE).write_text(columns.markdown(whole))
    console.print(plain(f"records: {path / RECORDS}"), soft_wrap=True)
    return Exit.PASS if runs and len(whole) == len(runs) else Exit.FAIL
