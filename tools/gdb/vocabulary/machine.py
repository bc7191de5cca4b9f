"""The stopped machine: registers, memory, symbols, and the kernel's numbers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import gdb

ROOT = Path(__file__).resolve().parents[3]
_DEFINE = re.compile(r"^#define ([A-Z]\w*) (0x[0-9a-f]+|\d+)\b", re.MULTILINE)
_TABLE = re.compile(r"^(GDT|IDT)=\s+([0-9a-f]+) ([0-9a-f]+)", re.MULTILINE)
_TASK = re.compile(r"^TR =([0-9a-f]+) ([0-9a-f]+)", re.MULTILINE)
_SYMBOL = re.compile(r"^\[ *\d+\] \w (0x[0-9a-f]+) (\S+)", re.MULTILINE)
_POINT = re.compile(r"\.MP[1-8]$")
_LOCAL = re.compile(r"[.@]")
_LINKER = re.compile(r"^\s*(\w+) = ", re.MULTILINE)
PAGE = 4096
_WIDE = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip")
_NUMBERED = tuple(f"r{n}" for n in range(8, 16))


def _takes(name: str, function: Callable[..., Iterator[str]]) -> str:
    """The arguments of a word."""
    known = inspect.signature(function).parameters.values()
    words = [f"[{p.name.upper()}]" if p.default != p.empty else p.name.upper() for p in known]
    if not words:
        return f"`{name}` takes no argument; see `help {name}`."
    return f"It is `{' '.join([name, *words])}`; see `help {name}`."


@dataclass(frozen=True)
class Word:
    """A gdb command made from a function that yields lines: its docstring is the help."""

    function: Callable[..., Iterator[str]]
    alone: bool = False
    """It works without a machine."""

    @property
    def name(self) -> str:
        """The name to be typed."""
        return self.function.__name__.replace("_", "-")

    def register(self) -> None:
        """Register the command in gdb."""
        function, name, alone = self.function, self.name, self.alone

        class Command(gdb.Command):
            __doc__ = inspect.getdoc(function)

            def invoke(self, argument: str, from_tty: bool) -> None:
                arguments = gdb.string_to_argv(argument)
                try:
                    inspect.signature(function).bind(*arguments)
                except TypeError:
                    raise gdb.GdbError(_takes(name, function)) from None
                if not alone and not gdb.selected_inferior().pid:
                    raise gdb.GdbError(
                        f"{name}: there is no machine: `target remote SOCKET`, or `make gdb`."
                    )
                try:
                    for line in function(*arguments):
                        print(line)
                except gdb.error as error:
                    raise gdb.GdbError(f"{name}: {error}") from None

        Command(name, gdb.COMMAND_USER)


def headless() -> bool:
    """Whether no person is watching: `set $headless = 1`."""
    return bool(gdb.convenience_variable("headless"))


def arch() -> str:
    """`amd64` or `i386`, according to the symbol file."""
    return "amd64" if "x86-64" in gdb.selected_inferior().architecture().name() else "i386"


def word() -> int:
    """Bytes in a register."""
    return 8 if arch() == "amd64" else 4


@lru_cache
def constants() -> dict[str, int]:
    """The numbers of const.h and layout.h (USER_CS, FRAME_AX, CALLS, ...)."""
    texts = (ROOT / "kernel" / name for name in ("const.h", f"core/arch/{arch()}/layout.h"))
    found = (_DEFINE.findall(path.read_text(encoding="ascii")) for path in texts)
    return {name: int(value, 0) for pairs in found for name, value in pairs}


def register_name(name: str) -> str:
    """`ax` means rax or eax, `flags` eflags; other names are the processor's."""
    if name == "flags":
        return "eflags"
    return ("r" if arch() == "amd64" else "e") + name if name in _WIDE else name


def register(name: str) -> int:
    """A register, unsigned."""
    value = int(gdb.parse_and_eval(f"${register_name(name)}"))
    return value & (1 << 8 * word()) - 1


def set_register(name: str, value: int) -> None:
    """Write a register of the stopped machine."""
    gdb.execute(f"set ${register_name(name)} = {value:#x}")


def general_registers() -> dict[str, int]:
    """The general-purpose registers except the stack pointer, by short name."""
    names = [name for name in _WIDE if name not in ("sp", "ip")]
    names += _NUMBERED if arch() == "amd64" else []
    return {name: register(name) for name in names}


def read(address: int, size: int) -> int:
    """A little-endian number of `size` bytes in memory, as the current page tables map it."""
    data = gdb.selected_inferior().read_memory(address & (1 << 8 * word()) - 1, size)
    return int.from_bytes(bytes(data), "little")


def is_there(address: int) -> bool:
    """Whether the current page tables map it: a program's page appears at its first touch.

    gdb's own reads would fall back to the program's file.
    """
    return "gpa:" in gdb.execute(f"monitor gva2gpa {address:#x}", to_string=True)


def write(address: int, value: int, size: int) -> None:
    """Write memory, whatever its page allows: the stub ignores page rights."""
    gdb.selected_inferior().write_memory(address, value.to_bytes(size, "little"))


def read_words(address: int, count: int) -> list[int]:
    """`count` words of the machine's width, upwards from `address`."""
    return [read(address + i * word(), word()) for i in range(count)]


def read_physical(address: int, size: int) -> int:
    """4 or 8 bytes of physical memory, whatever is mapped."""
    answer = monitor(f"xp /1{'g' if size == 8 else 'w'}x {address:#x}")
    return int(answer.split()[1], 0)


@lru_cache
def qemu() -> int:
    """The major version of QEMU; 0 if unknown."""
    found = re.search(r"^(\d+)\.", monitor("info version"), re.MULTILINE)
    return int(found[1]) if found else 0


def quoted(file: object) -> str:
    """A file's name for a gdb command, because it may contain spaces."""
    name = str(file).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{name}"'


def monitor(line: str) -> str:
    """Run one command in QEMU's monitor."""
    return str(gdb.execute(f"monitor {line}", to_string=True))


def table_register(name: str) -> tuple[int, int]:
    """Base and limit in GDTR or IDTR, which gdb's register set lacks."""
    found = {table: (base, limit) for table, base, limit in _TABLE.findall(_registers())}
    return int(found[name][0], 16), int(found[name][1], 16)


def task_register() -> tuple[int, int]:
    """The selector in TR and the base of the task-state segment."""
    found = _TASK.search(_registers())
    assert found, "QEMU's `info registers` names TR"
    return int(found[1], 16), int(found[2], 16)


def _registers() -> str:
    return monitor("info registers")


def evaluate(expression: str) -> int:
    """A C expression as an unsigned word; for a function, its address."""
    value = gdb.parse_and_eval(expression)
    if value.type.code == gdb.TYPE_CODE_FUNC:
        value = value.address
    return int(value) & (1 << 8 * word()) - 1


def evaluate_wide(expression: str) -> int:
    """A C expression as an unsigned 64-bit number, whatever the machine's width."""
    return int(gdb.parse_and_eval(expression)) & (1 << 64) - 1


def symbol(name: str) -> int:
    """The address of a symbol, including assembly labels."""
    return evaluate(f"&'{name}'")


@lru_cache
def kernel_symbols() -> list[tuple[int, str]]:
    """Address and name of every symbol in the kernel's ELF file, sorted by address.

    Symbols for the beginnings and ends of sections are left out, because they do not name code.
    """
    kernel = gdb.current_progspace().filename
    text = str(gdb.execute(f"maint print msymbols -objfile {quoted(kernel)}", to_string=True))
    bounds = set(_LINKER.findall((ROOT / "linker.ld").read_text(encoding="ascii")))
    found = ((int(address, 0), name) for address, name in _SYMBOL.findall(text))
    return sorted(item for item in found if item[1] not in bounds)


def symbol_at(address: int) -> str:
    """The nearest symbol below, as `name + 3`, or the measurement point at this address.

    The address itself if there is no symbol. gdb's `info symbol` mistakes the end of a local label
    for a compiler's clone suffix, so its offset is from the label; it is used only for programs.
    """
    below = [item for item in kernel_symbols() if address - PAGE < item[0] <= address]
    whole = [item for item in below if not _LOCAL.search(item[1])]
    if not whole:
        text = str(gdb.execute(f"info symbol {address:#x}", to_string=True))
        return f"{address:#x}" if text.startswith("No symbol") else text.partition(" in section")[0]
    start, name = whole[-1]
    points = {name[-3:] for at, name in below if at == address and _POINT.search(name)}
    return ", ".join([name if start == address else f"{name} + {address - start}", *sorted(points)])


def instruction() -> str:
    """The next instruction, in Intel's syntax."""
    here = register("ip")
    found = gdb.selected_inferior().architecture().disassemble(here)[0]["asm"]
    return re.sub(r"\s+", " ", str(found)).strip()


def behind() -> int:
    """The address after the next instruction."""
    here = register("ip")
    found = gdb.selected_inferior().architecture().disassemble(here)[0]
    return here + int(found["length"])


def resume(line: str) -> None:
    """Run the machine by a gdb command, without gdb's message about the stop."""
    gdb.execute("set suppress-cli-notifications on")
    try:
        gdb.execute(line, to_string=True)
    finally:
        gdb.execute("set suppress-cli-notifications off")


def stepi() -> None:
    """Execute one instruction; a gate or its return counts as one."""
    resume("stepi")


def run_to(*addresses: int) -> int:
    """Run the machine to one of `addresses`, past a page fault at its fetch.

    gdb.error if the machine ends before that.
    """
    points = [gdb.Breakpoint(f"*{address:#x}", internal=True) for address in addresses]
    try:
        resume("continue")
        while register("ip") in addresses and not is_there(register("ip")):
            resume("continue")
    finally:
        for point in points:
            if point.is_valid():
                point.delete()
    here = register("ip")
    if here not in addresses:
        raise gdb.error(f"the machine stopped at {symbol_at(here)}")
    return here


def run_to_symbol(*names: str) -> str:
    """Run the machine to one of these symbols; return the one reached."""
    places = {symbol(name): name for name in names}
    return places[run_to(*places)]


def written_msrs(function: str, wanted: str) -> dict[int, int]:
    """The MSRs that a function of the kernel writes, with their values, up to the one wanted.

    gdb cannot read these registers, but it can watch the writes.
    """
    written: dict[int, int] = {}
    while constants()[wanted] not in written:
        run_to_symbol(function)
        written = _written_here()
    return written


def _written_here() -> dict[int, int]:
    written = {}
    while not instruction().startswith("ret"):
        if instruction() == "wrmsr":
            low, high = (register(name) & 0xFFFFFFFF for name in ("ax", "dx"))
            written[register("cx") & 0xFFFFFFFF] = high << 32 | low
        stepi()
    return written
