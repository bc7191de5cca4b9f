"""A person's waiting time, from GRUB's menu to the results page, in plain QEMU.

In seconds that the emulator could use (tollgate.machines.clock): on an idle host they are seconds.
A host that is not quiet may take longer: there rows are measured again, and the records say so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .test_iso import Machine, cd, iso, machine, smbios
from .test_pages import records

__all__ = ["iso", "machine"]
"""Fixtures of theirs."""

FIRST_WORDS = 1.0
"""After GRUB's last ones."""
PAGE = {"t": 5.0, "a": 20.0}
"""The toll alone, and everything: a key of the menu, and what its page may take."""


@pytest.mark.long
@pytest.mark.clocked
@pytest.mark.parametrize("key", PAGE)
def test_the_page_is_there_in_time(machine: Any, iso: Path, key: str) -> None:
    guest: Machine = machine("-cpu", "EPYC", *cd(iso), *smbios("none", ""))
    guest.press(key)
    guest.wait(lambda: "Tollgate: it starts." in guest.text(), PAGE[key])
    guest.wait(lambda: "Tollgate 0." in guest.page(), FIRST_WORDS)
    took = guest.wait(lambda: "Verdict: " in guest.page())
    (run,) = records(guest)
    assert run.end is not None
    assert took <= PAGE[key] or run.noisy
    assert run.end["failed"] == 0
    assert {"t": {"toll"}, "a": {"toll", "starve", "vsyscall"}}[key] <= {
        result["suite"] for result in run.results
    }
