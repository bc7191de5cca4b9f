"""Differences between emulators, with the version and the reason.

The tests expect a processor's behaviour, and QEMU 7.2's and Bochs 2.7's (Debian 12) where these
differ from it.  Anything not in this table is the same for all.
"""

from dataclasses import dataclass

from tollgate.machines.platforms import number


@dataclass(frozen=True)
class Difference:
    """`emulator` behaves differently in these cases from version `since` to before `until`."""

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
    """The cases of user/attack that end wrongly on this emulator (`qemu-7.2.22`)."""
    return known(ATTACKS, version)


def known(table: tuple[Difference, ...], version: str) -> frozenset[str]:
    """The cases of a table for emulators other than the one that the tests expect."""
    name = version.partition("-")[0]
    now = number(version)
    cases = [d.cases for d in table if d.emulator == name and d.since <= now < d.until]
    return frozenset[str]().union(*cases)
