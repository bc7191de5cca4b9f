"""Where the processor is: its ring, the kind of code, and what an entry has left on the stack."""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from vocabulary import machine
from vocabulary.machine import Word

FLAGS = {"IF": 0x200, "DF": 0x400, "TF": 0x100, "NT": 0x4000, "AC": 0x40000}
_loaded: list[str] = []


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
    return "program" if machine.register("cs") & 3 else "boot"


def owner_of_stack(pointer: int) -> str:
    """Whose memory a stack pointer is in."""
    top = machine.evaluate("cpu_stack")
    if top - machine.constants()["STACK_SIZE"] <= pointer <= top:
        return f"kernel stack, {top - pointer} bytes used"
    return "kernel" if pointer >= machine.constants()["KERNEL_BASE"] else "the program's"


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
    """Where an entry from a program builds its struct frame: at the top of the kernel stack."""
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
    there yet.
    """
    at = machine.evaluate(address) if address else frame_address()
    sp = machine.register("sp")
    numbers = machine.constants()
    on_this_stack = at - numbers["STACK_SIZE"] < sp <= at + numbers["FRAME_SIZE"]
    for slot, name, value in frame_fields(at):
        shown = "not pushed" if on_this_stack and slot < sp else f"{value:#x}"
        arrow = "   <- sp" if slot == sp else ""
        yield f"  {slot:#x}  {name:9}  {shown}{arrow}"


def load_program(path: str) -> None:
    """Add the symbols of a program (`toll`, `/bin/toll`, `/compat/toll`) in place of another's."""
    arch = "i386" if path.startswith("/compat/") else machine.arch()
    file = machine.ROOT / "build" / arch / "bin" / path.rpartition("/")[2]
    if not file.is_file():
        raise gdb.GdbError(f"{file} is missing; `make` builds it.")
    while _loaded:
        gdb.execute(f"remove-symbol-file -a {_loaded.pop()}", to_string=True)
    gdb.execute(f"add-symbol-file {file}", to_string=True)
    _loaded.append(str(machine.symbol("_start")))


def program(name: str = "") -> Iterator[str]:
    """program [NAME]: symbols of the program that runs, or of NAME; at first they are toll's."""
    if not name:
        current = machine.evaluate("cpu_current")
        if not current:
            raise gdb.GdbError("No program runs: cpu_current is NULL.")
        name = gdb.parse_and_eval("cpu_current->process->path").string()
    load_program(name)
    yield f"symbols of {name}"


WORDS = [Word(ring), Word(entry_frame), Word(program)]
