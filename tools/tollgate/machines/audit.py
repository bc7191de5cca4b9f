"""`make audit`: measures every figure again, by a meter that is independent of time-stamp counters.

QEMU runs the bench with a TCG plugin (tools/audit/meter.c) that counts the instructions it begins,
and writes down the count at measuring points: the eight points of every row's probed copies, the
clean halves, the RDTSC instructions of programs and of the kernel, and the function that takes a
record, which ends the part of the log for that record's row.  A record's figures are then compared
with the counts: minimum, median, p90, p99, maximum, n, the seven sections, the probe, the residue
and the batch.

An instruction that memory or a selector stops begins twice.  The plugin counts both, QEMU's counter
does not, so a row of page faults is one short for each.  These are counted, too, and printed by
row.

The rows of `latency` are maxima: another plugin (tools/audit/stretch.c) reads RFLAGS.IF, and must
find a stretch of that length.
"""

import bisect
import re
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console

from tollgate.bench import check_suites
from tollgate.errors import Exit, TollgateError, UsageError
from tollgate.machines import audit_around, cpio
from tollgate.machines.boot import ARCHES, BUILD, INITRD, ROOT, Boot, disk_for
from tollgate.machines.cleanup import folder
from tollgate.machines.emulator import run_boot
from tollgate.machines.outcome import Outcome
from tollgate.machines.platforms import DEFAULT_MACHINES, QEMU, find, require
from tollgate.machines.qemu_plugin import build_plugin
from tollgate.printable import plain
from tollgate.records.expected import ENTRIES, WARM_UP
from tollgate.records.format import MachineRun, Record

METER = ROOT / "tools" / "audit" / "meter.c"
STRETCH = ROOT / "tools" / "audit" / "stretch.c"
BENCHES = (
    (
        "toll,exceptions,faults,usystime,calls,switch,spawn,starve,ladder,files,copy,html,vsyscall",
        10,
    ),
    ("share", 2),
    ("around", 10),
    ("latency", 1),
)
"""Suites, and their samples.  `latency`, whose rows are maxima, has a meter of its own."""
DEEDS = "areas"
"""The call of `latency` that is counted here: the others take minutes, and
tests/core/test_latency.py counts them."""
RUNS = ("latency", "attack", "torture")
"""Programs that this suite runs."""
FOLDERS = {"i386": ("bin", "trusted"), "amd64": ("bin", "compat", "trusted")}
"""The folders of each origin's programs."""
APART = 150
"""Instructions of an entry and an exit, which the kernel's meter does not include (toll/latency.c).
"""
LEAST = 100
"""The plugin logs stretches of at least this many instructions with interrupts off."""
SAMPLES = 10
"""Samples for suites named by the user."""
BOUNDARY = "console_record"
"""The kernel's function that takes each record, its own and programs'."""
FAULTS = ("page_fault", "trap_error", "task_double_fault")
"""Kernel entries (vectors.asm) for instructions that memory stopped."""
VECTORS = tuple(f"vector_{ist}{n}" for ist in ("", "ist_") for n in (13, 14))
"""The symbols where the processor enters, without a task switch."""
STEPS = ("vector_1", "vector_ist_1", "debug_task")
"""The entries for a single step."""
AROUND = 3
"""Steps of stepped_call() (user/lib/signals.asm) after the function, minus the calling one."""
STOPPED = {"pf": 1, "gp": 1}
"""Exceptions whose rows have other gates: instructions that memory or a selector stops."""

Span = tuple[int, int, int]
"""A span between two points: instructions, stopped ones, and positions in the log."""


@lru_cache
def symbols(path: Path) -> tuple[tuple[int, str], ...]:
    """The code symbols of a file, by address."""
    text = subprocess.run(
        ["nm", "--defined-only", path], capture_output=True, text=True, check=True
    ).stdout
    words = (line.split() for line in text.splitlines())
    return tuple(sorted((int(w[0], 16), w[2]) for w in words if len(w) == 3 and w[1] in "tT"))


INSIDE = re.compile(r"\.MP\d$|^\.|^call_back$|\.(lower|yes|find|out|back|high|here|left)$")


@lru_cache
def functions(path: Path) -> tuple[tuple[int, str], ...]:
    """The symbols that name functions, not places in them."""
    return tuple((at, name) for at, name in symbols(path) if not INSIDE.search(name))


def points_of(kernel: Path) -> dict[int, str]:
    """The kernel's measuring points, the clean halves, and the end of a row's part of the log."""
    wanted = re.compile(
        rf"^(probed_.*\.MP\d|clean_\w+_call|{BOUNDARY}|{'|'.join((*FAULTS, *VECTORS, *STEPS))})$"
    )
    found: dict[int, str] = {}
    for at, name in symbols(kernel):  # a function in C with the entry's name follows it
        if wanted.search(name) and not (name in FAULTS and name in found.values()):
            found[at] = name
    return found


@dataclass
class Window:
    """The points passed while a record's row was measured."""

    record: Record
    events: list[tuple[int, int]]


@dataclass
class Meter:
    """A boot and its counts."""

    arch: str
    run: MachineRun
    windows: list[Window]
    points: Mapping[int, str]
    kernel: Path
    looped: set[int]
    """Counts at the last RDTSC of a loop: there is no gap before it."""
    led: set[int]
    """Counts after a return or a jump: a fault there stopped no instruction."""
    kept: dict[str, Any] = field(default_factory=dict)
    """Figures that a program measures once and subtracts from its later rows, by program."""

    @cached_property
    def kernel_base(self) -> int:
        return min(at for at, name in symbols(self.kernel) if name == "kernel_main") & ~0xFFFFFFF

    def program(self, record: Record) -> Path:
        """The file of a row's program; the same for ring 3 and ring 0."""
        suite, name = record.data["suite"], record.data["id"]
        program = "faults" if suite == "exceptions" else suite
        return BUILD / ("i386" if name.startswith("compat/") else self.arch) / "bin" / program

    def name(self, record: Record, address: int) -> str:
        """The function that contains an address."""
        where = self.kernel if address >= self.kernel_base else self.program(record)
        table = functions(where)
        place = bisect.bisect_right(table, (address, "\x7f")) - 1
        return table[place][1] if place >= 0 else hex(address)

    def stops(self, window: Window, start: int, end: int) -> int:
        """The number of instructions that were stopped between two events."""
        return sum(
            self.points.get(at) in FAULTS and not self.was_led(window.events[place - 1])
            for place, (at, _) in enumerate(window.events[start:end], start=start)
        )

    def was_led(self, before: tuple[int, int]) -> bool:
        """Whether an event is a fault's vector after a return or a jump."""
        return self.points.get(before[0]) in VECTORS and before[1] in self.led

    def stamps(self, window: Window) -> dict[str, list[int]]:
        """Positions of RDTSCs in the window's log, by the functions that contain them."""
        found: dict[str, list[int]] = {}
        for place, (address, _) in enumerate(window.events):
            if address not in self.points:
                found.setdefault(self.name(window.record, address), []).append(place)
        return found

    def spans(self, window: Window, function: str, pair: int = 0) -> list[Span]:
        """From each first RDTSC of a function to the second; with several pairs, number `pair`."""
        places = self.stamps(window).get(function, [])
        sites = sorted({window.events[place][0] for place in places})
        chosen = sites[2 * pair : 2 * pair + 2]
        found: list[Span] = []
        start = None
        for place in places:
            address, count = window.events[place]
            if len(chosen) == 2 and address == chosen[0]:
                start = place
            elif len(chosen) == 2 and address == chosen[1] and start is not None:
                between = count - window.events[start][1]
                found.append((between, self.stops(window, start, place), start))
                start = None
        return found


def read_log(path: Path, arch: str, run: MachineRun, kernel: Path) -> Meter:
    """The counts of a boot, divided into one part for each record."""
    points = points_of(kernel)
    content = path.read_bytes()
    windows: list[list[tuple[int, int]]] = [[]]
    looped: set[int] = set()
    led: set[int] = set()
    for address, count in struct.iter_unpack("<QQ", content):
        if count & LOOPED:
            count -= LOOPED
            looped.add(count)
        if count & LED:
            count -= LED
            led.add(count)
        if points.get(address) == BOUNDARY:
            windows.append([])
        else:
            windows[-1].append((address, count))
    if len(windows) - 1 != len(run.records):
        raise TollgateError(f"{len(windows) - 1} records were taken, {len(run.records)} came.")
    made = [Window(r, w) for r, w in zip(run.records, windows, strict=False)]
    return Meter(arch, run, made, points, kernel, looped, led)


def median(values: Sequence[int]) -> int:
    """The median by nearest rank, as in the kernel."""
    return sorted(values)[-(-len(values) // 2) - 1]


def less(spans: Sequence[Span], base: int) -> list[tuple[int, int]]:
    """Samples: instructions, and the number of stopped ones."""
    return [(count - base, stopped) for count, stopped, _ in spans]


def base_of(meter: Meter, window: Window, function: str, n: int) -> int:
    """The cost of stamps without code between them, in this window or an earlier one."""
    spans = meter.spans(window, function)[-n:]
    if spans:
        meter.kept[function] = median([count - stopped for count, stopped, _ in spans])
    return int(meter.kept[function])


def last_function(meter: Meter, window: Window) -> str:
    """The program's function with the last stamps."""
    places = {
        name: at[-1]
        for name, at in meter.stamps(window).items()
        if window.events[at[-1]][0] < meter.kernel_base
    }
    return max(places, key=lambda name: places[name]) if places else ""


def once(meter: Meter, record: Record, key: str, value: Any) -> Any:
    """A figure that a program measures once, before its first row: `value` if this is the first."""
    origin = record.data["id"].split("/")[0]
    return meter.kept.setdefault(f"{record.data['suite']} {origin} {key}", value)


def by_stamps(meter: Meter, window: Window) -> list[tuple[int, int]] | None:
    """The samples of a row of a suite in C, minus the cost of their stamps."""
    record = window.record
    suite, n = record.data["suite"], record.data["n"]
    origin, what, *_ = record.data["id"].split("/")
    if origin == "kernel":
        return of_kernel(meter, window, what, n)
    if suite == "vsyscall":
        return of_time(meter, window)
    if suite == "share":
        return of_share(meter, window)
    if suite == "around":
        return of_around(meter, window)
    function = last_function(meter, window)
    spans = meter.spans(window, function)
    if suite == "usystime":
        pair = once(meter, record, "pair", min((c for c, _, _ in spans), default=0))
        return less(
            spans[-n:], 0 if what == "rdtsc" or record.data["id"].endswith("/rdtsc") else pair
        )
    if suite == "switch":
        first = meter.stamps(window)
        pair = once(
            meter, record, "pair", base_of(meter, window, "main", n) if "main" in first else 0
        )
        return less(spans[-n:], pair)
    if suite == "calls" or (suite == "copy" and what == "copy"):
        return less(spans[-n:], median([count for count, _, _ in spans[:n]]))
    if suite in ("ladder", "files", "copy", "html"):
        return less(spans[-n:], base_of(meter, window, "timed_return", n))
    if suite == "starve":
        return less(spans[-n:], min(count for count, _, _ in spans[:10]))
    if suite in ("spawn", "web"):
        return less(spans[-n:], 0)
    return None


def of_kernel(meter: Meter, window: Window, what: str, n: int) -> list[tuple[int, int]] | None:
    """The samples that kernel code takes on behalf of a trusted program."""
    rungs = {"sys_read": "by_sys_read", "file_read": "by_file_read", "cached": "by_cached"}
    nothing = base_of(meter, window, "nothing", n)
    if what in rungs:
        return less(meter.spans(window, rungs[what])[-n:], nothing)
    if what in ("printed", "rewound"):
        meter.kept["parses"] = meter.spans(window, "markup_read", 1)[-n:]
        return less(meter.spans(window, "markup_read")[-n:], nothing)
    if what == "parse":
        return less(meter.kept["parses"], nothing)
    return None


def of_time(meter: Meter, window: Window) -> list[tuple[int, int]] | None:
    """The rows of `vsyscall`: functions between two stamps, calls through gates, the writer."""
    origin, what, how = window.record.data["id"].split("/")
    n = window.record.data["n"]
    apart = once(meter, window.record, "apart", base_of(meter, window, "timed_nothing", n))
    spans = meter.spans(window, "timed_call")
    if what == "retry":
        return of_steps(meter, window)
    if what == "writer":
        return less(spans[-n:], median([count for count, _, _ in spans[:n]]))
    if how in ("function", "twin") or what == "rdtsc":
        return less(spans[-n:], apart)
    stamp = stamp_of(meter, origin)
    ways = [way for way in trips(meter, window) if "_pair_" not in way[0][0]]
    return [
        (way[-1][1] - way[0][1] - stamp, meter.stops(window, way[0][2], way[-1][2]))
        for way in ways[-n:]
    ]


def of_steps(meter: Meter, window: Window) -> list[tuple[int, int]]:
    """The rows of `retry`, whose program counts single steps: each enters the kernel once."""
    n = window.record.data["n"]
    entered = sum(meter.points.get(at) in STEPS for at, _ in window.events)
    return [] if entered % n else [(entered // n - AROUND, 0)] * n


def of_share(meter: Meter, window: Window) -> list[tuple[int, int]] | None:
    """The rows of `share`: a program reads the clock in a loop; a gap is another process's turn."""
    row = window.record.data
    what = row["id"].rpartition("/")[2]
    if what == "turn":
        meter.kept["share"] = window
    lived = meter.kept["share"]
    if what in ("death", "key"):
        spans = meter.spans(lived, f"die_of_{what}".replace("death", "kill"))
        return less(spans[-row["n"] :], 0)
    turns: list[tuple[int, int]] = []
    aways: list[tuple[int, int]] = []
    places = meter.stamps(lived).get("take_turn", [])
    begins = min(lived.events[place][0] for place in places)
    since = before = places[0]
    first = True
    for place in places:
        address, count = lived.events[place]
        gap = 0 if count in meter.looped else count - lived.events[before][1]
        if address == begins:
            since, first = place, True
        elif gap > AWAY:
            if not first:
                turn = lived.events[before][1] - lived.events[since][1]
                turns.append((turn, meter.stops(lived, since, before)))
                aways.append((gap, meter.stops(lived, before, place)))
            since, first = place, False
        before = place
    return (turns if what == "turn" else aways)[: row["n"]]


def of_faults(meter: Meter, window: Window) -> list[tuple[int, int]] | None:
    """The rows of `faults`: an empty pair, and a page's cost, are measured before the first."""
    record = window.record
    origin, kind, name = record.data["id"].split("/")
    n = record.data["n"]
    if name.endswith("-net"):
        part = meter.kept[f"{origin} copy" if "copy" in name else f"{origin} clear"]
        return [(count - part, stopped) for count, stopped in meter.kept[f"{origin} row"]]
    spans = meter.spans(window, "ticks_of")
    key = f"{origin} empty"
    if key not in meter.kept:
        parts = [spans[i * n : (i + 1) * n] for i in range(3)]
        meter.kept[key], call, clear = (median([c for c, _, _ in part]) for part in parts)
        meter.kept[f"{origin} call"], meter.kept[f"{origin} clear"] = call, clear - call
    elif kind == "page" and name == "copy":
        copied = median([count for count, _, _ in spans[:n]])
        meter.kept[f"{origin} copy"] = copied - meter.kept[f"{origin} call"]
    base = meter.kept[f"{origin} call"] if kind == "page" else meter.kept[key]
    meter.kept[f"{origin} row"] = less(spans[-n:], base)
    return list(meter.kept[f"{origin} row"])


def of_around(meter: Meter, window: Window) -> list[tuple[int, int]]:
    """The rows of `around`: all spans of a program come before its first row of a kind."""
    origin, kind, path = window.record.data["id"].split("/")
    spans = [count - stopped for count, stopped, _ in meter.spans(window, "ticks_of")]
    if spans and f"{origin} {kind}" not in meter.kept:
        program = meter.kept.setdefault(origin, audit_around.Program(origin, meter.kept["said"]))
        meter.kept[f"{origin} {kind}"] = program.take(spans)
    return [(value, 0) for value in meter.kept[f"{origin} {kind}"][path]]


def trips(meter: Meter, window: Window) -> Iterator[list[tuple[str, int, int]]]:
    """Each round trip from MP1 to MP8: the points passed, with counts and positions."""
    way: list[tuple[str, int, int]] = []
    for place, (address, count) in enumerate(window.events):
        name = meter.points.get(address, "")
        if not name.startswith("probed_"):
            continue
        point = name[-3:]
        if point == "MP1":
            way = []
        if point == "MP1" or way:
            way.append((name, count, place))
        if point == "MP8" and way:
            yield way
            way = []


def stamp_of(meter: Meter, origin: str) -> int:
    """The instructions of one stamp: from MP1 of the empty pair to MP8."""
    pair = f"probed_{origin}_pair_call.MP"
    for window in meter.windows:
        for way in trips(meter, window):
            if way[0][0] == f"{pair}1":
                return way[-1][1] - way[0][1]
    raise TollgateError(f"No empty pair of {origin} was passed.")


def of_points(meter: Meter, window: Window) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """The samples of a row by its points: totals of the clean half, sections of the probed one."""
    row = window.record.data
    origin = row["id"].split("/")[0]
    stamp = stamp_of(meter, origin)
    totals: list[tuple[int, int]] = []
    sections: list[list[int]] = []
    for way in trips(meter, window):
        if "_pair_" in way[0][0]:
            continue
        first, last = way[0], way[-1]
        stopped = meter.stops(window, first[2], last[2])
        if len(way) == 2:
            totals.append((last[1] - first[1] - stamp, stopped))
        elif len(way) == 8:
            sections.append([b[1] - a[1] - stamp for a, b in pairwise(way)])
    return totals, sections


def batch_of(meter: Meter, window: Window) -> int:
    """The cost of a call in a loop without stamps, minus the cost of the empty loop."""
    origin, *_ = window.record.data["id"].split("/")
    clean: dict[str, list[int]] = {}
    for address, count in window.events:
        name = meter.points.get(address, "")
        if name.startswith("clean_"):
            clean.setdefault(name, []).append(count)
    nothing = clean.pop(f"clean_{origin}_pair_call", [])
    if not nothing or len(clean) != 1:
        raise TollgateError(f"{window.record.data['id']}: no loop around it and around nothing.")
    (passes,) = clean.values()
    return median(steps(passes)) - median(steps(nothing))


def steps(counts: Sequence[int]) -> list[int]:
    """Differences between consecutive counts."""
    return [b - a for a, b in pairwise(counts)]


@dataclass
class Verdict:
    """A row: its faults (none: it agrees), and its stopped instructions."""

    id: str
    wrong: str
    stopped: int


LOOPED, LED = 1 << 63, 1 << 62
AWAY = 100000
"""Least number of instructions of a gap without the program (user/suites/share.c)."""
QUANTILES = {"min": 0, "median": 50, "p90": 90, "p99": 99, "max": 100}


def quantiles(samples: Sequence[int]) -> dict[str, int]:
    """The order statistics of samples by nearest rank."""
    ordered = sorted(samples)
    return {
        name: ordered[max(-(-len(ordered) * percent // 100), 1) - 1]
        for name, percent in QUANTILES.items()
    }


def differs(row: Mapping[str, Any], samples: Sequence[tuple[int, int]]) -> str:
    """A sentence about how a record differs from the counts; empty if it does not."""
    if len(samples) != row["n"]:
        return f"n is {row['n']}, {len(samples)} were counted"
    values = [count - stopped for count, stopped in samples]
    counted: dict[str, float] = {**quantiles(values)}
    counted["mean"] = int(sum(values) * 100 / len(values)) / 100
    return "; ".join(
        f"{name} is {row[name]}, counted {value}"
        for name, value in counted.items()
        if row[name] != value
    )


def judge_points(meter: Meter, window: Window) -> tuple[str, int]:
    """A row of the toll or of an exception."""
    row = window.record.data
    totals, sections = of_points(meter, window)
    n = row["n"]
    entered = 0 if "/db/" in row["id"] else ENTRIES
    if (len(totals), len(sections)) != (WARM_UP + n + entered, WARM_UP + n):
        return f"n is {n}, {len(totals)} clean and {len(sections)} probed ways were passed", 0
    totals = totals[WARM_UP : WARM_UP + n]  # a breakpoint counts the following ones' entries
    stopped = totals[-1][1]
    stopped += STOPPED.get(row["id"].split("/")[1], 0)
    wrong = [differs(row, [(count, stopped) for count, _ in totals[-n:]])]
    counted = [median([one[i] for one in sections[-n:]]) for i in range(7)]
    counted[0] -= stopped
    said = [part["median"] for part in row["sections"]]
    if said != counted:
        wrong.append(f"sections are {said}, counted {counted}")
    stamp = stamp_of(meter, row["id"].split("/")[0])
    if row["probe"] != stamp:
        wrong.append(f"the probe is {row['probe']}, counted {stamp}")
    loop = batch_of(meter, window) - stopped
    if row["batch"] != loop:
        wrong.append(f"batch is {row['batch']}, counted {loop}")
    if row["residue"] != row["median"] - sum(said):
        wrong.append(f"the residue is {row['residue']}")
    return "; ".join(filter(None, wrong)), stopped


def judge(meter: Meter, window: Window) -> Verdict | None:
    """A row's record compared with its counts; None: it cannot be counted."""
    row = window.record.data
    if "sections" in row:
        wrong, stopped = judge_points(meter, window)
        return Verdict(row["id"], wrong, stopped)
    samples = (of_faults if row["suite"] == "exceptions" else by_stamps)(meter, window)
    if samples is None:
        return None
    return Verdict(row["id"], differs(row, samples), samples[-1][1] if samples else 0)


def audit(arch: str, cpu: str, suite: str, samples: int, place: Path) -> Meter:
    """Boot a machine with the second meter; TollgateError if the boot fails."""
    platform, _ = find("")
    plugin = build_plugin(require(platform, QEMU["amd64"]), METER, place)
    kernel = BUILD / arch / "kernel.elf"
    points = place / "points"
    points.write_bytes(b"".join(struct.pack("<Q", at) for at in points_of(kernel)))
    log = place / "log"
    words = (f"suite={suite}", f"samples={samples}")
    extra = ("-plugin", f"{plugin},points={points},log={log}")
    result = run_boot(Boot(arch, cpu=cpu, words=words, disk=disk_for(words), extra=extra), place)
    if result.outcome is not Outcome.PASS or result.machine_run is None:
        raise TollgateError(f"{arch} {cpu}: {result.reason}")
    meter = read_log(log, arch, result.machine_run, kernel)
    meter.kept["said"] = result.text
    return meter


def stretches(
    arch: str, cpu: str, part: str, place: Path, folder: str = "bin"
) -> tuple[dict[str, int], list[int]]:
    """Each row's maximum in a boot with one of `latency`'s programs, and all stretches that the
    second meter logged.  A quiet program's stretches are left out, because they have no limit.

    `part`: which calls and programs; `folder`: the program's folder, and so its ring.
    """
    platform, _ = find("")
    plugin = build_plugin(require(platform, QEMU["amd64"]), STRETCH, place)
    start = {name: at for at, name in symbols(BUILD / arch / "kernel.elf")}["sys_toll_latency"]
    log = place / "stretches"
    extra = ("-plugin", f"{plugin},from={start:#x},least={LEAST},log={log}")
    tree = cpio.read((BUILD / INITRD[arch]).read_bytes())
    files = {path: data for path, data in tree.items() if path in {f"{folder}/{n}" for n in RUNS}}
    (module := place / "module").write_bytes(cpio.build(files))
    words = ("suite=latency", f"only={part}")
    boot = Boot(arch, cpu=cpu, words=words, module=module, memory=256, extra=extra)
    result = run_boot(boot, place)
    if result.outcome is not Outcome.PASS:
        raise TollgateError(f"{arch} {cpu}: {result.reason}")
    rows = {row["id"]: row["max"] for row in result.results if row["suite"] == "latency"}
    seen = [length for length, _ in struct.iter_unpack("<QQ", log.read_bytes())]
    asked = [place for place, length in enumerate(seen) if not length]
    # The first call switches the kernel's meter on, and the last one off.
    return {n: m for n, m in rows.items() if "/quiet/" not in n}, seen[asked[0] + 2 : asked[-2]]


def judge_stretches(rows: Mapping[str, int], seen: Sequence[int]) -> Iterator[tuple[str, Verdict]]:
    """Each maximum must match a stretch of the second meter, and the longest of all must match its
    longest: equal except for an entry and an exit."""
    longest = max(rows, key=lambda name: rows[name])
    for name, most in rows.items():
        near = [max(seen)] if name == longest else seen
        wrong = (
            ""
            if any(0 <= each - most <= APART for each in near)
            else (f"max is {most}, and no stretch of {most} to {most + APART} was counted")
        )
        yield f"latency {name}", Verdict(name, wrong, 0)


def judge_all(meter: Meter) -> Iterator[tuple[str, Verdict | None]]:
    """Each row's suite, id and verdict."""
    for window in meter.windows:
        record = window.record
        if record.type == "result" and record.data["suite"] != "control":
            try:
                verdict = judge(meter, window)
            except (IndexError, KeyError, ValueError):
                verdict = Verdict(record.data["id"], "its stamps are not where they should be", 0)
            yield f"{record.data['suite']} {record.data['id']}", verdict


def report(machine: str, verdicts: Sequence[tuple[str, Verdict | None]], console: Console) -> bool:
    """Print the results for a machine's rows; True: every countable one agrees."""
    judged = [(name, one) for name, one in verdicts if one]
    wrong = [(name, one.wrong) for name, one in judged if one.wrong]
    good = len(judged) - len(wrong)
    console.print(plain(f"{machine}: {good} of {len(judged)} rows agree with the second meter"))
    for name, text in wrong:
        console.print(plain(f"  {name}: {text}", longest=1000), soft_wrap=True)
    if silent := [name for name, one in verdicts if not one]:
        console.print(plain(f"  not counted: {len(silent)} rows"))
    stopped: dict[int, list[str]] = {}
    for name, one in judged:
        if one.stopped:
            stopped.setdefault(one.stopped, []).append(name.partition(" ")[2])
    for count, names in sorted(stopped.items()):
        begun = "instruction begins" if count == 1 else "instructions begin"
        text = f"  {count} more {begun} than are counted: {', '.join(names)}"
        console.print(plain(text, longest=10000), soft_wrap=True)
    return not wrong and bool(judged)


def audit_all(arch: str, cpu: str, suite: str, console: Console) -> Exit:
    """Audit the default machines, or one; every suite, or these."""
    usual_ones = DEFAULT_MACHINES["qemu"]
    if arch and arch not in ARCHES:
        raise UsageError(f"There is no kernel for {arch!r}; choose i386 or amd64.")
    machines = [m for m in usual_ones if m[0] == (arch or m[0]) and m[1] == (cpu or m[1])]
    if cpu and not arch and not machines:
        raise UsageError(f"Name the kernel with the processor: ARCH=amd64 CPU={cpu}.")
    chosen = [(arch, cpu)] if arch and cpu else machines
    for core in {core for core, _ in chosen} if suite else ():
        check_suites(Boot(core, words=(f"suite={suite}",)))
    good = True
    for core, usual in chosen:
        verdicts: list[tuple[str, Verdict | None]] = []
        for suites, samples in [(suite, SAMPLES)] if suite else BENCHES:
            for where in FOLDERS[core] if suites == "latency" else ():
                with folder("tollgate-audit-") as place:
                    verdicts += judge_stretches(*stretches(core, usual, DEEDS, place, where))
            if suites != "latency":
                with folder("tollgate-audit-") as place:
                    verdicts += judge_all(audit(core, usual, suites, samples, place))
        good = report(f"{core} {usual}", verdicts, console) and good
    return Exit.PASS if good else Exit.FAIL
