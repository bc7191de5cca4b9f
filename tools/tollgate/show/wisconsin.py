"""The suite `wisconsin`: a database in both rings, and an explanation of the difference.

Tables as text, for the terminal and the report.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SUITE = "wisconsin"
BESIDE = ("toll", "faults")
"""Suites whose rows, from the same boot, give the cost of a call and of a page fault."""
SETTINGS = ("default", "cache-10", "page-512")
REWRITTEN = "-site"
"""Suffix of a setting: the program's SYSCALLs were turned into calls."""

WAYS = {
    ("amd64", "user", ""): "user/syscall/standard",
    ("amd64", "trusted", ""): "trusted/syscall/standard",
    ("amd64", "trusted", REWRITTEN): "trusted/site/standard",
    ("i386", "user", ""): "user/int/standard",
    ("i386", "trusted", ""): "trusted/call/standard",
}
"""The mechanism of the database's libc: on i386 the one of AT_SYSINFO."""
FAULT = "fault/zero-net"
"""The row of a page fault: the new page is zeroed, which costs the same in both rings."""

ARTICLE = (
    ("CPU", "753.86", "728.61", "-3 %"),
    ("user", "611.78", "605.95", "-1 %"),
    ("system", "142.08", "122.66", "-14 %"),
)
"""Maeda's Table 2: MySQL in seconds on an Opteron, Linux and KML, and his remarks."""
NOT_TESTABLE = "not testable here"

Figures = Mapping[tuple[str, str], Mapping[str, float | None]]
"""Rows by suite and id; their numbers by key."""


@dataclass(frozen=True)
class Table:
    """`words` of the columns are text, the others figures."""

    caption: str
    columns: Sequence[str]
    lines: Sequence[Sequence[str]]
    words: int = 1


def whole(value: float | None) -> str:
    """A count with commas; a negative one has a sign."""
    return "" if value is None else f"{value:,.0f}"


def signed(value: float | None) -> str:
    return "" if value is None else f"{value:+,.0f}"


def percent(part: float | None, of: float | None, digits: int = 4) -> str:
    return f"{100 * part / of:+.{digits}f} %" if part is not None and of else ""


@dataclass(frozen=True)
class Boot:
    """The figures of a boot."""

    arch: str
    figures: Figures
    silicon: bool = False
    """Whether a figure is a time."""

    def of(self, name: str, key: str = "median", suite: str = SUITE) -> float | None:
        return self.figures.get((suite, name), {}).get(key)

    def way_in(self, origin: str, setting: str) -> str:
        """The toll's row for a call in a run."""
        behind = REWRITTEN if setting.endswith(REWRITTEN) else ""
        return WAYS.get((self.arch, origin, behind), "")

    def way(self, origin: str, setting: str) -> float | None:
        """The cost of entering and leaving for a call, by the toll's table."""
        return self.of(self.way_in(origin, setting), suite="toll")

    def runs(self) -> Iterable[tuple[str, str]]:
        """Ring and setting of each run in one process."""
        for setting in SETTINGS:
            for origin, behind in (("user", ""), ("trusted", ""), ("trusted", REWRITTEN)):
                if self.of(f"{origin}/{setting}{behind}/total") is not None:
                    yield origin, setting + behind


@dataclass(frozen=True)
class Difference:
    """A run in ring 0 minus the same in ring 3; None if a row is missing."""

    setting: str
    base: float
    total: float
    timed: float
    faults: float | None
    ticks: tuple[int, int]

    @property
    def left(self) -> float | None:
        """The difference that calls and page faults do not explain."""
        return None if self.faults is None else self.total - self.timed - self.faults


def differences(boot: Boot) -> list[Difference]:
    """The additional cost in ring 0, for each setting."""
    found = []
    for origin, setting in boot.runs():
        plain = setting.removesuffix(REWRITTEN)
        if origin == "user" or boot.of(f"user/{plain}/total") is None:
            continue
        here, there = f"{origin}/{setting}", f"user/{plain}"

        def number(name: str, key: str = "median") -> float:
            return boot.of(name, key) or 0.0

        # Faults of the suite `faults` are stored under `exceptions`.
        pages = [boot.of(f"{ring}/{FAULT}", suite="exceptions") for ring in (origin, "user")]
        each = pages[0] - pages[1] if pages[0] is not None and pages[1] is not None else None
        found.append(
            Difference(
                setting,
                number(f"{there}/total"),
                number(f"{here}/total") - number(f"{there}/total"),
                number(f"{here}/calls") - number(f"{there}/calls"),
                None if each is None else each * number(f"{here}/total", "pages"),
                (int(number(f"{there}/total", "ticks")), int(number(f"{here}/total", "ticks"))),
            )
        )
    return found


def alone(boot: Boot) -> Table:
    lines = []
    for origin, setting in boot.runs():
        name = f"{origin}/{setting}"
        total, calls = boot.of(f"{name}/total"), boot.of(f"{name}/calls", "count")
        way, inside = boot.way(origin, setting), boot.of(f"{name}/calls")
        entry = way * calls if way and calls else None
        lines.append(
            [
                name,
                whole(total),
                whole(calls),
                whole(inside),
                percent(inside, total, 2).lstrip("+"),
                percent(entry, total, 3).lstrip("+"),
                whole(boot.of(f"{name}/total", "rows")),
                f"{int(boot.of(f'{name}/total', 'checksum') or 0):08x}",
            ]
        )
    columns = ["run", "instructions", "calls", "in calls", "", "entry, exit", "rows", "checksum"]
    return Table("the database in one process", columns, lines)


def explained(boot: Boot) -> Table:
    lines = [
        [
            each.setting,
            signed(each.total),
            percent(each.total, each.base),
            signed(each.timed),
            signed(each.faults),
            f"{each.ticks[0]}, {each.ticks[1]}",
            signed(each.left),
            percent(each.left, each.base),
        ]
        for each in differences(boot)
    ]
    columns = ["setting", "ring 0 - ring 3", "", "in calls", "faults", "ticks", "left", "of total"]
    return Table("what explains the difference; no signal came", columns, lines)


def statements(boot: Boot, setting: str) -> Table:
    lines = []
    plain = setting.removesuffix(REWRITTEN)
    for suite, name in boot.figures:
        part = name.removeprefix(f"user/{plain}/")
        if suite != SUITE or part == name or part.startswith("call") or part == "total":
            continue
        rings = [boot.of(f"{run}/{part}") for run in (f"user/{plain}", f"trusted/{setting}")]
        count = boot.of(name, "count")
        apart = rings[1] - rings[0] if rings[0] is not None and rings[1] is not None else None
        lines.append([part, whole(count), *map(whole, rings), percent(apart, rings[0], 3)])
    columns = ["step", "times", "ring 3", "ring 0", ""]
    return Table(f"steps of the benchmark, {setting}", columns, lines)


def pairs(boot: Boot) -> Table:
    base = boot.of("user/server-user/total")
    lines = []
    for client in ("user", "trusted"):
        for server in ("user", "trusted"):
            total = boot.of(f"{client}/server-{server}/total")
            apart = total - base if total is not None and base is not None else None
            if total is not None:
                lines.append([client, server, whole(total), percent(apart, base)])
    return Table(
        "a client and a server, by a stream socket",
        ["client", "server", "instructions", "over both in ring 3"],
        lines,
        words=2,
    )


def article(boot: Boot) -> Table:
    """Compared with the article's table: all, outside of calls, in calls."""
    found = differences(boot)
    lines = []
    for number, (what, linux, kml, says) in enumerate(ARTICLE):
        cells = []
        for each in found:
            inside = boot.of(f"user/{each.setting.removesuffix(REWRITTEN)}/calls") or 0.0
            parts = (
                (each.total, each.base),
                (each.total - each.timed, each.base - inside),
                (each.timed, inside),
            )
            cells.append(percent(*parts[number]))
        time = "" if boot.silicon else NOT_TESTABLE
        lines.append([what, linux, kml, says, *cells, time])
    columns = ["", "Linux", "KML", "claimed", *(each.setting for each in found), "its time"]
    return Table(
        "the article\u2019s table in seconds of an Opteron, and what we measured: all, outside of "
        "calls, in calls",
        columns,
        lines,
    )


def tables(boot: Boot) -> list[Table]:
    """All non-empty tables."""
    made = [alone(boot), explained(boot), article(boot), pairs(boot)]
    made += [statements(boot, each.setting) for each in differences(boot)]
    return [table for table in made if table.lines]
