"""Facts on the first screen: unit, machines, and the records' origin."""

from collections.abc import Sequence

from tollgate.records.provenance import Made
from tollgate.show.report.markup import Html, esc, raw, tag
from tollgate.show.report.model import Machine, text

UNITS = (  # unit, the meaning of its figures, a warning
    (
        "instructions",
        "Instructions that the guest retired, counted by an emulator: exact, and the same in every "
        "run. They measure the path that the software takes.",
        "Not time. A bare gate costs 2 by construction, there and back (SYSENTER 4, for SYSEXIT "
        "takes two registers), so ranks of gates need silicon. Of a row, MP1 to MP2 and MP7 to MP8 "
        "are the gate; all between is the path.",
    ),
    (
        "host ticks",
        "The host\u2019s time while an emulator works. It is noisy.",
        "Not the guest\u2019s time: it ranks the emulator\u2019s helpers, not gates.",
    ),
    (
        "cycles",
        "Ticks of a real processor\u2019s time-stamp counter, on hardware or under KVM.",
        "Never an emulator\u2019s count; and a TSC tick is a core cycle only at one frequency.",
    ),
)
MOST = 4
"""Machines or files named on the first screen; of the others only the number."""


def facts(machines: Sequence[Machine], made: Sequence[Made]) -> Html:
    """The whole list."""
    seen = {machine.unit for machine in machines}
    units = [
        raw(tag("b", esc(unit)), f": {esc(what)} ", tag("em", esc(what_not)))
        for unit, what, what_not in UNITS
        if unit in seen
    ]
    said = [machine_line(machine) for machine in machines]
    entries = [
        ("unit" if len(units) == 1 else "units", units),
        ("machine" if len(said) == 1 else "machines", short(said)),
        *(("made", [origin(each)]) for each in made[:MOST]),
    ]
    if not made:
        entries.append(("made", [esc("nothing beside the records says when, where or of what")]))
    if made[MOST:]:
        entries.append(("", [esc(f"and of {len(made) - MOST} more files")]))
    return tag("dl", raw(*(entry(*each) for each in entries if each[1])), class_="facts")


def entry(name: str, lines: Sequence[str]) -> Html:
    """A name and its lines."""
    return raw(tag("dt", esc(name)), *(tag("dd", line) for line in lines))


def short(lines: Sequence[Html]) -> list[Html]:
    """The first ones, and the number of others."""
    if len(lines) <= MOST + 1:
        return list(lines)
    return [*lines[:MOST], esc(f"and {len(lines) - MOST} more, in the table below")]


def machine_line(machine: Machine) -> Html:
    """A machine in a line."""
    words = " ".join(machine.word(key) for key in ("arch", "cpu_model"))
    state = ", unreadable" if machine.faults else ", noisy" if machine.noisy else ""
    return raw(tag("b", esc(machine.tag)), esc(f" {words}, {machine.word('platform')}{state}"))


def origin(made: Made) -> Html:
    """Date, commit, command and host."""
    when = text(made.date).replace("T", " ").replace("Z", " UTC")
    return raw(
        esc(f"{when}, commit "),
        tag("code", esc(text(made.commit))),
        esc(", by "),
        tag("code", esc(text(made.command))),
        esc(f", on {text(made.host)}"),
    )
