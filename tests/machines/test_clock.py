"""The clock, with stand-ins for an emulator that spins, is halted, starved, stopped or frozen.

Other processes share the host, so nothing here asserts wall time. The clock's behaviour on each
kind of host is tested on invented ones.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tollgate.machines import clock, qemu
from tollgate.machines.boot import Boot
from tollgate.machines.child import Child, LimitError, run
from tollgate.machines.clock import LOOK, Clock
from tollgate.machines.emulator import run_plan
from tollgate.machines.outcome import Outcome
from tollgate.machines.plan import Plan

pytestmark = pytest.mark.clocked
SPIN = ["/bin/sh", "-c", "while :; do :; done"]
SLEEP = ["/bin/sleep", "1000"]
RIVALS = 2


@contextlib.contextmanager
def started(command: list[str]) -> Iterator[Child]:
    child = Child(command)
    try:
        yield child
    finally:
        child.close()


@pytest.fixture
def beside() -> Iterator[None]:
    """Restrict everything to one processor, shared with RIVALS that spin."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    rivals = [Child(SPIN) for _ in range(RIVALS)]
    os.sched_setaffinity(0, allowed)  # except the observers
    yield
    for rival in rivals:
        rival.close()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """An invented wall time, in seconds."""
    moment = [0.0]
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: moment[0]))
    return moment


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """The single thread of an invented process on an invented host."""
    task = tmp_path / "7" / "task" / "7"
    for folder in (task, tmp_path / "self"):
        folder.mkdir(parents=True)
        (folder / "schedstat").write_text("0 0 1")
    (task / "stat").write_text("7 (x) S 1")
    return task


def passes(watch: Clock, seconds: float) -> None:
    """Wait until the clock has advanced this much: for ever if it stands still."""
    end = watch.read() + seconds
    while watch.read() < end:
        time.sleep(LOOK / 5)


def stands(watch: Clock, why: str) -> None:
    """After some looks the clock has not moved, and gives the reason."""
    before = watch.read()
    for _ in range(4):
        time.sleep(LOOK)
        now = watch.read()
        before = before if watch.held == why else now
    assert now - before <= LOOK, watch.held


@pytest.mark.parametrize(
    ("state", "ran", "queued", "could"),
    [
        ("R", 1.0, 0.0, 1.0),
        ("S", 0.0, 0.0, 1.0),
        ("R", 0.25, 0.75, 0.25),
        ("S", 0.1, 0.4, 0.6),
        ("R", 0.5, 3.0, 0.5),
        ("T", 0.0, 0.0, 0.0),
        ("T", 0.1, 0.0, 0.1),
        ("D", 0.0, 0.0, 0.0),
    ],
)
def test_what_could_be_used_of_a_second_by_what_the_scheduler_says(
    tmp_path: Path,
    now: list[float],
    task: Path,
    state: str,
    ran: float,
    queued: float,
    could: float,
) -> None:
    (task / "stat").write_text(f"7 (x) {state} 1")
    watch = Clock(7, proc=tmp_path)
    (task / "schedstat").write_text(f"{ran * 1e9:.0f} {queued * 1e9:.0f} 2")
    now[0] = 1.0
    assert watch.read() == pytest.approx(could)


def test_when_it_went_on_between_two_looks_nobody_knows(
    tmp_path: Path, now: list[float], task: Path
) -> None:
    watch = Clock(7, proc=tmp_path)
    for state, could in (("T", 0.0), ("S", 0.0), ("S", 1.0)):
        (task / "stat").write_text(f"7 (x) {state} 1")
        now[0] += 1.0
        assert watch.read() == could


def test_who_is_stopped_has_no_time_until_it_goes_on() -> None:
    with started(SLEEP) as child:
        watch = Clock(child.pid)
        os.kill(child.pid, signal.SIGSTOP)
        stands(watch, "stopped")
        os.kill(child.pid, signal.SIGCONT)
        passes(watch, 1.0)
        assert not watch.held


def test_who_is_frozen_has_no_time_until_it_goes_on() -> None:
    roots = [root for root in clock.CGROUPS if (root / "cgroup.procs").exists()]
    group = (roots or [Path("/nowhere")])[0] / f"tollgate-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("no control group can be made here")
    try:
        with started(SLEEP) as child:
            (group / "cgroup.procs").write_text(str(child.pid))
            watch = Clock(child.pid)
            (group / "cgroup.freeze").write_text("1")
            stands(watch, "frozen")
            (group / "cgroup.freeze").write_text("0")
            passes(watch, 1.0)
    finally:
        group.rmdir()


def test_where_proc_does_not_tell_it_is_wall_time_by_a_measured_boot(
    tmp_path: Path, now: list[float]
) -> None:
    paces = []

    def slow() -> float:
        paces.append(4.0)
        return paces[-1]

    whole, quarter = (Clock(7, proc=tmp_path, slow=f) for f in (lambda: 1.0, slow))
    for now[0] in (1.0, 2.0):
        assert (whole.read(), quarter.read()) == (now[0], now[0] / 4)
    assert paces == [4.0]


def test_a_run_is_given_up_by_the_time_of_its_descendants_too(tmp_path: Path) -> None:
    """The waiting one sleeps, the awaited one spins: neither counts as time for ever."""
    script = "(echo $$; while :; do :; done) & wait"
    with pytest.raises(LimitError, match=r"has not ended in 0\.5 s that it could use"):
        run(["/bin/sh", "-c", script], 0.5)


def test_who_a_run_waits_for_is_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """gdb sleeps while its machine has no turn, and that time does not count for gdb."""
    looked = MagicMock(wraps=Clock)
    monkeypatch.setattr("tollgate.machines.child.Clock", looked)
    run(["true"], 1, beside=[os.getpid()])
    assert looked.call_args.args[1:] == (os.getpid(),)


def test_a_guest_is_no_hang_for_want_of_time(tmp_path: Path, beside: None) -> None:
    """Between two outputs it uses a fraction of its limit; in wall time it exceeds it."""
    emulator = tmp_path / "emulator"
    emulator.write_text(
        "#!/bin/sh\necho 1 > serial.log\n"
        "i=0; while test $i -lt 100000; do i=$((i + 1)); done; echo 2 >> serial.log\n"
    )
    emulator.chmod(0o755)
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        result = run_plan(Boot("i386", limit=0.6), Plan([str(emulator)], tmp_path, qemu.ending))
    finally:
        os.sched_setaffinity(0, allowed)
    assert (result.text, result.outcome) == ("1\n2\n", Outcome.RESET), result.reason
