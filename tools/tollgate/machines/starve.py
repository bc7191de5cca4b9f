"""The suite `starve`: the boots that must reset, and their guests' output besides records."""

from collections.abc import Sequence
from dataclasses import replace

from tollgate.machines.boot import Boot, BootResult

SUITE = "starve"
SAID = ("trusted/", "interrupts, ", "red zone: ", "IST re-entry: ", "recovery from ")
"""Beginnings of the output lines that a bench shows: chains of vectors, and counts."""


def unprotected(boots: Sequence[Boot], suite: str) -> list[Boot]:
    """Repeat each of `boots`, to starve without protection, if `suite` includes it."""
    if SUITE not in suite.split(","):
        return []
    words = (f"suite={SUITE}", "only=unprotected")
    return [replace(boot, words=words, resets=True) for boot in boots]


def said(result: BootResult) -> list[str]:
    """The lines that the guest printed; for a boot that had to reset, from the outcome record."""
    if not any(record["suite"] == SUITE for record in result.results):
        return []
    return [line for line in result.text.splitlines() if line.startswith(SAID)]
