"""The host's end of the web server's serial line: connections of TCP, as parts on the line.

A part is a byte that says which connection, two that say how many bytes, the low one first, and
these.  A part of none ends the connection; each side says that once (user/console/webline.c).
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from tollgate.errors import TollgateError

SOCKET = "line.sock"
DEVICE = "isa-serial,chardev=line,iobase=0x2f8,irq=3,index=1"
ARGUMENTS = ("-chardev", f"socket,id=line,path={SOCKET},server=on,wait=off", "-device", DEVICE)
"""QEMU's arguments: COM2 leads to a socket in the folder that it runs in."""

CONNECTIONS = 32
PART = 4096
"""Bytes of a part, at most."""


class Relay:
    """One line, and the connections that share it."""

    def __init__(self) -> None:
        self._free = list(range(CONNECTIONS))
        self._freed = asyncio.Event()
        self._clients: dict[int, asyncio.StreamWriter] = {}
        self._ends: dict[int, int] = {}
        self._line: asyncio.StreamWriter | None = None

    async def run(self, directory: Path, port: int) -> None:
        """Meet the machine, say where it can be asked, and carry bytes until it goes."""
        while not (directory / SOCKET).exists():
            await asyncio.sleep(0.05)
        reader, self._line = await asyncio.open_unix_connection(directory / SOCKET)
        server = await asyncio.start_server(self._meet, "127.0.0.1", port)
        port = server.sockets[0].getsockname()[1]
        print(f"tollgate: ask it: curl http://127.0.0.1:{port}/", file=sys.stderr, flush=True)
        async with server:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await self._hear(reader)

    async def _hear(self, line: asyncio.StreamReader) -> None:
        while True:
            number, low, high = await line.readexactly(3)
            data = await line.readexactly(low | high << 8)
            client = self._clients.get(number)
            if data and client:
                with contextlib.suppress(ConnectionError):
                    client.write(data)
                    await client.drain()
            elif not data:
                if client:
                    client.close()
                self._end(number)

    def _end(self, number: int) -> None:
        """One side has said that a connection is over; after both its number is another's."""
        self._ends[number] = self._ends.get(number, 0) + 1
        if self._ends[number] == 2:
            del self._ends[number], self._clients[number]
            self._free.append(number)
            self._freed.set()

    async def _say(self, number: int, data: bytes) -> None:
        assert self._line is not None
        self._line.write(bytes((number, len(data) & 0xFF, len(data) >> 8)) + data)
        await self._line.drain()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):  # the machine has gone
            await self._serve(reader, writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A client, from its first byte to its end; more than there are numbers for wait."""
        data = await reader.read(PART)
        if not data:
            writer.close()
            return
        while not self._free:
            self._freed.clear()
            await self._freed.wait()
        number = self._free.pop()
        self._clients[number] = writer
        while data:
            await self._say(number, data)
            try:
                data = await reader.read(PART)
            except ConnectionError:
                data = b""
        await self._say(number, b"")
        self._end(number)


@contextlib.contextmanager
def relay(directory: Path, port: int) -> Iterator[None]:
    """Carry bytes in a thread of its own meanwhile."""

    def carry() -> None:
        try:
            asyncio.run(Relay().run(directory, port))
        except OSError as error:
            print(TollgateError(f"No relay on port {port}: {error.strerror}."), file=sys.stderr)

    threading.Thread(target=carry, daemon=True).start()
    yield
