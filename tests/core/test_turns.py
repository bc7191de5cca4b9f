"""The thread that is switched to runs; a ready thread waits while each other has a turn."""

import os
import random
from typing import Any

import pytest

from tollgate.machines.boot import ROOT

ORIGINS = {"i386": ["/bin", "/trusted"], "amd64": ["/bin", "/compat", "/trusted"]}
SLOW = ["-icount", "shift=5,sleep=off"]
"""31 million instructions a second: the timer's shortest interval ends before a switch does."""


def judge(result: Any, arch: str) -> None:
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    assert failed == []
    assert result.outcome.value == "pass"
    tried = [f"{origin}/turns" for origin in ORIGINS[arch]]
    assert [c["name"] for c in result.checks] == len(tried) * [*tried, "clone"]


@pytest.mark.parametrize(
    ("arch", "machine"),
    [
        pytest.param("i386", [], id="i386-fast"),
        pytest.param("i386", SLOW, id="i386-slow"),
        pytest.param("amd64", [], id="amd64-fast", marks=pytest.mark.long),
        pytest.param("amd64", SLOW, id="amd64-slow"),
    ],
)
def test_nobody_starves_beside_a_thread_that_sleeps_shortly(
    boot: Any, arch: str, machine: list[str]
) -> None:
    """Each origin beside each: the victim's sleeps of 2 ms end within the others' time slices.

    Who makes a thread goes on before it.
    """
    judge(boot(arch, "EPYC", "suite=turns", extra=machine), arch)


@pytest.mark.long
@pytest.mark.parametrize(("arch", "model"), [("i386", "ryzen"), ("amd64", "corei7_haswell_4770")])
def test_nobody_starves_in_bochs(boot: Any, arch: str, model: str) -> None:
    judge(boot(arch, model, "suite=turns", platform="bochs"), arch)


STORMS = (
    *("ignored", "blocked", "handled", "computing"),
    *("nanosleep", "ppoll", "virtual", "staggered", "anew"),
)


def draw(*of: object) -> random.Random:
    """Random numbers for one test: they do not depend on the other tests that run."""
    return random.Random(f"{os.environ.get('TURNS_SEED', '1')} {of}")


@pytest.fixture
def storm(boot: Any, suites: Any) -> Any:
    """A boot with this many timers of each kind. If the machine freezes, the failure names it."""

    def run(
        arch: str,
        count: int,
        kinds: tuple[str, ...],
        origin: str = "/bin",
        model: str = "EPYC",
        **more: Any,
    ) -> None:
        words = f"suite=turns only={count}" + (f"/{kinds[0]}" if len(kinds) == 1 else "")
        module = suites(arch, "turns", folders=(origin[1:],))
        result = boot(arch, model, words, module=module, memory=256, **more)
        begun = [line.split(": ")[1] for line in result.text.splitlines() if " timers: " in line]
        assert result.outcome.value == "pass", f"{begun[-1:]}: {result.reason}"
        assert {c["name"]: c["detail"] for c in result.checks if not c["ok"]} == {}
        assert begun == [c["name"] for c in result.checks] == list(kinds)

    return run


@pytest.mark.parametrize(("arch", "kind"), [("amd64", "blocked")])
def test_timers_that_nobody_takes_cost_nothing(storm: Any, arch: str, kind: str) -> None:
    storm(arch, 190, (kind,))


@pytest.mark.parametrize("arch", ["amd64"])
def test_nobody_starves_beside_timers_of_a_drawn_kind(storm: Any, arch: str) -> None:
    drawn = draw(arch)
    origin, kind = drawn.choice(ORIGINS[arch]), drawn.choice(STORMS)
    storm(arch, drawn.randrange(60, 190), (kind,), origin=origin, extra=SLOW)


@pytest.mark.long
@pytest.mark.limit(600)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_nobody_starves_beside_190_timers(storm: Any, arch: str) -> None:
    storm(arch, 190, ("handled",))
    storm(arch, 190, STORMS, extra=SLOW)


@pytest.mark.long
@pytest.mark.limit(600)
@pytest.mark.parametrize(("arch", "model"), [("i386", "ryzen"), ("amd64", "corei7_haswell_4770")])
def test_nobody_starves_beside_190_timers_in_bochs(storm: Any, arch: str, model: str) -> None:
    storm(arch, 190, STORMS, model=model, platform="bochs")


@pytest.mark.figures
@pytest.mark.parametrize(
    ("arch", "folders"),
    [
        pytest.param("amd64", ("bin",), id="amd64"),
        pytest.param("amd64", ("compat", "trusted"), id="amd64-others", marks=pytest.mark.long),
        pytest.param("i386", ("bin", "trusted"), id="i386-all", marks=pytest.mark.long),
    ],
)
def test_others_have_their_turns_beside_calls_on_much_memory(
    boot: Any, suites: Any, arch: str, folders: tuple[str, ...]
) -> None:
    """A tick is 312,500 instructions there: freeing 64 MiB takes some 2.5 million."""
    module = suites(arch, "large", "spin", folders=folders)
    result = boot(arch, "EPYC", "suite=large", memory=256, extra=SLOW, module=module, timeout=60)
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    assert failed == []
    assert result.text.count("\n1..50\n") == len(folders)


TABLES = {"checks/large/ways.c": "ways[] = {", "suites/latency/deeds.c": "deeds[] = {"}
DEEDS = sum(
    (ROOT / "user" / file).read_text().partition(table)[2].partition("};")[0].count('{"')
    for file, table in TABLES.items()
)
"""Ways of `large`, and deeds of the suite latency."""


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.parametrize(
    "count",
    [
        1,
        pytest.param(DEEDS // 2, marks=pytest.mark.long),
        pytest.param(DEEDS, marks=pytest.mark.weekly),
    ],
)
def test_others_have_their_turns_beside_two_deeds(
    boot: Any, suites: Any, arch: str, count: int
) -> None:
    """Each way of `large` and action of the suite latency beside a random one, up to its maximum:
    half of them in one kernel, half in the other.  One of them writes /dev/kmsg to the console:
    lines are repeated.
    """
    first = draw(count).randrange(1, 20000) + (DEEDS // 2) * (arch == "i386")
    words = f"suite=large only={count} samples={first}"
    module = suites(arch, "large", folders=("bin",))
    memory = 512 if count == 1 else 896
    result = boot(arch, "EPYC", words, memory=memory, extra=SLOW, module=module)
    begun = [line[9:] for line in result.text.splitlines() if line.startswith("  beside ")]
    assert result.outcome.value == "pass", f"{begun[-1:]}: {result.reason}"
    names = [c["name"] for c in result.checks]
    assert [*dict.fromkeys(begun)] == [*dict.fromkeys(names)]
    assert len(names) == count


@pytest.mark.limit(600)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.parametrize(
    "times",
    [
        2,
        pytest.param(10, marks=pytest.mark.long),
        pytest.param(34, marks=[pytest.mark.long, pytest.mark.weekly]),
    ],
)
def test_one_kill_ends_everybody(boot: Any, arch: str, times: int) -> None:
    """SIGKILL marks all threads of a process at once: none of them can fork in the meantime."""
    result = boot(arch, "EPYC", f"suite=survivors samples={times}")
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    assert failed == []
    assert result.outcome.value == "pass"
    assert len(result.checks) == len(ORIGINS[arch])
