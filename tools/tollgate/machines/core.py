"""The core alone: both kernels with only kernel/core, kernel/toll and one program.

They print the toll table. Each row must cost the same as in the whole kernel, which shows that the
core needs nothing outside of its includes.
"""

import resource
import tempfile
from pathlib import Path

from rich.console import Console

from tollgate.errors import Exit
from tollgate.machines.boot import BUILD, Boot, BootResult
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.records import budgets
from tollgate.show.table import print_run

IMAGES = {"i386": BUILD / "i386" / "core.elf", "amd64": BUILD / "amd64" / "core32.elf"}
SAMPLES = 20


def spent() -> float:
    """Seconds of processor time used by this process's children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def boot(arch: str, cpu: str = "EPYC") -> BootResult:
    """One boot of the core alone."""
    machine = Boot(arch, cpu=cpu, kernel=IMAGES[arch], words=(f"samples={SAMPLES}",))
    with tempfile.TemporaryDirectory() as folder:
        return run_boot(machine, Path(folder))


def core(console: Console) -> Exit:
    """Boots both and prints their tables.  FAIL if a row differs from the whole kernel's budget."""
    worst = Exit.PASS
    for arch in IMAGES:
        before = spent()
        result = boot(arch)
        seconds = spent() - before
        if result.outcome is not Outcome.PASS or result.machine_run is None:
            console.print(f"{result.boot.name}: {result.reason}", markup=False)
            worst = Exit.FAIL
            continue
        print_run(result.machine_run, console)
        wrong = budgets.differences(result, "toll")
        for row, words in sorted(wrong.items()):
            console.print(f"{arch} {row}: {words}", markup=False)
        console.print(
            f"The {arch} core alone: {len(result.results)} figures, "
            + (f"{len(wrong)} are not" if wrong else "each is")
            + f" what the whole kernel's is; {seconds:.1f} s of the emulator's processor time.\n",
            markup=False,
        )
        worst = Exit.FAIL if wrong else worst
    return worst
