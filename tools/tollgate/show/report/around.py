"""The worst cases of headline figures, from the records of the suite `around`."""

from collections.abc import Mapping, Sequence

from tollgate.records.around import HEADLINES, SUITE, most
from tollgate.show.report.markup import Html, code, esc, paragraph, raw, table
from tollgate.show.report.model import Machine, Row, shown

TOUCHED = 5000
"""Pages that `fork/touched` has more than `fork` (user/suites/spawn.c)."""


def said(row: Row, machine: Machine) -> str:
    """Such as `most 13,825: a trusted partner`, by all rows of its path, with pairs of conditions
    and all together; empty if the maximum is close to plain."""
    same = [each for each in machine.of(SUITE) if path(each) == path(row)]
    worst = max(same, key=lambda each: each.stats["max"] or 0.0)
    plain, of_worst = row.stats["plain"], worst.stats["max"]
    words = most(plain, of_worst, worst.condition) if plain is not None and of_worst else ""
    forks = {each.id: each.median or 0.0 for each in machine.of("spawn")}
    origin = row.id.partition("/")[0]
    if row.variant == "fork" and f"{origin}/fork/touched" in forks:
        added = (forks[f"{origin}/fork/touched"] - forks[f"{origin}/fork"]) / TOUCHED
        words += f"{'; ' if words else ''}{shown(round(added))} more for each touched page"
    return words


def path(row: Row) -> tuple[str, str]:
    """Its origin and its path."""
    return row.id.partition("/")[0], row.variant


def alone(machine: Machine) -> list[Row]:
    """Its paths under each single condition."""
    return [row for row in machine.of(SUITE) if row.id.split("/")[1:2] == [SUITE]]


def lead(units: Mapping[str, Sequence[Machine]]) -> Html:
    """Costs of the headline paths under other conditions: a sentence for each unit and kernel."""
    sentences = []
    for unit, machines in units.items():
        archs = {m.word("arch"): m for m in reversed(machines) if alone(m)}
        for arch, machine in sorted(archs.items(), key=lambda item: item[0] != "i386"):
            paths = "; ".join(
                f"{HEADLINES[row.variant][2]} {shown(row.stats['plain'])}"
                + (f" ({worst})" if (worst := said(row, machine)) else "")
                for row in alone(machine)
                if row.id.startswith("user/") and row.variant in HEADLINES
            )
            if paths:
                sentences.append(f"Under other conditions, in {unit} on {arch}: {paths}.")
    return raw(*map(paragraph, sentences))


def beside(machine: Machine) -> dict[tuple[str, str], str]:
    """The note for another suite's row with a headline figure: by suite and id."""
    found = {}
    for row in alone(machine):
        suite, name, _ = HEADLINES.get(row.variant, ("", "", ""))
        if words := said(row, machine):
            found[suite, f"{row.id.partition('/')[0]}/{name}"] = words
    return found


def paths_table(caption: str, found: Sequence[Row]) -> Html:
    """The minimum and maximum of each path, and the condition of the maximum."""
    keys = ("n", "plain", "min", "max")
    lines = [
        [code(row.id), esc(row.condition), *(esc(shown(row.stats[key])) for key in keys)]
        for row in found
    ]
    columns = ["row", "most under", "conditions", "plain", "least", "most"]
    return table(caption, columns, lines, numeric=len(keys))
