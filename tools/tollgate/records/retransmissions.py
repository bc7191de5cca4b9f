"""One boot's records out of several damaged sendings of them.

A machine sends its records as the run goes on, and all of them again for each `x` in its menu.
What noise has hit in one sending is taken from another.  Where both were hit, their bytes are put
together: the record's CRC says which bytes are right.  Sendings of different boots are never mixed:
two whole records of the same row that differ show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import product

from tollgate.records.format import DamageError, MachineRun, Record, group, parse_line

MOST_DIFFERENT = 8
"""Bytes in which two damaged copies of a record may differ: each is tried both ways."""

LAST_LINE = re.compile(rb"tollgate: (passed|noisy|failed)\b")
"""With it a boot is over, and each of its sendings."""
BANNER = re.compile(rb"Tollgate \S+, (i386|amd64)\.")
"""The first line of a boot; no sending that comes later has it."""

_START = re.compile(rb'(?=@\{"v":)')
_RECORD = re.compile(rb"@\{.*\} \*[0-9a-f]{8}", re.DOTALL)
_TRACE = re.compile(rb'@\{|"v":1,"type":| \*[0-9a-f]{8}\s*\Z')
"""The rest of a record of which noise has hit the beginning or the end."""


@dataclass(frozen=True)
class Piece:
    """A line that was a record when it was sent: `record` is None where it was hit."""

    line: bytes
    record: Record | None

    @property
    def key(self) -> tuple[str, bytes]:
        """Equal for two whole copies of the same record."""
        return ("whole", self.record.text) if self.record else ("hit", self.line)

    @property
    def row(self) -> tuple[str, ...]:
        """The subject of a whole record."""
        data = self.record.data if self.record else {}
        return tuple(str(data.get(name, "")) for name in ("type", "suite", "id", "name"))


def _whole(line: bytes) -> Record | None:
    try:
        return parse_line(line)
    except DamageError:
        return None


def pieces(line: bytes) -> Iterator[Piece]:
    """The records in a serial line, or what is left of them; several where a line's end was hit."""
    for part in _START.split(line):
        text = part.strip(b"\r\n \t")
        if found := _RECORD.match(text):
            text = found[0]
        record = _whole(text)
        if record:
            yield Piece(text, record)
        elif _TRACE.search(text):
            yield Piece(text, None)


def _differences(one: bytes, other: bytes) -> list[int]:
    return [at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]


def _similar(one: Piece, other: Piece) -> bool:
    """Whether they may be copies of one record, of which noise has hit at least one."""
    if (one.record and other.record) or len(one.line) != len(other.line):
        return False
    return len(_differences(one.line, other.line)) <= MOST_DIFFERENT


def _together(one: Piece, other: Piece) -> Piece:
    """The record of which these are copies, if it can be told."""
    if one.record or other.record:
        return one if one.record else other
    places = _differences(one.line, other.line)
    for choice in product((one.line, other.line), repeat=len(places)):
        line = bytearray(one.line)
        for at, source in zip(places, choice, strict=True):
            line[at] = source[at]
        if record := _whole(bytes(line)):
            return Piece(bytes(line), record)
    return one


def _gap(ours: Sequence[Piece], theirs: Sequence[Piece]) -> Iterator[Piece]:
    """The bytes between two records that both sendings have whole."""
    rest = list(theirs)
    for mine in ours:
        at = next((i for i, other in enumerate(rest) if _similar(mine, other)), None)
        if at is None:
            yield mine
            continue
        yield from rest[:at]
        yield _together(mine, rest[at])
        del rest[: at + 1]
    yield from rest


def _drop_hit(pieces: Sequence[Piece], sent: int) -> list[Piece]:
    """Without what is left of records that are all here already."""
    whole = [one for one in pieces if one.record]
    return whole if sent == len(whole) else list(pieces)


def _sent(pieces: Sequence[Piece]) -> int:
    """How many records there were, by the end record; 0 where that is not here."""
    ends = [one.record.data for one in pieces if one.record and one.record.type == "end"]
    return int(ends[-1]["records"]) + 1 if ends else 0


def merge(one: Sequence[Piece], other: Sequence[Piece]) -> list[Piece] | None:
    """The records of two sendings, each once and in order; None where they are of two boots."""
    matcher = SequenceMatcher(None, [p.key for p in one], [p.key for p in other], autojunk=False)
    merged: list[Piece] = []
    common = 0
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            merged += one[a:b]
            common += sum(p.record is not None for p in one[a:b])
            continue
        rows = {p.row for p in one[a:b] if p.record}
        if any(p.row in rows for p in other[c:d] if p.record):
            return None
        merged += _gap(one[a:b], other[c:d])
    fewer = min(sum(p.record is not None for p in part) for part in (one, other))
    if common == 0 or 2 * common < fewer:
        return None
    return _drop_hit(merged, _sent(merged))


@dataclass
class Sendings:
    """The boots that a line has told of: feed() takes its lines, one after the other."""

    boots: list[list[Piece]] = field(default_factory=list)
    """Those that are over, each as its sendings together tell it."""
    _now: list[Piece] = field(default_factory=list)
    _banner: bool = False
    """The sending began with a boot, so it is of no earlier one."""

    def feed(self, line: bytes) -> bool:
        """True: with this line a sending is over."""
        if BANNER.match(line):
            self.close()
            self._banner = True
        for one in pieces(line):
            begins = one.record is not None and one.record.type == "run"
            if begins and any(p.record and p.record.type == "run" for p in self._now):
                self.close()
            self._now.append(one)
        if LAST_LINE.match(line) and self._now:
            self.close()
            return True
        return False

    def close(self) -> None:
        """The sending has ended: no more records belong to it."""
        later = bool(self.boots) and not self._banner
        again = merge(self.boots[-1], self._now) if later else None
        if again is not None:
            self.boots[-1] = again
        elif self._now:
            self.boots.append(self._now)
        self._now, self._banner = [], False

    @property
    def runs(self) -> list[MachineRun]:
        """All boots, that which is still coming, too."""
        return [
            run
            for pieces in (*self.boots, self._now)
            for run in group(p.record for p in pieces if p.record)
        ]


def is_whole(pieces: Sequence[Piece]) -> bool:
    """Whether it is a boot of which every record is here."""
    whole = [one.record for one in pieces if one.record]
    return bool(whole) and whole[0].type == "run" and _sent(pieces) == len(whole)
