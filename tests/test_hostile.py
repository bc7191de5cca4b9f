"""Each system call with each hostile value in each argument, and with every kind of file: the
kernel lives, and what runs beside is not harmed (user/torture/hostile.c).

A part by TORTURE_SEED, and in the long test all of it.
"""

from __future__ import annotations

import os

import pytest

from .conftest import SANITIZED
from .torture import guests
from .torture.__main__ import Job, attempt, small_program

PART = 300 if SANITIZED else 60
"""Cases of a mode, of sixteen values each: 60 cost half a second. More where each 41st time that
one of its processes asks for memory there is none (kernel/sanitize/shadow.c).
"""
WHOLE = 100_000
"""More than there are."""
SEED = int(os.environ.get("TORTURE_SEED", "1"))


@pytest.mark.limit(1800)
@pytest.mark.parametrize("count", [PART, pytest.param(WHOLE, marks=pytest.mark.long)])
@pytest.mark.parametrize("mode", guests.MODES)
def test_no_argument_harms_the_kernel_or_others(mode: str, count: int) -> None:
    job = Job("hostile", mode, SEED, count)
    wrong, said = attempt(job)
    if wrong.startswith("hang"):  # each try to make it small would take as long
        pytest.fail(f"{wrong}\n\n{said[-2000:]}")
    assert not wrong, small_program(job, wrong, said)
