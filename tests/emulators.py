"""What an emulator of another version answers differently, with the version and the reason.

The tests are written for what a processor does, and for QEMU 7.2 and Bochs 2.7 (Debian 12) where
these differ from one.  What is not in this table is the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass

from tollgate.machines.platforms import number


@dataclass(frozen=True)
class Difference:
    """From `since` to before `until` (as seen) `emulator` answers otherwise in these cases."""

    emulator: str
    since: tuple[int, ...]
    cases: frozenset[str]
    reason: str
    until: tuple[int, ...] = (1000,)


ATTACKS = (
    Difference(
        "qemu",
        (10, 0),
        frozenset({"privileged/invd", "privileged/wbinvd"}),
        "INVD and WBINVD do nothing at CPL 3; a processor raises #GP (SDM 2A, INVD)",
    ),
    Difference(
        "qemu",
        (10, 0),
        frozenset({"undefined/into"}),
        "INTO does nothing in 64-bit mode; a processor raises #UD (SDM 2A, INT n/INTO)",
    ),
)


EXCEPTIONS = (
    Difference(
        "bochs",
        (3, 0),
        frozenset(f"trusted/selfint/{variant}" for variant in ("plain", "trap", "task")),
        "p3_katmai has no local APIC by CPUID, so its rows are skipped with that reason",
    ),
)


DISKS = (
    Difference(
        "qemu",
        (10, 0),
        frozenset({"silent"}),
        "it ends only when its drives have answered, and one that never does keeps it for ever",
    ),
)


BAD_TIMES = (
    Difference(
        "qemu",
        (8, 2),
        frozenset({"not canonical"}),
        "a store at CPL 3 to an address that is not canonical raises #PF; a processor raises #GP "
        "(SDM 3A, Interrupt 13)",
        until=(10, 0),
    ),
)


def attacks_that_end_otherwise(version: str) -> frozenset[str]:
    """The cases of user/attack that this emulator (`qemu-7.2.22`) is known to end wrongly."""
    return known(ATTACKS, version)


def known(table: tuple[Difference, ...], version: str) -> frozenset[str]:
    """The cases of a table that are another emulator's than the one the tests are written for."""
    name = version.partition("-")[0]
    now = number(version)
    cases = [d.cases for d in table if d.emulator == name and d.since <= now < d.until]
    return frozenset[str]().union(*cases)
