"""The suites beside the toll's, whatever they are called; and KML's claims, with our figures."""

from collections.abc import Sequence
from itertools import groupby

from tollgate.report import arcangeli, rubini, stripper
from tollgate.report.markup import Html, code, esc, heading, paragraph, raw, table, tag
from tollgate.report.model import Machine, Row, shown, span, text
from tollgate.report.tables import NOT_TESTABLE

NOTES = {  # suite -> what its figures run between
    "latency": "How long each call has kept interrupts off: the longest stretch seen, over calls "
    "with much to do, the attacks and torture. None may be longer than 50,000 instructions, "
    "whatever a program asks for; what an entry and its way out do themselves is not in it.",
    "starve": "A push that needs a page of the stack, above the same push when the page is there. "
    "In a trusted program that is stack starvation and the recovery from it, at CPL 3 an ordinary "
    "page fault.",
    "vsyscall": "The time by a function of the image, from the instruction that calls it to the "
    "one behind it; by its twin that returns -EFAULT; and by system call through every gate, as "
    "the toll\u2019s standard rows. retry counts the instructions of a gettimeofday that meets "
    "half an update so often. bad is a pointer that leads nowhere: SIGSEGV to a handler and back, "
    "-EFAULT by a fix-up, -EFAULT. rdtsc is the stamp alone, without and with LFENCE; writer is "
    "what the timer\u2019s interrupt does about the time.",
    "exceptions": "From the instruction that raises the exception to the one behind it, through "
    "each kind of gate: plain is an interrupt gate, ist the same with an IST stack, move the same "
    "and the way off that stack, task a task gate. QEMU does not count an instruction that memory "
    "or a selector stops; Bochs counts one for each exception that is not an INT n. fault is a "
    "page fault that is resolved: a page of zeros, one copied after a fork, one of the stack; "
    "signal is the way to a handler and back by sigreturn: of a write to nowhere (segv), of kill "
    "(self).",
}


def suites(machines: Sequence[Machine]) -> Html:
    """Every suite of every readable machine, whatever it is called."""
    readable = [machine for machine in machines if not machine.faults]
    return raw(*(suite_section(name, readable) for name in suite_names(readable)))


def suite_names(machines: Sequence[Machine]) -> list[str]:
    """The suites beside the toll's that have figures, or an outcome, on a readable machine."""
    readable = [machine for machine in machines if not machine.faults]
    figures = dict.fromkeys(suite for machine in readable for suite in machine.suites)
    return list(figures | dict.fromkeys(text(m.outcome["suite"]) for m in readable if m.outcome))


def suite_section(suite: str, machines: Sequence[Machine]) -> Html:
    """A suite: a table for each machine that has it."""
    return raw(
        heading(3, suite, f"suite-{suite}"),
        paragraph(NOTES[suite]) if suite in NOTES else "",
        rubini.section(suite, machines),
        arcangeli.section(suite, machines),
        stripper.section(suite, machines),
        stretches(suite, machines)
        if suite == "latency"
        else raw(*(suite_tables(suite, machine) for machine in machines if machine.of(suite))),
        outcomes(suite, machines),
    )


def outcomes(suite: str, machines: Sequence[Machine]) -> Html:
    """The boots of a suite that were to end otherwise than by their own word, and did."""
    lines = [
        [code(text(o["id"])), esc(text(o["ended"])), esc(text(o["chain"])), esc(machine.title)]
        for machine, o in ((machine, machine.outcome) for machine in machines)
        if o and text(o["suite"]) == suite
    ]
    columns = ["row", "ended by", "after", "on"]
    caption = f"{suite}: boots whose end is the result, as the emulator saw it"
    return table(caption, columns, lines) if lines else raw()


def stretches(suite: str, machines: Sequence[Machine]) -> Html:
    """A line for each call, the longest stretch first; a column for each machine and origin."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for machine in machines:
        for row in machine.of(suite):
            origin, _, call = row.id.removesuffix("/off").partition("/")
            found.setdefault(call, {})[machine.tag, origin] = row.stats["max"] or 0
    columns = list(dict.fromkeys(where for calls in found.values() for where in calls))
    lines = [
        [code(call), *(esc(shown(of.get(where))) for where in columns)]
        for call, of in sorted(found.items(), key=lambda item: -max(item[1].values()))
    ]
    units = ", ".join(dict.fromkeys(machine.unit for machine in machines if machine.of(suite)))
    caption = f"{suite}: the longest stretch with interrupts off, in {units}"
    heads = ["call", *(f"{tag} {origin}" for tag, origin in columns)]
    return table(caption, heads, lines, numeric=len(columns))


def suite_tables(suite: str, machine: Machine) -> Html:
    """Rows with sections are ways by variants; others are one figure after the other."""
    found = machine.of(suite)
    probed = [row for row in found if row.sections]
    others = [row for row in found if not row.sections]
    return raw(*(suite_table(suite, machine, rows) for rows in (probed, others) if rows))


def suite_table(suite: str, machine: Machine, found: Sequence[Row]) -> Html:
    """One table, of rows that all have sections, or that all have none."""
    caption = (
        f"{machine.title}: {suite}, in {machine.unit}; platform {machine.word('platform')}, "
        f"fence {machine.word('fence')}, n\u00a0=\u00a0{span(row.stats['n'] for row in found)}"
    )
    return (grid if found[0].sections else plain)(caption, found)


def plain(caption: str, found: Sequence[Row]) -> Html:
    """A line for each row."""
    keys = ("min", "median", "p99", "max")
    lines = [[code(row.id), *(esc(shown(row.stats[key])) for key in keys)] for row in found]
    return table(caption, ["row", *keys], lines, numeric=len(keys))


def grid(caption: str, found: Sequence[Row]) -> Html:
    """Clean medians: ways by variants."""
    variants = list(dict.fromkeys(row.variant for row in found))
    lines = []
    for way, members in groupby(found, key=lambda row: row.group):
        of_way = {row.variant: row for row in members}
        cells = [shown(of_way[v].median) if v in of_way else "" for v in variants]
        residue = span(row.residue for row in of_way.values())
        lines.append([code(way), *map(esc, cells), esc(residue)])
    columns = ["", *variants, "residue"]
    return table(caption, columns, lines, numeric=len(variants) + 1)


def more(machine: Machine, origin: str, variant: str) -> str:
    """What this kind of gate adds to a plain one: over all exceptions, in the run's unit."""
    found: dict[str, Row] = {row.id: row for row in machine.of("exceptions")}
    differences = []
    for row in found.values():
        plain = found.get(f"{row.group}/plain")
        if row.id.startswith(f"{origin}/") and row.variant == variant and plain is not None:
            differences.append((row.median or 0.0) - (plain.median or 0.0))
    return span(differences)


def ist_answer(machine: Machine) -> str:
    """What IST adds, from CPL 3 and from trusted programs; nothing where there is none."""
    answers = []
    for origin in ("user", "trusted"):
        gate, move = more(machine, origin, "ist"), more(machine, origin, "move")
        if gate and move:
            answers.append(f"{origin}: the gate +{gate}, with the move off its stack +{move}")
    return "; ".join(answers)


def call_answer(machine: Machine) -> str:
    """The bare pairs, SYSCALL and SYSRET from CPL 3 over call and return."""
    rows = [machine.find(row) for row in ("user/syscall/bare", "trusted/call/bare")]
    medians = [row.median for row in rows if row and row.median]
    return f"{medians[0] / medians[1]:.1f} times" if len(medians) == 2 else ""


def starvation_answer(machine: Machine) -> str:
    """Recovery from stack starvation over an ordinary stack-growth fault at CPL 3."""
    medians = {row.id: row.median for row in machine.of("starve")}
    trusted, user = (medians.get(f"{origin}/starve/push") for origin in ("trusted", "user"))
    if not trusted or not user:
        return ""
    return f"{trusted:.0f} against {user:.0f} for a page fault at CPL 3: {trusted / user:.2f} times"


CLAIMS = (  # what the article says, what was measured for it, and whether instructions say a part
    ("the overhead of IST is \u201cnegligibly small\u201d", ist_answer, True),
    ("a program survives stack starvation, and goes on", starvation_answer, True),
    ("a call is about 50 times faster than SYSCALL and SYSRET", call_answer, False),
)


def kml_claims(machines: Sequence[Machine]) -> Html:
    """KML's claims of silicon: claimed, measured, on what; only cycles can answer."""
    lines = []
    for claim, answer, path in CLAIMS:
        for machine in machines:
            measured = answer(machine)
            if not measured:
                continue
            silicon = machine.unit == "cycles"
            said = f"{measured} (in {machine.unit})" if silicon or path else ""
            verdict = raw() if silicon else tag("em", esc(NOT_TESTABLE))
            parts = [part for part in (esc(said), verdict) if part]
            lines.append([esc(claim), raw(": ".join(parts)), esc(machine.title)])
    columns = ["claimed", "measured", "on"]
    return table("Claims of KML (Maeda), of an Opteron in 2005", columns, lines) if lines else raw()
