"""The best of several sendings of one boot's records.

A machine sends its records as the run goes on, and all of them again for each `x` in its menu.
Where noise has hit some records of a sending, the next one takes its place if more of it is whole.
Sendings of different boots are never mixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tollgate.records.format import DamageError, MachineRun, Record, group, parse_line

LAST_LINE = re.compile(rb"tollgate: (passed|noisy|failed)\b")
"""With it a boot is over, and each of its sendings."""
BANNER = re.compile(rb"Tollgate \S+, (i386|amd64)\.")
"""The first line of a boot; no sending that comes later has it."""

_START = re.compile(rb'(?=@\{"v":)')
_RECORD = re.compile(rb"@\{.*\} \*[0-9a-f]{8}", re.DOTALL)


def whole(line: bytes) -> Iterator[Record]:
    """The records in a serial line that noise has not hit; several where a line's end was hit."""
    for part in _START.split(line):
        if found := _RECORD.match(part):
            try:
                record = parse_line(found[0])
            except DamageError:
                continue
            if record:
                yield record


def by_row(records: Sequence[Record]) -> dict[tuple[str, ...], set[bytes]]:
    """The records of each row, check or other subject."""
    found: dict[tuple[str, ...], set[bytes]] = {}
    for record in records:
        subject = (str(record.data.get(name, "")) for name in ("type", "suite", "id", "name"))
        found.setdefault(tuple(subject), set()).add(record.text)
    return found


def of_one_boot(one: Sequence[Record], other: Sequence[Record]) -> bool:
    """Whether these are sendings of one boot: what is in both is the same."""
    first, second = by_row(one), by_row(other)
    both = first.keys() & second.keys()
    return bool(both) and all(first[row] & second[row] for row in both)


def is_whole(records: Sequence[Record]) -> bool:
    """Whether it is a boot of which every record is here."""
    if not records or records[0].type != "run" or records[-1].type != "end":
        return False
    return int(records[-1].data["records"]) + 1 == len(records)


@dataclass
class Sendings:
    """The boots that a line has told of: feed() takes its lines, one after the other."""

    boots: list[list[Record]] = field(default_factory=list)
    """Those that are over, each by its best sending."""
    _now: list[Record] = field(default_factory=list)
    _banner: bool = False
    """The sending began with a boot, so it is of no earlier one."""

    def feed(self, line: bytes) -> bool:
        """True: with this line a sending is over."""
        if BANNER.match(line):
            self.close()
            self._banner = True
        for record in whole(line):
            if record.type == "run" and any(one.type == "run" for one in self._now):
                self.close()
            self._now.append(record)
        if LAST_LINE.match(line) and self._now:
            self.close()
            return True
        return False

    def close(self) -> None:
        """The sending has ended: no more records belong to it."""
        if self._now and self.boots and not self._banner and of_one_boot(self.boots[-1], self._now):
            self.boots[-1] = max(self.boots[-1], self._now, key=len)
        elif self._now:
            self.boots.append(self._now)
        self._now, self._banner = [], False

    @property
    def runs(self) -> list[MachineRun]:
        """All boots, that which is still coming, too."""
        return [run for records in (*self.boots, self._now) for run in group(records)]
