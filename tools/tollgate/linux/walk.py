"""A system call of Linux's, instruction by instruction, as QEMU's gdb stub steps through it.

What the figure of a row consists of: the functions that it runs through, and what of it each part
costs (PARTS), such as the per-CPU data or the return thunks.  The names are the guest's own, from
/proc/kallsyms, without address randomisation.
"""

from __future__ import annotations

import bisect
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tollgate.boot import BUILD, built
from tollgate.child import Child
from tollgate.clock import LOOK, Clock
from tollgate.errors import TollgateError
from tollgate.linux.guest import Guest, arguments
from tollgate.paths import INSTRUCTION, binutils
from tollgate.stub import LIMIT, Stub
from tollgate.warden import folder

FIRST = ("amd64/bin/onlinux", "run")
"""The first program, and where it has written the names and starts the next one."""
HALF = ("amd64/bin/calls", "way_syscall")
"""That one, and its SYSCALL."""
GETPPID = 110
"""The call's number in Linux's table of 64 bits."""
CALLS = 3
"""The call that is walked: the ones before have found what they need."""
LONGEST = 5000
SLOT = 32
"""Bytes for an instruction and what lies behind it, ended by NOPs, to disassemble it alone."""
NOP = b"\x90"
QUIET = "Qqemu.sstep=7"
"""No interrupt and no timer between two steps."""


@dataclass(frozen=True)
class Step:
    """One instruction: where, in which function, and its text."""

    address: int
    function: str
    text: str


PARTS: Sequence[tuple[str, str, str]] = (
    ("SWAPGS", r".*", r"swapgs"),
    ("retpolines and return thunks", r".*(_thunk|untrain|srso|retbleed|safe_ret).*", r".*"),
    ("barriers", r".*", r"lfence|wrmsr"),
    ("per-CPU data", r".*", r".*\bgs:.*"),
    ("interrupts on and off", r".*", r"sti|cli"),
    ("registers cleared", r"entry_SYSCALL_64.*", r"xor +(\w+),\1"),
    ("the number clamped", r"do_syscall_64.*", r"sbb .*|and .*"),
)
"""What a step belongs to: the first whose function and text both match."""


def part_of(step: Step) -> str:
    """Which of PARTS; empty for none."""
    return next(
        (
            name
            for name, function, text in PARTS
            if re.fullmatch(function, step.function) and re.fullmatch(text, step.text)
        ),
        "",
    )


def symbols(text: str) -> list[tuple[int, str]]:
    """The kernel's names by address."""
    found = re.findall(r"^([0-9a-f]{16}) [tT] (\S+)\r?$", text, re.M)
    return sorted({int(address, 16): name for address, name in reversed(found)}.items())


def texts(code: Mapping[int, bytes]) -> dict[int, str]:
    """The instruction at each address, from the bytes that begin there."""
    with folder() as directory:
        file = directory / "code"
        slots = [data + NOP * (SLOT - len(data)) for data in code.values()]
        file.write_bytes(b"".join(slots))
        lines = binutils(
            "objdump", "-Dzw", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", str(file)
        )
    found = {}
    for line in lines:
        if match := re.match(r"\s*([0-9a-f]+):\t[0-9a-f ]+\t(.*)", line):
            found[int(match[1], 16)] = re.sub(r"\s+", " ", match[2]).strip()
    return {address: found[number * SLOT] for number, address in enumerate(code)}


@contextmanager
def machine(guest: Guest) -> Iterator[tuple[Stub, Path]]:
    """A boot that has stopped at its first instruction, and its serial line."""
    with folder() as directory:
        socket, serial = directory / "gdb.sock", directory / "serial"
        command = [*arguments(guest, directory), "-serial", f"file:{serial}"]
        child = Child([*command, "-S", "-gdb", f"unix:{socket},server=on,wait=off"])
        try:
            clock = Clock(child.pid)
            while not socket.exists():
                time.sleep(LOOK)
                if clock.read() > LIMIT or child.ended():
                    raise TollgateError("QEMU did not start.")
            stub = Stub(socket, child.pid, wide=True)
            yield stub, serial
            stub.close()
        finally:
            child.close()


def place(program: str, symbol: str) -> int:
    """Where a symbol of a program lies."""
    for line in binutils("nm", str(built(BUILD / program))):
        value, _, name = line.split()
        if name == symbol:
            return int(value, 16)
    raise TollgateError(f"{program} has no {symbol}.")


def walk(guest: Guest) -> list[Step]:
    """The instructions from SYSCALL to the one that SYSRET comes back to."""
    begin, start, calls = place(*FIRST), place(*HALF), 0
    guest = replace(guest, walked=True)
    code: dict[int, bytes] = {}
    path: list[int] = []
    with machine(guest) as (stub, serial):
        stub.set_breaks([begin])
        stub.go()
        stub.set_breaks([begin], there=False)
        stub.set_breaks([start])
        while calls < CALLS:
            if not stub.go():
                raise TollgateError(f"{guest.name} has ended before it made the call.")
            here = stub.read(start, 2) == b"\x0f\x05" and stub.registers()["ax"] == GETPPID
            calls += here
            if calls < CALLS:
                stub.step()
        stub.ask(QUIET)
        while (address := stub.registers()["ip"]) != start + 2:
            if address not in code:
                code[address] = stub.read(address, INSTRUCTION)
            path.append(address)
            if len(path) > LONGEST:
                raise TollgateError(f"{guest.name} does not come back from the call.")
            stub.step()
        names = symbols(serial.read_text(errors="replace"))
    said = texts(code)
    return [Step(address, name_of(names, address), said[address]) for address in path]


def name_of(names: Sequence[tuple[int, str]], address: int) -> str:
    """The function around an address; the program for one of its own."""
    place = bisect.bisect_right(names, (address, "\uffff")) - 1
    return names[place][1] if place >= 0 else "program"


def functions(steps: Sequence[Step]) -> list[tuple[str, int]]:
    """How many instructions each function has, in the order of the first."""
    counted = Counter(step.function for step in steps)
    return [(name, counted[name]) for name in dict.fromkeys(step.function for step in steps)]


def parts(steps: Sequence[Step]) -> dict[str, int]:
    """How many instructions belong to each of PARTS."""
    counted = Counter(part_of(step) for step in steps)
    return {name: counted[name] for name, _, _ in PARTS}
