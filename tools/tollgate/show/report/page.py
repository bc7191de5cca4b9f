"""The page: sections in order, and the file with all of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from altair.utils.schemapi import debug_mode

from tollgate.records.format import MachineRun
from tollgate.records.provenance import Made
from tollgate.show import shares
from tollgate.show.report import (
    around,
    attachments,
    facts,
    headline,
    histograms,
    reference,
    sections,
    suites,
    tables,
)
from tollgate.show.report.markup import (
    FIGURES,
    TABLES,
    Html,
    chapter,
    esc,
    folded,
    heading,
    paragraph,
    raw,
    slug,
    table,
    tag,
)
from tollgate.show.report.method import method
from tollgate.show.report.model import (
    SIDE_BY_SIDE,
    Machine,
    alike,
    by_unit,
    names,
    read_machine,
    shown,
    span,
    text,
)

STYLE = Path(__file__).with_name("page.css")
SCRIPT = Path(__file__).with_name("page.js")
TITLE = "What does it cost to cross into ring 0?"
INTRODUCTION = (
    "Tollgate is a small operating system that boots on bare x86 and answers this for every way "
    "in: the interrupt gate, the call gate, SYSENTER and SYSCALL, on i386 and amd64, section by "
    "section. This report was made from the records of its runs, and holds all of them. Every "
    f"chart is a file of its own beside this page, in {FIGURES}/, and every table in {TABLES}/."
)
SILICON = (
    f"A claim that only silicon can settle prints \u201c{tables.NOT_TESTABLE}\u201d. Units never "
    "meet in one chart, in one table or on one scale. \u201cThe paper\u201d is Schneider and "
    "Baumgartl, Unintrusively Measuring Linux Kernel Execution Times; its names for the ways in "
    "(int80, cg1, sep1 and so on) stand beside ours."
)
UNREADABLE = "No run of this report is readable, so there is no figure to show."
MATRIX_NOTE = (
    "A dot: measured on this machine. A letter: the processor lacks what the row needs, for the "
    "reason listed under that letter. A small dot: this kernel has no such row."
)
RATIO_NOTE = (
    "The paper\u2019s ratios are of times on silicon. A ratio of instructions or of host ticks "
    "says how two paths compare in this emulator; beside the paper\u2019s it is no comparison, and "
    "none is meant."
)
SPACING_NOTE = (
    "The dominant spacing is the distance between neighbouring occupied bins that carries the most "
    "samples. The paper found times exactly seven cycles apart on the Pentium 4, and almost "
    "constant times everywhere else."
)

SHARES_NOTE = (
    "Programs that were compiled for Linux run unchanged in ring 0 under /trusted. Where that is "
    "safe their SYSCALLs become direct calls; the others stay. A plugin of QEMU\u2019s counted the "
    "table with this version of Tollgate, each program\u2019s start included; it is not of the "
    "runs above. The programs are Debian 12\u2019s, Go 1.26\u2019s and Rust 1.95\u2019s."
)


def write_report(
    runs: Sequence[MachineRun], path: Path, missing: Sequence[str] = (), made: Sequence[Made] = ()
) -> None:
    """Write the report of `runs` to `path`, one self-contained HTML file, and next to it each chart
    as SVG and each table as CSV.

    `missing` names boots of an interrupted bench that are not in `runs`; `made` is the records'
    origin.

    Figures keep the unit of their run. Raises OSError if `path` cannot be written.
    """
    machines = [read_machine(n, run) for n, run in enumerate(in_order(runs), start=1)]
    with debug_mode(False):  # our charts are tested: Altair need not validate each call
        whole = page(machines, missing, made)
    path.write_text(whole, encoding="utf-8")
    attachments.write(whole, path.parent)


def prepare(units: Iterable[str]) -> None:
    """Start the drawing modules, and draw the published figures in all units but `units`."""
    with debug_mode(False):
        others = [row for row in reference.load() if row.unit not in units]
        reference.reference_charts(others, [])


def in_order(runs: Sequence[MachineRun]) -> list[MachineRun]:
    """Boots with figures first: those without their own verdict have just an outcome."""
    return sorted(runs, key=lambda run: run.outcome is not None)


def page(
    machines: Sequence[Machine], missing: Sequence[str] = (), made: Sequence[Made] = ()
) -> Html:
    """The whole document; empty chapters are left out."""
    found = [(part, part.make(machines)) for part in order(machines)]
    parts = [(part, content) for part, content in found if content]
    links = contents([(part.name, part.anchor) for part, _ in parts])
    return document(
        f"Tollgate: {TITLE}",
        raw(
            tag("header", raw(tag("p", "Tollgate", class_="name"), tag("h1", esc(TITLE)))),
            warnings(machines, missing),
            answer(machines, made, links) if machines else "",
            *(chapter(p.name, p.anchor, c, p.shown) for p, c in parts),
        ),
        links,
    )


def contents(parts: Iterable[tuple[str, str]]) -> Html:
    """A list of links to chapters: names and anchors."""
    items = (tag("li", tag("a", esc(title), href=f"#{slug(anchor)}")) for title, anchor in parts)
    return tag("ol", raw(*items))


def bar(links: str) -> Html:
    """The bar that stays at the top: a link to the top, and the chapters."""
    menu = tag("details", raw(tag("summary", "Chapters"), links), class_="menu") if links else ""
    return tag(
        "nav",
        raw(tag("a", "Tollgate", href="#top", class_="name"), menu),
        class_="bar",
        aria_label="Page",
    )


def document(title: str, body: str, links: str = "") -> Html:
    """A self-contained page: with its style, and the script that opens folds."""
    return raw(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{esc(title)}</title>",
        f"<style>{STYLE.read_text(encoding='utf-8')}</style></head>\n<body>",
        bar(links),
        '<main id="top">',
        body,
        f"</main><script>{SCRIPT.read_text(encoding='utf-8')}</script></body></html>\n",
    )


def answer(machines: Sequence[Machine], made: Sequence[Made], links: str) -> Html:
    """The first screen: the result in a sentence and a chart, then units, machines, and origin."""
    units = tolls(machines)
    said = headline.lead(units) if units else other_lead(machines)
    charts = raw(*(headline.headline_figure(group) for group in units.values()))
    nav = tag("nav", links, aria_label="Contents")
    beside_it = tag("div", raw(facts.facts(machines, made), nav))
    both = raw(tag("div", charts), beside_it) if charts else beside_it
    worst = around.lead(by_unit(machines))
    return raw(said, worst, tag("div", both, class_="answer" if charts else "answer alone"))


def other_lead(machines: Sequence[Machine]) -> Html:
    """The sentence of a report without the toll: its contents."""
    readable = [machine for machine in machines if not machine.faults]
    said = []
    for suite in suites.suite_names(readable):
        rows = [(m.unit, row) for m in readable for row in m.of(suite)]
        for unit in dict.fromkeys(unit for unit, _ in rows):
            medians = [row.median for of, row in rows if of == unit]
            said.append(f"{len(medians)} rows of {suite}, {span(medians)} {unit}")
    if not said:
        return raw()
    return paragraph(f"Here are {'; '.join(said)}: no call by a way in.", class_="lead")


def warnings(machines: Sequence[Machine], missing: Sequence[str]) -> Html:
    """The lines above all chapters: runs whose figures are hidden or missing."""
    if not machines:
        return paragraph("There is nothing to show: no run was given.", class_="warning")
    none = "" if by_unit(machines) else paragraph(UNREADABLE, class_="warning")
    gone = f"These results are not whole: {', '.join(map(text, missing))}: not measured."
    not_whole = paragraph(gone, class_="warning") if missing else ""
    return raw(not_whole, tables.warnings(machines), none)


def tolls(machines: Sequence[Machine]) -> dict[str, list[Machine]]:
    """The readable machines of each unit with toll rows."""
    return by_unit([machine for machine in machines if machine.toll])


def overview(machines: Sequence[Machine]) -> Html:
    """Units and machines: everything that does not fit on the first screen."""
    seen = {machine.unit for machine in machines}
    boxes = (
        tag(
            "div",
            raw(tag("h3", esc(unit)), paragraph(what), paragraph(what_not, class_="not")),
            class_="unit here" if unit in seen else "unit",
        )
        for unit, what, what_not in facts.UNITS
    )
    return raw(
        paragraph(INTRODUCTION),
        tag("div", raw(*boxes), class_="units"),
        paragraph(SILICON),
        tables.machines_table(machines),
    )


def bars(machines: Sequence[Machine]) -> Html:
    """Figures 4 to 6: over several processors, then each processor by itself."""
    parts: list[Html] = []
    for unit, group in tolls(machines).items():
        scale = sections.scale_of(group)
        parts.append(heading(3, f"In {unit}", f"bars-{unit}"))
        parts.append(paragraph(sections.notes(group, unit)))
        parts.append(sections.key())
        if len(group) > 1:
            parts.append(sections.processor_figure(group, scale))
        parts.append(sections.machine_figures(alike(group), scale))
        parts += [paragraph(f"{m.title}: {said}") for m in group for said in m.places]
    return raw(*parts)


def ratios(machines: Sequence[Machine]) -> Html:
    """Ratios per unit, and the claims that need real hardware."""
    units = tolls(machines)
    claims = suites.kml_claims([machine for machine in machines if not machine.faults])
    if not units:
        return claims
    return raw(
        paragraph(RATIO_NOTE),
        tables.published_ratios(reference.load()),
        *(tables.ratios_table(group) for group in units.values()),
        tables.claims_table(list(units)),
        claims,
    )


def spreads(machines: Sequence[Machine]) -> Html:
    """Figure 7 for machines with different samples; a sentence for the others."""
    readable = [machine for group in tolls(machines).values() for machine in group]
    if not readable:
        return raw()
    spreading = [machine for machine in readable if histograms.spread(machine)]
    constant = [machine for machine in readable if not histograms.spread(machine)]
    parts = [paragraph(SPACING_NOTE)] if spreading else []
    if constant:
        rows = shown(sum(len(machine.toll) for machine in constant))
        said = f"No spread on {names(constant)}: in each of {rows} rows all samples are equal."
        parts.append(paragraph(said))
    drawn = [(machine.title, histograms.histogram_figure(machine)) for machine in spreading]
    return raw(*parts, *apart(drawn))


def availability(machines: Sequence[Machine]) -> Html:
    """The matrix, if there are rows that can be present or missing."""
    matrix = tables.matrix(machines)
    return raw(paragraph(MATRIX_NOTE), matrix) if matrix else matrix


def published(machines: Sequence[Machine]) -> Html:
    """The published figures, with ours if the unit is the same."""
    readable = [machine for group in by_unit(machines).values() for machine in group]
    return raw(
        paragraph(
            "What others have published, one chart per unit. A dagger marks what is inferred: a "
            "year, a variant, a processor, a factor, or a number put for words."
        ),
        *(reference.nearest(machine) for machine in readable),
        reference.reference_charts(reference.load(), readable),
    )


def unmodified(machines: Sequence[Machine]) -> Html:
    """The share of direct calls among the system calls of unmodified programs, beside amd64."""
    if "amd64" not in {each.word("arch") for group in tolls(machines).values() for each in group}:
        return raw()
    lines = [
        [esc(each.program), esc(f"{each.calls:,}"), esc(f"{each.percent} %")]
        for each in shares.load()
    ]
    columns = ["program", "system calls that it executes", "of them direct calls"]
    caption = "Executed system calls by way in, counted on amd64 in QEMU as EPYC, in ring 0"
    return raw(paragraph(SHARES_NOTE), table(caption, columns, lines, numeric=2))


def results(machines: Sequence[Machine]) -> Html:
    """Every figure of every readable run."""
    shown_machines = [machine for machine in machines if machine.rows and not machine.faults]
    return raw(*apart([(m.title, tables.results_table(m)) for m in shown_machines]))


def apart(found: Sequence[tuple[str, Html]]) -> list[Html]:
    """The same part for each machine: one after the other; many are each hidden behind a name."""
    if len(found) <= SIDE_BY_SIDE:
        return [content for _, content in found]
    return [folded(title, content) for title, content in found]


@dataclass(frozen=True)
class Part:
    """A chapter: its title, its anchor, and its function ("" if it has no figure).

    `shown`: not folded.
    """

    name: str
    anchor: str
    make: Callable[[Sequence[Machine]], Html]
    shown: bool = False


FIRST = (
    Part("Units and machines", "overview", overview),
    Part("Sections: figures 4 to 6", "bars", bars, shown=True),
    Part("Ratios and claims", "ratios", ratios),
)
LAST = (
    Part("Histograms: figure 7", "histograms", spreads),
    Part("What each processor has", "matrix", availability),
    Part("Published figures", "published", published),
    Part("Calls of unmodified programs", "unmodified", unmodified),
    Part("How each number came to be", "method", method),
    Part("All results", "results", results),
)


def order(machines: Sequence[Machine]) -> list[Part]:
    """The chapters in order: if there is no toll, suites come first."""
    if not machines:
        return []
    own = [
        Part(f"The suite {name}", f"suite-{slug(name)}", partial(suites.chapter, name))
        for name in suites.suite_names(machines)
    ]
    return [*FIRST, *own, *LAST] if tolls(machines) else [*own, *FIRST, *LAST]
