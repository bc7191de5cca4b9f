"""The report's input: runs as typed values, because a record may lack a key or contain garbage.

Every number keeps its run's unit; nothing here converts units, except cycles to nanoseconds if the
run names the frequency of its time-stamp counter.
"""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tollgate.printable import printable
from tollgate.printable import shown as shown
from tollgate.records import rules
from tollgate.records.confidence import interval
from tollgate.records.format import MachineRun
from tollgate.show.published import Beside, beside
from tollgate.show.summary import places

POINTS = tuple(f"MP{number}" for number in range(1, 9))


def text(value: object) -> str:
    """A record's value as printable text, nothing for None."""
    return "" if value is None else printable(value)


def number(value: object) -> float | None:
    """A finite number, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def items(value: object) -> list[Any]:
    """A list in the record, or an empty one."""
    return value if isinstance(value, list) else []


def fields(value: object) -> Mapping[str, Any]:
    """An object in the record, or an empty one."""
    return value if isinstance(value, dict) else {}


def woven(lists: Iterable[Iterable[str]]) -> list[str]:
    """Each id or word once, in the order of the lists: a new one follows its neighbour.

    An id whose neighbour has another origin follows the last one of its own.
    """
    order: list[str] = []
    for words in lists:
        before = ""
        for word in words:
            if word not in order:
                origin = word.rpartition("/")[0].partition("/")[0]
                own = [w for w in order if w.rpartition("/")[0].partition("/")[0] == origin]
                behind = before if before in own else own[-1] if own else ""
                order.insert(order.index(behind) + 1 if behind else len(order), word)
            before = word
    return order


@dataclass(frozen=True)
class Row:
    """One result record; numbers in the unit of its run, None if missing."""

    suite: str
    id: str
    label: str
    stats: Mapping[str, float | None]
    sections: tuple[float, ...]  # medians of MP1-MP2 .. MP7-MP8, or empty
    histogram: tuple[tuple[float, float], ...]  # (value, samples), rising
    doubted: bool = False  # marked as noisy
    condition: str = ""  # for a path under many conditions: the condition of its maximum

    @property
    def group(self) -> str:
        """Origin and mechanism, such as user/int."""
        return self.id.rpartition("/")[0]

    @property
    def variant(self) -> str:
        return self.id.rpartition("/")[2]

    @property
    def median(self) -> float | None:
        """None where a row is below zero, too: it is noisy, and no figure.  A control may be."""
        found = self.stats["median"]
        return None if found is not None and found < 0 and self.suite != "control" else found

    @property
    def said(self) -> str:
        """The median, with a mark if it is uncertain."""
        return ("~" if self.doubted else "") + shown(self.median)

    @property
    def residue(self) -> float | None:
        return self.stats["residue"]

    @property
    def sure(self) -> tuple[float, float] | None:
        """The 95 % interval of the median if its samples differ; None if it is exact or unknown."""
        low, high = self.stats["low"], self.stats["high"]
        if low is not None and high is not None:
            return low, high
        if len(self.histogram) < 2 or self.stats["max"] is None:
            return None
        return interval({"histogram": self.histogram, "max": self.stats["max"]})


SIDE_BY_SIDE = 8
"""Up to this many machines have a column or a place of their own. For more, a table shows minimum
and maximum, and parts about single machines are folded."""
MOST = 10
"""Listed faults of one run; of the others only the number."""
STATISTICS = (
    *("n", "min", "median", "p90", "p99", "max", "mean", "batch", "probe", "residue"),
    *("disturbed", "repeated"),
)
OF_SOME = ("low", "high", "retired", "plain", "calls", "client", "server", "kernel", "entry")
"""Fields of some rows: if the processor counts instructions, of `around`, and of `web`."""
OF_SUMS = ("count", "windows", "rows", "checksum", "pages", "ticks")
"""Additional fields of rows of the suite `wisconsin`."""


def read_row(record: Mapping[str, Any], doubted: Container[tuple[str, str]] = ()) -> Row:
    """A result record as a Row; `doubted`: suite and id of noisy ones."""
    medians = {
        (text(part.get("from")), text(part.get("to"))): number(part.get("median"))
        for part in map(fields, items(record.get("sections")))
    }
    wanted = [medians.get(pair) for pair in pairwise(POINTS)]
    sections = tuple(value for value in wanted if value is not None)
    pairs = [(number(b[0]), number(b[1])) for b in items(record.get("histogram")) if is_pair(b)]
    return Row(
        suite=text(record.get("suite")),
        id=text(record.get("id")),
        label=text(record.get("label")),
        stats={key: number(record.get(key)) for key in (*STATISTICS, *OF_SOME, *OF_SUMS)},
        sections=sections if len(sections) == len(wanted) else (),
        histogram=tuple(
            sorted((v, c) for v, c in pairs if v is not None and c is not None and c > 0)
        ),
        doubted=(text(record.get("suite")), text(record.get("id"))) in doubted,
        condition=text(record.get("condition")),
    )


def is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2


@dataclass(frozen=True)
class Machine:
    """One boot of one machine, ready for display."""

    number: int
    name: str
    run: Mapping[str, Any]
    rows: tuple[Row, ...]
    skips: Mapping[str, str]  # id -> reason
    checks: tuple[Mapping[str, Any], ...]
    end: Mapping[str, Any] | None
    outcome: Mapping[str, Any] | None  # the host's verdict, for a boot without its own
    faults: tuple[str, ...]  # why this run's figures must not be shown; empty if readable
    noisy: tuple[str, ...] = ()  # unreliable rows, each with its reason
    beside: tuple[Beside, ...] = ()  # published figures of the nearest processor
    places: tuple[str, ...] = ()  # sentences about its entries at every place in a line

    @property
    def tag(self) -> str:
        return f"M{self.number}"

    @property
    def title(self) -> str:
        """Its short and its long name; mentions a boot without its own verdict."""
        own = "/".join(filter(None, (text(fields(self.outcome).get(k)) for k in ("suite", "id"))))
        return f"{self.tag} {self.name}" + (f", the boot for {own}" if own else "")

    def word(self, key: str) -> str:
        """A text of the run record."""
        return text(self.run.get(key))

    @property
    def unit(self) -> str:
        return self.word("unit") or "unknown unit"

    @property
    def toll(self) -> tuple[Row, ...]:
        """Rows of a named mechanism that can be drawn."""
        return self.of("toll")

    def of(self, suite: str) -> tuple[Row, ...]:
        """The rows of a suite with a figure."""
        return tuple(row for row in self.rows if row.suite == suite and row.median is not None)

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites with figures, except the toll and controls."""
        named = {row.suite: None for row in self.rows if row.median is not None}
        return tuple(suite for suite in named if suite not in ("toll", "control"))

    @property
    def samples(self) -> str:
        """n of its rows, as one number or a range."""
        return samples([self])

    @property
    def hertz(self) -> float:
        """The TSC's frequency if the run counts cycles and states it, else 0."""
        return (number(self.run.get("tsc_hz")) or 0.0) if self.unit == "cycles" else 0.0

    @property
    def held(self) -> int:
        """Records present before the `end` record."""
        return 1 + len(self.rows) + len(self.skips) + len(self.noisy) + len(self.checks)

    def find(self, row_id: str) -> Row | None:
        return next((row for row in self.toll if row.id == row_id), None)


def span(values: Iterable[float | None]) -> str:
    """One number, or the minimum and maximum of several."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, high = shown(min(known)), shown(max(known))
    return low if low == high else f"{low}\u2013{high}"


SURE = "median, 95 %"
"""The head of the column with medians' intervals."""


def sure_cells(rows: Sequence[Row]) -> list[list[str]]:
    """A column with the interval of each row's median; no column if every row is exact."""
    said = ["\u2013".join(map(shown, row.sure)) if row.sure else "" for row in rows]
    return [[words] for words in said] if any(said) else [[] for _ in rows]


def read_machine(place: int, source: MachineRun) -> Machine:
    """A MachineRun as a Machine; `place` counts from 1 and gives it its short name."""
    run = fields(source.run)
    skips = {text(skip.get("id")): text(skip.get("reason")) for skip in map(fields, source.skips)}
    found = [printable(fault) for fault in rules.faults(source)]
    return Machine(
        number=place,
        name=text(source.name),
        run=run,
        rows=tuple(read_row(fields(result), source.doubts) for result in source.results),
        skips=skips,
        checks=tuple(map(fields, source.checks)),
        end=source.end,
        outcome=source.outcome,
        noisy=tuple(f"{text(n.get('id'))}: {text(n.get('reason'))}" for n in source.noisy),
        beside=tuple(beside(source)) if not found else (),
        places=tuple(places(source)) if not found else (),
        faults=tuple(found[:MOST] + [f"and {len(found) - MOST} more"] * (len(found) > MOST)),
    )


def by_unit(machines: Sequence[Machine]) -> dict[str, list[Machine]]:
    """The readable machines of each unit, in order; units are never mixed after this."""
    units: dict[str, list[Machine]] = {}
    for machine in machines:
        if not machine.faults:
            units.setdefault(machine.unit, []).append(machine)
    return units


def alike(machines: Sequence[Machine], suite: str = "toll") -> list[list[Machine]]:
    """Machines of one unit, grouped by equal rows and figures of a suite."""
    groups: dict[object, list[Machine]] = {}
    for machine in machines:
        figures = tuple(
            (row.id, row.median, row.sections, row.condition and row.stats["max"])
            for row in machine.of(suite)
        )
        groups.setdefault((machine.word("arch"), figures), []).append(machine)
    return list(groups.values())


def samples(machines: Sequence[Machine]) -> str:
    """n of several machines' toll rows (of all rows without a toll): a number or a range."""
    return span([row.stats["n"] for m in machines for row in m.toll or m.rows])


def platforms(machines: Sequence[Machine]) -> str:
    """The platforms of several machines, each once."""
    return ", ".join(dict.fromkeys(machine.word("platform") for machine in machines))


def names(machines: Sequence[Machine]) -> str:
    """Machines by their titles, in one phrase."""
    return ", ".join(machine.title for machine in machines)
