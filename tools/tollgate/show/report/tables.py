"""The report's tables of our own runs: machines, ratios, claims, the matrix, all results."""

from collections.abc import Sequence
from string import ascii_lowercase

from tollgate.show.report.histograms import spacing_cell
from tollgate.show.report.markup import Html, code, esc, folded, heading, paragraph, raw, table, tag
from tollgate.show.report.model import (
    SIDE_BY_SIDE,
    STATISTICS,
    SURE,
    Machine,
    Row,
    shown,
    sure_cells,
    woven,
)
from tollgate.show.report.reference import DAGGER, Published

RATIOS = (  # name, mechanism/variant of numerator and denominator, its operation in reference.csv
    ("int80 / sep1", "int/standard", "sysenter/standard", "int80 against sep1"),
    ("int82 / sep3", "int/service", "sysenter/service", ""),
    ("cg1 / int80", "callgate/standard", "int/standard", "call gate against interrupt"),
    ("int80 / sys1", "int/standard", "syscall/standard", ""),
)
CLAIMS = (  # the paper's claim about real hardware, and where a run in cycles shows its answer
    ("sysenter is faster than the interrupt: by 1.4 on the P4, by 1.6 elsewhere", "ratios"),
    ("the call gate takes approximately the time of the interrupt", "ratios"),
    ("Athlon and Pentium III need about half of what Pentium MMX and Pentium 4 need", "bars"),
    ("sysenter on Pentium II and 4 takes more than twice its time on Athlon and P3", "bars"),
    ("the fastest way in and out takes no more than 82 ns on a Pentium III", "results"),
    ("times on the Pentium 4 lie exactly seven cycles apart", "histograms"),
    ("all other processors show almost constant times", "histograms"),
)
NOT_TESTABLE = "not testable here"


def yes_no(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, "") if isinstance(value, bool) else ""


def machines_table(machines: Sequence[Machine]) -> Html:
    """The machines, their units, and whether the runs may be used."""
    rows = [
        [
            tag("b", esc(m.tag)),
            *(esc(m.word(key)) for key in ("arch", "cpu_model", "platform")),
            esc(m.unit),
            esc(m.word("fence")),
            esc(yes_no(m.run.get("deterministic"))),
            tag("strong", "unreadable") if m.faults else esc("noisy" if m.noisy else "yes"),
            esc("" if m.faults else m.samples),
        ]
        for m in machines
    ]
    columns = "machine arch model platform unit fence deterministic readable n"
    return table("The machines", columns.split(), rows, numeric=1)


def warnings(machines: Sequence[Machine]) -> Html:
    """The runs that are not shown, and those with uncertain rows, with the reasons."""
    return raw(
        *(
            paragraph(f"{m.title} is unreadable: {'; '.join(m.faults)}.", class_="warning")
            for m in machines
            if m.faults
        ),
        *(
            paragraph(
                f"{m.title} is noisy, and figures with a ~ are not certain: {'; '.join(m.noisy)}.",
                class_="warning",
            )
            for m in machines
            if m.noisy and not m.faults
        ),
    )


def quotient(machine: Machine, origin: str, above: str, below: str) -> str:
    """The ratio of two clean medians, or the reason for its absence."""
    parts = [machine.find(f"{origin}/{way}") for way in (above, below)]
    medians = [row.median for row in parts if row and row.median]
    if len(medians) == 2:
        return f"{medians[0] / medians[1]:.2f}"
    missing = [
        way.partition("/")[0] for way, row in zip((above, below), parts, strict=True) if row is None
    ]
    return f"no {' and no '.join(missing)}" if missing else ""


def ratios_table(machines: Sequence[Machine]) -> Html:
    """Ratios within each machine of one unit."""
    unit = machines[0].unit
    rows = []
    for machine in machines:
        origins = {row.id.partition("/")[0]: None for row in machine.toll}
        for origin in origins:
            cells = [quotient(machine, origin, a, b) for _, a, b, _ in RATIOS]
            if any(cell[:1].isdigit() for cell in cells):
                rows.append([esc(machine.title), esc(origin), *map(esc, cells)])
    if not rows:
        return raw()
    columns = ["machine", "origin", *(name for name, *_ in RATIOS)]
    return table(f"Ratios of clean medians in {unit}", columns, rows, numeric=len(RATIOS))


def published_ratios(published: Sequence[Published]) -> Html:
    """The paper's figures for the same ratios: of times on real hardware."""
    rows = []
    for name, _, _, operation in RATIOS:
        found = [r for r in published if operation and r.operation == operation]
        said = "; ".join(f"{r.value} ({r.cpu})" for r in found) or "no figure"
        rows.append([esc(name), esc(said)])
    caption = (
        f"The paper: ratios of times on silicon, Linux 2.4 ({DAGGER} inferred: the variants named, "
        "the year, or the number put for words)"
    )
    return table(caption, ["ratio", "found"], rows)


def claims_table(units: Sequence[str]) -> Html:
    """The paper's claims about real hardware; only a run in cycles can answer."""
    if "cycles" not in units:
        said = f"The paper\u2019s {len(CLAIMS)} claims are of times on silicon: "
        words = raw(esc(said), tag("em", NOT_TESTABLE), esc(f", in {' and '.join(units)}."))
        listed = tag("ul", raw(*(tag("li", esc(claim)) for claim, _ in CLAIMS)))
        return raw(tag("p", words), folded("The claims", listed))
    rows = []
    for claim, place in CLAIMS:
        answers = [
            tag("a", esc(f"see the {place}"), href=f"#{place}")
            if unit == "cycles"
            else tag("em", NOT_TESTABLE)
            for unit in units
        ]
        rows.append([esc(claim), *answers])
    return table("Claims of the paper", ["claim", *(f"in {unit}" for unit in units)], rows)


def matrix(machines: Sequence[Machine]) -> Html:
    """Rows by machines: a dot if a processor has the row, otherwise the code of the reason."""
    reasons: dict[str, str] = {}
    for reason in (reason for machine in machines for reason in machine.skips.values()):
        reasons.setdefault(reason, reason_code(len(reasons)))
    ids = {row.id: row.label for machine in machines for row in machine.rows if row.suite == "toll"}
    ids |= {row_id: "" for m in machines for row_id in m.skips if row_id not in ids}
    rows_of = [[row.id for row in m.rows if row.suite == "toll"] for m in machines]
    order = woven([*rows_of, *(m.skips for m in machines)])
    many = len(machines) > SIDE_BY_SIDE
    rows = [
        [
            code(row_id),
            esc(ids[row_id]),
            *(
                counted(machines, row_id, reasons)
                if many
                else [available(m, row_id, reasons) for m in machines]
            ),
        ]
        for row_id in order
    ]
    if not ids:
        return raw()
    columns = [
        "row",
        "label",
        *(
            ("machines that have it", "those that lack it, by reason")
            if many
            else (f"{m.tag} {m.word('arch')} {m.word('cpu_model')}" for m in machines)
        ),
    ]
    listed = [[tag("b", esc(short)), esc(reason)] for reason, short in reasons.items()]
    return raw(
        tag("div", table("Rows by machines", columns, rows), class_="" if many else "matrix"),
        table("Reasons", ["code", "what the processor lacks"], listed) if listed else "",
    )


def reason_code(place: int) -> str:
    """a, b, .. z, a2, b2, .."""
    turn, letter = divmod(place, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(turn + 1) if turn else "")


def counted(machines: Sequence[Machine], row_id: str, reasons: dict[str, str]) -> list[Html]:
    """For many machines: how many have a row, and which lack it, by the code of the reason."""
    having = sum(any(row.id == row_id for row in machine.rows) for machine in machines)
    lacking: dict[str, list[str]] = {}
    for machine in machines:
        if row_id in machine.skips:
            lacking.setdefault(reasons[machine.skips[row_id]], []).append(machine.tag)
    parts = [raw(tag("b", esc(c)), esc(f": {', '.join(tags)}")) for c, tags in lacking.items()]
    return [esc(f"{having} of {len(machines)}"), raw("; ".join(parts))]


def available(machine: Machine, row_id: str, reasons: dict[str, str]) -> Html:
    """One cell of the matrix."""
    if any(row.id == row_id for row in machine.rows):
        return tag("b", "\u25cf", title="available")
    if row_id in machine.skips:
        reason = machine.skips[row_id]
        return tag("i", esc(reasons[reason]), title=reason)
    return tag("span", "\u00b7", title="this kernel has no such row", class_="none")


def results_table(machine: Machine) -> Html:
    """All results of one machine, as sent."""
    ns = ["ns"] if machine.hertz else []
    known = sure_cells(machine.rows)
    rows = [
        [
            code(row.id),
            esc(row.suite),
            esc(row.label),
            *(esc(shown(row.stats[column])) for column in STATISTICS),
            esc(spacing_cell(row)),
            *(esc(nanoseconds(row, machine)) for _ in ns),
            *map(esc, sure),
        ]
        for row, sure in zip(machine.rows, known, strict=True)
    ]
    last = [*ns, *([SURE] if any(known) else [])]
    columns = ["row", "suite", "label", *STATISTICS, "spacing", *last]
    caption = (
        f"{machine.title}: all results, in {machine.unit}; "
        f"platform {machine.word('platform')}, fence {machine.word('fence')}; "
        "spacing = distance of the histogram's peaks ('none': all samples are equal)"
    )
    title = heading(3, machine.title, f"results-{machine.tag}")
    return raw(
        title,
        tag(
            "div",
            table(caption, columns, rows, numeric=len(STATISTICS) + 1 + len(last)),
            class_="dense",
        ),
    )


def nanoseconds(row: Row, machine: Machine) -> str:
    """A median in nanoseconds, by the run's own TSC frequency."""
    return "" if row.median is None else shown(row.median * 1e9 / machine.hertz)
