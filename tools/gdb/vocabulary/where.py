"""Where the processor is: its ring, the kind of code, and what an entry left on the stack."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import gdb
from vocabulary import machine, paging
from vocabulary.machine import Word

FLAGS = {"IF": 0x200, "DF": 0x400, "TF": 0x100, "NT": 0x4000, "AC": 0x40000}
ARITHMETIC = {"CF": 1, "PF": 4, "AF": 0x10, "ZF": 0x40, "SF": 0x80, "OF": 0x800}
FOLDERS = ("bin", "console", "trusted", "database/bin", "database/trusted")
"""The build's folders with programs."""
DEEPEST = 40
"""Frames of a backtrace that are examined."""
_loaded: list[str] = []
_followed: list[str] = []
"""The path of the program whose symbols were loaded at a stop."""


def place(address: int) -> str:
    """The kind of code at an address: program, gate page, entry stub, kernel or boot."""
    numbers = machine.constants()
    if machine.symbol("entry_start") <= address < machine.symbol("entry_end"):
        return "entry stub"
    for page in ("GATE_PAGE", "GATE_PAGE32"):
        if page in numbers and numbers[page] <= address < numbers[page] + 0x2000:
            return "gate page"
    if address >= numbers["KERNEL_BASE"]:
        return "kernel"
    return "program" if machine.register("cs") & 3 or _started() else "boot"


def _started() -> bool:
    """Whether the kernel has started programs: this distinguishes ring-0 programs from the boot."""
    return bool(machine.register("cr0") & paging.CR0_PG and machine.evaluate("cpu_current"))


def owner_of_stack(pointer: int) -> str:
    """The owner of the memory at a stack pointer."""
    top = machine.evaluate("cpu_stack")
    if on_stack(pointer, top):
        return f"kernel stack, {top - pointer} bytes used"
    return "kernel" if pointer >= machine.constants()["KERNEL_BASE"] else "the program's"


def on_stack(pointer: int, top: int) -> bool:
    """Whether a stack pointer is on the kernel stack that ends at `top`, even a full one."""
    return top - machine.constants()["STACK_SIZE"] <= pointer <= top


def flag_changes(before: int, after: int) -> str:
    """The flags that differ, in words: `IF cleared, ZF set`."""
    return ", ".join(
        f"{name} {'set' if after & bit else 'cleared'}"
        for name, bit in (FLAGS | ARITHMETIC).items()
        if (before ^ after) & bit
    )


def backtrace() -> list[str]:
    """The names of the frames, innermost first, as far as gdb unwinds."""
    found: list[str] = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < DEEPEST:
        name = machine.symbol_at(frame.pc()) if frame.type() == gdb.SIGTRAMP_FRAME else frame.name()
        found.append(re.split(r"[ .,]", name or hex(frame.pc()))[0])
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


def argument(number: int) -> int:
    """An argument of the C function, at its first instruction."""
    if machine.arch() == "amd64":
        return machine.register(("di", "si", "dx", "cx", "r8", "r9")[number])
    return machine.read(machine.register("sp") + (number + 1) * machine.word(), machine.word())


def text_at(address: int) -> str:
    """The C string at an address."""
    return str(gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string())


def ring() -> Iterator[str]:
    """ring: where you are. CPL, kind of code, nearest symbol, whose stack, the flags that matter.

    CPL is the low two bits of CS. Code is one of: program, gate page (user halves), entry stub
    (kernel halves), kernel, boot.
    """
    here, cs, sp = machine.register("ip"), machine.register("cs"), machine.register("sp")
    flags = machine.register("flags")
    flag_words = "  ".join(f"{name}={int(bool(flags & bit))}" for name, bit in FLAGS.items())
    yield f"CPL {cs & 3}   {place(here)}   {here:#x} <{machine.symbol_at(here)}>"
    yield f"stack   {machine.register('ss'):#x}:{sp:#x}   {owner_of_stack(sp)}"
    yield f"flags   {flag_words}"
    yield f"next    {machine.instruction()}"


def frame_address() -> int:
    """Where an entry from a program builds struct frame: at the top of the kernel stack."""
    return machine.evaluate("cpu_stack") - machine.constants()["FRAME_SIZE"]


def frame_fields(address: int) -> Iterator[tuple[int, str, int]]:
    """Address, name and value of each word of the `struct frame` at `address`, from the bottom."""
    for field in gdb.lookup_type("struct frame").fields():
        at = address + field.bitpos // 8
        yield at, field.name, machine.read(at, machine.word())


def entry_frame(address: str = "") -> Iterator[str]:
    """entry-frame [ADDRESS]: the struct frame that an entry builds, with its field names.

    Without an address, the one at the top of the current kernel stack. The upper five words are
    the hardware's at INT; the rest is pushed by SAVE_FRAME. A word below the stack pointer is not
    there yet; while the stack pointer is elsewhere, none is, and the words there are stale.
    """
    at = machine.evaluate(address) if address else frame_address()
    sp, top = machine.register("sp"), at + machine.constants()["FRAME_SIZE"]
    here = on_stack(sp, top)
    if not address and not (here and sp < top):
        raise gdb.GdbError(
            f"No entry has pushed anything: the stack pointer is {owner_of_stack(sp)}. What the "
            "last one left on the kernel stack is stale; `entry-frame ADDRESS` reads any place."
        )
    for slot, name, value in frame_fields(at):
        shown = "not pushed" if here and slot < sp else f"{value:#x}"
        arrow = "   <- sp" if slot == sp else ""
        yield f"  {slot:#x}  {name:9}  {shown}{arrow}"


def load_program(path: str) -> None:
    """Load a program's symbols (`toll`, `/bin/toll`, `/compat/toll`), replacing the old ones."""
    arch = "i386" if path.startswith("/compat/") else machine.arch()
    build = Path(os.environ.get("TOLLGATE_BUILD") or machine.ROOT / "build")
    files = [build / arch / folder / path.rpartition("/")[2] for folder in FOLDERS]
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        raise gdb.GdbError(f"{files[0]} is missing; `make` builds it.")
    _forget()
    gdb.execute(f"add-symbol-file {machine.quoted(file)}", to_string=True)
    _loaded.append(str(machine.symbol("_start")))


PATH = "((struct task *)(cpu_current + 1))->process->path"
"""Path of the running program: the Unix part of a thread follows the core's part in memory."""


def _forget() -> None:
    """Remove the last program's symbols, whose addresses now mean something else."""
    while _loaded:
        gdb.execute(f"remove-symbol-file -a {_loaded.pop()}", to_string=True)


def follow_programs() -> None:
    """From now on each stop loads the running program's symbols."""
    gdb.events.stop.connect(_follow)


def _follow(event: object) -> None:
    with contextlib.suppress(gdb.error, gdb.GdbError):
        if not machine.evaluate("cpu_current"):
            return
        path = gdb.parse_and_eval(PATH).string()
        if _followed != [path]:
            _followed[:] = [path]
            load_program(path)
            if place(machine.register("ip")) == "program":
                print(f"   (By the symbols of {path}, which were not there yet:)")
                gdb.execute("frame")


def program(name: str = "") -> Iterator[str]:
    """program [NAME]: symbols of the running program (loaded at each stop), or of NAME."""
    if not name:
        current = machine.evaluate("cpu_current")
        if not current:
            raise gdb.GdbError("No program runs: cpu_current is NULL.")
        name = gdb.parse_and_eval(PATH).string()
    load_program(name)
    yield f"symbols of {name}"


WORDS = [Word(ring), Word(entry_frame), Word(program)]
