"""The host's side of `take`: sends the files that it asks for over the second serial line
(user/console/take.c has the protocol)."""

from __future__ import annotations

import contextlib
import socket
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tollgate.errors import UsageError
from tollgate.machines import programs
from tollgate.machines.boot import Boot
from tollgate.printable import printable

LONGEST = 300
"""Bytes of a line of the machine's."""

MOST = 65536
"""Bytes of a part."""

SENTENCE = 900
"""Characters: `take` has room for so many."""


@dataclass
class Sender:
    """Gives the files that `add` names: that file, or each of that folder, as they are at the time
    of the request.
    """

    add: Path
    boot: Boot
    _data: bytes = b""

    def answer(self, line: bytes) -> bytes:
        """The answer to one line."""
        word, number, *rest = [*line.decode("ascii", "replace").split(" "), "", ""][:5]
        if not number.isdecimal():
            return b"no 0 such word\n"
        if word == "take":
            return self._file(number, rest[0])
        if word == "part" and all(n.isdecimal() and len(n) < 16 for n in rest[:2]):
            return self._part(number, *map(int, rest[:2]))
        return f"no {number} such word\n".encode()

    def _file(self, number: str, name: str) -> bytes:
        folder = self.add.is_dir()
        try:
            if not programs.NAME.fullmatch(name) or not (folder or name == self.add.name):
                raise UsageError(f"ADD={self.add} names no file {name!r}.")
            path = self.add / name if folder else self.add
            self._data = programs.program(path, self.boot.arch, self.boot.memory << 20)
        except UsageError as error:
            return f"no {number} {printable(error, SENTENCE)}\n".encode("ascii", "replace")
        return f"file {number} {len(self._data)} {zlib.crc32(self._data):08x}\n".encode()

    def _part(self, number: str, offset: int, count: int) -> bytes:
        part = self._data[offset : offset + min(count, MOST)]
        return f"part {number} {len(part)} {zlib.crc32(part):08x}\n".encode() + part


def serve(sender: Sender, line: socket.socket) -> None:
    """Answer all requests until the other end is closed."""
    asked = b""
    with contextlib.suppress(OSError):
        while data := line.recv(4096):
            *lines, asked = (asked + data).split(b"\n")
            for one in lines:
                line.sendall(sender.answer(one[:LONGEST]))
            asked = asked[:LONGEST]


@contextlib.contextmanager
def line(boot: Boot, add: str) -> Iterator[tuple[list[str], list[int]]]:
    """A second serial line, on which `add` is given: QEMU's arguments, and what it must inherit."""
    if not add:
        yield [], []
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        number = theirs.fileno()
        arguments = ["-chardev", f"socket,id=line,fd={number}", "-serial", "chardev:line"]
        thread = threading.Thread(target=serve, args=(Sender(Path(add), boot), ours), daemon=True)
        thread.start()
        try:
            yield arguments, [number]
        finally:
            ours.shutdown(socket.SHUT_RDWR)
            thread.join()
