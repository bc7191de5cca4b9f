"""The path of a call on both kernels: each instruction in its order, and where it comes from.

A plugin of QEMU's (tools/audit/path.c) writes down what runs between the two time stamps of a
sample.  The sample that is taken is one that took the row's least.  What its figure leaves out is
left out here as well: the stamps around nothing, and an instruction that a fault has stopped, which
begins again.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tollgate import cpio
from tollgate.audit import FAULTS
from tollgate.boot import BUILD, ROOT, SYMBOLS, Boot, built
from tollgate.errors import TollgateError
from tollgate.linux import guest
from tollgate.linux.package import Kernel
from tollgate.linux.symbols import Frame, Symbols
from tollgate.machine import run_boot
from tollgate.paths import binutils
from tollgate.plugin import build_plugin
from tollgate.records import MachineRun
from tollgate.warden import folder

PLUGIN = ROOT / "tools" / "audit" / "path.c"
SAMPLES = 20
KERNEL = 1 << 63
"""Addresses from here on are a kernel's."""
RECORDED = {"faults": "exceptions"}
"""Suites whose records have another name than the program."""
ENTERED = (*FAULTS, "asm_exc_page_fault", "asm_exc_general_protection")
"""Where a kernel is entered by an instruction that memory or a selector has stopped."""
LEFT = re.compile("sysret|iret|ret|jmp")
"""Instructions that are done before a fault: what is absent is the code that they lead to."""


@dataclass(frozen=True)
class Call:
    """One of the calls whose path is shown.

    `function` takes the samples of all rows that match `rows`: for each of these `spans` pairs of
    stamps, of which the last SAMPLES are kept.  The first pairs of `empty` have nothing between.
    """

    name: str
    suite: str
    row: str
    function: str
    rows: str
    spans: int
    empty: str


CALLS = (
    Call("getpid", "calls", "getpid/syscall", "timed_half", ".", 2 * (100 + SAMPLES), "timed_half"),
    Call(
        "demand-zero fault",
        "faults",
        "fault/zero",
        "ticks_of",
        ".*(?<!-net)$",
        64 + SAMPLES,
        "ticks_of",
    ),
    Call("SIGSEGV", "faults", "signal/segv", "ticks_of", ".*(?<!-net)$", 64 + SAMPLES, "ticks_of"),
    Call("two pipes", "switch", "ipc/pipe", "try_pipe", "ipc/pipe", 100 + SAMPLES, "main"),
    Call("fork", "spawn", "fork", "ticks_of", ".", 10 + SAMPLES, ""),
)
SUITES = tuple(dict.fromkeys(call.suite for call in CALLS))


@dataclass(frozen=True)
class Step:
    """One instruction: the functions that it is of, the innermost first; none of the program's."""

    address: int
    text: str
    frames: tuple[Frame, ...]

    @property
    def function(self) -> str:
        """The function that the linker knows."""
        return self.frames[-1].function if self.frames else ""


@dataclass(frozen=True)
class Walked:
    """A call on one kernel.

    `steps` has no instruction that was stopped; `empty` of the program's are its stamps'.
    """

    call: Call
    figure: int
    steps: Sequence[Step]
    empty: int

    @property
    def program(self) -> int:
        """The program's own instructions."""
        return sum(not step.frames for step in self.steps) - self.empty


# --- what the plugin has written -----------------------------------------------------------------


def stamps(program: Path, function: str) -> tuple[int, int]:
    """The addresses of a function's first two RDTSCs."""
    found: list[int] = []
    current = ""
    for line in binutils("objdump", "-d", "--no-show-raw-insn", program):
        if head := re.match(r"[0-9a-f]+ <(\w+)[^>]*>:", line):
            current = head[1]
        elif current == function and line.endswith("\trdtsc"):
            found.append(int(line.partition(":")[0], 16))
    if len(found) < 2:
        raise TollgateError(f"{program} has no two time stamps in {function}().")
    return found[0], found[1]


def pairs() -> list[tuple[str, str]]:
    """Suites and functions whose stamps are looked at."""
    every = [(call.suite, name) for call in CALLS for name in (call.function, call.empty) if name]
    return list(dict.fromkeys(every))


def arguments(place: Path) -> tuple[str, ...]:
    """QEMU's arguments that load the plugin; its files go into `place`."""
    found = [stamps(built(BUILD / "amd64" / "bin" / suite), name) for suite, name in pairs()]
    if len({start for start, _ in found}) < len(found):
        raise TollgateError("Two programs have their time stamps at one address.")
    words = "".join(f",pair={start:x}:{end:x}" for start, end in found)
    plugin = build_plugin("qemu-system-x86_64", PLUGIN, place)
    return ("-plugin", f"{plugin},log={place / 'log'},text={place / 'text'}{words}")


@dataclass(frozen=True)
class Log:
    """All spans of a boot by pair, each as its instructions' numbers; and what these are."""

    spans: Mapping[tuple[str, str], Sequence[Sequence[int]]]
    texts: Mapping[int, tuple[int, str]]


def read_log(place: Path) -> Log:
    """What the plugin has written."""
    content = (place / "log").read_bytes()
    names = pairs()
    spans: dict[tuple[str, str], list[Sequence[int]]] = {name: [] for name in names}
    at = 0
    while at < len(content):
        which, length = struct.unpack_from("<II", content, at)
        spans[names[which]].append(memoryview(content)[at + 8 : at + 8 + 4 * length].cast("I"))
        at += 8 + 4 * length
    texts = {}
    for line in (place / "text").read_text().splitlines():
        number, address, text = line.split(" ", 2)
        texts[int(number)] = int(address, 16), text
    return Log(spans, texts)


# --- a row's path --------------------------------------------------------------------------------


def block(call: Call, run: MachineRun, spans: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    """The kept samples of a call's row, counted from the last row of its function."""
    rows = [
        row["id"]
        for row in run.results
        if row["suite"] == RECORDED.get(call.suite, call.suite)
        and re.match(call.rows, row["id"].partition("/")[2])
    ]
    later = len(rows) - 1 - rows.index(f"user/{call.row}")
    end = len(spans) - later * call.spans
    return spans[end - SAMPLES : end]


def path_of(call: Call, run: MachineRun, log: Log, symbols: Symbols) -> Walked:
    """The path of a call in a boot; TollgateError where no sample's path is what the row says."""
    (figure,) = (row["min"] for row in run.results if row["id"] == f"user/{call.row}")
    empty = 0
    if call.empty:
        first = sorted(len(span) for span in log.spans[call.suite, call.empty][:SAMPLES])
        empty = first[len(first) // 2]
    for span in block(call, run, log.spans[call.suite, call.function]):
        steps = list(begun(span, log, symbols))
        if len(steps) - empty == figure:
            return Walked(call, figure, steps, empty)
    raise TollgateError(f"{call.name}: no sample's path is of {figure} instructions.")


def begun(span: Sequence[int], log: Log, symbols: Symbols) -> Iterator[Step]:
    """The instructions of a span, but for those that were stopped."""
    for number, after in zip(span, [*span[1:], span[-1]], strict=True):
        address, text = log.texts[number]
        following = log.texts[after][0]
        entered = following in symbols.entries and address not in symbols.entries
        if not entered or LEFT.match(text):
            yield Step(address, text, symbols.frames(address) if address >= KERNEL else ())


def as_walked(kernel: Kernel, cpu: str, mitigations: str) -> guest.Guest:
    """A boot of the programs in ring 3 alone, whose kernel is where its symbols say."""
    return guest.Guest(kernel, cpu, mitigations, str(SAMPLES), " nokaslr", SUITES, ("bin",))


def walk_linux(one: guest.Guest, vmlinux: Path) -> list[Walked]:
    """Every call's path on a Linux."""
    with folder() as place:
        run = guest.boot(one, arguments(place))
        return paths(run, read_log(place), vmlinux)


def walk_ours(cpu: str) -> list[Walked]:
    """Every call's path on ours, by the programs of ring 3 alone."""
    words = (f"suite={','.join(SUITES)}", f"samples={SAMPLES}")
    programs = {f"bin/{name}": built(BUILD / "amd64" / "bin" / name) for name in SUITES}
    with folder() as place:
        module = place / "initrd"
        module.write_bytes(cpio.build({name: file.read_bytes() for name, file in programs.items()}))
        boot = Boot("amd64", cpu=cpu, words=words, module=module, extra=arguments(place))
        result = run_boot(boot, place)
        if result.machine_run is None:
            raise TollgateError(f"{result.boot.name} left no records: {result.reason}")
        return paths(result.machine_run, read_log(place), BUILD / SYMBOLS["amd64"])


def paths(run: MachineRun, log: Log, kernel: Path) -> list[Walked]:
    """Every call's path in a boot."""
    addresses = {address for address, _ in log.texts.values() if address >= KERNEL}
    symbols = Symbols.of(kernel, addresses, ENTERED)
    return [path_of(call, run, log, symbols) for call in CALLS]
