"""Programs of system calls: written as lines, made at random, varied, and passed to a guest.

A program is a line of deeds, each written as a call of C: `open('file', 2); read(r0, [0], 8)`. r0
is the result of deed 0.  A text and bytes b'' stand for their address; so does a list, of words, or
of pairs (value, bytes).  A name that is none of these is a symbol of the guest's program. A call
whose name begins with _ is made by INT 80h.  `touch(address, writes)` is an access to memory;
`spawn(flags, n)` is a thread or a process that does the next n deeds.

user/torture/program.c performs them, each program in a process that begins with PROLOGUE.
"""

import ast
import functools
import re
import runpy
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeAlias

from tollgate.machines.boot import ROOT

from .inputs import EDGES

ARENA, TEXTS, ARENA_END = 0x30000000, 0x30008000, 0x30010000
"""Addresses in the guest: buffers, and the targets of the deeds' pointers."""
CALL, PUT, STORE, TOUCH, SPAWN = range(5)
MOST = 40
"""Maximum number of deeds of a program."""
LEFT_OUT = {"reboot", "toll_remember", "toll_key", "toll_quiet", "toll_latency", "toll_reentry"}
"""They would end the boot, or change the machine for all later programs."""


@dataclass(frozen=True)
class Result:
    """The result of the deed with this number."""

    deed: int


@dataclass(frozen=True)
class Symbol:
    """An address of the guest's program."""

    name: str


Value: TypeAlias = "int | str | bytes | Result | Symbol | list[Value] | tuple[Value, int]"


@dataclass(frozen=True)
class Deed:
    """A call, or another deed, by its name."""

    name: str
    values: tuple[Value, ...]


Program = tuple[Deed, ...]


def _read_value(node: ast.expr) -> Value:
    match node:
        case ast.Name():
            number = re.fullmatch(r"r(\d+)", node.id)
            return Result(int(number[1])) if number else Symbol(node.id)
        case ast.List():
            return [_read_value(each) for each in node.elts]
        case ast.Tuple(elts=[value, ast.Constant(value=int(size))]):
            return _read_value(value), size
    value = ast.literal_eval(node)
    assert isinstance(value, int | str | bytes)
    return value


def read(line: str) -> Program:
    """The program of a line."""
    deeds = []
    for statement in ast.parse(line).body:
        assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        name = ast.unparse(statement.value.func)
        deeds.append(Deed(name, tuple(_read_value(each) for each in statement.value.args)))
    return tuple(deeds)


def _write_value(value: Value) -> str:
    match value:
        case Result():
            return f"r{value.deed}"
        case Symbol():
            return value.name
        case list():
            return f"[{', '.join(map(_write_value, value))}]"
        case tuple():
            return f"({_write_value(value[0])}, {value[1]})"
        case int():
            return hex(value) if abs(value) > 4096 else str(value)
    return repr(value)


def write(program: Program) -> str:
    """The line of a program."""
    return "; ".join(f"{d.name}({', '.join(map(_write_value, d.values))})" for d in program)


@functools.cache
def numbers(wide: bool) -> dict[str, int]:
    """The calls of a width, by name."""
    found = {}
    text = "".join(
        (ROOT / "kernel" / name).read_text() for name in ("unix/sys.def", "toll/toll.def")
    )
    for kind, name, given in re.findall(r"\b(\w*CALL\w*)\((\w+), ([\d, ]+)\)", text):
        of = [int(number) for number in given.split(",")]
        if not kind.startswith("CALL64" if not wide else "CALL32"):
            found[name] = of[-1] if wide else of[0]
    return found if wide else found | {"mmap": found["mmap2"], "accept": found["accept4"]}


@functools.cache
def symbols(file: Path) -> dict[str, int]:
    """The symbols of a program."""
    said = subprocess.run(["nm", file], capture_output=True, text=True, check=True).stdout
    return {name: int(at, 16) for at, _, name in (line.split() for line in said.splitlines())}


@dataclass
class _Coder:
    """Turns deeds into the guest's format."""

    wide: bool
    names: dict[str, int]
    coded: list[bytes]
    places: list[int]
    """The position of each deed of the line among the coded deeds."""
    free: int = TEXTS

    def value(self, value: Value) -> bytes:
        """A byte and 8 more."""
        if isinstance(value, Result):
            place = self.places[value.deed] if value.deed < len(self.places) else 0
            return struct.pack("<BQ", 1, place)
        return struct.pack("<BQ", 0, self.number(value) % (1 << 64))

    def number(self, value: Value) -> int:
        match value:
            case Symbol():
                return self.names.get(value.name, 0)
            case str():
                return self.put(value.encode("latin-1", "replace") + b"\0")
            case bytes():
                return self.put(value)
            case list():
                return self.memory(value)
            case tuple():
                return self.number(value[0])
        assert isinstance(value, int)
        return value

    def room(self, size: int) -> int:
        at = self.free if self.free + size <= ARENA_END else TEXTS
        self.free = at + (size + 7) // 8 * 8
        return at

    def put(self, content: bytes) -> int:
        at = self.room(len(content))
        self.deed(PUT, struct.pack("<BQ", 0, at) + content)
        return at

    def memory(self, items: list[Value]) -> int:
        word = 8 if self.wide else 4
        sized = [item if isinstance(item, tuple) else (item, word) for item in items]
        content, results = b"", []
        for value, size in sized:
            number = 0
            if isinstance(value, Result):
                results.append((len(content), value, size))
            else:
                number = self.number(value)
            content += (number % (1 << 8 * size)).to_bytes(size, "little")
        at = self.put(content)
        for offset, value, size in results:
            body = struct.pack("<BQ", 0, at + offset) + self.value(value) + bytes([size])
            self.deed(STORE, body)
        return at

    def deed(self, kind: int, body: bytes) -> None:
        self.coded.append(struct.pack("<HB", 3 + len(body), kind) + body)

    def code(self, deed: Deed) -> None:
        values = [self.value(value) for value in deed.values[:6]]
        values += [struct.pack("<BQ", 0, 0)] * (6 - len(values))
        if deed.name == "touch":
            self.deed(TOUCH, values[0] + values[1][1:2])
        elif deed.name == "spawn":
            self.deed(SPAWN, values[0] + bytes(1))
        else:
            other = deed.name.startswith("_")
            number = numbers(self.wide).get(deed.name.removeprefix("_"), 511)
            self.deed(CALL, bytes([other]) + struct.pack("<BQ", 0, number) + b"".join(values))
        self.places.append(len(self.coded) - 1)

    def close(self, program: Program, first: int) -> bytes:
        """The whole program, with the number of deeds of each thread."""
        for index, deed in enumerate(program):
            if deed.name != "spawn":
                continue
            n = deed.values[1] if len(deed.values) > 1 else 1
            n = n if isinstance(n, int) else 1
            last = min(first + index + max(n, 0), len(self.places) - 1)
            here = self.places[first + index]
            self.coded[here] = self.coded[here][:-1] + bytes([min(self.places[last] - here, 255)])
        return b"".join(self.coded)


def coded(program: Program, wide: bool, names: dict[str, int]) -> bytes:
    """The program in a guest's format, for this width and with these symbols."""
    coder = _Coder(wide, names, [], [])
    for deed in PROLOGUE:
        coder.code(deed)
    first, coder.places = coder.places, []
    coder.free = TEXTS
    for deed in program:
        coder.code(deed)
    return coder.close(program, 0) if first else b""


def file_of(programs: list[bytes]) -> bytes:
    """The file that the guest reads."""
    at = 4 * (2 + len(programs))
    starts = [at]
    for each in programs:
        starts.append(starts[-1] + len(each))
    return struct.pack(f"<{1 + len(starts)}I", len(programs), *starts) + b"".join(programs)


PROLOGUE = read(
    r"""open('/dev/null', 2); dup(0); dup(0); open('file', 0x42, 0o700); write(3, 0x30000000, 5000)
open('file', 0); mkdir('folder', 0o700); open('folder', 0x10000); pipe(0x30000000)
mknod('fifo', 0o10600, 0); open('fifo', 2); socket(1, 1, 0); socket(1, 1, 0)
bind(10, b'\1\0listen', 8); listen(10, 4); socketpair(1, 1, 0, 0x30000000); write(12, 'sent', 4)
socketpair(1, 1, 0, 0x30000000); shutdown(13, 2); open('/dev/ptmx', 2); ioctl(15, 0x40045431, [0])
open('/dev/pts/0', 0x102); open('gone', 0x42, 0o600); unlink('gone'); write(17, 0x30000000, 9000)
symlink('file', 'link'); link('file', 'name'); open('/proc/self', 0x10000); open('/dev/zero', 2)
open('/proc/self/exe', 0); open('/trusted/sites', 0); socket(1, 0x801, 0)
connect(22, b'\1\0listen', 8); mmap(0x20000000, 0x3000, 3, 1, 3, 0)"""
)
"""The beginning of every program: descriptors 0 to 22."""
WARM_UP = read(
    """spawn(17, 1); execve('/trusted/sites', ['/trusted/sites', 0], [0]); wait4(r0, 0, 0, 0)
spawn(17, 1); execve('/trusted/vectors', ['/trusted/vectors', 0], [0]); wait4(r3, 0, 0, 0)
open('/disk/LICENSE', 0); read(r6, 0x30000000, 9000)"""
)
"""Things that the kernel never frees, such as the call sites of a program of ring 0."""
OPEN = 23

ALWAYS = (
    read("toll_page(1); toll_page(2); toll_page(3)"),
    read("unlink('/dev/console')"),
    read("creat('a', 0x1ff); creat('b', 0x1ff); unlink('b'); dup2(r0, r1); dup2(r0, r1)"),
)
"""Not in the corpus, because no new block shows that they are needed: a number one too high, the
missing terminal of the kernel's next program, dup2() over an open descriptor."""

PATHS = (
    "file name link folder fifo listen gone . .. folder/.. folder/a a b a/b file/ / /tmp /bin "
    "/trusted /trusted/sites /bin/sites /bin/script /disk /disk/LICENSE /dev /dev/null "
    "/dev/zero /dev/random /dev/kmsg /dev/records /dev/tty1 /dev/tty /dev/console "
    "/dev/fb0 /dev/ptmx /dev/hda /dev/pts /dev/pts/0 /dev/pts/1 /dev/fd/3 /dev/stdin /proc "
    "/proc/self /proc/self/maps /proc/self/stat /proc/self/statm /proc/self/status "
    "/proc/self/cmdline /proc/self/environ /proc/self/fd /proc/self/exe /proc/self/cwd "
    "/proc/self/root /proc/self/task /proc/self/mounts /proc/1 /proc/1/maps /proc/1/fd "
    "/proc/1/environ /proc/interrupts /proc/cpuinfo /proc/meminfo /proc/version /proc/uptime "
    "/proc/stat /proc/loadavg /proc/mounts /proc/sys/kernel/hostname"
).split()


@dataclass(frozen=True)
class Knowledge:
    """Facts about the calls in the kernel's source."""

    takes: dict[str, str]
    """The kinds of each call's arguments (tools/hostile.py)."""
    file: dict[str, str]
    """The source file of each call."""
    constants: list[int]
    named: dict[str, list[int]]
    """The constants that each of these files names."""


@functools.cache
def knowledge() -> Knowledge:
    """The facts of this tree."""
    hostile = runpy.run_path(str(ROOT / "tools" / "hostile.py"))
    texts = {str(path): path.read_text() for path in sorted((ROOT / "kernel").rglob("*.[ch]"))}
    source = "".join(texts.values())
    tables = [str(ROOT / "kernel" / name) for name in ("unix/sys.def", "toll/toll.def")]
    takes = {
        name: kinds
        for name, kinds in hostile["calls"](tables, source).items()
        if name not in LEFT_OUT and name in numbers(True) | numbers(False)
    }
    values: dict[str, int] = hostile["constants"](source)
    file = {
        name: path for path in texts for name in re.findall(r"^long sys_(\w+)\(", texts[path], re.M)
    }
    named = {
        path: sorted(
            {
                values[word]
                for word in re.findall(r"\b[A-Z][A-Z0-9_]+\b", texts[path])
                if word in values
            }
        )
        for path in {*file.values()}
    }
    return Knowledge(takes, file, sorted({*values.values()}), named)


class Maker:
    """Makes programs and varies them; the same seed makes the same programs."""

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)
        self.know = knowledge()
        self.calls = sorted(self.know.takes)

    def some(self, *ways: Callable[[], Value]) -> Value:
        return self.random.choice(ways)()

    def constant(self, name: str) -> int:
        """A constant from the source of this call, or from any."""
        own = self.know.named.get(self.know.file.get(name, ""), [])
        return self.random.choice(
            own if own and self.random.random() < 0.8 else self.know.constants
        )

    def number(self, name: str) -> int:
        chance = self.random.random()
        if chance < 0.35:
            return self.constant(name)
        if chance < 0.5:
            return self.constant(name) | self.constant(name)
        if chance < 0.6:
            return self.random.choice(EDGES)
        if chance < 0.7:
            return 1 << self.random.randrange(64)
        return self.random.choice((0, 0, 1, 1, 2, 3, 4, 8, 16, 64, 100, 1000, 4096, 8192, -1))

    def descriptor(self, program: Sequence[Deed]) -> Value:
        chance = self.random.random()
        if program and chance < 0.4:
            return Result(self.random.randrange(len(program)))
        if chance < 0.95:
            return self.random.randrange(OPEN)
        return self.random.choice((-100, -1, OPEN, 63, 64, 1 << 16, (1 << 31) - 1))

    def path(self) -> str:
        text = self.random.choice(PATHS)
        if self.random.random() < 0.15:
            text = f"/proc/self/fd/{self.random.randrange(OPEN)}"
        if self.random.random() < 0.05:
            text += self.random.choice(("/", "/.", "/..", "/a", "a" * 300))
        return text

    def address(self, name: str, program: Sequence[Deed]) -> Value:
        """The address of a buffer or structure, or an unmapped one."""
        chance = self.random.random()
        if chance < 0.3:
            return ARENA + self.random.choice((0, 0, 64, 4096, 0x7000))
        if chance < 0.35:
            return ARENA_END - self.random.randrange(64)
        if chance < 0.42:
            return 0
        if chance < 0.5:
            return 0x20000000 + self.random.choice((0, 4096, 0x2000, 0x2FFF, 0x3000))
        if chance < 0.56:
            return self.number(name) * self.random.choice((1, 4096))
        if chance < 0.62:
            return b"\1\0" + self.random.choice((b"listen", b"\0hidden", b"a", b""))
        if chance < 0.68:
            return self.path()
        items: list[Value] = []
        for _ in range(self.random.choice((1, 2, 2, 4, 6, 8))):
            item = (
                self.any_value(name, program) if self.random.random() < 0.4 else self.number(name)
            )
            small = isinstance(item, int | Result) and self.random.random() < 0.2
            items.append((item, self.random.choice((2, 4, 8))) if small else item)
        return items

    def any_value(self, name: str, program: Sequence[Deed]) -> Value:
        return self.value(self.random.choice("ffpbbnnnn"), name, program)

    def value(self, kind: str, name: str, program: Sequence[Deed]) -> Value:
        """A value of a kind; now and then of another."""
        if self.random.random() < 0.04:
            kind = self.random.choice("fpbn")
        match self.random.choice("bn") if kind == "e" else kind:
            case "f":
                return self.descriptor(program)
            case "p":
                return self.path()
            case "b":
                return self.address(name, program)
        return (
            Result(self.random.randrange(len(program)))
            if program and self.random.random() < 0.1
            else self.number(name)
        )

    def deed(self, program: Sequence[Deed]) -> Deed:
        """A deed that may follow these."""
        chance = self.random.random()
        if chance < 0.05:
            at: Value = self.address("mmap", program)
            if program and self.random.random() < 0.7:
                at = Result(self.random.randrange(len(program)))
            return Deed("touch", (at, self.random.randrange(2)))
        if chance < 0.1:
            flags = self.random.choice((17, 17, 17, 0x10F00, 0x10F00, 0x4111, self.number("clone")))
            return Deed("spawn", (flags, self.random.randrange(1, 5)))
        name = self.random.choice(self.calls)
        if program and chance < 0.6:  # from the same source as an earlier call
            file = self.know.file.get(self.random.choice(program).name)
            of_it = [call for call in self.calls if self.know.file.get(call) == file]
            name = self.random.choice(of_it or [name])
        values = tuple(self.value(kind, name, program) for kind in self.know.takes[name])
        return Deed("_" * (self.random.random() < 0.1) + name, values)

    def program(self) -> Program:
        """A new program."""
        deeds: list[Deed] = []
        for _ in range(self.random.randrange(1, 12)):
            deeds.append(self.deed(deeds))
        return tuple(deeds)

    def variant(self, program: Program, others: Sequence[Program]) -> Program:
        """A program with up to four changes."""
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3, 4))):
            at = self.random.randrange(len(program) + 1)
            chance = self.random.random()
            if chance < 0.35:
                program = insert(program, at, (self.deed(program[:at]),))
            elif chance < 0.5 and others:
                program = insert(program, at, self.random.choice(others))
            elif chance < 0.6 and len(program) > 1:
                program = remove(program, min(at, len(program) - 1))
            elif program:
                at = min(at, len(program) - 1)
                changed = self.changed(program[at], program[:at])
                program = (*program[:at], changed, *program[at + 1 :])
        return program[:MOST]

    def changed(self, deed: Deed, before: Program) -> Deed:
        """The deed with another value somewhere."""
        if not deed.values:
            return deed
        at = self.random.randrange(len(deed.values))
        kinds = self.know.takes.get(deed.name.removeprefix("_"), "")
        kind = kinds[at] if at < len(kinds) else "n"
        new = self.changed_value(deed.values[at], kind, deed.name, before)
        return replace(deed, values=(*deed.values[:at], new, *deed.values[at + 1 :]))

    def changed_value(self, value: Value, kind: str, name: str, before: Program) -> Value:
        chance = self.random.random()
        if isinstance(value, list) and value and chance < 0.8:
            at = self.random.randrange(len(value))
            if chance < 0.1:
                return [*value[:at], *value[at + 1 :]]
            if chance < 0.2:
                return [*value[:at], self.any_value(name, before), *value[at:]]
            return [*value[:at], self.changed_value(value[at], "", name, before), *value[at + 1 :]]
        if isinstance(value, tuple):
            return (self.changed_value(value[0], "", name, before), value[1])
        if isinstance(value, int) and chance < 0.3:
            return value ^ 1 << self.random.randrange(64)
        if isinstance(value, int) and chance < 0.4:
            return value + self.random.choice((-1, 1, 4096, -4096))
        if isinstance(value, int) and chance < 0.5:
            return value | self.constant(name)
        return self.value(kind, name, before) if kind else self.any_value(name, before)


def _moved(value: Value, least: int, by: int) -> Value:
    """The value with later results renumbered."""
    match value:
        case Result(deed=deed) if deed >= least:
            return Result(max(deed + by, 0))
        case list():
            return [_moved(each, least, by) for each in value]
        case tuple():
            return (_moved(value[0], least, by), value[1])
    return value


def shifted(program: Program, least: int, by: int) -> Program:
    """A program whose results from a deed on are renumbered."""
    return tuple(replace(d, values=tuple(_moved(v, least, by) for v in d.values)) for d in program)


def insert(program: Program, at: int, deeds: Program) -> Program:
    """The program with these inserted before a deed."""
    return (*program[:at], *shifted(deeds, 0, at), *shifted(program[at:], at, len(deeds)))


def remove(program: Program, at: int) -> Program:
    """The program without a deed."""
    return (*program[:at], *shifted(program[at + 1 :], at + 1, -1))
