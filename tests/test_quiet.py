"""A quiet program that loops is ended by the alarm of the real-time clock, as an NMI."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate.boot import BUILD
from tollgate.outcome import Outcome

from .person import Person

FAST = ["-icount", "shift=7,sleep=off"]
"""128 ns an instruction: the hour is 28 * 10^9 of them, most of them NOPs."""


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_quiet_program_that_loops_is_ended(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=unquiet", extra=FAST)
    assert [c for c in result.checks if not c["ok"]] == []
    programs = {"i386": 2, "amd64": 3}[arch]
    assert len(result.checks) == 6 * programs, result.reason
    assert result.text.count("killed by SIGSEGV: it has been quiet for an hour") == 2 * programs


ENDED = "/bin/unquiet: killed by SIGSEGV: it has been quiet for an hour"


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_control_c_works_behind_it(person: Person, arch: str) -> None:
    """^C waits in the serial line as long as the program is quiet, and then ends the suite."""
    said = person.works(
        arch,
        [(ENDED, "\x03"), ("/bin/unquiet: failed, status 130", "")],
        person.at_the_line,
        {"bin/unquiet": (BUILD / arch / "bin" / "unquiet").read_bytes()},
        suite="unquiet",
        ends=Outcome.FAIL,
        extra=FAST,
    )
    assert 1 <= said.count(ENDED) <= 2


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_where_nothing_can_end_it_the_boot_says_so(boot: Any, arch: str) -> None:
    sentence = "There is no I/O APIC with a real-time clock"
    assert sentence in boot(arch, "EPYC,-apic", "suite=usystime samples=5").text
    assert sentence not in boot(arch, "EPYC", "suite=usystime samples=5").text
