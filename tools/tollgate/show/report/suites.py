"""Suites other than the toll, of any name; and KML's claims, with our figures."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from tollgate.show.report import arcangeli, around, database, rubini, stripper, web
from tollgate.show.report.markup import Html, code, esc, folded, paragraph, raw, table, tag
from tollgate.show.report.model import (
    SIDE_BY_SIDE,
    SURE,
    Machine,
    Row,
    shown,
    span,
    sure_cells,
    text,
)
from tollgate.show.report.tables import NOT_TESTABLE
from tollgate.suites import find


def suite_names(machines: Sequence[Machine]) -> list[str]:
    """Suites other than the toll with figures, or an outcome, on a readable machine."""
    readable = [machine for machine in machines if not machine.faults]
    figures = dict.fromkeys(suite for machine in readable for suite in machine.suites)
    return list(figures | dict.fromkeys(text(m.outcome["suite"]) for m in readable if m.outcome))


def chapter(suite: str, machines: Sequence[Machine]) -> Html:
    """A suite: its purpose, and a table for each machine with it."""
    readable = [machine for machine in machines if not machine.faults]
    known = find(suite)
    found = [machine for machine in readable if machine.of(suite)]
    if suite == database.SUITE:
        return database.section(readable)
    own = {module.SUITE: module.section for module in (arcangeli, stripper, web)}
    return raw(
        paragraph(f"{known.says[0].upper()}{known.says[1:]}.") if known else "",
        paragraph(known.note) if known and known.note else "",
        rubini.section(suite, readable),
        own[suite](found) if found and suite in own else "",
        stretches(suite, found) if suite == "latency" else by_machine(suite, found),
        outcomes(suite, readable),
    )


def by_machine(suite: str, machines: Sequence[Machine]) -> Html:
    """The tables of a suite: one machine after the other; many are each hidden behind a name."""
    made = [(machine.title, suite_tables(suite, machine)) for machine in machines]
    many = len(made) > SIDE_BY_SIDE
    return raw(*(folded(title, content) if many else content for title, content in made))


def outcomes(suite: str, machines: Sequence[Machine]) -> Html:
    """The boots of a suite that, as intended, ended without their own verdict."""
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
    if len({tag for tag, _ in columns}) > SIDE_BY_SIDE:
        columns = list(dict.fromkeys(("all machines", origin) for _, origin in columns))
        found = {call: over_machines(of) for call, of in found.items()}
    lines = [
        [code(call), *(esc(shown(of.get(where))) for where in columns)]
        for call, of in sorted(found.items(), key=lambda item: -max(item[1].values()))
    ]
    units = ", ".join(dict.fromkeys(machine.unit for machine in machines if machine.of(suite)))
    caption = f"{suite}: the longest stretch with interrupts off, in {units}"
    heads = ["call", *(f"{tag} {origin}" for tag, origin in columns)]
    return table(caption, heads, lines, numeric=len(columns))


def over_machines(of: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """The longest stretch of a call over all machines, by origin."""
    longest: dict[tuple[str, str], float] = {}
    for (_, origin), cost in of.items():
        where = ("all machines", origin)
        longest[where] = max(longest.get(where, 0.0), cost)
    return longest


def suite_tables(suite: str, machine: Machine) -> Html:
    """Rows with sections as mechanisms by variants; others as a list of figures."""
    found = machine.of(suite)
    probed = [row for row in found if row.sections]
    others = [row for row in found if not row.sections]
    kinds = [("", probed), (", others" if probed else "", others)]
    return raw(*(suite_table(suite, machine, rows, kind) for kind, rows in kinds if rows))


def suite_table(suite: str, machine: Machine, found: Sequence[Row], kind: str = "") -> Html:
    """One table, of rows that all have sections, or all have none; `kind`: which of the two, if
    both occur."""
    caption = (
        f"{machine.title}: {suite}{kind}, in {machine.unit}; platform {machine.word('platform')}, "
        f"fence {machine.word('fence')}, n\u00a0=\u00a0{span(row.stats['n'] for row in found)}"
    )
    if found[0].condition:
        return around.paths_table(caption, found)
    return grid(caption, found) if found[0].sections else plain(machine, caption, found)


def plain(machine: Machine, caption: str, found: Sequence[Row]) -> Html:
    """A line for each row, with its cost under other conditions if known."""
    keys = ("min", "median", "p99", "max")
    worst = around.beside(machine)
    said = [worst.get((row.suite, row.id), "") for row in found]
    known = sure_cells(found)
    lines = [
        [
            code(row.id),
            *([esc(words)] if any(said) else []),
            *(esc(row.said if key == "median" else shown(row.stats[key])) for key in keys),
            *map(esc, sure),
        ]
        for row, words, sure in zip(found, said, known, strict=True)
    ]
    last = [SURE] if any(known) else []
    columns = ["row", *(["under other conditions"] if any(said) else []), *keys, *last]
    return table(caption, columns, lines, numeric=len(keys) + len(last))


def grid(caption: str, found: Sequence[Row]) -> Html:
    """Clean medians: mechanisms by variants."""
    variants = list(dict.fromkeys(row.variant for row in found))
    lines = []
    for way, members in groupby(found, key=lambda row: row.group):
        of_way = {row.variant: row for row in members}
        cells = [of_way[v].said if v in of_way else "" for v in variants]
        residue = span(row.residue for row in of_way.values())
        lines.append([code(way), *map(esc, cells), esc(residue)])
    columns = ["way", *variants, "residue"]
    return table(caption, columns, lines, numeric=len(variants) + 1)


def more(machine: Machine, origin: str, variant: str) -> str:
    """The additional cost of this gate over a plain one: over all exceptions, in the run's unit."""
    found: dict[str, Row] = {row.id: row for row in machine.of("exceptions")}
    differences = []
    for row in found.values():
        plain = found.get(f"{row.group}/plain")
        if row.id.startswith(f"{origin}/") and row.variant == variant and plain is not None:
            differences.append((row.median or 0.0) - (plain.median or 0.0))
    return span(differences)


def ist_answer(machine: Machine) -> str:
    """The cost of IST, from CPL 3 and from trusted programs; "" without IST."""
    answers = []
    for origin in ("user", "trusted"):
        gate, move = more(machine, origin, "ist"), more(machine, origin, "move")
        if gate and move:
            answers.append(f"{origin}: the gate +{gate}, with the move off its stack +{move}")
    return "; ".join(answers)


def call_answer(machine: Machine) -> str:
    """The bare pair SYSCALL and SYSRET from CPL 3 compared with call and return."""
    rows = [machine.find(row) for row in ("user/syscall/bare", "trusted/call/bare")]
    medians = [row.median for row in rows if row and row.median]
    return f"{medians[0] / medians[1]:.1f} times" if len(medians) == 2 else ""


def starvation_answer(machine: Machine) -> str:
    """Recovery from stack starvation compared with an ordinary stack-growth fault at CPL 3."""
    medians = {row.id: row.median for row in machine.of("starve")}
    trusted, user = (medians.get(f"{origin}/starve/push") for origin in ("trusted", "user"))
    if not trusted or not user:
        return ""
    return f"{trusted:.0f} against {user:.0f} for a page fault at CPL 3: {trusted / user:.2f} times"


CLAIMS = (  # the article's claim, our measurement for it, and whether instructions show a part
    ("the overhead of IST is \u201cnegligibly small\u201d", ist_answer, True),
    ("a program survives stack starvation, and goes on", starvation_answer, True),
    ("a call is about 50 times faster than SYSCALL and SYSRET", call_answer, False),
)


def kml_claims(machines: Sequence[Machine]) -> Html:
    """KML's claims about real hardware: the claim, our figure, its machine; only cycles answer."""
    lines = []
    untested: dict[str, None] = {}
    for claim, answer, path in CLAIMS:
        for machine in machines:
            measured = answer(machine)
            if not measured:
                continue
            silicon = machine.unit == "cycles"
            if not silicon and not path:
                untested[claim] = None
                continue
            said = f"{measured} (in {machine.unit})"
            verdict = raw() if silicon else tag("em", esc(NOT_TESTABLE))
            parts = [part for part in (esc(said), verdict) if part]
            lines.append([esc(claim), raw(": ".join(parts)), esc(machine.title)])
    nobody = esc("no machine that counts cycles")
    lines += [[esc(claim), tag("em", esc(NOT_TESTABLE)), nobody] for claim in untested]
    columns = ["claimed", "measured", "on"]
    return table("Claims of KML (Maeda), of an Opteron in 2005", columns, lines) if lines else raw()
