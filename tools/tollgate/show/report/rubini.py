"""Rubini's ladder and his Table One, from the records of the suites `ladder` and `files`.

Three differences of the empty read of /dev/null are his crossing, entry work and sys_read. For
every other kind of file their sum plus its own read function must equal the read from ring 3: the
residue, 0 if instructions are counted. (A. Rubini, Kernel System Calls, Linux Magazine, 2000)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression

from tollgate.show.report.markup import Html, code, esc, paragraph, raw, table
from tollgate.show.report.model import Machine, shown
from tollgate.show.report.tables import NOT_TESTABLE

USER, GATE, SYS_READ, FILE_READ, CACHED = (
    "user/read trusted/int80 kernel/sys_read kernel/file_read kernel/cached"
).split()
RUNGS = (  # id, the work between the stamps, the article's cycles
    (USER, "read() from ring 3", "474"),
    (GATE, "INT 80h at CPL 0, a kernel buffer", "424"),
    (SYS_READ, "sys_read() called", "216"),
    (FILE_READ, "the read function of the file called", "175"),
    (CACHED, "the same, with the pointer kept", "173"),
)
STEPS = (  # a difference of two rungs, the article's cycles
    ("crossing, twice", USER, GATE, "50"),
    ("entry and exit work", GATE, SYS_READ, "210"),
    ("sys_read", SYS_READ, FILE_READ, "40 to 75"),
)
TABLE_ONE = (  # the article's column, ours, its cycles from user and from kernel space
    ("/proc/", "proc", "570", "519"),
    ("net-pty", "net-pty", "507", "460"),
    ("local-pty", "pty", "474", "424"),
    ("/dev/hda", "hda", "411", "361"),
    ("/proc/sys", "proc-sys", "402", "351"),
    ("nfs", "nfs", "353", "303"),
    ("ext2fs", "ext2", "329", "278"),
    ("socket", "socket", "320", "270"),
    ("/dev/zero", "zero", "324", "273"),
    ("/dev/null", "null", "313", "262"),
)
BASE = "null"
"""The kind whose differences count as crossing, entry work and sys_read for all kinds."""

ARTICLE = "Rubini, a PC of 500 MHz, Linux 2.4.0-test8, in cycles"
NOTE = (
    "Each rung leaves out more of the way to the read function. From sys_read on both stamps are "
    "taken by kernel code. On amd64 the read from ring 3 is by SYSCALL, so its crossing is another "
    "gate\u2019s; at CPL 0 it is INT 80h, as the article\u2019s. The article\u2019s figures are of "
    "a pseudo-terminal, in cycles: units stand in tables of their own."
)

Medians = Mapping[str, float]


def medians(machine: Machine, suite: str) -> dict[str, float]:
    """Median by id, of rows with one."""
    return {row.id: row.median for row in machine.of(suite) if row.median is not None}


def kinds(figures: Medians) -> list[str]:
    """The kinds of files that were read, in record order."""
    return list(dict.fromkeys(row.rpartition("/")[2] for row in figures if row.startswith(USER)))


def steps(figures: Medians, kind: str) -> list[float | None]:
    """Crossing, entry work and sys_read of a kind; None if a row is missing."""

    def of(rung: str) -> float | None:
        return figures.get(f"{rung}/{kind}")

    pairs = ((of(high), of(low)) for _, high, low, _ in STEPS)
    return [None if a is None or b is None else a - b for a, b in pairs]


def residue(figures: Medians, kind: str) -> float | None:
    """The cost of a kind's read beyond the base's three steps and its own read function."""
    read, own = figures.get(f"{USER}/{kind}"), figures.get(f"{FILE_READ}/{kind}")
    parts = steps(figures, BASE)
    if read is None or own is None or None in parts:
        return None
    return read - own - sum(part for part in parts if part is not None)


def ladder(machine: Machine) -> Html:
    """One kernel's methods, kind by kind, and the three differences."""
    figures = medians(machine, "ladder")
    names = kinds(figures)
    lines = [
        [esc(words), *(esc(shown(figures.get(f"{rung}/{kind}"))) for kind in names)]
        for rung, words, _ in RUNGS
    ]
    differences = [steps(figures, kind) for kind in names]
    lines += [
        [esc(f"= {name}"), *(esc(shown(of_kind[place])) for of_kind in differences)]
        for place, (name, *_) in enumerate(STEPS)
    ]
    caption = f"{machine.title}: an empty read, rung by rung, in {machine.unit}"
    return table(caption, ["rung", *names], lines, numeric=len(names))


def article_ladder() -> Html:
    """The article's table."""
    lines = [[esc(words), esc(cycles)] for _, words, cycles in RUNGS]
    lines += [[esc(f"= {name}"), esc(cycles)] for name, _, _, cycles in STEPS]
    return table(ARTICLE, ["rung", "a pty"], lines, numeric=1)


def table_one(machine: Machine) -> Html:
    """One kernel's empty reads of every kind of file, and the residue of the article's sum."""
    figures = medians(machine, "files")
    rungs = (USER, GATE, SYS_READ, FILE_READ)
    lines = [
        [
            code(kind),
            *(esc(shown(figures.get(f"{rung}/{kind}"))) for rung in rungs),
            esc(shown(residue(figures, kind))),
        ]
        for kind in kinds(figures)
    ]
    columns = ["kind", "user space", "INT 80h at CPL 0", "sys_read", "file read", "residue"]
    caption = f"{machine.title}: Table One, an empty read, in {machine.unit}"
    return table(caption, columns, lines, numeric=5)


def article_table_one() -> Html:
    """The article's two rows; our names for them are in the second column."""
    lines = [[esc(name), code(ours), esc(u), esc(k)] for name, ours, u, k in TABLE_ONE]
    caption = f"Table One of {ARTICLE}"
    return table(caption, ["Table One", "here", "user space", "kernel space"], lines, numeric=2)


@dataclass(frozen=True)
class Line:
    """The cost of reads or copies of growing size: `empty` + `slope` x bytes, within `residual`."""

    empty: float
    slope: float
    residual: float


FITTED = 64
"""Bytes from which sizes are fitted: smaller sizes have effects of their own."""


def lines(figures: Medians) -> dict[str, Line]:
    """The line for each method of reading or copying data, by the id without its size."""
    sizes: dict[str, dict[int, float]] = {}
    for row, value in figures.items():
        way, _, size = row.rpartition("-")
        sizes.setdefault(way, {})[int(size)] = value
    found = {}
    for way, costs in sizes.items():
        large = {size: cost for size, cost in costs.items() if size >= FITTED}
        if len(large) < 2:
            continue
        fit = linear_regression(list(large), list(large.values()))
        off = max(abs(cost - fit.intercept - fit.slope * size) for size, cost in large.items())
        found[way] = Line(costs.get(0, fit.intercept), fit.slope, off)
    return found


def break_even(found: Mapping[str, Line], rung: str, of: str) -> float | None:
    """Bytes of copying that cost as much as the path that a method skips; None: not measured."""
    user, line = found.get(f"{USER}/{of}"), found.get(f"{rung}/{of}")
    return (user.empty - line.empty) / user.slope if user and line and user.slope else None


COPY_NOTE = (
    "The slope of a line through the sizes from 64 bytes on is what a byte costs. The bytes are "
    "those whose copying costs as much as a rung saves against the read from ring 3. The article "
    "has two or three ticks a byte, and 100 to 150 bytes for a rung of kernel space: "
)


def copies(machine: Machine) -> Html:
    """One kernel's reads of data and copies alone: a byte's cost, and a method's saving."""
    found = lines(medians(machine, "copy"))
    rows = []
    for way, line in found.items():
        rung, _, of = way.rpartition("/")
        worth = None if rung == USER else break_even(found, rung, of)
        cells = (f"{line.empty:g}", f"{line.slope:.3f}", f"{line.residual:.1f}", shown(worth))
        rows.append([code(way), *map(esc, cells)])
    columns = ["way", "of 0 bytes", "a byte", "residual", "bytes it is worth"]
    caption = f"{machine.title}: what a byte costs, in {machine.unit}"
    told = NOT_TESTABLE if machine.unit == "instructions" else "compare the figures below."
    return raw(paragraph(COPY_NOTE + told), table(caption, columns, rows, numeric=4))


def section(suite: str, machines: Sequence[Machine]) -> Html:
    """The report's section for one of the three suites above the plain rows; "" for any other."""
    if suite == "copy":
        return raw(*(copies(machine) for machine in machines if machine.of(suite)))
    make = {"ladder": (ladder, article_ladder), "files": (table_one, article_table_one)}.get(suite)
    if make is None:
        return raw()
    ours, article = make
    found = [machine for machine in machines if machine.of(suite)]
    return raw(paragraph(NOTE), *(ours(machine) for machine in found), article())
