"""Every instruction of a walk: the listing, the strip of rings, and the slider's data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tollgate.show.report.markup import Html, code, esc, raw, tag
from tollgate.teach.book import stack
from tollgate.teach.book.names import register_name
from tollgate.teach.book.walk import Instruction, Source, State, Walk
from tollgate.teach.book.words import Namer, Word

HIDDEN = ("cr2",)
"""Registers shown at a stop only after their first change."""
ORDER = ("ip", "sp", "flags", "cs", "ss")
"""Registers to be listed first."""
CELL = 11
"""px, the smallest width of an instruction on the strip."""
ROOM = 1000


@dataclass
class Stop:
    """A position of the slider: the machine, and the last instruction (None: a run)."""

    state: State
    words: list[Word]
    done: Instruction | None
    ran: bool = False
    """The machine ran to here without recording."""


@dataclass
class Track:
    """All stops of a walk, in order."""

    stops: list[Stop] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Instructions."""
        return sum(stop.done is not None for stop in self.stops)


KEY = Html(
    '<ul class="key"><li><i class="g"></i>pushed by the processor</li><li><i class="c"></i>by an '
    'instruction</li><li><i></i>there before</li><li><i class="n"></i>new or changed</li></ul>'
)
"""The meaning of the boxes in a stack."""


def track(walk: Walk, namer: Namer) -> Track:
    """The stops of a walk's paths; `namer` must be unused."""
    found = Track()
    for path in walk.paths:
        first = path[0].before
        found.stops.append(Stop(first, namer.words(first), None, ran=bool(found.stops)))
        for one in path:
            namer.step(one)
            found.stops.append(Stop(one.after, namer.words(one.after), one))
    return found


def ring(cpl: int) -> Html:
    """The current privilege level, as a coloured word."""
    return tag("span", f"CPL\u00a0{cpl}", class_=f"cpl c{cpl}")


def scrolled(content: str, label: str, more: str = "") -> Html:
    """A part that may be wider than the page."""
    name = f"wide {more}".strip()
    return tag("div", content, class_=name, tabindex="0", role="group", aria_label=label)


def strip(made: Track) -> Html:
    """One cell per instruction, in the colour of its ring; with MP1 to MP8."""
    cells = []
    total = made.count
    cell = min(max(ROOM // max(total, 1), CELL), 2 * CELL)
    place = 0
    for number, stop in enumerate(made.stops):
        following = made.stops[number + 1] if number + 1 < len(made.stops) else None
        if following is None or following.done is None:
            cells.append(_mark(stop.state, place * cell))
            continue
        state = stop.state
        box = f"M{place * cell} 16h{cell - 1}v18h-{cell - 1}z"
        cells += [f'<path class="c{state.cpl}" d="{box}"/>', _mark(state, place * cell)]
        place += 1
    meaning = f"{total} instructions, each in the colour of its ring: {_rings(made)}."
    width = total * cell + 2 * CELL
    return Html(
        f'<svg class="strip" role="img" aria-label="{esc(meaning)}" viewBox="0 0 {width} 36" '
        f'width="{width}" height="36">{"".join(cells)}</svg>'
    )


def _mark(state: State, left: int) -> str:
    """The number of the measurement point at this address."""
    number = state.points[0].removeprefix("MP") if state.points else ""
    return f'<text x="{left}" y="11">{number}</text>' if number else ""


def _rings(made: Track) -> str:
    found: list[list[int]] = []
    for stop in made.stops:
        if stop.done is None:
            continue
        cpl = stop.done.before.cpl
        if found and found[-1][0] == cpl:
            found[-1][1] += 1
        else:
            found.append([cpl, 1])
    return ", ".join(f"{count} at CPL {cpl}" for cpl, count in found)


def listing(made: Track, macros: Mapping[tuple[str, int], str]) -> Html:
    """One line per instruction: its number, its ring, its source, the words it pushed."""
    lines = []
    number = 0
    for place, stop in enumerate(made.stops):
        if stop.ran:
            text = f"The machine runs on to {stop.state.symbol}."
            lines.append(f'<tr class="ran"><td></td><td colspan="4">{esc(text)}</td></tr>')
        if stop.done is None:
            continue
        number += 1
        before = stop.done.before
        source = before.source
        at = f"{source.file}:{source.line}" if source else ""
        macro = macros.get((source.file, source.line), "") if source else ""
        lines.append(
            f'<tr id="i{number}" data-s="{place}" class="c{before.cpl}">'
            f'<td class="num"><a href="#i{number}">{number}</a></td>'
            f"<td>{before.cpl}</td><td><code>{esc(before.next)}</code>{_points(before)}</td>"
            f"<td>{esc(touched(stop))}</td><td>{esc(at)} {esc(macro)}</td></tr>"
        )
    head = "".join(
        f'<th scope="col"{c}>{t}</th>'
        for t, c in (
            ("no.", ' class="num"'),
            ("CPL", ""),
            ("instruction", ""),
            ("on the stack", ""),
            ("source", ""),
        )
    )
    body = "\n".join(lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return scrolled(table, "Every instruction in its order", "listing")


def _points(state: State) -> Html:
    return raw(*(tag("b", point) for point in state.points))


def touched(stop: Stop) -> str:
    """The names of the words that an instruction left on the stack, top first."""
    assert stop.done is not None
    before = stop.done.before.registers["sp"]
    after = stop.state.registers["sp"]
    far = abs(before - after) > 4096
    new = [w.name for w in stop.words if far or w.address < before]
    if far and stop.state.cpl < stop.done.before.cpl and new and stop.words[0].kind == "gate":
        frame = [w.name for w in stop.words if w.kind == "gate"]
        return "\u2192 " + " ".join(reversed(frame))
    if not far and after < before and new:
        return "\u2192 " + " ".join(reversed(new))
    return ""


def data(made: Track, macros: Mapping[tuple[str, int], str]) -> str:
    """The stops as JSON, each as the difference from the previous one."""
    sources: dict[tuple[str, int], int] = {}
    texts: list[list[object]] = []
    stops = []
    registers: dict[str, int] = {}
    shown: dict[int, tuple[str, ...]] = {}
    first = made.stops[0].state
    size = first.stack.word
    for stop in made.stops:
        state = stop.state
        now = {
            name: value
            for name, value in sorted(state.registers.items(), key=lambda item: _rank(item[0]))
            if name not in HIDDEN or name in registers or value != first.registers[name]
        }
        words = {row.word.address: _word(row) for row in stack.rows(stop.words)}
        one: dict[str, object] = {
            "t": state.next,
            "s": _source(state.source, sources, texts, macros),
            "y": state.symbol,
            "l": state.place,
            "o": state.stack.name,
            "d": [[n, f"{v:#x}"] for n, v in now.items() if registers.get(n) != v],
            "r": [f"{at:#x}" for at in shown if at not in words],
            "w": [[f"{at:#x}", *word] for at, word in words.items() if shown.get(at) != word],
        }
        if state.points:
            one["p"] = list(state.points)
        if stop.done:
            one["x"] = stop.done.before.next
        stops.append(one)
        registers, shown = now, words
    names = {n: register_name(n, size) for n in registers}
    whole = {"word": size, "names": names, "sources": texts, "stops": stops}
    return json.dumps(whole, separators=(",", ":")).replace("</", "<\\/")


def _rank(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


def _word(row: stack.Row) -> tuple[str, ...]:
    """Name, value, kind and note, as in a drawing of a stack."""
    word = row.word
    if row.count > 1:
        return f"{row.count} words {word.name}", "", word.kind[0], ""
    return word.name, f"{word.value:#x}", word.kind[0], word.note


def _source(
    source: Source | None,
    known: dict[tuple[str, int], int],
    texts: list[list[object]],
    macros: Mapping[tuple[str, int], str],
) -> int:
    if source is None:
        return -1
    key = source.file, source.line
    if key not in known:
        known[key] = len(texts)
        macro = macros.get(key, "")
        texts.append([source.file, source.line, source.first, list(source.text), macro])
    return known[key]


def slider(made: Track, macros: Mapping[tuple[str, int], str]) -> Html:
    """The place for the slider, which a script makes from the data. Hidden without scripts."""
    last = len(made.stops) - 1
    return raw(
        f'<div class="slider" data-last="{last}" hidden></div>',
        f'<script type="application/json" class="stops">{data(made, macros)}</script>',
    )


def file_line(source: Source, macro: str) -> Html:
    """The source of an instruction."""
    inside = f" in {macro}" if macro else ""
    return raw(code(f"{source.file}:{source.line}"), esc(inside))


def lines_of(source: Source) -> Html:
    """The lines around an instruction, with its own marked."""
    made = []
    for number, text in enumerate(source.text, source.first):
        mark = "mark" if number == source.line else "span"
        made.append(tag(mark, raw(tag("i", str(number)), esc(text.expandtabs(8)))))
    return tag("pre", "\n".join(made), class_="source", tabindex="0")


def shared(before: Sequence[Word], after: Sequence[Word]) -> set[int]:
    """Addresses of words that are new or have changed."""
    old = {word.address: word.value for word in before}
    return {word.address for word in after if old.get(word.address) != word.value}
