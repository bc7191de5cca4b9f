"""gdb for a 32-bit kernel in qemu-system-x86_64, the only QEMU program with SYSCALL.

Its stub always describes a 64-bit machine, which gdb refuses for a 32-bit program (or closes the
connection, because the registers' answer is too long). So gdb connects to us: we describe no
machine, so it assumes the program's, and gets the lower half of each register. Everything else is
passed on. Source: GDB's manual, "Remote Protocol".
"""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from select import select

from tollgate.machines.gdb_stub import NARROW, WIDE, connected

SOCKET = "narrow.sock"
PACKET = re.compile(rb"\$([^#]*)#..", re.S)
FLAGS = len(NARROW)
"""gdb's number for eflags; after it come CS SS DS ES FS GS, four bytes each."""
REST = 7
WIDE_FLAGS = len(WIDE)


def _packet(text: bytes) -> bytes:
    return b"$%s#%02x" % (text, sum(text) % 256)


def registers(wide: bytes) -> bytes:
    """The answer to `g`: the 32-bit registers out of a 64-bit machine's answer."""
    places = [2 * 8 * WIDE.index(name) for name in NARROW]
    rest = 2 * 8 * WIDE_FLAGS
    return b"".join(wide[at : at + 8] for at in places) + wide[rest : rest + 8 * REST]


def request(text: bytes) -> bytes | None:
    """The request to the machine for a request from gdb; None: answer ""."""
    if text.startswith(b"qXfer:features") or text[:1] in b"Gp":
        return None
    if written := re.fullmatch(rb"P([0-9a-f]+)=([0-9a-f]{8})", text):
        number = int(written[1], 16)
        if number < FLAGS:
            return b"P%x=%s00000000" % (WIDE.index(NARROW[number]), written[2])
        return b"P%x=%s" % (WIDE_FLAGS + number - FLAGS, written[2])
    return text


class _Between:
    """gdb on one side, the machine on the other."""

    def __init__(self, gdb: socket.socket, machine: socket.socket) -> None:
        self._gdb, self._machine = gdb, machine
        self._heard = {gdb: b"", machine: b""}
        self._wants_registers = False

    def serve(self) -> None:
        """Run until one side closes.

        QEMU 7.2 lets single registers be written only after its description was requested.
        """
        self._machine.sendall(_packet(b"qXfer:features:read:target.xml:0,1"))
        said = b""
        while not PACKET.search(said):
            said += self._machine.recv(65536)
        self._machine.sendall(b"+")
        while True:
            ready, _, _ = select([self._gdb, self._machine], [], [])
            for side in ready:
                more = side.recv(65536)
                if not more:
                    return
                self._heard[side] += more
                (self._from_gdb if side is self._gdb else self._from_machine)()

    def _packets(self, side: socket.socket, other: socket.socket) -> Iterator[bytes]:
        """The complete packets of a side; bytes between them (+, -, ^C) are passed on."""
        while packet := PACKET.search(self._heard[side]):
            between, self._heard[side] = (
                self._heard[side][: packet.start()],
                self._heard[side][packet.end() :],
            )
            other.sendall(between)
            yield packet[1]
        if b"$" not in self._heard[side]:
            other.sendall(self._heard[side])
            self._heard[side] = b""

    def _from_gdb(self) -> None:
        for text in self._packets(self._gdb, self._machine):
            asked = request(text)
            if asked is None:
                self._gdb.sendall(b"+" + _packet(b""))
                continue
            self._wants_registers = text == b"g"
            self._machine.sendall(_packet(asked))

    def _from_machine(self) -> None:
        for text in self._packets(self._machine, self._gdb):
            said = registers(text) if self._wants_registers else text
            self._wants_registers = False
            self._gdb.sendall(_packet(said.replace(b"qXfer:features:read+;", b"")))


def _serve(listener: socket.socket, machine: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the block has ended and closed them
        connection, _ = listener.accept()
        with closing(connection):
            _Between(connection, machine).serve()


@contextmanager
def narrowed(machine: Path, pid: int) -> Iterator[Path]:
    """A second socket beside the machine's, where gdb sees a 32-bit machine."""
    path = machine.parent / SOCKET
    with closing(connected(machine, pid)) as wide, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        threading.Thread(target=_serve, args=(listener, wide), daemon=True).start()
        yield path
