"""gdb on a 32-bit kernel in qemu-system-x86_64, the only one of QEMU's that has SYSCALL.

Its stub describes a 64-bit machine, whatever runs there, which gdb refuses for a program of 32 bits
(or closes the connection, its answer to registers being too long). So gdb is told of no machine,
takes the program's, and gets of each register the half that it has.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tollgate.debug import Session
from tollgate.stub import NARROW, Stub


def answer(stub: Stub, request: str) -> str:
    """What gdb hears: the machine's own answer, but of nothing that is 64 bits wide."""
    if request == "g":
        registers = stub.registers()
        words = ((registers[name] % 2**32).to_bytes(4, "little") for name in NARROW)
        return "".join(word.hex() for word in words)
    if request[0] in "GPp":
        return ""  # one register at a time, or written: not known here
    said = stub.ask(request)
    return said.replace("qXfer:features:read+", "") if request.startswith("qSupported") else said


def serve(listener: socket.socket, stub: Stub) -> None:
    """Packets from gdb, one after another, until it goes; each is acknowledged."""
    connection, _ = listener.accept()
    with closing(connection):
        received = b""
        while more := connection.recv(65536):
            received += more
            while packet := re.search(rb"\$([^#]*)#..", received, re.S):
                received = received[packet.end() :]
                text = answer(stub, packet[1].decode("ascii")).encode()
                connection.sendall(b"+$%s#%02x" % (text, sum(text) % 256))


@contextmanager
def narrowed(machine: Session) -> Iterator[Path]:
    """A socket where gdb finds the machine 32 bits wide."""
    path = machine.directory / "narrow.sock"
    with (
        closing(Stub(machine.socket, machine.pid, wide=True)) as stub,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        stub.ask("Qqemu.sstep=7")  # as gdb itself steps: without interrupts
        listener.bind(str(path))
        listener.listen(1)
        threading.Thread(target=serve, args=(listener, stub), daemon=True).start()
        yield path
