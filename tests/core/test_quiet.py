"""A quiet program that loops is ended by the real-time clock's alarm, as an NMI."""

from typing import Any

import pytest

from tollgate.machines.boot import BUILD
from tollgate.machines.outcome import Outcome
from tollgate.records.rules import faults

from ..person import Person

FAST = ["-icount", "shift=7,sleep=off"]
"""128 ns per instruction: the hour is 28 * 10^9 of them, most of them NOPs: 10 s or more."""


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_quiet_program_that_loops_is_ended(boot: Any, arch: str) -> None:
    """Every check passes, but the run is unreadable."""
    result = boot(arch, "EPYC", "suite=unquiet", extra=FAST, timeout=180)
    assert [c for c in result.checks if not c["ok"]] == []
    programs = {"i386": 2, "amd64": 3}[arch]
    assert len(result.checks) == 6 * programs, result.reason
    ended = 2 * programs
    assert result.text.count("killed by SIGSEGV: it has been quiet for an hour") == ended
    assert (
        f"tollgate: {ended} programs were quiet for 3600 seconds and then no longer" in result.text
    )
    assert result.outcome is Outcome.FAIL
    assert "quiet" in {fault.rule for fault in faults(result.machine_run)}
    assert 3600 * 0.99e9 < result.run["quiet"] < 3600 * 1.01e9, (
        "nanoseconds: so the TSC counts here"
    )


ENDED = "/bin/unquiet: killed by SIGSEGV: it has been quiet for an hour"


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_control_c_works_behind_it(person: Person, arch: str) -> None:
    """^C waits in the serial line while the program is quiet, then ends the suite."""
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
    without = boot(arch, "EPYC,-apic", "suite=usystime samples=5")
    assert sentence in without.text and without.run["quiet"] == 0
    there = boot(arch, "EPYC", "suite=usystime samples=5")
    assert sentence not in there.text and 3599e9 < there.run["quiet"] < 3601e9
