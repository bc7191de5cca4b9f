"""Records a headless lesson for the book: its texts, and the machine's state at every stop.

One JSON object a line: the event (`type`) and, if it stops the machine, its state: registers, the
next instruction with its source lines, and the words of the current stack. gdb's unwinder tells
which words hold saved registers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import figures
from vocabulary import machine, stacks, tables, where

import gdb

STOPS = ("step", "ran", "instruction", "answer", "end")
"""Events with the machine's state."""
WORDS_MAX = 48
"""Words of a stack that are recorded, from the stack pointer up."""
FRAMES_MAX = 8
AROUND = 2
"""Lines of source before and after an instruction's own."""
SEGMENTS = ("cs", "ss", "ds", "es")
_SAVED = re.compile(r"\b(\w+) at (0x[0-9a-f]+)")
_CFA = re.compile(r"frame at (0x[0-9a-f]+)")
_COMMAND = re.compile(
    r"`((?:gdt|tss|gate|msrs|stacks|entry-frame|(?:idt|pages|p|p/x|x/\w+) [$\w]+|idt)\b[^`]*)`"
)
"""A command in a hint that can be typed unchanged."""
_NUMBERED = re.compile(r"^\$\d+ = ")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Recorder:
    """Writes the events of lessons to a file."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._last: dict[str, int] = {}
        for known in (_source, _symbol):  # another program may use the same addresses
            known.cache_clear()

    def write(self, kind: str, **fields: Any) -> None:
        """Write an event; if it stops the machine, with the state."""
        if kind in STOPS:
            fields["state"] = state()
            self._last = fields["state"]["registers"]
        self._file.write(json.dumps({"type": kind, **fields}, separators=(",", ":")) + "\n")

    def begin(self, name: str) -> None:
        """A lesson begins."""
        fields = {f.bitpos // 8: f.name for f in gdb.lookup_type("struct frame").fields()}
        self.write("lesson", name=name, arch=machine.arch(), fields=fields)

    def before_instruction(self) -> None:
        """Detect changes that a lesson made by hand, and how far it ran the machine."""
        now = registers()
        if now != self._last:
            hand = now["ip"] == self._last.get("ip")
            changed = {name: value for name, value in now.items() if self._last.get(name) != value}
            self.write("hand", registers=changed) if hand else self.write("ran", to="")

    def look(self, word: str, kind: str = "look") -> None:
        """The output of a vocabulary word, and the book's drawing of it."""
        try:
            said = gdb.execute(word, to_string=True)
        except gdb.error as error:
            said = str(error)
        text = _NUMBERED.sub("", _COLOUR.sub("", said)).replace(f"{machine.ROOT}/", "")
        lines = text.rstrip().splitlines()
        self.write(kind, word=word, lines=lines, figures=figures.of(word))

    def hint(self, *texts: str) -> None:
        """The output of commands in a question and its hint, before the step."""
        for word in dict.fromkeys(_COMMAND.findall(" ".join(texts))):
            if not word.split()[-1].isupper():  # `pages ADDRESS`
                self.look(word, "hint")


def registers() -> dict[str, int]:
    """Everything that a gate can change, by short name."""
    names = ["ip", "sp", "flags", *SEGMENTS, *_control()]
    return machine.general_registers() | {name: machine.register(name) for name in names}


@lru_cache
def _control() -> list[str]:
    """The control registers for page faults and address spaces, if the stub shows them."""
    there = {register.name for register in gdb.selected_inferior().architecture().registers()}
    return [name for name in ("cr2", "cr3") if name in there]


def state() -> dict[str, Any]:
    """The state of the stopped machine."""
    values = registers()
    here = values["ip"]
    symbol = machine.symbol_at(here)
    return {
        "registers": values,
        "place": _place(here),
        "symbol": symbol,
        "points": re.findall(r"\bMP[1-8]\b", symbol),
        "next": machine.instruction(),
        "source": _source(here),
        "stack": _stack(values["sp"]),
    }


def _place(address: int) -> str:
    try:
        return where.place(address)
    except gdb.error:
        return ""


@lru_cache
def _source(address: int) -> dict[str, Any]:
    """The source of an instruction: file, line, and surrounding lines."""
    found = gdb.find_pc_line(address)
    if found.symtab is None or not found.line:
        return {}
    file = found.symtab.filename.removeprefix(f"{machine.ROOT}/")
    lines = _lines(file)
    if not 0 < found.line <= len(lines):
        return {}
    first = max(found.line - AROUND, 1)
    text = lines[first - 1 : found.line + AROUND]
    return {"file": file, "line": found.line, "first": first, "text": text}


@lru_cache
def _lines(file: str) -> list[str]:
    path = machine.ROOT / file
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _stack(sp: int) -> dict[str, Any]:
    """The current stack: its owner, its end, its words and what they hold."""
    name, top = _whose(sp)
    size = machine.word()
    end = min(sp + WORDS_MAX * size, top or (sp | machine.PAGE - 1) + 1)
    count = max(end - sp, 0) // size
    try:
        words = machine.read_words(sp, count)
    except gdb.error:
        words = []
    known, frames = _unwound()
    return {
        "name": name,
        "top": top,
        "word": size,
        "words": words,
        "names": {value: symbol for value in set(words) if (symbol := _symbol(value))},
        "saved": {at: saved for at, saved in known.items() if sp <= at < end},
        "frames": frames,
        "frame": where.frame_address() if top and _current(top) else 0,
        "signal": {} if top else _signal_frame(sp),
    }


def _whose(sp: int) -> tuple[str, int]:
    """The owner of the stack at the stack pointer, and its end; 0 if unknown."""
    try:
        tops = list(stacks.tops())
    except (gdb.error, gdb.GdbError):
        return "no stack of the kernel's yet", 0
    size = machine.constants()["STACK_SIZE"]
    for name, top in tops:
        if top - size <= sp <= top:
            return name, top
    kernel = sp >= machine.constants()["KERNEL_BASE"]
    return "the kernel's" if kernel else "the program's", 0


def _current(top: int) -> bool:
    return top == machine.evaluate("cpu_stack") == int(tables.task_state()["sp0"])


@cache
def _symbol(value: int) -> str:
    """A symbol for a value that looks like an address in code or data."""
    if value < machine.PAGE:
        return ""
    text = machine.symbol_at(value)
    return "" if text.startswith("0x") else text


def _unwound() -> tuple[dict[int, tuple[str, str]], list[tuple[int, str]]]:
    """Where gdb's unwinder finds saved registers, and of which frame; the end of each frame."""
    saved: dict[int, tuple[str, str]] = {}
    frames: list[tuple[int, str]] = []
    selected, frame = gdb.selected_frame(), gdb.newest_frame()
    try:
        while len(frames) < FRAMES_MAX and (older := frame.older()) is not None:
            frame.select()
            text = str(gdb.execute("info frame", to_string=True))
            head, _, tail = text.partition("Saved registers:")
            caller = _function(older)
            for register, address in _SAVED.findall(tail):
                saved[int(address, 16)] = register, caller
            if found := _CFA.search(head):
                frames.append((int(found[1], 16), _function(frame)))
            frame = older
    except gdb.error:
        pass
    finally:
        selected.select()
    return saved, frames


def _signal_frame(sp: int) -> dict[int, str]:
    """Names for the words of a signal frame, at the handler's first instruction and after its last:
    the restorer's address is at the stack pointer, or was just popped."""
    try:
        restorer, size = machine.symbol("signal_return"), machine.word()
        starts = [at for at in (sp, sp - size) if machine.read(at, size) == restorer]
        handled = machine.register("ip") == restorer or starts[:1] == [sp]
        if not starts or not handled:
            return {}
        layout = _signal_type(starts[0])
    except gdb.error:
        return {}
    return {starts[0] + offset: name for offset, name in _leaves(layout) if offset % size == 0}


def _signal_type(start: int) -> Any:
    """The struct of a signal frame; i386 has two, and the newer one points into itself."""
    if machine.arch() == "amd64":
        return gdb.lookup_type("struct rt_sigframe")
    newer = gdb.lookup_type("struct rt_sigframe32")
    info = next(field.bitpos // 8 for field in newer.fields() if field.name == "info")
    extended = machine.read(start + 8, 4) == start + info
    return newer if extended else gdb.lookup_type("struct sigframe32")


def _leaves(layout: Any, base: int = 0, of: str = "") -> Iterator[tuple[int, str]]:
    """Offset and name of each plain field of a struct, nested ones included, word by word."""
    for field in layout.fields():
        offset, inside = base + field.bitpos // 8, field.type.strip_typedefs()
        if inside.code == gdb.TYPE_CODE_STRUCT:
            yield from _leaves(inside, offset, "" if field.name == "context" else f"{field.name}.")
        elif inside.code == gdb.TYPE_CODE_ARRAY:
            yield from ((offset + at, of + field.name) for at in range(inside.sizeof))
        else:
            yield offset, of + field.name


def _function(frame: Any) -> str:
    return re.split(r"[ ,]", frame.name() or machine.symbol_at(frame.pc()))[0]
