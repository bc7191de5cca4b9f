"""A planned run and its end: shared by all emulators."""

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
"""The files of a run in its directory, the same for every emulator."""

EXCEPTIONS = {8: "#DF", 12: "#SS", 13: "#GP", 14: "#PF"}
"""Exceptions that may precede a triple fault."""


@dataclass(frozen=True)
class Ending:
    """The end of an emulator that exited by itself: see outcome.Evidence for the fields.

    `chain`: the exceptions before a triple fault, as far as the emulator's log has them.
    """

    triple_fault: bool
    asked: Outcome | None = None
    left: bool = False
    complaint: str = ""
    chain: str = ""


@dataclass(frozen=True)
class Plan:
    """A command to run in `directory`, writing LOGS there.

    `ending` evaluates status, LOG and STDERR; `restarted` detects in LOG a reset under an emulator
    that would start the guest again; `display` finds in STDERR the terminal on which the emulator
    draws. That must be read, because the emulator waits when it is full.
    """

    command: list[str]
    directory: Path
    ending: Callable[[int, str, str], Ending]
    restarted: Callable[[str], bool] = lambda log: False
    display: Callable[[str], str] = lambda stderr: ""


def link(target: Path, name: Path) -> None:
    """Make `name` a symbolic link to `target`, replacing anything there."""
    name.unlink(missing_ok=True)
    name.symlink_to(target.resolve())


def insists(name: str) -> list[str]:
    """A word for the kernel, if a hypervisor is present but its ticks are the processor's."""
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
