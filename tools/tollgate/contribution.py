"""`tollgate check`: whether a file of results is whole and honest.

The rules of every file (rules.py), and those that tell a processor from what pretends to be one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from tollgate.printable import plain
from tollgate.records import MachineRun, load
from tollgate.rules import Fault, Finding, Rule, faults, is_control, results, who

SILICON = "cycles"
HARDWARE = "hardware"
"""The kernel's label for a machine that has not been called anything else."""
MAKERS = {
    "GenuineIntel": "Intel",
    "AuthenticAMD": "AMD",
    "HygonGenuine": "Hygon",
    "CentaurHauls": "VIA",
    "  Shanghai  ": "ZHAOXIN",
}
"""CPUID's vendor (leaf 0), and the name that its brands (leaves 80000002h to 80000004h) have."""
PRETENDERS = ("QEMU", "KVM", "Virtual", "Bochs")
"""Words of brand strings that no processor has."""
HERTZ = range(50_000_000, 10_000_000_000)
"""A time-stamp counter's rate: the first that had one ran at 60 MHz."""
NEAR = 50
"""A measured rate is off what CPUID says by less than one part in so many."""
MANY = 10
"""Rows, and samples of each, among which silicon shows some spread."""


def hypervisor(run: MachineRun) -> Iterator[Finding]:
    name = str(run.run["hypervisor"])
    if run.unit == SILICON and run.run["platform"] == HARDWARE and name:
        text = f"the hypervisor {name!r} has been beneath it, so its cycles are not the hardware's"
        yield run.records[0], text
    elif run.unit == SILICON and run.run["platform"] == HARDWARE and run.run.get("insisted"):
        yield run.records[0], "somebody insisted (unit=cycles) that a hypervisor's ticks are cycles"


def vendor(run: MachineRun) -> Iterator[Finding]:
    cpu = run.run["cpu"]
    brand, maker = str(cpu["brand"]), MAKERS.get(str(cpu["vendor"]))
    others = [name for name in MAKERS.values() if name != maker and name in brand.split("(")[0]]
    if run.unit == SILICON and others:
        yield run.records[0], f"{cpu['vendor']!r} makes no {brand!r}"
    for word in PRETENDERS:
        if run.run["platform"] == HARDWARE and word in brand:
            yield run.records[0], f"a processor that calls itself {brand!r} is no hardware"


def clock(run: MachineRun) -> Iterator[Finding]:
    hertz = run.run["tsc_hz"]
    if run.unit == SILICON and hertz not in HERTZ:
        yield run.records[0], f"no time-stamp counter runs at {hertz} Hz"
    nominal = dict(run.run.get("clock", {})).get("nominal_hz", 0)
    told = run.unit == SILICON and isinstance(nominal, int) and nominal > 0 and hertz
    if told and abs(hertz - nominal) * NEAR > nominal:
        yield run.records[0], f"it runs at {hertz} Hz, by CPUID at {nominal} Hz"


def spread(run: MachineRun) -> Iterator[Finding]:
    rows = [r.data for r in results(run) if not is_control(r) and r.data["n"] >= MANY]
    if run.unit == SILICON and len(rows) >= MANY and all(r["min"] == r["max"] for r in rows):
        text = f"{len(rows)} rows without any spread: an emulator's counts, called {run.unit}"
        yield run.records[0], text


RULES = (
    Rule("hypervisor", "what hardware counted has no hypervisor beneath it", hypervisor),
    Rule("vendor", "the brand is the vendor's, and a processor's", vendor),
    Rule("clock", "the time-stamp counter runs at a rate that there is", clock),
    Rule("spread", "cycles spread", spread),
)


def found(run: MachineRun) -> list[Fault]:
    """What is wrong with a boot, by the rules of every file and, if it keeps them, these."""
    wrong = faults(run)
    for rule in RULES if not wrong else ():
        for record, text in rule.check(run):
            line, name = (record.line, who(record)) if record else (run.records[0].line, "the boot")
            wrong.append(Fault(rule.id, line, name, text))
    return wrong


def check(path: Path, console: Console) -> bool:
    """Say of each boot in a file what it holds and what is wrong with it; True: nothing is."""
    file = load(path)
    good = not file.missing
    for name in file.missing:
        console.print(plain(f"{path}: not whole: {name} is missing"), soft_wrap=True)
    for run in file.runs:
        wrong = found(run)
        good = good and not wrong
        rows = [record.data for record in results(run) if not is_control(record)]
        samples = sorted({row["n"] for row in rows})
        n = f", n = {' and '.join(map(str, samples))}" if samples else ""
        noisy = f"; noisy: {len(run.noisy)} of what it names" if run.noisy else ""
        verdict = "NOT whole and honest:" if wrong else f"whole and honest{noisy}."
        head = f"{path}: {run.name}: {len(rows)} rows in {run.unit}{n}: {verdict}"
        console.print(plain(head), soft_wrap=True)
        for fault in wrong:
            console.print(plain(f"  {fault}", longest=1000), soft_wrap=True)
        if not wrong and run.unit != SILICON:
            text = "  counted by an emulator: good, and nothing for results/contributed"
            console.print(text, soft_wrap=True)
    return good
