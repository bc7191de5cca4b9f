"""Sample records for the tests of the host's side."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tollgate.records import MachineRun

POINTS = [f"MP{number}" for number in range(1, 9)]


def make_run_record(**changed: Any) -> dict[str, Any]:
    """A `run` record as the kernel writes it."""
    return {
        "v": 1,
        "type": "run",
        "arch": "amd64",
        "platform": "qemu-icount",
        "cpu_model": "EPYC",
        "unit": "instructions",
        "deterministic": True,
        "firmware": "multiboot1",
        "cpu": {"vendor": "AuthenticAMD", "brand": "", "family": 23, "model": 1, "stepping": 2},
        "hypervisor": "TCGTCGTCGTCG",
        "cmdline": "",
        "fence": "lfence",
        "version": "0.1.0",
        "tools": {"emulator": "qemu-7.2.22", "compiler": "gcc 12.2.0", "nasm": "2.16.01"},
        "tsc_hz": 0,
        "readable": True,
    } | changed


def make_result(identity: str, median: float, **changed: Any) -> dict[str, Any]:
    """A `result` record with its seven sections."""
    return {
        "v": 1,
        "type": "result",
        "suite": "toll",
        "id": identity,
        "label": "int80",
        "n": 1000,
        "min": median,
        "median": median,
        "p90": median,
        "p99": median,
        "max": median,
        "mean": float(median),
        "batch": float(median),
        "histogram": [[median, 1000]],
        "sections": [
            {"from": start, "to": end, "min": 1, "median": 1} for start, end in pairwise(POINTS)
        ],
        "probe": 14,
        "residue": 0,
    } | changed


def make_run(medians: dict[str, float] | None = None, **changed: Any) -> MachineRun:
    """A whole boot: results with these medians, a skip, a control and an end."""
    run = MachineRun(make_run_record(**changed))
    for identity, median in (medians or {"user/int/standard": 46}).items():
        run.results.append(make_result(identity, median))
    reason = "CPUID.01H:EDX.SEP[bit 11] = 0"
    for variant in ("standard", "bare"):
        skip = {"v": 1, "type": "skip", "suite": "toll", "id": f"user/sysenter/{variant}"}
        run.skips.append(skip | {"reason": reason})
    check = {"v": 1, "type": "check", "name": "control/loop", "ok": True, "detail": "2001"}
    run.checks.append(check)
    count = 1 + len(run.results) + len(run.skips) + len(run.checks)
    run.end = {"v": 1, "type": "end", "records": count, "failed": 0}
    return run


@pytest.fixture(name="make_run")
def make_run_fixture() -> Callable[..., MachineRun]:
    """A callable that makes a whole boot: make_run(medians, **fields of the run record)."""
    return make_run


@pytest.fixture(name="make_result")
def make_result_fixture() -> Callable[..., dict[str, Any]]:
    """A callable that makes a result record."""
    return make_result
