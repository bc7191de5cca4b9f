"""The records that a kernel of this version can send: rows and names, counts and figures.

The tables are the kernel's own (kernel/core/entry/*.def, by kernel_tables.py) and
tests/budgets.toml. They do not apply to files of other versions, and `remarks` says so.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from tollgate import suites
from tollgate.machines.boot import ROOT
from tollgate.records import budgets, derived_budgets, image, parts, retired_instructions, state
from tollgate.records.format import MachineRun, Record
from tollgate.records.kernel_tables import listed
from tollgate.records.rules import (
    CONTROLS,
    PROOF,
    Finding,
    Rule,
    certain,
    detail,
    is_control,
    results,
    segments,
    uncounted,
    who,
)

VERSION = re.search(r'VERSION "(.+)"', (ROOT / "kernel" / "version.h").read_text())[1]  # type: ignore[index]
TABLED = ("toll", "exceptions")
"""Suites with the rows of kernel/core/entry's tables."""
SUITE = "toll,exceptions,faults,usystime"
SAMPLES = 1000
"""Samples of programs if the command line does not say (kernel/config.c)."""
MAX_SAMPLES = 20000
OWN_SAMPLES = {
    "spawn": (200,),
    "web": (200,),
    "copy": (50,),
    "share": (10, 50),
    "latency": (1,),
    "wisconsin": (1,),
}
"""The most samples in a suite's rows, whatever was requested."""
CONDITIONS = ("around",)
"""Suites with one sample per condition."""
NAMED_ALIKE = ("usystime", "switch", "spawn", "starve", "copy", "share", "vsyscall", "web")
"""Suites whose name is their rows' label."""
STAMPS = {"none": 13, "lfence": 14, "rdtscp": 13, "cpuid": 15, "both": 15}
"""Instructions of a time stamp by its fence (kernel/core/entry/asm.inc)."""
WARM_UP, ENTRIES = 100, 20
"""Warm-up calls of a row (user/lib/noise.h) and, after its samples, calls whose entry a breakpoint
counts (user/lib/measure.c)."""
UNLIKE = 2.5
"""A call in a batch and a single call, with its stamps' fences, differ by less."""
QUIET_SECONDS = 3600
"""The longest time that a program may be quiet (kernel/dev/watch.h)."""
NARROW = 32
"""Bins.  Up to this many have a width of 1: with half the width they would still be allowed."""


@lru_cache
def tabled(arch: str) -> Mapping[str, Mapping[str, str]]:
    """The rows of toll and exceptions in the kernel's tables: suite -> id -> label."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in listed(arch):
        found[row.suite][row.id] = row.label
    return found


@lru_cache
def budget_of(suite: str, arch: str) -> Mapping[str, derived_budgets.Budget]:
    """The budgets in tests/budgets.toml for each row of a suite."""
    return budgets.load(suite, arch)


@lru_cache
def ids_of(suite: str, arch: str) -> frozenset[str]:
    """Every possible id in this suite's records; empty if the tables do not list them."""
    own = {*tabled(arch).get(suite, {}), *budget_of(suite, arch)}
    return frozenset({*own, *(budget_of("faults", arch) if suite == "exceptions" else ())})


def label_of(suite: str, name: str, arch: str) -> str | None:
    """The label of a row; None if no table has it."""
    if suite == "control":
        return name.partition("/")[2]
    if suite in NAMED_ALIKE:
        return suite
    if suite == "calls":
        return name.rpartition("/")[2]
    if suite == "exceptions" and name.split("/")[1] in budgets.FAULTS:
        return name.partition("/")[2].removesuffix("-net")  # without the cost of clearing
    return tabled(arch).get(suite, {}).get(name)


def words_of(run: MachineRun) -> dict[str, str]:
    """The words of a boot's command line; the last of a name counts."""
    pairs = (word.partition("=") for word in str(run.run["cmdline"]).split())
    return {name: value for name, _, value in pairs}


def is_ours(run: MachineRun) -> bool:
    """Whether a Tollgate of this version wrote it, not Linux."""
    return bool(run.run["version"] == VERSION and run.run["platform"] != "linux")


def rows_of(run: MachineRun) -> Iterator[Record]:
    """The result records, except controls."""
    return (record for record in results(run) if not is_control(record))


def names(run: MachineRun) -> Iterator[Finding]:
    for record in run.records:
        if record.type not in ("result", "skip") or not is_ours(run):
            continue
        suite, name, arch = record.data["suite"], record.data["id"], run.run["arch"]
        if suite not in (*suites.NAMES, "control"):
            yield record, f"no suite is called {suite!r}"
            continue
        known = set(CONTROLS) if suite == "control" else ids_of(suite, arch)
        near = name.replace("sysenter", "callgate")  # the budgets' processor has no SYSENTER
        free = record.type == "skip" and suite not in TABLED
        if known and not free and not known & {name, near if suite not in TABLED else name}:
            yield record, f"no kernel for {arch} has this row in its suite {suite}"
        label = label_of(suite, name, arch)
        if record.type == "result" and label not in (None, record.data["label"]):
            yield record, f"its label is {label!r}, not {record.data['label']!r}"


def lines(run: MachineRun) -> Iterator[Finding]:
    """The words of the command line must agree with the record."""
    words, said = words_of(run), run.run
    told = {
        "platform": said["platform"],
        "model": said["cpu_model"],
        "emulator": said["tools"].get("emulator", ""),
        "fence": said["fence"],
    }
    default = {"platform": "hardware", "model": "", "emulator": ""}
    if said["arch"] == "amd64":
        default["fence"] = "lfence"  # the kernel's choice with SSE2
    if not is_ours(run):
        return
    for word, value in told.items():
        asked = words.get(word, default.get(word, value))
        if asked != value:
            yield run.records[0], f"{word} is {value!r}, by the command line {asked!r}"
    asked_for = words.get("suite", SUITE).split(",")
    allowed = {"exceptions" if name == "faults" else name for name in asked_for}
    allowed |= {"control", "clock"}  # the clock's rate may be noisy, too
    for record in run.records:
        if record.type in ("result", "skip", "noisy") and record.data["suite"] not in allowed:
            yield record, f"the command line asks for {', '.join(asked_for)}, not for this suite"
            break


MAKERS = ("GenuineIntel", "AuthenticAMD")
"""Emulators' models of these have every way in that neither CPUID nor lacks() excludes."""


def lacks(run: MachineRun, name: str) -> bool:
    """Whether the processor's vendor lacks the way in of a row's id."""
    amd = run.run["cpu"].get("vendor") in ("AuthenticAMD", "HygonGenuine")
    if amd:
        return "sysenter" in name and run.run["arch"] == "amd64"
    return "syscall" in name and (run.run["arch"] == "i386" or name.startswith("compat/"))


def whole(run: MachineRun) -> Iterator[Finding]:
    """Every row of a requested suite is present or has a reason."""
    words = words_of(run)
    if not is_ours(run) or run.end is None or words.get("only"):
        return
    arch = run.run["arch"]
    suites_asked = str(run.run.get("part", words.get("suite", SUITE)))
    for suite in suites_asked.split(","):
        kept = "exceptions" if suite == "faults" else suite
        there = {
            r.data["id"]
            for r in run.records
            if r.type in ("result", "skip") and r.data["suite"] == kept
        }
        tables = tabled(arch)[suite] if suite in TABLED else budget_of(suite, arch)
        wanted = {row for row in tables if parts.asked(words.get("parts", ""), row)}
        lost = sorted(name for name in wanted - there if suite in TABLED or not lacks(run, name))
        if lost:
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            yield None, f"the suite {suite} has no {lost[0]}{more}, and no reason why"


def samples(run: MachineRun) -> Iterator[Finding]:
    asked = words_of(run).get("samples", str(SAMPLES))
    if not is_ours(run):
        return
    for record in results(run):
        n, suite = record.data["n"], record.data["suite"]
        own = OWN_SAMPLES.get(suite, ())
        if n > MAX_SAMPLES:
            yield record, f"n is {n}: a program has room for {MAX_SAMPLES}"
        elif asked.isdigit() and n not in (*own, int(asked)) and suite not in CONDITIONS:
            yield record, f"n is {n}: {asked} samples were asked for"


def means(run: MachineRun) -> Iterator[Finding]:
    """If every bin is one value wide, the histogram contains every sample."""
    for record in results(run):
        data = record.data
        bins = data.get("histogram", [])
        if not bins or len(bins) > NARROW or not is_ours(run):
            continue
        edges = {edge for edge, _ in bins}
        for name in ("median", "p90", "p99", "max"):
            if data[name] not in edges:
                yield record, f"{name} is {data[name]}, and no sample is"
        total = sum(edge * count for edge, count in bins)
        mean = total / data["n"]
        if abs(mean - data["mean"]) >= 0.011:
            yield record, f"the mean is {data['mean']}, of its samples {mean:.2f}"


def widths(run: MachineRun) -> Iterator[Finding]:
    """All bins of a histogram have the same width, a power of two, and contain the mean."""
    for record in results(run):
        data = record.data
        bins = data.get("histogram", [])
        if len(bins) <= NARROW or not is_ours(run):
            continue
        steps = [high - low for (low, _), (high, _) in pairwise(bins)]
        width = 1
        while steps and all(step % (2 * width) == 0 for step in steps):
            width *= 2
        low = sum(edge * count for edge, count in bins) / data["n"]
        if not low - 0.011 <= data["mean"] <= low + width - 1 + 0.011:
            least, most = f"{low:.2f}", f"{low + width - 1:.2f}"
            yield record, f"the mean is {data['mean']}, by its bins from {least} to {most}"


def probes(run: MachineRun) -> Iterator[Finding]:
    """A program calibrates once: all its rows have the same cost of a stamp."""
    if not is_ours(run):
        return
    for part in segments(run):
        rows = [r for r in part if r.type == "result" and "probe" in r.data]
        usual = STAMPS.get(run.run["fence"]) if run.unit == "instructions" else None
        for record in rows:
            first = usual if usual is not None else rows[0].data["probe"]
            if record.data["probe"] != first:
                yield record, f"its probe is {record.data['probe']}, not {first}"


def batches(run: MachineRun) -> Iterator[Finding]:
    """In instructions a call costs the same in a batch; an IPI needs two more."""
    for record in rows_of(run):
        data = record.data
        if "batch" not in data or not is_ours(run):
            continue
        own = data["median"] + (2 if "/selfint/" in data["id"] else 0)
        if run.unit == "instructions" and data["batch"] != own:
            yield record, f"its batch is {data['batch']}, not {own}"
    for record in certain(run) if is_ours(run) and run.unit != "instructions" else ():
        if record.data.get("batch", 0) < 0:
            yield record, f"its batch is {record.data['batch']}"


def entries(run: MachineRun) -> Iterator[Finding]:
    """`control/entered` counts every call of every row."""
    for part in segments(run):
        rows = [r for r in part if r.type == "result" and "sections" in r.data]
        check = next((r for r in part if who(r) == "control/entered"), None)
        if check is None or not is_ours(run):
            continue
        said = {word: int(made) for _, made, word in PROOF.findall(detail(check))}
        calls = next((r.data["n"] for r in part if r.type == "result"), 0) + WARM_UP
        answer = sum(r.data["suite"] == "toll" and not who(r).endswith("/bare") for r in rows)
        made = {
            "answered": calls * answer,
            "stamped": calls * len(rows),
            # the calibration and two controls; with an offset a third one
            "fresh": calls * (len(rows) + 3 + ("offset" in run.run)),
        }
        exactly = run.unit == "instructions"
        for word, count in made.items():
            got = said.get(word, 0)
            if got != count if exactly else got < count:
                yield check, f"{word}: {got} calls, where {len(rows)} rows make {count}"
        seen = ENTRIES * sum("/db/" not in who(r) for r in rows)
        if said.get("entered", 0) != seen and not uncounted(part):
            yield check, f"entered: {said.get('entered', 0)}, where {len(rows)} rows make {seen}"


def quiet(run: MachineRun) -> Iterator[Finding]:
    """A program may be quiet for an hour of the real-time clock, if anything can end it."""
    said, hertz = run.run.get("quiet", 0), run.run["tsc_hz"]
    if is_ours(run) and (
        said % QUIET_SECONDS or (said and hertz and said != hertz * QUIET_SECONDS)
    ):
        yield run.records[0], f"quiet is {said}, which is no hour of the real-time clock"


def skips(run: MachineRun) -> Iterator[Finding]:
    """A way in that the vendor lacks is skipped, only for this vendor's reason."""
    vendor = run.run["cpu"].get("vendor")
    for record in run.records if is_ours(run) else ():
        lacking = record.type in ("result", "skip") and lacks(run, who(record))
        reason = str(record.data.get("reason", ""))
        if record.type == "result" and lacking and record.data["suite"] in ("toll", "vsyscall"):
            yield record, f"{vendor} has no such way in {run.run['arch']}"
        elif record.type == "skip" and reason.startswith(("AMD:", "Intel:")) and not lacking:
            yield record, f"the reason is another vendor's: {vendor} has made this processor"
        elif budgets.TRIED in reason and vendor in MAKERS and run.unit == "instructions":
            yield record, f"{vendor} has this way in, and tried at the boot it failed"


def doubles(run: MachineRun, earlier: Iterable[MachineRun]) -> Iterator[Finding]:
    """Two boots cannot have identical samples of a clock."""
    lines_of = [r.stored() for r in run.records]
    if run.unit == "instructions" or not run.results:
        return
    for other in earlier:
        if [r.stored() for r in other.records] == lines_of:
            yield run.records[0], "the same boot stands twice in this file"


def is_budgeted(run: MachineRun, row: Mapping[str, Any]) -> bool:
    """Whether tests/budgets.toml applies to a row: by its machine, if the processor matters."""
    if run.unit != "instructions" or not is_ours(run):
        return False
    if row["suite"] in TABLED and "sections" in row:
        return True
    if run.run["platform"] != "qemu-icount" or row["n"] == 1:
        return False
    return str(run.run["cpu_model"]) == ("Skylake-Client" if "sysenter" in row["id"] else "EPYC")


def stopped(record: Record) -> bool:
    """Whether the row has a stopped instruction, which Bochs counts and QEMU does not."""
    return record.data["id"].split("/")[1] in ("db", "gp", "pf")


def off_budget(run: MachineRun, exactly: bool) -> Iterator[Finding]:
    """Rows whose cost differs from tests/budgets.toml.

    `exactly`: rows with a figure for this compiler or for all; otherwise rows with only bounds,
    which another compiler may exceed.
    """
    arch, compiler = run.run["arch"], budgets.compiler_of(run.run)
    for record in rows_of(run):
        suite = budgets.suite_of(record.data)
        if suite not in suites.BUDGETED or not is_budgeted(run, record.data):
            continue
        budget = budget_of(suite, arch).get(record.data["id"])
        if str(run.run["platform"]) == "bochs" and isinstance(budget, list) and stopped(record):
            budget = [budget[0] + 1, budget[1] + 1, *budget[2:]]
        if budget is None or (isinstance(budget, list) or compiler in budget) != exactly:
            continue
        if text := budgets.wrong(record.data, budget, compiler):
            yield record, f"it costs {text}, says tests/budgets.toml"


def is_built(run: MachineRun) -> bool:
    """Whether this tree built the kernel that a record names."""
    return str(run.run.get("image", {}).get("kernel", "")) in image.built()


def figures(run: MachineRun) -> Iterator[Finding]:
    """The toll's figures depend on the source alone; others on the compiler."""
    if is_built(run):
        yield from off_budget(run, exactly=True)


def compiled(run: MachineRun) -> Iterator[Finding]:
    """The record correctly describes a kernel that is available here."""
    said = run.run.get("image", {})
    path = image.built().get(str(said.get("kernel", "")))
    if path is None:
        return
    if path.parent.name != run.run["arch"]:
        yield run.records[0], f"its kernel is {path.parent.name}'s"
    if not is_ours(run):
        yield run.records[0], f"its kernel is of version {VERSION}"
    held = path.read_bytes()
    for name in ("compiler", "nasm"):
        text = str(run.run["tools"].get(name, ""))
        if text.encode() + b"\0" not in held:
            yield run.records[0], f"its kernel was not made with {name} {text!r}"


RULES = (
    Rule("names", "every id and label is one of this version's tables", names),
    Rule("line", "the command line is what the record says, and only its suites are there", lines),
    Rule("whole", "every row of the suites that were asked for is there, or a reason", whole),
    Rule("samples", "n is what was asked for, and what a program has room for", samples),
    Rule("mean", "mean and quantiles are those of the histogram's samples", means),
    Rule("bins", "the mean agrees with bins of one width", widths),
    Rule("probe", "a program has one cost of a stamp; in instructions its fence's", probes),
    Rule("batch", "in instructions a call in a batch costs what it costs alone", batches),
    Rule("entries", "every call of every row was answered, stamped, fresh and entered", entries),
    Rule("quiet", "the bound of quiet programs is an hour, or nothing ends them", quiet),
    Rule("skips", "a reason fits the processor's vendor", skips),
    Rule("budget", "a kernel that is here costs what tests/budgets.toml says", figures),
    Rule("compiler", "a kernel that is here was made by what the record names", compiled),
)


LABELS = ("platform", "model", "emulator")
"""Words of a command line without an effect."""


def told(run: MachineRun) -> Iterator[str]:
    """Parts of a boot's record that disable a rule, or leave out rows or a source of the rate."""
    said = run.run
    words = [f"{name}={value}" for name, value in words_of(run).items() if name not in LABELS]
    if words:
        yield f"the command line asks for {' '.join(words)}"
    if "offset" in said:
        yield f"each sample read {said['offset']} instructions too many, which are taken off"
    if said.get("insisted"):
        yield "somebody insisted (unit=cycles) that a hypervisor's ticks are cycles"
    if "scanned" in said:
        part = f", of its suite {said['part']} alone" if "part" in said else ""
        yield f"it was read from {said['scanned']} codes on a screen{part}, without histograms"
    if is_ours(run) and said["image"].get("initrd") not in image.trees():
        yield (
            f"its initrd {said['image'].get('initrd', '')[:12] or 'is not named, and'} was not "
            "built here: nobody has looked at the programs that measured"
        )
    yield from state.remarks(run) if is_ours(run) else ()
    for kind in ("noisy", "skip"):
        by: dict[str, list[str]] = defaultdict(list)
        for record in run.records:
            if record.type == kind:
                by[record.data["reason"]].append(who(record))
        for reason, names in by.items():
            yield f"{kind}: {', '.join(names)}: {reason}"


def remarks(run: MachineRun) -> Iterator[Finding]:
    """Facts that break no rule, but that a reader of the figures should know."""
    said = run.run.get("image", {})
    first = run.records[0]
    if run.run["platform"] == "linux":
        return
    yield from ((first, text) for text in told(run))
    if not is_ours(run):
        yield first, f"it is of version {run.run['version']}: its tables are not looked at"
    elif not said.get("kernel"):
        yield first, "the kernel does not say its SHA-256"
    elif not is_built(run):
        yield (
            first,
            f"its kernel {said['kernel'][:12]} is none that was built here: nobody has looked "
            "whether it is of that compiler and costs what it says",
        )
        yield from off_budget(run, exactly=True)
    if is_ours(run):
        yield from off_budget(run, exactly=False)
        if (own := retired_instructions.compared(run.run, (r.data for r in rows_of(run)))).rows:
            yield first, f"{own}"
    for record in rows_of(run):
        batch, median = record.data.get("batch"), record.data["median"]
        if batch is not None and not median / UNLIKE <= batch <= median * UNLIKE:
            yield record, f"a call in a batch takes {batch}, alone {median}"
