"""The best of several transmissions of one boot's records.

A machine sends its records during the run, and all of them again for each `x` in its menu. If noise
has damaged records of a transmission, a later one replaces it if more of it is intact.
Transmissions of different boots are never mixed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tollgate.records.format import DamageError, MachineRun, Record, group, parse_line

LAST_LINE = re.compile(rb"tollgate: (passed|noisy|failed)\b")
"""Ends a boot, and each of its transmissions."""
BANNER = re.compile(rb"Tollgate \S+, (i386|amd64)\.")
"""The first line of a boot; retransmissions do not have it."""

_START = re.compile(rb'(?=@\{"v":)')
_RECORD = re.compile(rb"@\{.*\} \*[0-9a-f]{8}", re.DOTALL)


def whole(line: bytes) -> Iterator[Record]:
    """The undamaged records in a serial line; several if an end of line was damaged."""
    for part in _START.split(line):
        if found := _RECORD.match(part):
            try:
                record = parse_line(found[0])
            except DamageError:
                continue
            if record:
                yield record


def by_row(records: Sequence[Record]) -> dict[tuple[str, ...], set[bytes]]:
    """The records of each row, check or other item."""
    found: dict[tuple[str, ...], set[bytes]] = {}
    for record in records:
        subject = (str(record.data.get(name, "")) for name in ("type", "suite", "id", "name"))
        found.setdefault(tuple(subject), set()).add(record.text)
    return found


def of_one_boot(one: Sequence[Record], other: Sequence[Record]) -> bool:
    """Whether these are transmissions of one boot: common items are equal."""
    first, second = by_row(one), by_row(other)
    both = first.keys() & second.keys()
    return bool(both) and all(first[row] & second[row] for row in both)


def is_whole(records: Sequence[Record]) -> bool:
    """Whether every record of the boot is present."""
    if not records or records[0].type != "run" or records[-1].type != "end":
        return False
    return int(records[-1].data["records"]) + 1 == len(records)


@dataclass
class Sendings:
    """The boots on a serial line: feed() takes its lines in order."""

    boots: list[list[Record]] = field(default_factory=list)
    """Finished boots, each by its best transmission."""
    _now: list[Record] = field(default_factory=list)
    _banner: bool = False
    """The transmission began with a boot, so it belongs to no earlier one."""

    def feed(self, line: bytes) -> bool:
        """True: this line ends a transmission."""
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
        """The transmission has ended: no more records belong to it."""
        if self._now and self.boots and not self._banner and of_one_boot(self.boots[-1], self._now):
            self.boots[-1] = max(self.boots[-1], self._now, key=len)
        elif self._now:
            self.boots.append(self._now)
        self._now, self._banner = [], False

    @property
    def runs(self) -> list[MachineRun]:
        """All boots, including an unfinished one."""
        return [run for records in (*self.boots, self._now) for run in group(records)]
