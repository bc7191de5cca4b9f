"""The document's HTML parser, from the records of `html`: five runs of a read of 1,000 bytes.

Two programs, a kernel module and a user program, read a page and strip it to its text. The document
prints the best read time of each of five runs, and finds the kernel "around 3 times" faster. It
shows no macro, so we infer that the loop continues where the last read ended, and soon reads at the
end of the file.
"""

from collections.abc import Mapping, Sequence

from tollgate.show.report.markup import Html, esc, paragraph, raw, table
from tollgate.show.report.model import Machine, shown
from tollgate.show.report.tables import NOT_TESTABLE

SUITE = "html"
RUNS = range(1, 6)
READ = 1000
"""Bytes of the page per read."""

KERNEL, USER = ("246", "366", "245", "351", "246"), ("675", "683", "561", "683", "675")
"""The document's figures, in cycles: the best read of each run."""
CLAIM = "around 3 times"

WAYS = (("printed", "as printed"), ("rewound", "rewound"))
RUNGS = (  # id, the work between the stamps
    ("user/read", "read() from ring 3"),
    ("trusted/int80", "INT 80h at CPL 0"),
    ("kernel/sys_read", "sys_read() called"),
    ("kernel/file_read", "the read function of the file called"),
)
PARSERS = {
    "user": "the parser in ring 3",
    "trusted": "the parser in a trusted program",
    "kernel": "the parser in kernel code",
}
NOTE = (
    "Both sides read 1,000 bytes of /pages/index.html, which is longer, and strip them by one "
    "parser. The document prints no macro around its read: that it loops, goes on where the last "
    "read has ended, and so times reads at the end of the file, is an inference. As printed is so, "
    "and the best of a run reads nothing; rewound, each read has its bytes. And the document "
    "compares a function that is called with a system call: the second table has each rung."
)

Figures = Mapping[str, float]


def best(machine: Machine) -> dict[str, float]:
    """The minimum of each row of the suite: the document's "best"."""
    return {
        row.id: value for row in machine.of(SUITE) if (value := row.stats.get("min")) is not None
    }


def times(user: float | None, kernel: float | None) -> str:
    """The ratio in the document's words; "" if one time is missing."""
    return f"{user / kernel:.1f}" if user is not None and kernel else ""


def runs(machine: Machine, figures: Figures) -> Html:
    """Five runs of both sides, as printed and rewound, and their ratio."""
    lines = []
    for way, words in WAYS:
        sides = [[figures.get(f"{who}/{way}/{run}") for run in RUNS] for who in ("kernel", "user")]
        for name, side in zip(("kernel", "userland"), sides, strict=True):
            lines.append([esc(f"{name}, {words}"), *(esc(shown(value)) for value in side)])
        ratios = (times(user, kernel) for kernel, user in zip(*sides, strict=True))
        lines.append([esc("= times"), *map(esc, ratios)])
    caption = f"{machine.title}: the best read of {READ} bytes, in {machine.unit}"
    return table(caption, ["side", *(f"run {run}" for run in RUNS)], lines, numeric=len(RUNS))


def rungs(machine: Machine, figures: Figures) -> Html:
    """The same read by each method; the parser alone; and both together."""
    user = figures.get(f"user/read/{READ}")
    lines = []
    for row, words in RUNGS:
        value = figures.get(f"{row}/{READ}")
        lines.append([esc(words), esc(shown(value)), esc(times(user, value))])
    parses = {who: figures.get(f"{who}/parse/{READ}") for who in PARSERS}
    for who, words in PARSERS.items():
        value = parses[who]
        lines.append([esc(words), esc(shown(value)), esc(times(parses["user"], value))])
    called = figures.get(f"kernel/file_read/{READ}")
    if None not in (user, called, parses["user"], parses["kernel"]):
        whole = (user or 0) + (parses["user"] or 0)
        kernels = (called or 0) + (parses["kernel"] or 0)
        lines.append([esc("read and parsed in ring 3"), esc(shown(whole)), esc("1.0")])
        cells = (shown(kernels), times(whole, kernels))
        lines.append([esc("read and parsed in kernel code"), *map(esc, cells)])
    caption = f"{machine.title}: the page by each rung, in {machine.unit}"
    return table(caption, ["way", machine.unit, "ring 3 over it"], lines, numeric=2)


def document() -> Html:
    """The document's table."""
    lines = [
        [esc("Kernel HTML Parser"), *map(esc, KERNEL)],
        [esc("Userland HTML Parser"), *map(esc, USER)],
        [
            esc("= times"),
            *(esc(times(float(u), float(k))) for k, u in zip(KERNEL, USER, strict=True)),
        ],
    ]
    caption = f"The document, in cycles of an unnamed machine; it says {CLAIM}"
    return table(caption, ["side", *(f"run {run}" for run in RUNS)], lines, numeric=len(RUNS))


def section(found: Sequence[Machine]) -> Html:
    """The report's section above the plain rows, for machines with the suite."""
    tables = [each(machine, best(machine)) for machine in found for each in (runs, rungs)]
    silicon = any(machine.unit == "cycles" for machine in found)
    told = "" if silicon else f" That the kernel\u2019s is {CLAIM} faster in time: {NOT_TESTABLE}"
    return raw(paragraph(NOTE + told), *tables, document())
