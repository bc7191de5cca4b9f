"""The path of each row: the instructions of a round trip, as a machine executed them.

A program calls every row by its clean halves, and we step from MP1 to MP8. So branches are shown as
taken, and code as patched at boot. nasm's line table gives the source of each instruction. A
machine's paths are cached in build/ until the kernel or the programs change.
"""

import bisect
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError
from tollgate.machines.boot import KERNELS, ROOT, SYMBOLS, Boot, built
from tollgate.machines.debug import session
from tollgate.machines.emulator import resolve
from tollgate.machines.gdb_stub import Stub
from tollgate.machines.platforms import QEMU, emulator, version
from tollgate.records import parts
from tollgate.records.format import RecordReader

PROGRAM = "walk"
"""user/checks/walk.c: calls each row by its clean halves."""
CALLS = 2
"""Per row; the last one is walked, because the first may take another path."""
LONGEST = 1000
"""Instructions: a longer path is lost."""
INSTRUCTION = 15
"""Bytes of the longest instruction."""


@dataclass(frozen=True)
class Step:
    """One instruction: `points` are the measurement points before it, `macro` wrote it.

    `touches` is a field of struct frame by its place on the stack, or else the register written.
    `counted`: QEMU does not count a faulting instruction, except UD2 and INT3, whose purpose is to
    fault.
    """

    points: tuple[str, ...]
    text: str
    touches: str
    file: str
    line: int
    macro: str
    counted: bool = True


def count(steps: Sequence[Step]) -> int:
    """The bench's count for this path."""
    return sum(step.counted for step in steps)


@dataclass(frozen=True)
class Paths:
    """The paths on one machine, by row id, and the reasons for missing rows."""

    arch: str
    cpu: str
    digest: str
    rows: Mapping[str, Sequence[Step]]
    missing: Mapping[str, str]


@dataclass
class _Walk:
    """A round trip: the registers before each instruction, and after the last."""

    states: list[dict[str, int]] = field(default_factory=list)
    faults: set[int] = field(default_factory=set)
    """Addresses of instructions to which a handler's frame points."""
    stack: int = 0
    """The top of the kernel's stack, where a frame ends."""


class Kernel:
    """Symbols, lines and constants of a kernel."""

    def __init__(self, arch: str) -> None:
        self.arch = arch
        self.path = built(KERNELS / SYMBOLS[arch])
        self.word = 8 if arch == "amd64" else 4
        self.symbols: dict[str, int] = {}
        for line in binutils("nm", "-n", "--defined-only", self.path):
            value, _, *named = line.split()
            self.symbols.setdefault("".join(named), int(value, 16))
        self._names = sorted((value, name) for name, value in self.symbols.items())
        self.sections = [
            (name, *(int(word, 16) for word in words.split()[:3]))
            for line in binutils("readelf", "-SW", self.path)
            for name, words in re.findall(r"(\.(?:text|gate\w*)) +PROGBITS +(.*)", line)
        ]
        self.fields = self._numbers("FRAME_")
        self.task: int | None = None
        """The instruction pointer after a task gate."""
        for offset, name in self._numbers("TSS_").items():
            if name == "ip":
                self.task = self.symbols["tss_main"] + offset
        self.points: dict[int, tuple[str, ...]] = {}
        for name, address in sorted(self.symbols.items()):
            if re.fullmatch(r"clean_\w+\.MP[1-8]", name):
                point = name.rpartition(".")[2]
                self.points[address] = tuple(sorted({*self.points.get(address, ()), point}))

    def _numbers(self, prefix: str) -> dict[int, str]:
        """Offsets in a struct and their names, from nasm's constants."""
        text = (KERNELS / self.arch / "const.inc").read_text()
        found = re.findall(rf"^%define {prefix}(\w+) (\d+)", text, re.MULTILINE)
        return {int(offset): name.lower() for name, offset in found}

    def name(self, address: int) -> str:
        """A symbol, with a distance if not 0; "" far from all."""
        place = bisect.bisect_right(self._names, (address, "\uffff")) - 1
        if place < 0:
            return ""
        start, _ = self._names[place]
        here = self._names[bisect.bisect_left(self._names, (start, "")) : place + 1]
        name = min((n for _, n in here), key=lambda n: n.endswith("_end"))  # the last section's
        distance = address - start
        return "" if distance > 4096 else f"{name}+{distance:#x}" if distance else name

    @cached_property
    def _lines(self) -> list[tuple[int, str, int]]:
        """The start of each line's instructions, as assembled by nasm."""
        lines = {}
        for text in binutils("objdump", "--dwarf=decodedline", "-w", self.path):
            if match := re.match(r"\.?/?(\S+\.(?:asm|inc)) +(\d+) +0x([0-9a-f]+)", text):
                lines[int(match[3], 16)] = match[1], int(match[2])
        return sorted((address, *line) for address, line in lines.items())

    def origin(self, address: int) -> tuple[str, int]:
        """The file and line that an instruction was assembled from."""
        return self._lines[bisect.bisect_right(self._lines, (address, "\uffff", 0)) - 1][1:]

    def disassemble(self, code: Mapping[int, bytes]) -> dict[int, tuple[str, str, int]]:
        """Instruction, file and line for `code`, the machine's bytes at each address."""
        found: dict[int, str] = {}
        with tempfile.NamedTemporaryFile(suffix=".elf") as copy:
            image = bytearray(self.path.read_bytes())
            spans: dict[str, tuple[int, int]] = {}
            for address, text in code.items():
                name, start, offset = self._section(address)
                image[offset + address - start : offset + address - start + len(text)] = text
                low, high = spans.get(name, (address, address))
                spans[name] = min(low, address), max(high, address)
            copy.write(image)
            copy.flush()
            for name, (low, high) in spans.items():
                mode = "i386,intel" if name == ".gate32" else "intel"
                span = [f"--start-address={low:#x}", f"--stop-address={high + INSTRUCTION:#x}"]
                for line in binutils("objdump", "-Dzw", "-M", mode, "-j", name, *span, copy.name):
                    if match := re.match(r"\s*([0-9a-f]+):\t[0-9a-f ]+\t(.*)", line):
                        found[int(match[1], 16)] = match[2]
        return {at: (self.readable(found[at]), *self.origin(at)) for at in code}

    def at_switch(self, part: str) -> Sequence[Step]:
        """A part's instructions at a switch to another thread (kernel/core/arch/stacks.asm)."""
        file = f"kernel/core/entry/part/{part.replace('-', '_')}.inc"
        start = self.symbols["stacks_parts"]
        at = [a for a, named, _ in self._lines if named == file and 0 <= a - start < FAR]
        texts = self.disassemble(dict.fromkeys(at, b"")) if at else {}
        return [Step((), texts[a][0], _register(texts[a][0]), *texts[a][1:], "") for a in at]

    def _section(self, address: int) -> tuple[str, int, int]:
        for name, start, offset, size in self.sections:
            if start <= address < start + size:
                return name, start, offset
        raise TollgateError(f"{address:#x} is in no section of {self.path}.")

    def readable(self, text: str) -> str:
        """Names for addresses, and single spaces."""
        text = re.sub(r"\s+(#.*)?$", "", re.sub(r"\s+", " ", text))
        text = re.sub(r"\b[0-9a-f]+ <([^>]+)>", r"\1", text)
        text = re.sub(r" <[^>]*>", "", text)

        def named(match: re.Match[str]) -> str:
            value = int(match[2], 16)
            if match[1] == "-":
                value = -value % (1 << 8 * self.word)
            name = self.name(value) if value >= self.symbols["KERNEL_BASE"] else ""
            return f"{'+' if match[1] else ''}{name}" if name else match[0]

        text = re.sub(r"([+-]?)\b0x([0-9a-f]{8,16})\b", named, text)
        return re.sub(r"\b[ds]s:([\w.]+(?:\+0x[0-9a-f]+)?)(?=,|$)", r"[\1]", text)


def binutils(program: str, *arguments: str | Path) -> list[str]:
    """The output of one of binutils' programs, line by line."""
    path = shutil.which(program)
    if path is None:
        raise TollgateError(f"{program} is not installed; `make setup` installs it.")
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class Sources:
    """The macro or half that contains a source line."""

    def __init__(self) -> None:
        self._owners: dict[str, list[str]] = {}

    def owner(self, file: str, line: int) -> str:
        """The macro around a line, or the half that contains it."""
        if file not in self._owners:
            self._owners[file] = list(_owners((ROOT / file).read_text()))
        owners = self._owners[file]
        return owners[line - 1] if 0 < line <= len(owners) else ""


def _owners(text: str) -> Iterator[str]:
    half = macro = ""
    for line in text.splitlines():
        if match := re.match(r"%i?macro (\w+)", line):
            macro = match[1]
        yield macro or half
        if line.startswith("%endmacro"):
            macro = ""
        elif match := re.match(r"(?:KERNEL +|USER +)?(\w+)(?:[:,]|$)", line):
            half = match[1]


def _fault(stub: Stub, kernel: Kernel, states: Sequence[Mapping[str, int]]) -> set[int]:
    """The last instruction's address, if a fault saved it as the return address."""
    before, after = states[-2]["ip"] if len(states) > 1 else 0, states[-1]
    if not before or 0 <= after["ip"] - before <= INSTRUCTION:
        return set()
    places = [after["sp"], after["sp"] + kernel.word]  # with an error code on top, or without
    if kernel.task is not None:
        places.append(kernel.task)
    words = (int.from_bytes(stub.read(place, kernel.word), "little") for place in places)
    return {before} if before in words else set()


def _walk(stub: Stub, kernel: Kernel, end: int) -> _Walk:
    walk = _Walk()
    walk.stack = int.from_bytes(stub.read(kernel.symbols["cpu_stack"], kernel.word), "little")
    while len(walk.states) < LONGEST:
        walk.states.append(stub.registers())
        if walk.states[-1]["ip"] == end:
            return walk
        walk.faults |= _fault(stub, kernel, walk.states)
        stub.step()
    raise TollgateError(f"There is no way from MP1 to MP8 in {LONGEST} instructions.")


def _walks(boot: Boot, kernel: Kernel, wide: bool) -> tuple[list[_Walk], dict[int, bytes], bytes]:
    """All round trips in order, the code that they executed, and the serial line."""
    starts = {
        address: kernel.symbols[name.removesuffix("1") + "8"]
        for name, address in kernel.symbols.items()
        if re.fullmatch(r"clean_\w+_call\.MP1", name)
    }
    calls = 0
    walks: list[_Walk] = []
    code: dict[int, bytes] = {}
    with session(boot, as_measured=True) as machine:
        stub = Stub(machine.socket, machine.pid, wide)
        stub.set_breaks(starts)
        while stub.go():
            calls += 1
            if calls % CALLS:
                stub.step()  # leaves the breakpoint
                continue
            walks.append(_walk(stub, kernel, starts[stub.registers()["ip"]]))
            for state in walks[-1].states[:-1]:
                if state["ip"] not in code:
                    code[state["ip"]] = stub.read(state["ip"], INSTRUCTION)
        stub.close()
        return walks, code, machine.serial.read_bytes()


REGISTERS = {
    **{f"{width}{name}": name for width in "re" for name in "ax bx cx dx si di bp sp".split()},
    **{f"r{n}": f"r{n}" for n in range(8, 16)},
}
"""objdump's names; the 32-bit part of one counts as the whole."""
COUNTED = ("ud2", "int3", "int")
READS = ("cmp", "test", "push", "call", "jmp")
"""Instructions that do not change their first operand."""


FAR = 4096
"""No instruction moves a stack pointer this far without switching stacks."""


class _Frame:
    """The words of the frame at the top of the kernel's stack that an instruction uses."""

    def __init__(self, kernel: Kernel, top: int) -> None:
        size = next(offset for offset, name in kernel.fields.items() if name == "size")
        self._fields = {offset: name for offset, name in kernel.fields.items() if name != "size"}
        self._word = kernel.word
        self._base, self._end = top - size, top

    def _holds(self, address: int) -> bool:
        return self._base <= address < self._end

    def _between(self, low: int, high: int, down: bool = False) -> str:
        offsets = range(low - self._base, high - self._base, self._word)
        names = [self._fields[o] for o in offsets if o in self._fields]
        return " ".join(reversed(names) if down else names)

    def touched(self, text: str, before: Mapping[str, int], after: Mapping[str, int]) -> str:
        low, high = before["sp"], after["sp"]
        word = text.split()[0]
        if "[" in text and word != "lea":
            address = operand_address(text, before)
            if address is not None and self._holds(address):
                first = text.split(" ", 1)[1].split(",")[0]
                arrow = "\u2192" if "[" in first and word not in READS else "\u2190"
                return f"{arrow} {self._between(address, address + 1)}"
        if word in ("mov", "xchg", "lea"):
            return ""
        if self._holds(high):
            if high < low <= self._end:
                return f"\u2192 {self._between(high, low, down=True)}"
            if abs(high - low) > FAR:  # a gate has switched the stack
                return f"\u2192 {self._between(high, self._end, down=True)}"
        if self._holds(low) and abs(high - low) > FAR:
            end = low + self._word if word == "pop" else self._end
            return f"\u2190 {self._between(low, end)}"
        if self._holds(low) and high > low:
            return f"\u2190 {self._between(low, min(high, self._end))}"
        return ""


def operand_address(text: str, registers: Mapping[str, int]) -> int | None:
    """The address of a memory operand, if made only of known registers and numbers."""
    inside = re.search(r"\[([^\]]*)\]", text)
    total = 0
    for sign, part in re.findall(r"([+-]?)([^+-]+)", inside[1] if inside else ""):
        name, _, scale = part.partition("*")
        if name in REGISTERS and REGISTERS[name] in registers:
            value = registers[REGISTERS[name]] * int(scale or "1")
        elif re.fullmatch(r"0x[0-9a-f]+", part):
            value = int(part, 16)
        else:
            return None
        total += -value if sign == "-" else value
    return total


def _register(text: str) -> str:
    """The register that an instruction writes: its first operand."""
    word, _, operands = text.partition(" ")
    first = operands.split(",")[0]
    known = first in REGISTERS or first in ("ds", "es")
    return first if known and word not in READS and not word.startswith("j") else ""


def _steps(
    kernel: Kernel, sources: Sources, walk: _Walk, code: Mapping[int, tuple[str, str, int]]
) -> list[Step]:
    frame = _Frame(kernel, walk.stack)
    steps = []
    for before, after in zip(walk.states, walk.states[1:], strict=False):
        address = before["ip"]
        text, file, line = code[address]
        touched = frame.touched(text, before, after)
        points = kernel.points.get(address, ())
        counted = address not in walk.faults or text.split()[0] in COUNTED
        owner = sources.owner(file, line)
        steps.append(Step(points, text, touched, file, line, owner, counted))
    built_one = any(step.macro == "SAVE_FRAME" for step in steps)
    return [s if built_one and s.touches else replace(s, touches=_register(s.text)) for s in steps]


def _chosen(boot: Boot) -> tuple[str, ...]:
    """The words that select rows."""
    only = tuple(word for word in boot.words if word.startswith("only="))
    return (*parts.kept(boot.words), *only)


def _digest(boot: Boot, program: str) -> str:
    parted = " ".join(_chosen(boot))
    hashed = hashlib.sha256(f"{boot.arch} {boot.cpu} {version(program)} {parted}".encode())
    for path in (KERNELS / SYMBOLS[boot.arch], boot.module_file(), Path(__file__)):
        hashed.update(hashlib.sha256(built(path).read_bytes()).digest())
    return hashed.hexdigest()


def walk(boot: Boot) -> Paths:
    """The paths of every row that the boot's words select: cached, or from a boot that walks."""
    boot, platform = resolve(boot)
    boot.kernel_file()
    program = emulator(platform, boot.arch, boot.cpu)
    digest = _digest(boot, program)
    parted = _chosen(boot)
    named = re.sub("[^a-z0-9-]", "-", "".join(parted))
    store = KERNELS / "paths" / f"{boot.slug}{named}.json"
    try:
        kept = load(json.loads(store.read_text()))
        if kept.digest == digest:
            return kept
    except (OSError, ValueError, KeyError, TypeError):
        pass
    kernel = Kernel(boot.arch)
    wide = program == QEMU["amd64"]
    walks, code, serial = _walks(replace(boot, words=(f"suite={PROGRAM}", *parted)), kernel, wide)
    ids = re.findall(
        rf"^{PROGRAM} ([\w/+@-]+)\r?$", serial.decode("utf-8", "replace"), re.MULTILINE
    )
    reader = RecordReader()
    records = reader.feed(serial) + reader.close()
    missing = {r.data["id"]: r.data["reason"] for r in records if r.type == "skip"}
    if len(ids) != len(walks) or not walks:
        raise TollgateError(f"{len(walks)} walks for {len(ids)} rows on {boot.name}.")
    texts = kernel.disassemble(code)
    sources = Sources()
    rows = {
        row: _steps(kernel, sources, found, texts) for row, found in zip(ids, walks, strict=True)
    }
    paths = Paths(boot.arch, boot.cpu, digest, rows, missing)
    store.parent.mkdir(exist_ok=True)
    unfinished = store.with_suffix(".new")
    unfinished.write_text(json.dumps(asdict(paths)))
    unfinished.replace(store)
    return paths


def load(data: Mapping[str, Any]) -> Paths:
    """Paths from their JSON."""
    rows = {
        row: [Step(**{**step, "points": tuple(step["points"])}) for step in steps]
        for row, steps in data["rows"].items()
    }
    return Paths(**{**data, "rows": rows})
