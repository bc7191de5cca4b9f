"""Leaves of a record that follow from others, from the kernel's texts, or from its tables.

Each rule belongs to a leaf in the table of leaves.py.  For records of Linux, or of another version,
only the fields are checked.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from tollgate.machines.boot import ROOT
from tollgate.records import budgets, image, kernel_tables, state
from tollgate.records.expected import (
    SUITE,
    TABLED,
    VERSION,
    WARM_UP,
    ids_of,
    is_built,
    is_ours,
    rows_of,
    words_of,
)
from tollgate.records.format import MachineRun, Record
from tollgate.records.leaves import unknown
from tollgate.records.played import facts
from tollgate.records.rules import (
    CONTROLS,
    LENGTHS,
    PROOF,
    WIDE,
    Finding,
    Rule,
    detail,
    is_control,
    results,
    segments,
    too_wide,
    who,
)

CONFIG = (ROOT / "kernel" / "config.c").read_text(encoding="utf-8")
WORDS = frozenset(re.findall(r"\{WORD\((\w+)\)", CONFIG))
"""The possible words on the kernel's command line."""
VALUES = {
    "screen": "all|none",
    "clock": "tsc|ticks",
    "direct": "off",
    "calls": "say",
    "beside": "others",
    "unit": "cycles",
    "retired": "tsc",
    "then": "stop|reset|menu",
    "fence": "none|lfence|both|rdtscp|cpuid",
    "samples": r"[1-9]\d{0,4}",
}
"""Possible values of some words (kernel/config.c)."""
MADE_UP = "the TSC, as the command line says"
ORIGINS = {"user": 0, "compat": 1, "trusted": 2, "kernel": 2}
"""The order of a suite's programs; the third one has two kinds of rows."""
ORDERS = {
    "toll": (("standard", "bare"), ("standard", "nowork")),
    "exceptions": (("move", "plain"), ("task", "plain")),
}
"""Pairs of variants, the first of which costs more: user/suites/toll.c and exceptions.c."""
SLIGHT = ("standard", "nowork")
"""A difference so small that only a count of instructions shows it."""
NESTED = ("bare", "service", "nowork", "standard")
"""Each variant contains the paths of those before it (user/lib/measure.c)."""
TRIES, FREE, SHARE = 4, 25, 4
"""NOISE_TRIES, NOISE_FREE and NOISE_SHARE of user/lib/noise.h."""
USUAL = 88
"""Percent of its speed at which a machine does not count as slow (NOISE_SPEED)."""
NEAR = 2000
"""Windows of the PIT agree within one part in this many (kernel/unix/clock/rate.c)."""
NEEDED: Mapping[str, Mapping[str, Any]] = {
    "run": {
        "image": {"kernel": str, "initrd": str},
        "clock": {
            **dict.fromkeys(("by", "core", "turbo", "retired", "microcode"), str),
            **dict.fromkeys(("arch_capabilities", "spec_ctrl"), str),
            **dict.fromkeys(("nominal_hz", "base_hz", "apic_hz", "rtc_hz"), int),
            **dict.fromkeys(("smis", "core_type"), int),
            **dict.fromkeys(("invariant", "sleeps_deep"), bool),
            "pit_hz": list,
        },
        "cpu": {"stepping": int},
        "tools": {"emulator": str, "compiler": str, "nasm": str},
    },
    "result": {"disturbed": int, "repeated": int},
}
"""Fields that every kernel of this version writes, besides those in fields.py."""


def unlike(value: Any, kind: Any) -> str | None:
    """The fault of a field: missing, or of another type; empty: the field itself."""
    if not isinstance(kind, dict):
        return None if type(value) is kind else ""
    if not isinstance(value, dict):
        return ""
    return next((name for name in kind if unlike(value.get(name), kind[name]) is not None), None)


STATE: Mapping[str, Any] = {**dict.fromkeys((*state.REGISTERS, *state.NAMES), str), "cpuid": list}
"""The state, which every kernel of this version writes but the core alone, which has no initrd."""


def fields(run: MachineRun) -> Iterator[Finding]:
    for record in run.records:
        others = run.run["version"] != VERSION
        for path in () if others else dict.fromkeys(unknown(record.data)):
            yield record, f"no kernel writes {path!r} there"
        needed: Mapping[str, Any] = NEEDED.get(record.type, {}) if is_ours(run) else {}
        for name, kind in needed.items():
            wrong = unlike(record.data.get(name), kind)
            if wrong is not None:
                yield record, f"every kernel writes {f'{name}.{wrong}'.rstrip('.')}"
        timed = run.unit != "instructions" or run.run.get("image", {}).get("initrd")
        asked = record.type == "run" and is_ours(run) and ("state" in run.run or timed)
        if asked and (wrong := unlike(run.run.get("state"), STATE)) is not None:
            yield record, f"every kernel writes {f'state.{wrong}'.rstrip('.')}"
    for record in results(run) if is_ours(run) else ():
        data = record.data
        if budgets.suite_of(data) in TABLED and "sections" not in data:
            yield record, "a row of this suite has sections"
        if run.unit != "instructions" and not {"low", "high"} <= data.keys():
            yield record, "where time is counted a median has an interval"
        missing = {"client", "server", "kernel", "entry"} - data.keys()
        if data["suite"] == "web" and "calls" in data and missing:
            yield record, f"what its calls did has no {min(missing)}"
        if data["suite"] == "around" and not {"plain", "condition"} <= data.keys():
            yield record, "a row of this suite has plain, and a condition"


def stated(run: MachineRun) -> Iterator[Finding]:
    """The machine's state contradicts neither itself nor the processor."""
    for text in state.contradictions(run) if is_ours(run) and "state" in run.run else ():
        yield run.records[0], text


def command(run: MachineRun) -> Iterator[Finding]:
    """Words that the kernel would have refused; of two with the same name the last counts."""
    pairs = [word.partition("=") for word in str(run.run["cmdline"]).split()]
    for name, _, value in pairs if is_ours(run) else ():
        if name not in WORDS or not re.fullmatch(VALUES.get(name, ".+"), value):
            yield run.records[0], f"no kernel understands {name}={value} on its command line"
    names = [name for name, _, _ in pairs]
    for name in sorted({name for name in names if names.count(name) > 1} if is_ours(run) else ()):
        yield run.records[0], f"the command line says {name}= twice"


def units(run: MachineRun) -> Iterator[Finding]:
    """The effects of the command line on the unit (kernel/toll/counter.c)."""
    said, words = run.run, words_of(run)
    beneath = said["hypervisor"] or str(said["platform"]).startswith(("qemu", "bochs"))
    asked = words.get("unit") == "cycles" and run.unit == "cycles"
    if not is_ours(run):
        return
    if said.get("insisted", True) is not True or bool(said.get("insisted")) > asked:
        yield run.records[0], "nobody has insisted by unit=cycles"
    elif asked and beneath and not said.get("insisted"):
        yield run.records[0], "unit=cycles insists, and the record does not say so"
    if run.unit == "cycles" and beneath and not asked:
        yield run.records[0], f"beneath {said['hypervisor']!r} the kernel counts host ticks"
    if words.get("retired") != "tsc" and said["clock"].get("retired") == MADE_UP:
        yield run.records[0], f"retired=tsc is not said, and the counter is {MADE_UP}"


def found_rate(windows: list[int]) -> int:
    """The rate that kernel/unix/clock/rate.c chooses; 0 if no three windows agree."""
    ordered = sorted(windows)
    for low, middle, high in zip(ordered, ordered[1:], ordered[2:], strict=False):
        if (high - low) * NEAR <= low:
            return middle
    return 0


def rate(run: MachineRun) -> Iterator[Finding]:
    said, first = run.run, run.records[0]
    if not is_ours(run):
        return
    clock, hertz = said["clock"], said["tsc_hz"]
    doubted = any(noisy["id"] == "rate" for noisy in run.noisy)
    if "quiet" not in said and not doubted:
        yield first, "it does not say how long a program can be quiet"
    if run.unit == "instructions":
        for name, value in (("tsc_hz", hertz), *((n, clock.get(n)) for n in clock if "_hz" in n)):
            if value and name not in ("nominal_hz", "base_hz"):
                yield first, f"where instructions are counted {name} is nothing, not {value}"
        return
    windows = found_rate(clock.get("pit_hz", []))
    if clock["by"] == "the PIT" and hertz != windows and not doubted:
        yield first, f"its rate is {hertz} Hz, by the windows of the PIT {windows} Hz"
    if clock["by"] == "CPUID.15H" and hertz != clock["nominal_hz"]:
        yield first, f"its rate is {hertz} Hz, and CPUID.15H says {clock['nominal_hz']} Hz"
    if clock["by"] not in ("the PIT", "CPUID.15H", "the real-time clock", ""):
        yield first, f"no kernel takes its rate by {clock['by']!r}"


def counted(run: MachineRun) -> bool:
    """Whether rows state their share of the core's clock."""
    clock = run.run["clock"]
    return bool(clock.get("core") or clock.get("retired") or clock.get("smis", -1) >= 0)


def tries(run: MachineRun) -> Iterator[Finding]:
    """Checks the counts of repeated samples and tries, and what the processor counted meanwhile."""
    if not is_ours(run):
        return
    exact, core = run.unit == "instructions", run.run["clock"].get("core")
    spent = counted(run) and not exact
    for record in results(run):
        data = record.data
        again, thrown = data.get("repeated", 0), data.get("disturbed", 0)
        most = 0 if exact else (again + 1) * 4 * (FREE + (data["n"] + WARM_UP) // SHARE)
        if not 0 <= again <= (0 if exact else TRIES):
            yield record, f"it was taken again {again} times"
        if not 0 <= thrown <= most:
            yield record, f"{thrown} disturbed samples: {most} are taken again at most"
        for name in ("core", "reference", "smis"):
            if (name in data) != spent:
                yield record, f"{name} is there where the run record has such a counter"
            elif spent and name != "smis" and not core and data[name]:
                yield record, f"{name} is {data[name]}, and nobody counts it"
        if data.get("smis"):
            yield record, f"{data['smis']} system-management interrupts came while it was timed"
        if "retired" in data and not run.run["clock"].get("retired"):
            yield record, "nobody counts the instructions that the processor retires"
    began = run.run["clock"].get("smis", -1)
    ended = run.end.get("smis", -1) if run.end else None
    apart = ended is not None and (ended < began or (bool(facts(run)) and ended != began))
    if apart or (ended is not None and (began < 0) != (ended < 0)):
        yield None, f"{began} system-management interrupts at its begin, {ended} at its end"


def stamped(run: MachineRun) -> Iterator[Finding]:
    """With a clock: each try of a row calls its probed copy as often, and once more for each
    disturbed sample."""
    for part in segments(run) if is_ours(run) and run.unit != "instructions" else ():
        rows = [r.data for r in part if r.type == "result" and "sections" in r.data]
        check = next((r for r in part if who(r) == "control/entered"), None)
        if check is None:
            continue
        made = {word: int(of) for _, of, word in PROOF.findall(detail(check))}.get("stamped", 0)
        least = sum((row["n"] + WARM_UP) * (1 + row.get("repeated", 0)) for row in rows)
        most = least + sum(row.get("disturbed", 0) for row in rows)
        if not least <= made <= most:
            yield check, f"stamped: {made} calls, where its rows make {least} to {most}"


def above(more: float, less: float, stamp: float) -> bool:
    """Like noise_above() in user/lib/noise.c: by more than equal rows may differ."""
    return more - less > max(less, 0) // WIDE + stamp // 4


def doubt(data: Mapping[str, Any]) -> str:
    """Why a row with sections is uncertain by its own figures (user/lib/measure.c), or ""."""
    stamp, batch = data["probe"], data["batch"]
    if abs(data["residue"]) > 8 * stamp + max(data["median"], 0) // 4:
        return f"its residue {data['residue']} is more than its probes explain"
    if batch < 0:
        return "a call in a batch takes less than nothing"
    if above(data["median"], int(batch * 1.5) + stamp, stamp):
        return f"its batch {batch} does not bear out {data['median']}"
    if data["median"] < stamp - stamp // 4:
        return f"it takes {data['median']}, less than 3/4 of a stamp"
    return ""


def ways(rows: list[Record]) -> dict[str, dict[str, Record]]:
    """The rows of each mechanism, such as `user/int`, by variant."""
    found: dict[str, dict[str, Record]] = {}
    for record in rows:
        way, _, variant = record.data["id"].rpartition("/")
        found.setdefault(way, {})[variant] = record
    return found


def contradicted(run: MachineRun) -> Iterator[tuple[Record, Record]]:
    """Rows that cost more than one whose path contains theirs."""
    rows = [r for r in rows_of(run) if "probe" in r.data and r.data["suite"] == "toll"]
    for way in ways(rows).values():
        there = [way[name] for name in NESTED if name in way]
        for place, inner in enumerate(there):
            for outer in there[place + 1 :]:
                if above(inner.data["median"], outer.data["median"], outer.data["probe"]):
                    yield inner, outer


def marks(run: MachineRun) -> Iterator[Finding]:
    """A row is noisy for a stated reason, and only then."""
    if not is_ours(run):
        return
    exact, doubts = run.unit == "instructions", run.doubts
    rows = {(r.data["suite"], r.data["id"]): r for r in results(run)}
    for record in run.records:
        key = (record.data.get("suite"), record.data.get("id"))
        if record.type != "noisy" or key[0] in ("control", "clock"):
            continue
        if key not in rows or (exact and "offset" not in run.run):
            yield record, "nothing is noisy that is not there, or that counts instructions"
        elif text := groundless(run, rows[key].data, str(record.data["reason"])):
            yield record, text
    for record in rows_of(run) if not exact else ():
        data = record.data
        if (data["suite"], data["id"]) not in doubts and "probe" in data and doubt(data):
            yield record, f"{doubt(data)}, and it is not said to be noisy"
    for inner, outer in contradicted(run) if not exact else ():
        if not {("toll", inner.data["id"]), ("toll", outer.data["id"])} & doubts.keys():
            yield (
                inner,
                f"it takes {inner.data['median']}, and {outer.data['id']}, which contains it, "
                f"{outer.data['median']}; neither is said to be noisy",
            )


def groundless(run: MachineRun, data: Mapping[str, Any], reason: str) -> str:
    """Evidence against the reason for a noisy row, or ""."""
    stamp = data.get("probe", 0)
    speed = re.fullmatch(r"the machine ran at (\d+) % of its speed", reason)
    other = re.search(r"that of (\S+), which takes (longer|less)$", reason)
    sides = [pair for pair in contradicted(run) if data["id"] in map(who, pair)] if other else []
    wide = {"low": 0, "high": 0, "probe": 0, **data}
    holds = {
        "interval is wider": too_wide(wide).startswith("its median"),
        "half as long again": too_wide({**wide, "low": 0, "high": 0}).startswith("p90"),
        "3/4 of a stamp": data["median"] < stamp - stamp // 4,
        "less than nothing": data.get("batch", 0) < 0,
        "its residue": "probe" in data and "residue" in doubt(data),
        "second witness": "probe" in data and "batch" in doubt(data),
        "below zero": data["min"] < 0,
        "were disturbed": data.get("disturbed", 0) > FREE,
        "the offset of": "offset" in run.run,
        "% of its speed": bool(speed) and int(speed[1] if speed else 0) < USUAL,
        "has become faster": True,
        "two measurings": data.get("repeated", 0) > 0,
        "which takes": bool(sides),
    }
    for words, true in holds.items():
        if words in reason:
            return "" if true else f"it is not so that {reason}"
    return f"no kernel calls a row noisy because {reason!r}"


def checks(run: MachineRun) -> Iterator[Finding]:
    """The results of a measuring program's checks follow from its rows."""
    for part in segments(run) if is_ours(run) else ():
        rows = {r.data["id"]: r.data for r in part if r.type == "result"}
        tabled = {name: row for name, row in rows.items() if "sections" in row}
        said = [(str(r.data["name"]), r) for r in part if r.type == "check"]
        exact = run.unit == "instructions"
        for name, length in LENGTHS.items():
            wanted = f"{rows[name]['median']} of {length}" if name in rows else ""
            for check in [r for each, r in said if each == name and detail(r) != wanted]:
                yield check, f"it says {detail(check)!r}; its figure is {wanted or 'not there'}"
        for name in tabled if exact else ():
            if [detail(r) for each, r in said if each == name] != ["residue 0, spread 0"]:
                yield None, f"no check says of {name} that it has no residue and no spread"
        for check in [r for each, r in said if each == CONTROLS[-1]]:
            if detail(check) not in (orders := orders_of(part, exact)):
                yield check, f"it says {detail(check)!r}; by its rows {' or '.join(orders)!r}"
        for name, check in said:
            ours = name in (CONTROLS if CONTROLS[-1] in dict(said) else ())
            row = (tabled and name in ids_of("toll", run.run["arch"])) or not others(run)
            if row and not ours and not (exact and name in tabled):
                yield check, "no program of these suites checks this"


def others(run: MachineRun) -> bool:
    """Whether programs with checks of their own were requested."""
    asked = words_of(run).get("suite", SUITE).split(",")
    return bool({*asked} - {*TABLED, "faults", "usystime", "calls", "vsyscall"})


def orders_of(part: list[Record], exact: bool) -> list[str]:
    """Possible values of `control/order` for a program's rows; without rows, of either suite."""
    rows = [r for r in part if r.type == "result" and "sections" in r.data]
    told = []
    for suite in {r.data["suite"] for r in rows} or ORDERS:
        shown = [order for order in ORDERS[suite] if exact or order != SLIGHT]
        count = sum(any({*order} <= way.keys() for order in shown) for way in ways(rows).values())
        told.append("{0[0]} above {0[1]} in {1} of {1} mechanisms".format(shown[0], count))
    return told


def own(run: MachineRun) -> Iterator[Finding]:
    """Keys that only some suites have."""
    plain: dict[str, float] = {}
    for record in results(run) if is_ours(run) else ():
        data = record.data
        if "client" in data:
            parts = sum(data.get(name, 0) for name in ("client", "server", "kernel"))
            if parts != data["median"]:
                yield record, f"client, server and kernel are {parts}, not {data['median']}"
        if "bytes" in data and str(data["bytes"]) != who(record).split("/")[2].partition("-")[0]:
            yield record, f"{data['bytes']} bytes are not what its id says"
        if "plain" in data:
            origin, _, path = who(record).split("/", 2)
            usual = plain.setdefault(f"{origin}/{path}", data["plain"])
            if data["plain"] != usual:
                yield record, f"plain is {data['plain']}, and {usual} in another row of this path"
        if "spared" in data and not re.search(r"[+@]", who(record)):
            yield record, "only a row with parts around it is spared one"
        moved = words_of(run).get("only", "").startswith("align")
        if "sections" in data and ("places" in data) != moved:
            yield record, "an entry is at every place where only=align asks for it, and only there"


def sequence(run: MachineRun) -> Iterator[Finding]:
    """The suites are in the requested order, their programs in the kernel's, and rows of the
    kernel's tables in the tables' order."""
    if not is_ours(run):
        return
    asked = words_of(run).get("suite", SUITE).split(",")
    tables = {
        suite: [row.id for row in kernel_tables.listed(run.run["arch"]) if row.suite == suite]
        for suite in TABLED
    }
    before = (0, 0, 0)
    for record in run.records:
        if record.type not in ("result", "skip") or is_control(record):
            continue
        suite, name = budgets.suite_of(record.data), str(record.data["id"])
        known = tables.get(suite, [])
        place = (
            asked.index(suite) if suite in asked else 0,
            ORIGINS.get(name.partition("/")[0], 0),
            known.index(name) if name in known else 0,
        )
        if place < before:
            yield record, "it stands behind a record that follows it in the kernel's tables"
        before = place
    for row, mark in pairwise(run.records):
        said = row.type == "result" and ("sections" in row.data or is_control(row))
        exact = run.unit == "instructions" or (said and is_control(row))
        if said and exact and (mark.type, who(mark)) != ("check", who(row)):
            yield row, "its check does not stand behind it"
        if who(row) == CONTROLS[2] and row.type == "check" and who(mark) != CONTROLS[3]:
            yield row, "the check of the order does not stand behind it"
        if mark.type != "noisy" or mark.data["suite"] in ("control", "clock"):
            continue
        if row.type not in ("result", "noisy") and "path" not in mark.data["reason"]:
            yield mark, "it does not stand behind its row"


@lru_cache
def texts(path: Path, initrd: str) -> tuple[bytes, re.Pattern[str]]:
    """The texts of a kernel and its programs, and patterns for their printf texts."""
    bytes_of = path.read_bytes() + image.trees()[initrd]
    whole = set(re.findall(rb"[\x20-\x7e]{3,}(?=\0)", bytes_of))
    formats = []
    for text in (each.decode() for each in whole if b"%" in each):
        parts = re.split(r"%(?:\.\*)?(l*[dux]|s)", text.replace("%%", "%"))
        if 3 < len("".join(parts[::2])) < 200:
            holes = [".+" if kind == "s" else "-?[0-9a-f]+" for kind in parts[1::2]] + [""]
            texts = map(re.escape, parts[::2])
            formats.append("".join(a + b for a, b in zip(texts, holes, strict=True)))
    return b"\0".join(whole) + b"\0", re.compile("|".join(formats))


@lru_cache(maxsize=4096)
def holds(path: Path, initrd: str, text: str) -> bool:
    """Whether a kernel or a program of its initrd contains a text, or the end of one."""
    whole, formats = texts(path, initrd)
    return text.encode() + b"\0" in whole or formats.fullmatch(text) is not None


def has_text(run: MachineRun, text: str) -> bool:
    """Whether a boot's kernel or programs contain a text; true if they are not available."""
    said = run.run["image"]
    path, initrd = image.built().get(str(said["kernel"])), str(said.get("initrd"))
    return path is None or initrd not in image.trees() or holds(path, initrd, text)


def has_list(run: MachineRun, parts: list[str]) -> bool:
    """Whether these parts can be joined to texts in it; some contain a comma."""
    return not parts or any(
        has_text(run, ", ".join(parts[:n])) and has_list(run, parts[n:])
        for n in range(1, len(parts) + 1)
    )


def spoken(run: MachineRun) -> Iterator[Finding]:
    """Texts that an available kernel and its programs can print."""
    if not is_ours(run) or not is_built(run):
        return
    for record in run.records:
        data = record.data
        said = [str(data[key]) for key in ("reason", "detail", "spared") if key in data]
        if record.type == "check" and "/" not in data["name"]:
            said.append(data["name"])
        wrong = [text for text in said if record.type != "outcome" and not has_text(run, text)]
        if not has_list(run, str(data["condition"]).split(", ") if "condition" in data else []):
            wrong.append(data["condition"])
        for text in wrong:
            yield record, f"neither its kernel nor a program of its initrd says {text!r}"


def outcome(run: MachineRun) -> Iterator[Finding]:
    words = words_of(run)
    for record in run.records:
        if record.type != "outcome":
            continue
        data = record.data
        if is_ours(run) and (data["suite"], data["id"]) != (words.get("suite"), words.get("only")):
            yield record, f"the command line asks for {words.get('suite')}, {words.get('only')}"
        reset = data["ended"] == "reset"
        if reset != data["chain"].endswith("triple fault") or (
            reset and data["reason"] != "the guest reset by a triple fault"
        ):
            yield record, f"{data['ended']}: {data['reason']}, by {data['chain'] or 'nothing'}"


RULES = (
    Rule("fields", "every field is one that a kernel of this version writes there", fields),
    Rule("state", "registers and fields agree with the CPUID of the same record", stated),
    Rule("words", "every word of the command line is one that the kernel understands", command),
    Rule("counter", "the command line and a hypervisor make the unit what it is", units),
    Rule("rate", "the counter's rate is that of the windows and clocks that found it", rate),
    Rule("tries", "what was taken again and counted meanwhile is within the bounds", tries),
    Rule("stamps", "in time the calls of control/entered are those of all tries", stamped),
    Rule("marks", "a row is noisy where its figures say so, and only there", marks),
    Rule("checks", "what a check says follows from the rows of its program", checks),
    Rule("own", "keys of one suite agree with its row", own),
    Rule("sequence", "records stand in the order of the suites and of the tables", sequence),
    Rule("texts", "a kernel that is here, or its programs, hold the texts of the record", spoken),
    Rule("outcome", "a boot that was to reset says how", outcome),
)
