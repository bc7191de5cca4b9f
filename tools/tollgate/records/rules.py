"""The rules that every boot's records must keep before their figures are used: a table.

One judge for the report, the comparison and the terminal.  A boot that breaks a rule is unreadable:
the rule, the record and its line in the file are named, and no figure of the boot is drawn.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from tollgate.machines.outcome import Outcome
from tollgate.records.fields import GUEST, PART, SCANNED, check_shape
from tollgate.records.format import MachineRun, Record

ARCHES = ("i386", "amd64")
UNITS = ("instructions", "host ticks", "cycles")
OF_PLATFORM: Mapping[str, tuple[str, ...]] = {
    "qemu-icount": ("instructions",),
    "bochs": ("instructions",),
    "qemu-tcg": ("host ticks",),
    "kvm": ("cycles",),
    "linux": ("host ticks", "instructions"),
}
"""The units of each platform; elsewhere (hardware, or a private label) any of UNITS."""
EMULATORS = ("TCGTCGTCGTCG",)
"""Hypervisor names of emulators: their unit is never cycles."""

QUANTILES = ("min", "median", "p90", "p99", "max")
RANKS = {"median": 50, "p90": 90, "p99": 99}
BINS = 64
LINE = 64
"""Places of an entry in a line of the processor's caches."""
POINTS = tuple(f"MP{number}" for number in range(1, 9))
WIDEST = 1 << 63
"""The first number that does not fit into a record's 64 bits."""

CONTROLS = ("control/empty", "control/loop", "control/entered", "control/order")
LENGTHS = {"control/empty": 0, "control/loop": 2001}
"""Instructions: exact readings of these controls, if instructions are counted."""
PROOF = re.compile(r"(\d+) of (\d+) (?:calls )?(\w+)")
PROOFS = ("answered", "stamped", "fresh", "entered")
"""The counts in `control/entered`. Only the toll has answered calls, and entries counted by
the kernel; every row has stamps."""

RESET = Outcome.RESET.value
CLOSINGS = (["end"], ["outcome"], ["end", "outcome"])
"""How a boot's records may end: with the guest's verdict, the host's if it has none, or both."""

Finding = tuple[Record | None, str]


@dataclass(frozen=True)
class Fault:
    """A broken rule: the record (or the boot), and its line in the file (0: none)."""

    rule: str
    line: int
    who: str
    text: str

    def __str__(self) -> str:
        place = f"line {self.line}, " if self.line else ""
        return f"{place}{self.who}: {self.text} (rule {self.rule})"


@dataclass(frozen=True)
class Rule:
    """`check` yields each fault: the record, and a description."""

    id: str
    says: str
    check: Callable[[MachineRun], Iterator[Finding]]


def who(record: Record) -> str:
    """The name for a record in a sentence."""
    name = record.data.get("id") or record.data.get("name")
    return str(name) if name else f"the {record.type} record"


def results(run: MachineRun) -> Iterator[Record]:
    """The result records."""
    return (record for record in run.records if record.type == "result")


def is_control(record: Record) -> bool:
    """Whether a result, or a noisy item, is a control, not a row."""
    return bool(record.data["suite"] == "control")


def shape(run: MachineRun) -> Iterator[Finding]:
    for record in run.records:
        try:
            check_shape(record.data)
        except ValueError as error:
            yield record, str(error)
    if run.records[0].type != "run":
        yield run.records[0], "the first record of a boot is its run record"
    elif run.run.get("arch") not in ARCHES:
        yield run.records[0], f"there is no kernel for {run.run.get('arch')!r}"


def numbers_in(value: Any) -> Iterator[int | float]:
    """Every number in a record, however deep; true and false are 1 and 0."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(part)


def bits(run: MachineRun) -> Iterator[Finding]:
    for record in run.records:
        wide = [value for value in numbers_in(record.data) if not -WIDEST <= value < WIDEST]
        if wide:
            yield record, f"{wide[0]:.6g} is more than 64 bits hold"


def unit(run: MachineRun) -> Iterator[Finding]:
    record, platform = run.records[0], run.run["platform"]
    known = OF_PLATFORM.get(platform, UNITS)
    if run.unit not in UNITS:
        yield record, f"no unit is called {run.unit!r}"
    elif run.unit not in known:
        yield record, f"{platform} counts {known[0]}, not {run.unit}"
    elif run.unit == "cycles" and run.run["hypervisor"] in EMULATORS:
        yield record, "an emulator's counts are never cycles"
    if run.run["deterministic"] != (run.unit == "instructions"):
        yield record, f"deterministic is {run.run['deterministic']} in {run.unit}"


def order(run: MachineRun) -> Iterator[Finding]:
    for record in results(run):
        data = record.data
        for low, high in pairwise(QUANTILES):
            if data[low] > data[high]:
                yield record, f"{low} {data[low]} is above {high} {data[high]}"
        if not data["min"] <= data["mean"] <= data["max"]:
            yield record, f"the mean {data['mean']} is outside {data['min']} to {data['max']}"


def certain(run: MachineRun) -> Iterator[Record]:
    """The result records of rows that are not noisy."""
    doubts = run.doubts
    for record in results(run):
        if (record.data["suite"], record.data["id"]) not in doubts:
            yield record


def sign(run: MachineRun) -> Iterator[Finding]:
    """The rule of user/lib/result.c: a row below zero is marked as noisy."""
    for record in certain(run):
        data = record.data
        if data["min"] < 0 and not is_control(record):
            name = "median" if data["median"] < 0 else "min"
            yield record, f"{name} is {data[name]}, and it is not said to be noisy"


WIDE = 10
"""NOISE_WIDE of user/lib/noise.h: a tenth."""


def too_wide(data: Mapping[str, Any]) -> str:
    """Why a row's samples leave its median uncertain, as in user/lib/noise.c, or "".

    The cost of a stamp is known for rows with sections.
    """
    stamps = data["probe"] // 4
    if data["high"] - data["low"] > max(data["median"], 0) // WIDE + stamps:
        return f"its median lies between {data['low']} and {data['high']}"
    if data["p90"] - data["min"] > data["min"] // 2 + stamps:
        return f"p90 is {data['p90']} and min {data['min']}"
    return ""


def interval(run: MachineRun) -> Iterator[Finding]:
    """The rule of user/lib/result.c: an interval only if time is counted."""
    doubts = run.doubts
    for record in results(run):
        data = record.data
        if not {"low", "high"} & data.keys():
            continue
        if run.unit == "instructions" or len({"low", "high"} & data.keys()) < 2:
            yield (
                record,
                "an interval has two ends, and where instructions are counted there is none",
            )
        elif not data["low"] <= data["median"] <= data["high"]:
            yield (
                record,
                f"{data['low']} to {data['high']} does not hold its median {data['median']}",
            )
        elif "probe" in data and (data["suite"], data["id"]) not in doubts and too_wide(data):
            yield record, f"{too_wide(data)}, and it is not said to be noisy"


def places(run: MachineRun) -> Iterator[Finding]:
    """The rule of user/suites/toll.c: of all places the best and the worst are measured again."""
    for record in results(run):
        data = record.data
        ends = [data[name] for name in ("best", "worst") if name in data]
        if not ends and "places" not in data:
            continue
        held = data.get("places", [])
        if len(held) != LINE:
            yield record, f"it has {len(held)} places, and a line has {LINE}"
        elif run.unit == "instructions":
            if ends or {*held} != {data["median"]}:
                yield record, "in instructions each place costs its median, and none is the best"
        elif [end["at"] for end in ends] != [held.index(least(held)) for least in (min, max)]:
            yield record, "its best and its worst place are others"
        elif not all(end["low"] <= end["median"] <= end["high"] for end in ends):
            yield record, "the interval of its best or its worst place does not hold the median"


def histogram(run: MachineRun) -> Iterator[Finding]:
    for record in results(run):
        if "histogram" not in record.data:
            if SCANNED not in run.run:
                yield record, "it has no histogram, and only what was scanned has none"
            continue
        problem = wrong_bins(record.data) or wrong_place(record.data)
        if problem:
            yield record, problem


def wrong_bins(data: Mapping[str, Any]) -> str:
    """Faults in n and in the bins themselves."""
    bins, n = data["histogram"], data["n"]
    held = sum(count for _, count in bins)
    if n < 1:
        return f"n is {n}"
    if held != n:
        return f"n is {n}, the histogram holds {held}"
    if len(bins) > BINS:
        return f"the histogram has {len(bins)} bins; {BINS} is the most"
    if any(not isinstance(count, int) or count < 1 for _, count in bins):
        return "a bin of the histogram holds no whole number of samples"
    if any(low >= high for (low, _), (high, _) in pairwise(bins)):
        return "the bins of the histogram do not rise"
    if bins[0][0] != data["min"] or bins[-1][0] > data["max"]:
        return f"the histogram runs from {bins[0][0]}, the samples from {data['min']}"
    return ""


def wrong_place(data: Mapping[str, Any]) -> str:
    """The first order statistic that is not in its bin by nearest rank."""
    bins = data["histogram"]
    for name, percent in RANKS.items():
        place, seen = -(-data["n"] * percent // 100), 0
        for number, (edge, count) in enumerate(bins):
            seen += count
            if seen >= place:
                above = bins[number + 1][0] if number + 1 < len(bins) else data["max"] + 1
                if not edge <= data[name] < above:
                    return f"{name} is {data[name]}, by the histogram from {edge} to below {above}"
                break
    return ""


def sections(run: MachineRun) -> Iterator[Finding]:
    for record in results(run):
        data = record.data
        if "sections" not in data:
            continue
        parts = data["sections"]
        if [(part["from"], part["to"]) for part in parts] != list(pairwise(POINTS)):
            yield record, "its sections are not the seven from MP1 to MP8"
            continue
        missing = [key for key in ("batch", "probe", "residue") if key not in data]
        if missing:
            yield record, f"it has sections and no {missing[0]}"
            continue
        total = sum(part["median"] for part in parts)
        if total + data["residue"] != data["median"]:
            yield (
                record,
                (
                    f"the sections' {total} and the residue {data['residue']} are not the median "
                    f"{data['median']}"
                ),
            )
        for part in parts:
            if part["min"] > part["median"]:
                yield record, f"min of {part['from']}-{part['to']} is above its median"


def exact(run: MachineRun) -> Iterator[Finding]:
    if run.unit != "instructions":
        return
    for record in results(run):
        data = record.data
        if data.get("sections") and data["min"] != data["max"]:
            yield record, f"{data['min']} to {data['max']} instructions: a path has one length"
        if data.get("residue"):
            yield record, f"the residue is {data['residue']} instructions"
        for part in data.get("sections", []):
            if part["min"] < part["median"]:
                yield record, f"{part['from']}-{part['to']} has two lengths"


def unique(run: MachineRun) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for record in run.records:
        if record.type not in ("result", "skip") or record.data["suite"] == "control":
            continue
        key = (record.data["suite"], record.data["id"])
        if key in seen:
            yield record, f"it stands twice in the suite {record.data['suite']}"
        seen.add(key)


def end(run: MachineRun) -> Iterator[Finding]:
    kinds = [record.type for record in run.records]
    closing = [kind for kind in kinds if kind not in GUEST]
    outcome = run.outcome
    if outcome and outcome["ended"] != outcome["expected"]:
        yield run.records[kinds.index("outcome")], f"{outcome['ended']}: {outcome['reason']}"
    elif not run.end and not (outcome and outcome["expected"] == RESET):
        yield None, "there is no end record: the guest crashed, or its output was cut"
    if closing and (closing not in CLOSINGS or kinds[-len(closing) :] != closing):
        yield run.records[-1], "something stands behind the end of its boot"


def records(run: MachineRun) -> Iterator[Finding]:
    counted = run.end or run.outcome
    part = PART in run.run and SCANNED in run.run
    if counted and counted["records"] != run.arrived and not (part and run.lost >= 0):
        yield None, f"{counted['records']} records were sent, {run.arrived} are here"


def failed(run: MachineRun) -> Iterator[Finding]:
    for record in run.records:
        if record.type == "check" and not record.data["ok"]:
            yield record, f"failed: {record.data['detail']}"
    if run.end and run.end["failed"]:
        yield None, f"programs that failed: {run.end['failed']}"


def readable(run: MachineRun) -> Iterator[Finding]:
    if not run.run["readable"]:
        yield run.records[0], "the kernel's own counter is unreadable"


def quiet(run: MachineRun) -> Iterator[Finding]:
    if run.end and "unquiet" in run.end:
        ended = run.end["unquiet"]
        yield None, f"programs that were quiet for too long, and had to be ended: {ended}"


def segments(run: MachineRun) -> Iterator[list[Record]]:
    """The records of each measuring program: its controls up to `control/order`, its last check."""
    part: list[Record] = []
    for record in run.records:
        part.append(record)
        if record.type == "check" and record.data["name"] == CONTROLS[-1]:
            yield part
            part = []
    if part:
        yield part


def controls(run: MachineRun) -> Iterator[Finding]:
    for record in run.records:
        if record.type == "noisy" and is_control(record):
            yield record, f"it has moved: {record.data['reason']}"
    for part in segments(run):
        rows = [r for r in part if r.type == "result" and "sections" in r.data]
        controls = [r for r in part if who(r) in CONTROLS and r.type != "noisy"]
        if rows or controls:
            yield from wrong_controls(run.unit, rows, controls)


def wrong_controls(unit: str, rows: list[Record], named: list[Record]) -> Iterator[Finding]:
    """Faults in one program's controls, compared with its rows, if any."""
    for record, again in combinations(named, 2):
        if (record.type, who(record)) == (again.type, who(again)):
            yield again, "it stands twice among the records of one program"
    checks = {r.data["name"]: r for r in named if r.type == "check"}
    read = {r.data["id"]: r for r in named if r.type == "result"}
    first = (rows or named)[0]
    for name in CONTROLS:
        if name not in checks:
            yield first, f"no check {name} stands with it"
    for name, length in LENGTHS.items():
        if name not in read:
            yield first, f"no figure of {name} stands with it"
        elif unit == "instructions" and {read[name].data[q] for q in QUANTILES} != {length}:
            yield read[name], f"{read[name].data['median']} instructions, not {length}"
    if entered := checks.get("control/entered"):
        yield from wrong_entries(entered, rows, counted=not uncounted(named))


def uncounted(part: Iterable[Record]) -> bool:
    """Whether the machine has no breakpoints, with which the kernel counts entries."""
    return any(r.type == "skip" and who(r) == "control/entered" for r in part)


def detail(check: Record) -> str:
    """The detail of a check."""
    return str(check.data["detail"])


def wrong_entries(entered: Record, rows: list[Record], counted: bool) -> Iterator[Finding]:
    """Calls and rounds must have happened, and all must have been seen; entries if `counted`."""
    said = {word: (int(good), int(made)) for good, made, word in PROOF.findall(detail(entered))}
    toll = any(r.data["suite"] == "toll" and not r.data["id"].endswith("/bare") for r in rows)
    for word in PROOFS:
        good, made = said.get(word, (0, 0))
        must = (toll or word in ("stamped", "fresh")) and (counted or word != "entered")
        if word not in said or good != made or (must and rows and not made):
            yield entered, f"{word}: {good} of {made}, which proves nothing"


RULES = (
    Rule("shape", "a record has the fields of its type, and the run record comes first", shape),
    Rule("bits", "numbers are within 64 bits", bits),
    Rule("unit", "the unit is known, and the platform's", unit),
    Rule("order", "min, median, p90, p99 and max rise, and the mean lies between", order),
    Rule("sign", "a row with a sample below 0 is said to be noisy", sign),
    Rule("interval", "a median's interval holds it, and a wide one is said to be noisy", interval),
    Rule("places", "an entry's best and worst place are those of all 64, with intervals", places),
    Rule("histogram", "bins add up to n, and agree with quantiles; scans have none", histogram),
    Rule("sections", "seven sections add up to the median less the residue", sections),
    Rule("exact", "in instructions a row with sections has no spread and no residue", exact),
    Rule("unique", "an id is in its suite once", unique),
    Rule("end", "an end record closes the boot, or the outcome that was expected", end),
    Rule("records", "no record is missing", records),
    Rule("failed", "no check and no program has failed", failed),
    Rule("readable", "the kernel's counter counted", readable),
    Rule("quiet", "no program was quiet for so long that it had to be ended", quiet),
    Rule("controls", "rows with sections have four controls, which hold and stay", controls),
)
"""The rules, in the order in which they are checked."""
OF_LINES = {"json": "a JSON object, no number above 32 characters", "crc": "there, and right"}
"""The rules for a file's lines, which are checked before."""


def faults(run: MachineRun) -> list[Fault]:
    """Every rule that a boot's records break; none = its figures may be used."""
    found = [Fault(d.rule, d.line, "a record", d.reason) for d in run.damage]
    for rule in RULES:
        broken = list(rule.check(run))
        for record, text in broken:
            line, name = (record.line, who(record)) if record else (run.records[0].line, "the boot")
            found.append(Fault(rule.id, line, name, text))
        if broken and rule.id == "shape":
            break  # the other rules rely on it
    return found


def told(run: MachineRun, most: int = 5) -> str:
    """The faults of a boot in one phrase; empty if its figures may be used."""
    found = faults(run)
    more = [f"and {len(found) - most} more"] if len(found) > most else []
    return "; ".join([*map(str, found[:most]), *more])
