"""The screen's memory: its mapping."""

import re
import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ARCHES

from ..boot.test_iso import FRAMEBUFFER, Machine, cd, iso, machine, smbios

__all__ = ["iso", "machine"]
"""Fixtures of theirs."""

SIZE = 1280 * 1024 * 4
PRESENT, LARGE = 0x1, 0x80
ADDRESS = 0xFFFFFFFFF000
TYPE = 0x98
PCD, PCD_PAT = 0x10, 0x90
"""The bits for entries 2 and 6 of IA32_PAT in the entry of a 4 KiB page."""


def entries(guest: Machine, table: int, levels: int, size: int) -> Iterator[int]:
    """All entries of 4 KiB pages reached from this table."""
    for entry in struct.unpack(
        f"<{4096 // size}{'I' if size == 4 else 'Q'}", guest.memory(table, 4096)
    ):
        if entry & PRESENT and levels == 1:
            yield entry
        elif entry & PRESENT:
            assert not entry & LARGE
            yield from entries(guest, entry & ADDRESS, levels - 1, size)


def memory_types(guest: Machine, arch: str) -> tuple[Counter[int], Counter[int]]:
    """The number of pages for each memory type: the framebuffer's, and others."""
    registers = guest.ask("human-monitor-command", **{"command-line": "info registers"})
    (root,) = re.findall(r"CR3=([0-9a-f]+)", registers)
    shape = (2, 4) if arch == "i386" else (4, 8)
    frame: Counter[int] = Counter()
    others: Counter[int] = Counter()
    for entry in entries(guest, int(root, 16) & ~0xFFF, *shape):
        inside = FRAMEBUFFER <= entry & ADDRESS < FRAMEBUFFER + SIZE
        (frame if inside else others)[entry & TYPE] += 1
    return frame, others


@pytest.mark.long
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("cpu", "bits"), [("EPYC", PCD_PAT), ("EPYC,-pat", PCD)])
def test_a_framebuffer_is_write_combining(
    machine: Any, iso: Path, arch: str, cpu: str, bits: int
) -> None:
    """All pages of the framebuffer, and no others, if there is PAT; otherwise they are uncached."""
    guest = machine("-cpu", cpu, *cd(iso), *smbios("both"))
    guest.press(arch[0])
    guest.finish()
    frame, others = memory_types(guest, arch)
    assert frame == {bits: SIZE // 4096}
    assert set(others) == {0, PCD}
