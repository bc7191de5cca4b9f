"""The kernel's records: read from a serial line, stored as results.jsonl.

A record is one serial line, `@<JSON object> *<crc32 of the JSON, 8 hex digits>`.  Everything else
on the line is text for people.  results.jsonl holds the JSON of each record, one per line, with its
CRC as the last key: a `run` record, then the other records of that boot in order; a file may
contain several boots.
"""

import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tollgate.errors import Exit, TollgateError, UsageError, reason
from tollgate.records import input_file
from tollgate.records.fields import GUEST, HOST, VERSION, check_shape, name_of, parse_json

MAX_LINE = 64 * 1024
"""Bytes.  A longer line is noise, so an endless line cannot fill the memory."""

_TRIES = 8
"""The number of starts (`@{`) tried in one line: a cut record may precede a complete one."""

_RECORD = re.compile(rb"@(\{.*\}) \*([0-9a-f]{8})[ \r\t]*\Z", re.DOTALL)
_STORED = re.compile(rb'(\{.*),"crc":"([0-9a-f]{8})"\}[ \r\t]*\Z', re.DOTALL)


class RecordsError(TollgateError):
    """A results file cannot be used; the message names file, line and reason."""


@dataclass(frozen=True)
class Record:
    """One record with correct CRC and shape.

    `data` is its JSON object, `text` that object as sent, `line` its line in the file (0: none).
    """

    type: str
    data: dict[str, Any]
    text: bytes = field(default=b"", compare=False)
    line: int = field(default=0, compare=False)

    def stored(self) -> bytes:
        """The line for results.jsonl: the object as sent, with its CRC as an additional key."""
        text = self.text or compact(self.data)
        return text[:-1] + b',"crc":"%08x"}\n' % zlib.crc32(text)


@dataclass
class Counters:
    """The counts of a reader, in lines (`noise` in bytes)."""

    text: int = 0
    records: int = 0
    bad_crc: int = 0
    bad_json: int = 0
    bad_shape: int = 0
    truncated: int = 0
    too_long: int = 0

    @property
    def bad(self) -> int:
        """Lines that began like a record and could not be used."""
        return self.bad_crc + self.bad_json + self.bad_shape + self.truncated + self.too_long


class DamageError(ValueError):
    """Why a line is not a record; `counter` is the field of Counters to increment."""

    def __init__(self, counter: str, reason: str) -> None:
        super().__init__(reason)
        self.counter = counter


def compact(data: Mapping[str, Any]) -> bytes:
    """`data` as JSON in the kernel's form."""
    return json.dumps(data, separators=(",", ":")).encode("ascii")


def encode(data: Mapping[str, Any]) -> bytes:
    """Return `data` as the kernel's serial line, newline included."""
    text = compact(data)
    return b"@" + text + b" *%08x\n" % zlib.crc32(text)


def host_record(kind: str, **fields: Any) -> Record:
    """A record written by the host, because no guest can."""
    data = {"v": VERSION, "type": kind, **fields}
    return Record(kind, data, compact(data))


def _parse_at(line: bytes, start: int) -> Record:
    match = _RECORD.match(line, start)
    if match is None:
        raise DamageError("truncated", "cut short")
    record = _checked(*match.groups())
    if record.type in HOST:
        raise DamageError("bad_shape", f"{name_of(record.type)} is the host's to write")
    return record


def parse_stored(line: bytes) -> Record:
    """Return the record in one line of results.jsonl; DamageError for anything else."""
    match = _STORED.match(line)
    if match is None:
        try:
            parse_json(line)
        except ValueError as error:
            raise DamageError("bad_json", _not_json(error)) from None
        raise DamageError("bad_crc", "without its CRC")
    return _checked(match[1] + b"}", match[2])


def _not_json(error: ValueError) -> str:
    whole = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
    return str(error) if whole else "not JSON"


def _checked(text: bytes, crc: bytes) -> Record:
    """The record in `text`, whose CRC must be `crc`."""
    if zlib.crc32(text) != int(crc, 16):
        raise DamageError("bad_crc", "wrong CRC")
    try:
        data = parse_json(text)
    except ValueError as error:
        raise DamageError("bad_json", _not_json(error)) from None
    try:
        check_shape(data)
    except ValueError as error:
        raise DamageError("bad_shape", str(error)) from None
    return Record(data["type"], data, text)


def parse_line(line: bytes) -> Record | None:
    """Return the record in one serial line, None for text; DamageError for a damaged one.

    A record may follow noise or a cut record: its CRC shows where it is complete.
    """
    first: DamageError | None = None
    start = line.find(b"@{")
    for _ in range(_TRIES):
        if start < 0:
            break
        try:
            return _parse_at(line, start)
        except DamageError as error:
            first = first or error
        start = line.find(b"@{", start + 1)
    if first is not None and line.lstrip(b" \t\r").startswith(b"@{"):
        raise first
    return None


@dataclass
class RecordReader:
    """Reads records from serial bytes in any pieces; never raises, whatever they contain.

    A damaged line is counted and dropped; the reader is in step again at the next newline.
    """

    counters: Counters = field(default_factory=Counters)
    problems: list[str] = field(default_factory=list)
    _pending: bytearray = field(default_factory=bytearray)
    _skipping: bool = False

    def feed(self, data: bytes) -> list[Record]:
        """Take the next bytes and return the records completed by them."""
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
        """End of the stream: a last line without newline counts if it is complete."""
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
        except DamageError as error:
            setattr(self.counters, error.counter, getattr(self.counters, error.counter) + 1)
            self.problems.append(f"{error}: {line[:60].decode('ascii', 'replace')}")
            return []
        if record is None:
            self.counters.text += 1
            return []
        self.counters.records += 1
        return [record]


@dataclass(frozen=True)
class Damage:
    """A line that should have been a record of a boot, and why it is not."""

    line: int
    rule: str
    reason: str


@dataclass
class MachineRun:
    """One boot of one kernel on one machine, as a list of records: a `run` record comes first.

    `damage` lists unreadable lines between them.
    """

    records: list[Record]
    damage: list[Damage] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The objects of one type, in order."""
        return [record.data for record in self.records if record.type == kind]

    def last(self, kind: str) -> dict[str, Any] | None:
        """The last object of one type."""
        return next((r.data for r in reversed(self.records) if r.type == kind), None)

    @property
    def run(self) -> dict[str, Any]:
        """The `run` record."""
        return self.records[0].data

    @property
    def results(self) -> list[dict[str, Any]]:
        """The `result` records."""
        return self.of("result")

    @property
    def skips(self) -> list[dict[str, Any]]:
        """The `skip` records."""
        return self.of("skip")

    @property
    def noisy(self) -> list[dict[str, Any]]:
        """The `noisy` records: rows with unreliable figures, controls that have changed."""
        return self.of("noisy")

    @property
    def doubts(self) -> dict[tuple[str, str], str]:
        """The reason for each noisy item, by suite and id."""
        return {(noisy["suite"], noisy["id"]): noisy["reason"] for noisy in self.noisy}

    @property
    def checks(self) -> list[dict[str, Any]]:
        """The `check` records."""
        return self.of("check")

    @property
    def end(self) -> dict[str, Any] | None:
        """The guest's own `end` record; if missing, see `outcome`."""
        return self.last("end")

    @property
    def outcome(self) -> dict[str, Any] | None:
        """The host's `outcome` record, for a boot without `end`."""
        return self.last("outcome")

    @property
    def name(self) -> str:
        """A short label, such as `amd64 Skylake-Client (qemu-icount)`."""
        return f"{self.run['arch']} {self.run['cpu_model']} ({self.run['platform']})"

    @property
    def unit(self) -> str:
        """The unit of the figures: `instructions`, `host ticks` or `cycles`."""
        return str(self.run["unit"])

    @property
    def failed_checks(self) -> list[dict[str, Any]]:
        """The failed checks."""
        return [check for check in self.checks if not check["ok"]]

    @property
    def arrived(self) -> int:
        """The number of the guest's records present here, before its `end` record."""
        return sum(record.type in GUEST for record in self.records)

    @property
    def lost(self) -> int:
        """How many records the `end` record counted that did not arrive; 0 without an `end`."""
        return 0 if self.end is None else int(self.end["records"]) - self.arrived

    def lines(self) -> Iterable[dict[str, Any]]:
        """The objects of this boot in order."""
        return (record.data for record in self.records)


def group(records: Iterable[Record]) -> list[MachineRun]:
    """Return the boots in a stream of records; records before the first `run` are dropped."""
    runs: list[MachineRun] = []
    for record in records:
        if record.type == "run":
            runs.append(MachineRun([record]))
        elif runs:
            runs[-1].records.append(record)
    return runs


@dataclass
class Results:
    """The content of a results file. `missing` names the boots of an interrupted bench that are not
    in it: then the file is incomplete.
    """

    runs: list[MachineRun]
    missing: list[str] = field(default_factory=list)
    path: Path = Path()


MOST = 512 << 20
"""Maximum bytes of a results file or a log."""


def _content(path: Path) -> bytes:
    if not path.exists():
        raise RecordsError(
            f"{path} does not exist; `make bench` writes results/latest/results.jsonl."
        )
    try:
        return input_file.read(path, MOST)
    except UsageError as error:
        raise RecordsError(str(error)) from None


RULE_OF = {"bad_crc": "crc", "bad_shape": "shape"}
"""The rule that a damaged line breaks, by its counter; `json` for others."""


def load(path: Path) -> Results:
    """Return the content of a results file, or of a machine's serial log.

    A damaged line is noted in its boot. RecordsError, with line and rule, if it belongs to no boot,
    or if the file has no boot.
    """
    if path.is_dir():
        path = path / "results.jsonl"
    content = _content(path)
    serial = re.search(rb"^@\{", content, re.MULTILINE) is not None
    results = Results([], [], path)
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = parse_line(line) if serial else parse_stored(line)
        except DamageError as error:
            damage = Damage(number, RULE_OF.get(error.counter, "json"), str(error))
            if not results.runs:
                raise _outside(path, damage) from None
            results.runs[-1].damage.append(damage)
            continue
        if record is not None:
            _take(results, replace(record, line=number))
    if not results.runs:
        raise RecordsError(f"{path} holds no run; it is empty or was cut short.", Exit.FAIL)
    return results


def _outside(path: Path, damage: Damage) -> RecordsError:
    hint = (
        "a file of an older Tollgate: measure again"
        if damage.reason == "without its CRC"
        else "the file is damaged or not a results file"
    )
    return RecordsError(
        f"{path}, line {damage.line}, is not a record: {damage.reason} (rule {damage.rule}); "
        f"{hint}.",
        Exit.FAIL,
    )


def _take(results: Results, record: Record) -> None:
    if record.type == "run":
        results.runs.append(MachineRun([record]))
    elif record.type == "missing":
        results.missing += record.data["boots"]
    elif results.runs:
        results.runs[-1].records.append(record)
    else:
        what = f"{name_of(record.type)} stands before any run record"
        raise _outside(results.path, Damage(record.line, "first", what))


def save(runs: Sequence[MachineRun], path: Path, missing: Sequence[str] = ()) -> None:
    """Write `runs` as a results file, completely or not at all; RecordsError on failure.

    `missing` names boots that should be in it but are not.
    """
    records = [record for run in runs for record in run.records]
    if missing:
        records.append(host_record("missing", boots=list(missing)))
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(b"".join(record.stored() for record in records))
        part.replace(path)
    except OSError as error:
        raise RecordsError(
            f"{path} cannot be written: {reason(error)}; choose another place with OUT=DIR."
        ) from None
