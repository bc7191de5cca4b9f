"""The kernel's records: read off a serial line, kept as results.jsonl.

A record is one serial line, `@<JSON object> *<crc32 of the JSON, 8 hex digits>`.  Everything else
on the line is text for people.  results.jsonl holds the JSON of each record, one per line: a `run`
record, then the records of that boot; several boots may follow one another in a file.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError
from tollgate.shape import check_shape, name_of, parse_json

MAX_LINE = 64 * 1024
"""Bytes.  A longer line is noise, so a guest that never ends its line cannot fill the memory."""

_TRIES = 8
"""How many starts (`@{`) are tried in one line: a cut record may stand before a whole one."""

_RECORD = re.compile(rb"@(\{.*\}) \*([0-9a-f]{8})[ \r\t]*\Z", re.DOTALL)


class RecordsError(TollgateError):
    """A results file cannot be used; the message names the file, the line and the reason."""


@dataclass(frozen=True)
class Record:
    """One record whose CRC and shape were right.  `data` is its JSON object."""

    type: str
    data: dict[str, Any]


@dataclass
class Counters:
    """What a reader has seen, in lines (`noise` in bytes)."""

    text: int = 0
    records: int = 0
    bad_crc: int = 0
    bad_json: int = 0
    bad_shape: int = 0
    truncated: int = 0
    too_long: int = 0

    @property
    def bad(self) -> int:
        """Lines that began as a record and could not be used."""
        return self.bad_crc + self.bad_json + self.bad_shape + self.truncated + self.too_long


class _DamageError(ValueError):
    """Why a line is no record; `counter` is the field of Counters that it adds to."""

    def __init__(self, counter: str, reason: str) -> None:
        super().__init__(reason)
        self.counter = counter


def encode(data: Mapping[str, Any]) -> bytes:
    """Return `data` as the serial line that a kernel would write, newline included."""
    text = json.dumps(data, separators=(",", ":")).encode("ascii")
    return b"@" + text + b" *%08x\n" % zlib.crc32(text)


def _parse_at(line: bytes, start: int) -> Record:
    match = _RECORD.match(line, start)
    if match is None:
        raise _DamageError("truncated", "cut short")
    text, crc = match.groups()
    if zlib.crc32(text) != int(crc, 16):
        raise _DamageError("bad_crc", "wrong CRC")
    try:
        data = parse_json(text)
    except ValueError as error:
        raise _DamageError("bad_json", str(error)) from None
    try:
        check_shape(data)
    except ValueError as error:
        raise _DamageError("bad_shape", str(error)) from None
    return Record(data["type"], data)


def parse_line(line: bytes) -> Record | None:
    """Return the record in one serial line, None for text; _DamageError for a damaged one.

    A record may stand behind noise or a record that was cut off: its CRC says where it is whole.
    """
    first: _DamageError | None = None
    start = line.find(b"@{")
    for _ in range(_TRIES):
        if start < 0:
            break
        try:
            return _parse_at(line, start)
        except _DamageError as error:
            first = first or error
        start = line.find(b"@{", start + 1)
    if first is not None and line.lstrip(b" \t\r").startswith(b"@{"):
        raise first
    return None


@dataclass
class RecordReader:
    """Reads records out of serial bytes, however they are cut; never raises, whatever they are.

    A damaged line is counted and forgotten; the reader is in step again at the next newline.
    """

    counters: Counters = field(default_factory=Counters)
    problems: list[str] = field(default_factory=list)
    _pending: bytearray = field(default_factory=bytearray)
    _skipping: bool = False

    def feed(self, data: bytes) -> list[Record]:
        """Take the next bytes and return the records that they complete."""
        found: list[Record] = []
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._pending += line
            if self._skipping or len(self._pending) > MAX_LINE:
                self._too_long()
            else:
                found += self._line(bytes(self._pending))
            self._pending.clear()
            self._skipping = False
        self._pending += rest
        if len(self._pending) > MAX_LINE:
            self._pending.clear()
            self._skipping = True
        return found

    def close(self) -> list[Record]:
        """Take the end of the stream: a last line without its newline counts when it is whole."""
        if self._skipping:
            self._too_long()
            self._skipping = False
        found = self._line(bytes(self._pending)) if self._pending else []
        self._pending.clear()
        return found

    def _too_long(self) -> None:
        self.counters.too_long += 1
        self.problems.append(f"a line of more than {MAX_LINE} bytes")

    def _line(self, line: bytes) -> list[Record]:
        try:
            record = parse_line(line)
        except _DamageError as error:
            setattr(self.counters, error.counter, getattr(self.counters, error.counter) + 1)
            self.problems.append(f"{error}: {line[:60].decode('ascii', 'replace')}")
            return []
        if record is None:
            self.counters.text += 1
            return []
        self.counters.records += 1
        return [record]


@dataclass
class MachineRun:
    """One boot of one kernel on one machine, as its records tell it."""

    run: dict[str, Any]
    results: list[dict[str, Any]] = field(default_factory=list)
    skips: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    end: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """A short label, such as `amd64 Skylake-Client (qemu-icount)`."""
        return f"{self.run['arch']} {self.run['cpu_model']} ({self.run['platform']})"

    @property
    def unit(self) -> str:
        """What the figures count: `instructions`, `host ticks` or `cycles`."""
        return str(self.run["unit"])

    @property
    def failed_checks(self) -> list[dict[str, Any]]:
        """The checks that did not hold."""
        return [check for check in self.checks if not check["ok"]]

    @property
    def readable(self) -> bool:
        """Whether the figures may be read: the kernel says so, no control moved, and it ended."""
        moved = any(check["name"].startswith("control/") for check in self.failed_checks)
        return bool(self.run["readable"]) and not moved and self.end is not None

    @property
    def lost(self) -> int:
        """How many records the `end` record counted that did not arrive; 0 without an `end`."""
        arrived = 1 + len(self.results) + len(self.skips) + len(self.checks)
        return 0 if self.end is None else int(self.end["records"]) - arrived

    def add(self, record: Record) -> None:
        """Take the next record of this boot."""
        if record.type == "end":
            self.end = record.data
        else:
            {"result": self.results, "skip": self.skips, "check": self.checks}[record.type].append(
                record.data
            )

    def lines(self) -> Iterable[dict[str, Any]]:
        """The records of this boot in the order in which results.jsonl keeps them."""
        yield self.run
        yield from self.results
        yield from self.skips
        yield from self.checks
        if self.end is not None:
            yield self.end


def group(records: Iterable[Record]) -> list[MachineRun]:
    """Return the boots in a stream of records; those before the first `run` belong to none."""
    runs: list[MachineRun] = []
    for record in records:
        if record.type == "run":
            runs.append(MachineRun(record.data))
        elif runs:
            runs[-1].add(record)
    return runs


def load(path: Path) -> list[MachineRun]:
    """Return the boots in a results file; RecordsError names the file, the line and the reason."""
    if path.is_dir():
        path = path / "results.jsonl"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise RecordsError(
            f"{path} does not exist; `make bench` writes results/latest/results.jsonl."
        ) from None
    except OSError as error:
        raise RecordsError(f"{path} cannot be read: {error.strerror}.") from None
    runs: list[MachineRun] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            data = parse_json(line)
            check_shape(data)
        except ValueError as error:
            reason = (
                "not JSON"
                if isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
                else str(error)
            )
            raise RecordsError(
                f"{path}, line {number}, is not a record ({reason}); "
                "the file is damaged or not a results file."
            ) from None
        record = Record(data["type"], data)
        if record.type == "run":
            runs.append(MachineRun(data))
        elif not runs:
            raise RecordsError(
                f"{path}, line {number}: {name_of(record.type)} stands before any run record; "
                "the file is damaged."
            )
        else:
            runs[-1].add(record)
    if not runs:
        raise RecordsError(f"{path} holds no run; it is empty or was cut short.")
    return runs


def save(runs: Sequence[MachineRun], path: Path) -> None:
    """Write `runs` as a results file, whole or not at all; RecordsError when that fails."""
    lines = [json.dumps(data, separators=(",", ":")) + "\n" for run in runs for data in run.lines()]
    part = path.with_name(path.name + ".part")
    try:
        part.write_text("".join(lines), encoding="ascii")
        part.replace(path)
    except OSError as error:
        raise RecordsError(
            f"{path} cannot be written: {error.strerror}; choose another place with OUT=DIR."
        ) from None
