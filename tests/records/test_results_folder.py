"""An interrupted bench keeps its results, and marks them as incomplete."""

import functools
import io
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tollgate import bench
from tollgate.errors import Exit
from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.child import StoppedError
from tollgate.machines.clock import LOOK, Clock
from tollgate.machines.outcome import Outcome
from tollgate.records import provenance
from tollgate.records.format import MachineRun, load

MakeRun = Callable[..., MachineRun]
SETTLED = 0.2
LIMIT = 30.0
"""Seconds for a ^C to take effect: if it has not by then, it never does."""
BOOTS = [Boot("amd64", cpu=cpu) for cpu in ("EPYC", "Haswell", "phenom")]


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder for results; boots no machine, draws no report; ^C is not ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(bench, "RESULTS", tmp_path)
    monkeypatch.setattr(bench, "jobs", lambda boots: 1)
    monkeypatch.setattr(bench, "check_built", lambda boots: None)
    monkeypatch.setattr(bench, "write_html", lambda *_: None)
    yield tmp_path
    signal.signal(signal.SIGINT, before)


def boots_until(make_run: MakeRun, last: str, booted: list[str]) -> Callable[..., BootResult]:
    """A stand-in for run_boot: before the machine `last` there is a ^C.

    It is delivered to another thread than the one that must react, which nothing else wakes.
    """

    def run_boot(boot: Boot, directory: Path, watch: Any, stop: threading.Event) -> BootResult:
        if boot.cpu == last:
            signal.setitimer(signal.ITIMER_REAL, 0)
            stop.wait(SETTLED)  # until all other threads sleep
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            clock = Clock(os.getpid())
            while not stop.wait(LOOK):
                assert clock.read() < LIMIT, "it was not heeded"
            raise StoppedError
        booted.append(boot.cpu)
        run = make_run(cpu_model=boot.cpu)
        return BootResult(boot, Outcome.PASS, "", "", [run], [], [], 33, 1.0, 0.1, directory)

    return run_boot


def measure(to: io.StringIO, verb: str = "bench", **choice: str) -> Exit:
    console = Console(file=to, width=200)
    return bench.measure(verb, lambda _: BOOTS, bench.Choice(**choice), console)


@pytest.mark.patient
def test_an_interrupted_bench_keeps_what_it_has(
    monkeypatch: pytest.MonkeyPatch, results: Path, make_run: MakeRun
) -> None:
    booted: list[str] = []
    out = io.StringIO()
    monkeypatch.setattr(bench, "run_boot", boots_until(make_run, "Haswell", booted))
    with pytest.raises(KeyboardInterrupt):
        measure(out, samples="7")
    (folder,) = results.iterdir()
    assert f"stopped: 1 of 3 boots are kept, so {folder} is not whole" in out.getvalue()
    kept = load(folder)
    assert [run.run["cpu_model"] for run in kept.runs] == ["EPYC"]
    assert kept.missing == ["amd64 Haswell (qemu-icount)", "amd64 phenom (qemu-icount)"]


@pytest.mark.patient
def test_records_that_break_rules_are_not_the_latest(
    monkeypatch: pytest.MonkeyPatch, results: Path, make_run: MakeRun
) -> None:
    monkeypatch.setattr(bench, "run_boot", boots_until(make_run, "", []))
    assert measure(io.StringIO(), samples="7") is Exit.PASS
    good = (results / "latest").resolve()
    assert provenance.beside(good) is not None
    broken = functools.partial(make_run, readable=False)
    monkeypatch.setattr(bench, "run_boot", boots_until(broken, "", []))
    out = io.StringIO()
    assert measure(out, samples="9") is Exit.FAIL
    assert (results / "latest").resolve() == good
    assert "results/latest stays as it was: records of" in out.getvalue()
