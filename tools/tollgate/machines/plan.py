"""A planned run and its end: the part that all emulators share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tollgate.machines.boot import Boot
from tollgate.machines.outcome import Outcome
from tollgate.machines.platforms import find

SERIAL = "serial.log"
LOG = "emulator.log"
STDERR = "stderr.log"
LOGS = (SERIAL, LOG, STDERR)
"""The files that a run leaves in its directory, whatever the emulator."""

EXCEPTIONS = {8: "#DF", 12: "#SS", 13: "#GP", 14: "#PF"}
"""Those that a triple fault is made of."""


@dataclass(frozen=True)
class Ending:
    """The end of an emulator that left by itself: see outcome.Evidence for the fields.

    `chain`: the exceptions that ended in a triple fault, as far as the emulator's log has them.
    """

    triple_fault: bool
    asked: Outcome | None = None
    left: bool = False
    complaint: str = ""
    chain: str = ""


@dataclass(frozen=True)
class Plan:
    """A command to run in `directory`, writing LOGS there.

    `ending` reads status, LOG and STDERR; `restarted` tells from LOG that the guest has reset under
    an emulator that would let it start again; `display` tells from STDERR on which terminal the
    emulator draws: somebody must read there, for once that is full the emulator waits.
    """

    command: list[str]
    directory: Path
    ending: Callable[[int, str, str], Ending]
    restarted: Callable[[str], bool] = lambda log: False
    display: Callable[[str], str] = lambda stderr: ""


def link(target: Path, name: Path) -> None:
    """Make `name` a symbolic link to `target`, in place of whatever was there."""
    name.unlink(missing_ok=True)
    name.symlink_to(target.resolve())


def insists(name: str) -> list[str]:
    """Where a hypervisor is beneath and its ticks are the processor's, the kernel must be told."""
    return ["unit=cycles"] * (find(name)[0].unit == "cycles")


def words(boot: Boot, emulator: str) -> list[str]:
    """The kernel's command line: labels first, because a later word of the same name wins."""
    if not boot.labels:
        return list(boot.words)
    return [
        f"platform={boot.platform.partition(':')[0]}",
        f"model={boot.cpu}",
        f"emulator={emulator}",
        *insists(boot.platform),
        *boot.words,
    ]
