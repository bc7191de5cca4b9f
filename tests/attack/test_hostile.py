"""Each system call with each hostile value in each argument, and with every kind of file: the
kernel survives, and parallel programs are not harmed (user/torture/hostile.c).

A part, chosen by TORTURE_SEED; the long test does all of it.
"""

import os

import pytest

from ..conftest import SANITIZED
from ..torture import guests
from ..torture.__main__ import Job, attempt, small_program

PART = 300 if SANITIZED else 60
"""Cases per mode, of sixteen values each. 60 take half a second. A self-checking kernel gets more:
it fails each 41st allocation for one of its processes (kernel/sanitize/shadow.c).
"""
WHOLE = 100_000
"""More cases than exist: the run does all of them."""
SEED = int(os.environ.get("TORTURE_SEED", "4"))
"""With 1, one sendfile() of 512 MiB takes 9 s in each of three modes; 2 and 3 take 3 s in three."""


@pytest.mark.limit(1800)
@pytest.mark.parametrize(
    "count", [pytest.param(PART, id="part"), pytest.param(WHOLE, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("mode", guests.MODES)
def test_no_argument_harms_the_kernel_or_others(mode: str, count: int) -> None:
    job = Job("hostile", mode, SEED, count)
    wrong, said = attempt(job)
    if wrong.startswith("hang"):  # it is not made smaller: each try would hang as long
        pytest.fail(f"{wrong}\n\n{said[-2000:]}")
    assert not wrong, small_program(job, wrong, said)
