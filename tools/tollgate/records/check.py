"""`tollgate check`: whether a file of results is complete and honest.

The rules of every file (rules.py), of this version's kernel (expected.py), and rules that
distinguish a processor from an imitation.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from tollgate.machines.platforms import DEFAULT
from tollgate.printable import plain
from tollgate.records import expected, leaves, played, recomputed
from tollgate.records.format import MachineRun, load
from tollgate.records.image import run_id
from tollgate.records.rules import (
    EMULATORS,
    OF_PLATFORM,
    Fault,
    Finding,
    Rule,
    certain,
    faults,
    is_control,
    results,
    who,
)

SILICON = "cycles"
MAKERS = {
    "GenuineIntel": "Intel",
    "AuthenticAMD": "AMD",
    "HygonGenuine": "Hygon",
    "CentaurHauls": "VIA",
    "  Shanghai  ": "ZHAOXIN",
}
"""CPUID's vendor (leaf 0), and the name in its brands (leaves 80000002h to 80000004h)."""
PRETENDERS = re.compile(
    "QEMU|KVM|Virtual|Bochs|AMD EPYC Processor$|class CPU$|Core Processor \\(|Xeon Processor \\("
)
"""Brand strings of emulators and their models, which no processor has."""
FAMILIES = {
    "GenuineIntel": (
        (r"Core|Xeon|Atom|Celeron|Pentium\(R\) (II|III|M|Dual)", (6,)),
        (r"Pentium\(R\) (4|D)", (15,)),
    ),
    "AuthenticAMD": (
        (r"EPYC|Ryzen|Threadripper", range(23, 64)),
        (r"Phenom|Turion|Sempron|Athlon\(tm\) II", (15, 16, 17, 18)),
        (r"FX\(tm\)|Opteron\(tm\) Processor [346]3", (21,)),
    ),
}
"""Facts about a processor by its brand: words in it, and the families with them."""
LOOP_ROUNDS = 1000
ROUND = (0.3, 3.0)
"""The core's cycles for a round of `dec; jnz`: half a cycle at best, two at worst."""
SLOWEST_ROUND = 8.0
"""TSC ticks, if core cycles are not counted: these may be fewer."""
BARE = {"int": 20, "callgate": 20, "sysenter": 10, "syscall": 10}
"""Cycles that every known round trip from CPL 3 to CPL 0 exceeds."""
LEAST_CALL = 0.018
"""Cycles of a call, as a share of a thousand loop rounds: on processors SYSCALL and SYSRET take
0.022 or more. An emulator has 0.012, because its loops are slow but its calls are not."""
HERTZ = range(50_000_000, 10_000_000_000)
"""Possible rates of a time-stamp counter: the first processor with one ran at 60 MHz."""
NEAR = 50
"""A measured rate differs from CPUID's by less than one part in this many."""
MANY = 10
"""Rows, and samples of each, among which real hardware shows some spread."""


def hypervisor(run: MachineRun) -> Iterator[Finding]:
    name = str(run.run["hypervisor"])
    if run.unit == SILICON and run.run["platform"] not in OF_PLATFORM and name:
        text = f"the hypervisor {name!r} has been beneath it, so its cycles are not the hardware's"
        yield run.records[0], text
    elif run.unit == SILICON and run.run["platform"] not in OF_PLATFORM and run.run.get("insisted"):
        yield run.records[0], "somebody insisted (unit=cycles) that a hypervisor's ticks are cycles"


def vendor(run: MachineRun) -> Iterator[Finding]:
    cpu = run.run["cpu"]
    brand, maker = str(cpu["brand"]), MAKERS.get(str(cpu["vendor"]))
    others = [name for name in MAKERS.values() if name != maker and name in brand.split("(")[0]]
    if run.unit == SILICON and others:
        yield run.records[0], f"{cpu['vendor']!r} makes no {brand!r}"
    if run.unit == SILICON and PRETENDERS.search(brand):
        yield run.records[0], f"a processor that calls itself {brand!r} is no hardware"
    for words, families in FAMILIES.get(str(cpu["vendor"]), ()):
        if re.search(words, brand) and cpu["family"] not in families:
            yield run.records[0], f"{brand!r} is not of family {cpu['family']}"
            break


def clock(run: MachineRun) -> Iterator[Finding]:
    hertz = run.run["tsc_hz"]
    doubted = hertz == 0 and any(noisy["id"] == "rate" for noisy in run.noisy)
    if run.unit == SILICON and hertz not in HERTZ and not doubted:
        yield run.records[0], f"no time-stamp counter runs at {hertz} Hz"
    nominal = dict(run.run.get("clock", {})).get("nominal_hz", 0)
    told = run.unit == SILICON and isinstance(nominal, int) and nominal > 0 and hertz
    if told and abs(hertz - nominal) * NEAR > nominal:
        yield run.records[0], f"it runs at {hertz} Hz, by CPUID at {nominal} Hz"


def place(run: MachineRun) -> Iterator[Finding]:
    """Checks platform, CPUID's hypervisor and the emulator named by the host."""
    said = run.run
    platform, first = str(said["platform"]), run.records[0]
    maker = platform.split("-")[0].replace("kvm", "qemu")
    if platform == "linux":
        return
    if platform not in OF_PLATFORM:
        maker = ""
        if run.unit == "instructions":
            yield first, f"{platform} is no emulator, and only those count instructions"
    emulator = str(said["tools"].get("emulator", ""))
    if emulator.split("-")[0] != maker:
        yield first, f"{platform} is not played by {emulator or 'no emulator'!r}"
    pretends = said["hypervisor"] in EMULATORS
    if pretends != platform.startswith("qemu-") or (platform == "bochs" and said["hypervisor"]):
        yield (
            first,
            f"CPUID names the hypervisor {said['hypervisor']!r}, and that is not {platform}",
        )
    if platform == "kvm" and not said["hypervisor"]:
        yield first, "KVM names itself in CPUID, and there is no hypervisor"
    for text in played.contradicts(run):
        yield first, text
    if "offset" in said and (run.unit != "instructions" or emulator.startswith(played.TRIED)):
        yield first, f"{emulator or 'a processor'} reads no sample with an offset"


NEHALEM = 0x1A
"""Intel's family 6 from this model on has MSR_SMI_COUNT (SDM 4, tables of model-specific
registers), except Dunnington and the Atoms before Silvermont."""
NO_SMI_COUNT = frozenset({0x1C, 0x1D, 0x26, 0x27, 0x35, 0x36})


def counters(run: MachineRun) -> Iterator[Finding]:
    """Current processors have a TSC of constant rate, and count core cycles."""
    cpu, said = run.run["cpu"], run.run.get("clock", {})
    if run.unit != SILICON or run.run["platform"] == "kvm":
        return
    intel = cpu["vendor"] == "GenuineIntel" and cpu["family"] == 6
    known_intel = intel and cpu["model"] >= NEHALEM and cpu["model"] not in NO_SMI_COUNT
    modern = known_intel or (cpu["vendor"] == "AuthenticAMD" and cpu["family"] >= 21)
    for name, lost in (
        ("has a TSC that runs evenly", modern and not said.get("invariant")),
        ("counts its core's cycles", modern and not said.get("core")),
        ("counts system-management interrupts", known_intel and said.get("smis", -1) < 0),
    ):
        if lost:
            yield run.records[0], f"{cpu['brand'].strip()!r} {name}, and this one does not"
    for record in results(run) if said.get("core") else ():
        data = record.data
        core, ticks = data.get("core", 0), data.get("reference", 0)
        if "sections" in data and (core <= 0 or ticks < data["n"] * data["min"]):
            yield record, f"{data['n']} samples took more than {ticks} ticks and {core} cycles"


def pace(run: MachineRun) -> Iterator[Finding]:
    """The time of a loop of 1,000 rounds, in core cycles if counted."""
    loops = [r for r in results(run) if who(r) == "control/loop"]
    for record in loops if run.unit != "instructions" else ():
        data = record.data
        counted = data.get("core", 0) > 0 and data.get("reference", 0) > 0
        scale = data["core"] / data["reference"] if counted else 1.0
        round_ = data["median"] * scale / LOOP_ROUNDS
        most = ROUND[1] if counted else SLOWEST_ROUND
        if data["min"] == data["max"] and data["n"] >= MANY:
            yield record, f"all samples are {data['min']}: a clock that counts instructions"
        elif run.unit == SILICON and not ROUND[0] <= round_ <= most:
            yield record, f"a round of two instructions takes {round_:.2f} cycles"
    slow = min((r.data["median"] for r in loops), default=0)
    for record in certain(run) if run.unit == SILICON else ():
        if who(record) == "user/syscall/bare" and record.data["median"] < slow * LEAST_CALL:
            yield (
                record,
                f"SYSCALL takes {record.data['median']} where a thousand rounds take {slow}: "
                "an emulator's loop",
            )


def floor(run: MachineRun) -> Iterator[Finding]:
    """Round trips faster than any processor's."""
    for record in certain(run) if run.unit == SILICON else ():
        origin, way, *rest = who(record).split("/")
        least = BARE.get(way, 0) if (origin, rest) == ("user", ["bare"]) else 0
        if record.data["median"] < least:
            yield record, f"{record.data['median']} cycles: no processor is so fast"


def spread(run: MachineRun) -> Iterator[Finding]:
    rows = [r.data for r in results(run) if not is_control(r) and r.data["n"] >= MANY]
    if run.unit == SILICON and len(rows) >= MANY and all(r["min"] == r["max"] for r in rows):
        text = f"{len(rows)} rows without any spread: an emulator's counts, called {run.unit}"
        yield run.records[0], text
        return
    still = [r for r in rows if "sections" in r and r["min"] == r["max"]]
    if run.unit == SILICON and 2 * len(still) > len(rows) >= MANY:
        yield run.records[0], f"{len(still)} of {len(rows)} rows without any spread"


RULES = (
    Rule("place", "platform, hypervisor, emulator and processor belong together", place),
    Rule("hypervisor", "a record of hardware names no hypervisor", hypervisor),
    Rule("vendor", "the brand is the vendor's, and a processor's", vendor),
    Rule("clock", "the time-stamp counter's rate is one that processors have", clock),
    Rule("spread", "cycles have a spread", spread),
    Rule("counters", "a recent processor has the counters of its family", counters),
    Rule("pace", "a loop takes as long as on a processor", pace),
    Rule("floor", "no gate is faster than any processor's", floor),
)
ALL = (*recomputed.RULES, *expected.RULES, *RULES)
"""The rules for a boot that keeps those of every file."""
TWICE = "twice"
"""A rule about a file, not a boot: two timed boots cannot have the same samples."""


def as_fault(rule: str, run: MachineRun, finding: Finding) -> Fault:
    """A finding with its place in the file."""
    record, text = finding
    line, name = (record.line, who(record)) if record else (run.records[0].line, "the boot")
    return Fault(rule, line, name, text)


def found(run: MachineRun, earlier: Iterable[MachineRun] = ()) -> list[Fault]:
    """Faults of a boot, by the rules of every file and, if it keeps them, by the rules here."""
    wrong = faults(run)
    for rule in ALL if not wrong else ():
        wrong += [as_fault(rule.id, run, finding) for finding in rule.check(run)]
        if wrong and rule.id == "fields":
            break  # the other rules rely on it
    return wrong + [as_fault(TWICE, run, finding) for finding in expected.doubles(run, earlier)]


def remarks(run: MachineRun) -> list[Fault]:
    """Facts that break no rule, but that a reader of a boot's figures should know."""
    return [as_fault("remark", run, finding) for finding in expected.remarks(run)]


def replayed(run: MachineRun) -> list[Fault]:
    """Differences from another boot of the same machine."""
    from tollgate.records import replay

    return [as_fault("replay", run, finding) for finding in replay.differences(run)]


def check(path: Path, console: Console, replay: bool = False) -> bool:
    """Print each boot's content and faults in a file; True: no faults.

    `replay`: boots that counted instructions are repeated.
    """
    file = load(path)
    good = not file.missing
    for name in file.missing:
        console.print(plain(f"{path}: not whole: {name} is missing"), soft_wrap=True)
    for number, run in enumerate(file.runs):
        wrong = found(run, file.runs[:number])
        exact = run.run["platform"] == DEFAULT
        wrong += replayed(run) if replay and exact and not wrong else []
        good = good and not wrong
        rows = [record.data for record in results(run) if not is_control(record)]
        samples = sorted({row["n"] for row in rows})
        n = f", n = {' and '.join(map(str, samples))}" if samples else ""
        noisy = f"; noisy: {len(run.noisy)} of what it names" if run.noisy else ""
        verdict = "NOT whole and honest:" if wrong else f"whole and honest{noisy}."
        head = f"{path}: {run.name}: {len(rows)} rows in {run.unit}{n}: {verdict}"
        console.print(plain(head), soft_wrap=True)
        console.print(f"  run {run_id(run)}", soft_wrap=True)
        for fault in wrong:
            console.print(plain(f"  {fault}", longest=1000), soft_wrap=True)
        for remark in remarks(run) if not wrong else ():
            text = f"  remark: {remark.who}: {remark.text}"
            console.print(plain(text, longest=4000), soft_wrap=True)
        if not wrong:
            words = "; ".join(leaves.credited(run, frozenset(played.facts(run)))) or "nothing"
            text = f"  believed, because nothing here can show it: {words}."
            if exact:
                text += " --replay makes this boot again." * (not replay)
            if exact and replay:
                text = "  replayed: another boot has said the same, to the byte."
            console.print(plain(text, longest=4000), soft_wrap=True)
        if not wrong and run.unit != SILICON:
            text = "  counted by an emulator: good, and nothing for results/contributed"
            console.print(text, soft_wrap=True)
    return good
