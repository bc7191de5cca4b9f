"""The verdict with a noisy counter: nothing correct fails, and everything broken fails.

A busy host decides whether a row is noisy, but never whether a contract holds, so these tests
accept `passed` and `noisy`.
"""

from collections import Counter
from typing import Any

import pytest

from tollgate.machines.outcome import Outcome
from tollgate.records.rules import CONTROLS

from ..conftest import UNTOLD


@pytest.mark.clocked
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_noisy_counter_breaks_no_contract(boot: Any, arch: str) -> None:
    """The three mutants noise-* fail here: no host is busy enough to excuse them."""
    result = boot(arch, "EPYC", "suite=toll samples=200", platform="qemu-tcg")
    assert result.outcome in (Outcome.PASS, Outcome.NOISY, Outcome.FAIL), result.reason
    run = result.machine_run
    assert run.unit == "host ticks"
    assert result.run["readable"] and not result.run["deterministic"]
    assert [check["name"] for check in run.failed_checks] == []
    made = Counter(check["name"] for check in run.checks)
    assert set(made) == set(CONTROLS)
    assert len(set(made.values())) == 1
    rows = [result for result in run.results if result["suite"] != "control"]
    assert rows
    for row in rows:
        assert row["n"] == 200
        assert min(row["disturbed"], row["repeated"]) >= 0
    # The verdict on the run agrees with the verdicts on its parts.
    loud = any("of a stamp" not in each["reason"] for each in run.noisy)
    word = result.text.splitlines()[-1].partition(": ")[2].partition(":")[0]
    assert word == ("noisy" if loud else "passed")
    assert (result.outcome is Outcome.PASS) == (not loud)


@pytest.mark.parametrize("arch", ["amd64"])
def test_an_exception_is_raised_where_cycles_are_counted(boot: Any, arch: str) -> None:
    """Skylake's model has MSR_SMI_COUNT, which every pass reads by a call before the row."""
    words = "suite=exceptions samples=20 only=/ud/"
    result = boot(arch, "Skylake-Client", words, platform="qemu-tcg", extra=UNTOLD)
    assert result.outcome is Outcome.PASS, result.reason
    assert {row["smis"] for row in result.results} == {0}
    assert len([row for row in result.results if row["suite"] == "exceptions"]) == 8
