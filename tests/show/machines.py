"""Synthetic boots for reports: complete machines with every toll row."""

import functools
import random
from collections import Counter
from typing import Any

from tollgate.records.format import MachineRun

from ..records.sample import as_run, controlled, ended, inserted, make_plain

SECTIONS = {  # (mechanism, variant) -> medians of MP1-MP2 .. MP7-MP8, in instructions
    ("int", "standard"): (1, 17, 3, 1, 1, 22, 1),
    ("int", "nowork"): (1, 17, 3, 1, 1, 18, 1),
    ("int", "service"): (1, 3, 1, 1, 1, 3, 1),
    ("int", "bare"): (1, 0, 0, 0, 0, 0, 1),
    ("callgate", "standard"): (1, 25, 3, 1, 1, 28, 1),
    ("callgate", "nowork"): (1, 25, 3, 1, 1, 24, 1),
    ("callgate", "service"): (1, 5, 1, 1, 1, 5, 1),
    ("callgate", "bare"): (1, 0, 0, 0, 0, 0, 1),
    ("sysenter", "standard"): (4, 24, 3, 1, 1, 26, 3),
    ("sysenter", "nowork"): (4, 24, 3, 1, 1, 22, 3),
    ("sysenter", "service"): (4, 3, 1, 1, 1, 2, 3),
    ("sysenter", "bare"): (4, 0, 0, 0, 0, 0, 3),
    ("syscall", "standard"): (1, 20, 3, 1, 1, 26, 1),
    ("syscall", "standard@linux-tigerlake"): (1, 144, 3, 1, 1, 33, 1),
    ("syscall", "nowork"): (1, 20, 3, 1, 1, 22, 1),
    ("syscall", "service"): (1, 4, 1, 1, 1, 4, 1),
    ("syscall", "bare"): (1, 0, 0, 0, 0, 0, 1),
}
LABELS = {"int": "int8", "callgate": "cg", "sysenter": "sep", "syscall": "sys"}
VARIANTS = ("standard", "nowork", "service", "bare")
LONG_MODE_SEP = "SYSENTER in long mode is #UD on AMD"


def label(mechanism: str, variant: str) -> str:
    """The paper's label: int80 counts from 0, the others from 1."""
    place = VARIANTS.index(variant.partition("@")[0])
    return LABELS[mechanism] + str(place + (mechanism != "int"))


@functools.cache
def bell(seed: str, n: int) -> list[int]:
    """`n` offsets from the middle, determined by the seed."""
    chance = random.Random(seed)
    return [sum(chance.randrange(5) for _ in range(6)) - 12 for _ in range(n)]


def result(
    origin: str, mechanism: str, variant: str, cost: float = 1, spacing: int = 0, n: int = 1000
) -> dict[str, Any]:
    """A result record. `cost` is an instruction's cost in the run's unit; `spacing` > 0 spreads the
    samples in a bell shape on a grid of that many units."""
    sections = [round(part * cost) for part in SECTIONS[mechanism, variant]]
    steps = bell(f"{origin}/{mechanism}/{variant}", n) if spacing else [0] * n
    samples = sorted(max(sum(sections) + step * spacing, 0) for step in steps)
    median, p90, p99 = (samples[-(-n * rank // 100) - 1] for rank in (50, 90, 99))
    return {
        "v": 1, "type": "result", "suite": "toll", "id": f"{origin}/{mechanism}/{variant}",
        "label": label(mechanism, variant), "n": n, "min": samples[0], "median": median,
        "p90": p90, "p99": p99, "max": samples[-1],
        "mean": sum(samples) / n, "batch": float(sum(sections)),
        "histogram": [list(pair) for pair in sorted(Counter(samples).items())],
        "sections": [
            {"from": f"MP{i}", "to": f"MP{i + 1}", "min": part, "median": part}
            for i, part in enumerate(sections, start=1)
        ],
        "probe": round(14 * cost), "residue": median - sum(sections),
    }  # fmt: skip


def machine(
    arch: str = "i386",
    model: str = "EPYC",
    lacks: dict[str, str] | None = None,
    unit: str = "instructions",
    platform: str = "qemu-icount",
    cost: float = 1,
    spacing: int = 0,
    **run: Any,
) -> MachineRun:
    """A complete boot; `lacks` maps origin/mechanism to the reason for skipping its rows."""
    lacks = lacks or {}
    origins = ["user/int", "user/callgate", "user/sysenter", "user/syscall"]
    origins += ["compat/sysenter", "compat/syscall"] if arch == "amd64" else []
    ids = [(*origin.split("/"), variant) for origin in origins for variant in VARIANTS]
    results = [result(o, m, v, cost, spacing) for o, m, v in ids if f"{o}/{m}" not in lacks]
    skips = [
        {"v": 1, "type": "skip", "suite": "toll", "id": f"{o}/{m}/{v}", "reason": lacks[f"{o}/{m}"]}
        for o, m, v in ids
        if f"{o}/{m}" in lacks
    ]
    hypervisor = "" if unit == "cycles" else "TCGTCGTCGTCG"
    head = {
        "v": 1, "type": "run", "arch": arch, "platform": platform, "cpu_model": model, "unit": unit,
        "deterministic": unit == "instructions", "firmware": "multiboot1",
        "cpu": {"vendor": "AuthenticAMD", "brand": model, "family": 23, "model": 1, "stepping": 2},
        "hypervisor": hypervisor, "cmdline": "suite=toll", "fence": "lfence",
        "version": "0.1.0", "tools": {"emulator": "qemu-7.2.22", "compiler": "gcc 12.2.0"},
        "tsc_hz": 0, "readable": True,
    }  # fmt: skip
    return as_run(*ended([head | run, *controlled([*results, *skips])]))


def default_bench() -> list[MachineRun]:
    """The three machines of `make bench`."""
    return [
        machine("i386", "EPYC"),
        machine("amd64", "Skylake-Client", {"compat/syscall": "compat SYSCALL is AMD\u2019s"}),
        machine(
            "amd64", "EPYC", {"user/sysenter": LONG_MODE_SEP, "compat/sysenter": LONG_MODE_SEP}
        ),
    ]


def pentium_4(**run: Any) -> MachineRun:
    """A machine as in figure 7: cycles, in steps of seven."""
    return machine(
        "i386", "Pentium 4", {"user/syscall": "CPUID.80000001H:EDX.SYSCALL[bit 11] = 0"}, "cycles",
        "hardware", cost=28, spacing=7, **({"tsc_hz": 2_800_000_000} | run)
    )  # fmt: skip


def with_exceptions(run: MachineRun, cost: float = 1) -> MachineRun:
    """The run with a suite of exceptions; moving off the IST stack costs 26 more instructions."""
    more = []
    for origin in ("user", "trusted"):
        for variant, total in (("plain", 3), ("trap", 3), ("ist", 3), ("move", 29)):
            row = result(origin, "int", "bare")
            row |= {"suite": "exceptions", "id": f"{origin}/ud/{variant}", "label": "#UD"}
            row |= dict.fromkeys(("min", "median", "p90", "p99", "max", "mean"), total * cost)
            row |= {"histogram": [[total * cost, 1000]]}
            row["sections"][0] |= {"min": total * cost, "median": total * cost}
            row["sections"][6] |= {"min": 0, "median": 0}
            more.append(row)
    return inserted(run, *more)


def starved(run: MachineRun) -> MachineRun:
    """The run with just the suite `starve`: two figures, no sections, no skips."""
    pushes = (("user", 711), ("trusted", 723))
    rows = [make_plain("starve", f"{origin}/starve/push", median) for origin, median in pushes]
    return as_run(*ended([run.run, *rows]))


def reset(run: MachineRun) -> MachineRun:
    """The run as one that had to reset, and did."""
    outcome = {
        "v": 1, "type": "outcome", "suite": "starve", "id": "unprotected", "ended": "reset",
        "expected": "reset", "chain": "#PF(2) -> #DF(0) -> triple fault", "reason": "",
        "records": 1,
    }  # fmt: skip
    return as_run(run.run, outcome)
