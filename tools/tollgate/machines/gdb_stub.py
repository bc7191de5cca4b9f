"""QEMU's gdb stub, as far as needed: break, continue, step, read.

Source: GDB's manual, "Remote Protocol".  Registers are in gdb's order; qemu-system-x86_64 sends
eight bytes for each, whatever the kernel's width.
"""

import select
import socket
import time
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.clock import LOOK, Clock

WIDE = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp", *(f"r{n}" for n in range(8, 16)), "ip")
NARROW = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "ip")
LIMIT = 60.0
"""Seconds that the emulator may use between two stops."""
PART = 1024
"""Bytes of memory per request, in one page: QEMU's packets have room for 4096 characters."""


def connected(path: Path, pid: int) -> socket.socket:
    """A connection to QEMU's stub, whose socket exists slightly before it listens."""
    clock = Clock(pid)
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return connection
        except ConnectionRefusedError:
            connection.close()
            if clock.read() > LIMIT:
                raise TollgateError("QEMU does not listen for a debugger.") from None
            time.sleep(LOOK)


class Stub:
    """A stopped machine that executes commands."""

    def __init__(self, path: Path, pid: int, wide: bool) -> None:
        self._pid = pid
        self._wide = wide
        self._socket = connected(path, pid)
        self._bytes = b""
        self.ask("?")
        self.ask("Qqemu.sstep=1")  # allows interrupts during steps

    def close(self) -> None:
        self._socket.close()

    def ask(self, *texts: str) -> str:
        """Send packets, all at once; return the last one's answer."""
        packets = [text.encode() for text in texts]
        self._socket.sendall(b"".join(b"$%s#%02x" % (p, sum(p) % 256) for p in packets))
        return [self._answer() for _ in packets][-1]

    def _answer(self) -> str:
        """The next packet; "" if the machine has ended."""
        clock: Clock | None = None
        while (end := self._bytes.find(b"#")) < 0 or len(self._bytes) < end + 3:
            ready, _, _ = select.select([self._socket], [], [], LOOK)
            if not ready:
                clock = clock or Clock(self._pid)
                if clock.read() > LIMIT:
                    raise TollgateError(f"The machine has not stopped in {LIMIT:g} s.")
                continue
            try:
                more = self._socket.recv(65536)
            except ConnectionError:
                more = b""
            if not more:
                return ""
            self._bytes += more
        packet = self._bytes[self._bytes.index(b"$") + 1 : end]
        self._bytes = self._bytes[end + 3 :]
        return packet.decode("ascii")

    def set_breaks(self, addresses: Iterable[int], there: bool = True) -> None:
        """Set or remove breakpoints at `addresses`."""
        self.ask(*(f"{'Z' if there else 'z'}1,{address:x},1" for address in addresses))

    def go(self) -> bool:
        """Continue to the next stop; False if the machine has ended."""
        return self.ask("c").startswith("T")

    def step(self) -> None:
        """Execute one instruction, or stop at the first instruction of its handler."""
        if not self.ask("s").startswith("T"):
            raise TollgateError("The machine has ended in the middle of a row.")

    def _register_file(self) -> tuple[bytearray, dict[str, tuple[int, int]]]:
        """The beginning of gdb's `g`, and the offsets of registers in it: ax, sp, ip, flags."""
        names, size = (WIDE, 8) if self._wide else (NARROW, 4)
        ends = [*range(0, size * len(names) + 1, size), size * len(names) + 4]
        places = dict(zip((*names, "flags"), pairwise(ends), strict=True))
        return bytearray.fromhex(self.ask("g").replace("x", "0"))[: ends[-1]], places

    def registers(self) -> dict[str, int]:
        """Registers by the names common to both widths."""
        data, places = self._register_file()
        return {name: int.from_bytes(data[at:end], "little") for name, (at, end) in places.items()}

    def load(self, registers: Mapping[str, int]) -> None:
        """Set registers."""
        data, places = self._register_file()
        for name, value in registers.items():
            at, end = places[name]
            data[at:end] = value.to_bytes(end - at, "little")
        self.ask(f"G{data.hex()}")

    def write(self, address: int, data: bytes) -> None:
        """Write memory at the running program's addresses."""
        self.ask(f"M{address:x},{len(data):x}:{data.hex()}")

    def monitor(self, command: str) -> str:
        """The output of a command in QEMU's monitor."""
        said, answer = "", self.ask(f"qRcmd,{command.encode().hex()}")
        while answer.startswith("O") and answer != "OK":
            said += bytes.fromhex(answer[1:]).decode()
            answer = self._answer()
        return said

    def read(self, address: int, size: int) -> bytes:
        """Read memory at the running program's addresses, up to the first unmapped page."""
        found, end = b"", address + size
        while address < end:
            part = min(end - address, PART - address % PART)
            answer = self.ask(f"m{address:x},{part:x}")
            if not answer or answer.startswith("E"):
                break
            found += bytes.fromhex(answer)
            address += part
        return found
