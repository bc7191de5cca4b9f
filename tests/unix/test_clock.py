"""The clock: its calls agree, it never goes back, and it runs at the host's rate."""

import re
import time
from pathlib import Path
from typing import Any

import pytest

MACHINES = [
    ("i386", "pentium2", "qemu-icount"),
    ("amd64", "EPYC", "qemu-icount"),
    pytest.param("amd64", "corei7_haswell_4770", "bochs", marks=pytest.mark.long),
]
DRIFT = re.compile(r"drift: (\d+) ns, (\d+) counts")


@pytest.mark.parametrize(("arch", "cpu", "platform"), MACHINES)
def test_all_clocks_agree_and_never_go_back(suite: Any, arch: str, cpu: str, platform: str) -> None:
    result = suite(arch, cpu, platform, "clock")
    assert result.outcome.value == "pass", result.reason


@pytest.mark.parametrize(("arch", "readings"), [("i386", 100), ("amd64", 100)])
def test_a_reading_is_of_one_update(boot: Any, arch: str, readings: int) -> None:
    """Readings with any writer's stores before any instruction; wrong orders are detected."""
    result = boot(arch, "EPYC", f"suite=torn samples={readings}")
    assert result.outcome.value == "pass", result.reason


@pytest.mark.long
@pytest.mark.limit(1800)
@pytest.mark.parametrize("arch", [pytest.param("i386", marks=pytest.mark.weekly), "amd64"])
def test_a_reading_is_of_one_update_at_every_pair_of_places(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=torn samples=20000", timeout=900)
    assert result.outcome.value == "pass", result.reason
    said = "\n".join(check["detail"] for check in result.machine_run.checks)
    torn = [int(found) for found in re.findall(r"(\d+) of \d+ torn", said)]
    waited = [int(found) for found in re.findall(r"(\d+) waited for the writer", said)]
    for length, readings in re.findall(r"(\d+) instructions, (\d+) readings", said):
        pairs = int(length) * (int(length) + 3) // 2
        assert int(readings) % pairs == 0, "each pair of places, with each number of stores"
    origins = 2 if arch == "i386" else 3
    assert len(torn) == 3 * origins
    assert len(waited) == 5 * origins
    assert min(torn + waited) > 0


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_without_an_even_tsc_ticks_are_counted_and_it_says_so(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=clock clock=ticks")
    assert "The clock counts ticks (the command line says so)." in result.text
    assert result.outcome.value == "pass", result.reason


@pytest.mark.long
def test_a_tsc_too_slow_for_the_clock_is_found_out(boot: Any) -> None:
    """Bochs counts 20 million instructions a second, even while the processor is halted."""
    result = boot("i386", "p3_katmai", "suite=true", platform="bochs")
    assert "The clock counts ticks (the TSC runs at less than 34 MHz)." in result.text


def test_it_says_what_it_counts_and_the_date(boot: Any) -> None:
    result = boot("amd64", "EPYC", "suite=true")
    said = re.search(r"The clock is the TSC at (.+) MHz\. It is 2020-01-01 00:00:00\.", result.text)
    assert said and float(said[1]) == pytest.approx(1000, rel=1e-5), "a read of the 8254 is longer"


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_it_drifts_as_computed_where_instructions_are_counted(boot: Any, arch: str) -> None:
    """There a TSC count is a nanosecond. After a minute the rate has been corrected."""
    result = boot(arch, "EPYC", "suite=clock only=drift")
    found = [tuple(map(int, pair)) for pair in DRIFT.findall(result.text)]
    assert len(found) == 2 * (2 if arch == "i386" else 3), result.reason
    for nanoseconds, counts in found:
        assert abs(nanoseconds - counts) <= counts // 10_000_000, "more than 0.1 ppm"


NOW = re.compile(r"now: (\d+) ns")


@pytest.mark.long
@pytest.mark.limit(600)
@pytest.mark.clocked
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_it_keeps_pace_with_the_hosts_clock(boot: Any, arch: str) -> None:
    """Within 100 ppm over a minute, by the lines with the least delay.

    A busy host delays even these, usually by as much as the least delays of a hundred differ. Each
    origin has its own minute, and a wrong clock is wrong in all of them. If such a host has
    disturbed a rate it is uncertain, and the kernel reports that.
    """
    behind: list[tuple[int, int]] = []

    def watch(line: str, directory: Path) -> None:
        if found := NOW.search(line):
            behind.append((int(found[1]), time.monotonic_ns() - int(found[1])))

    result = boot(arch, "", "suite=clock only=host", platform="qemu-tcg", watch=watch, timeout=90)
    doubted = result.reason.startswith("rate: ")
    assert result.outcome.value == ("noisy" if doubted else "pass"), result.reason
    origins = 2 if arch == "i386" else 3
    assert len(behind) == 200 * origins
    minutes = [kept_pace(behind[at : at + 200]) for at in range(0, len(behind), 200)]
    kept = any(drift < 100 + unsure for drift, unsure in minutes)
    assert kept or doubted, f"ppm: {minutes}"


def kept_pace(behind: list[tuple[int, int]]) -> tuple[int, int]:
    """The drift of the second hundred against the first, and its uncertainty, in ppm."""
    first, last = behind[:100], behind[100:]
    span = last[0][0] - first[0][0]
    assert span > 60 * 10**9
    least = [
        [min(late for _, late in part[at : at + 20]) for at in range(0, 100, 20)]
        for part in (first, last)
    ]
    drift, unsure = min(least[1]) - min(least[0]), sum(max(part) - min(part) for part in least)
    return abs(drift) * 10**6 // span, unsure * 10**6 // span
