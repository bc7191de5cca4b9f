"""Drawings of a processor's tables, as SVG: descriptors bit by bit, tables, page walks, task
states, stacks and frames, as read by tools/gdb/figures.py.

High bits are on the left and high addresses at the top, as in the manuals. Things that ring 3 may
use have ring 3's colour.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tollgate.show.report.markup import Html, esc
from tollgate.teach.book import stack
from tollgate.teach.book.names import register_name
from tollgate.teach.book.words import Word

Figure = Mapping[str, Any]

WIDTH = 420
LEFT, RIGHT = 2, 418
"""px, left and right edge of drawings."""
LINE = 20
BITS = 32
"""Bits per row."""
BIT = 13
"""px."""
LETTER = 7.3
"""px, upper limit of a letter's mean width."""
ROW = 42
"""px, the height of a row of fields: the name and the value."""
SPACE = 12
"""px, below a stack."""


def draw(figure: Figure) -> Html:
    """One figure, with a description in words for those who cannot see it."""
    parts, height, said = _KINDS[figure["kind"]](figure)
    return Html(
        f'<svg class="stack" role="img" aria-label="{esc(said)}" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">{"".join(parts)}</svg>'
    )


Drawn = tuple[list[str], int, str]
"""The parts, the height, and the words."""


def _box(x: float, y: float, width: float, height: float, kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<path{mark} d="M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z"/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<text{mark} x="{x:g}" y="{y:g}">{esc(text)}</text>'


def _short(text: str, width: float) -> str:
    room = int(width // LETTER)
    return text if len(text) <= room else f"{text[: max(room - 1, 1)]}\u2026"


def _ring(user: bool) -> str:
    """The class for things that ring 3 may use, or only ring 0."""
    return "u" if user else "g"


def _arrow(x: float, y: float, down: float) -> str:
    return f'<path class="to" d="M{x:g} {y:g}V{down:g}m-4 -5l4 5l4 -5"/>'


def _bits(figure: Figure) -> Drawn:
    """A descriptor or an error code: each field's width is its number of bits."""
    fields = [tuple(each) for each in figure["fields"]]
    top = max(high for _, high, _, _ in fields)
    parts = [_text(LEFT, 13, f"{figure['name']}: bits {top} to 0", "a")]
    across = min(top + 1, BITS)
    bit = BIT if across == BITS else min((RIGHT - LEFT) / across, 4 * BIT)
    for name, high, low, value in fields:
        row = top // BITS - high // BITS
        x = LEFT + (across - 1 - high % BITS) * bit
        y, width = 20 + row * (ROW + 4), (high - low + 1) * bit
        kind = "" if not name else _ring(value == 3) if name == "DPL" else "c"
        parts.append(_box(x, y, width, ROW, kind))
        if name:
            few = width <= 2 * BIT
            parts.append(_text(x + (3 if few else 5), y + 16, name, "a"))
            shown = f"{value:x}" if few or value < 10 else f"{value:#x}"
            parts.append(_text(x + (3 if few else 5), y + 34, shown, "v"))
    height = 20 + (top // BITS + 1) * (ROW + 4)
    named = "; ".join(f"{name} {value:#x}" for name, _, _, value in fields if name)
    return parts, height, f"{figure['name']}, {figure['words']}: {named}."


def _table(figure: Figure) -> Drawn:
    """A table's entries, and the registers that name one."""
    parts = [_text(LEFT, 13, figure["name"], "a")]
    slots = figure["slots"][::-1]
    width = RIGHT - 50 - (88 if any(names for *_, names in slots) else 0)
    for place, (number, words, dpl, names) in enumerate(slots):
        y = 20 + place * LINE
        parts.append(_box(50, y, width, LINE, _ring(dpl == 3)))
        parts.append(_text(56, y + 14, _short(words, width - 8)))
        parts.append(_text(LEFT, y + 14, number, "v sp"))
        if names:
            parts.append(_text(RIGHT - 84, y + 14, f"\u2190 {' '.join(names)}", "sp"))
    said = "; ".join(" ".join([number, words, *names]) for number, words, _, names in slots[::-1])
    return parts, 24 + len(slots) * LINE, f"{figure['name']}: {said}."


def _walk(figure: Figure) -> Drawn:
    """The address divided into its indices, and below each the entry that it selects."""
    entries = figure["entries"]
    cell = (RIGHT - LEFT) / (figure["levels"] + 1)
    whose = f"{figure['address']:#x}, {figure['symbol']}"
    parts = [_text(LEFT, 13, _short(whose, RIGHT - LEFT), "a"), *_indices(figure, cell)]
    rows = [20 + ROW + 30 + place * (30 + 2 * LINE) for place in range(len(entries))]
    parts += [_arrow(LEFT + (n + 0.5) * cell, 20 + ROW, y - 2) for n, y in enumerate(rows)]
    for y, (name, index, table, value, flags) in zip(rows, entries, strict=True):
        source = "CR3: " if y == rows[0] else ""
        parts += _entry(y, f"{source}table {table:#x}, {name} {index:#x}", value, flags)
    end = rows[-1] + 2 * LINE
    user = all(is_set for *_, flags in entries for name, is_set in flags if name in "PU")
    parts.append(_arrow(24, end, end + 18))
    parts.append(_box(LEFT, end + 20, RIGHT - LEFT, LINE, _ring(user) if _there(figure) else ""))
    parts.append(_text(LEFT + 6, end + 34, _short(figure["said"], RIGHT - LEFT - 12)))
    named = "; ".join(
        f"{name} {index:#x} is {value:#x} ({' '.join(n for n, is_set in flags if is_set) or '-'})"
        for name, index, _, value, flags in entries
    )
    return parts, end + 44, f"The page walk of {whose}: {named}; {figure['said']}."


def _there(figure: Figure) -> bool:
    """Whether the walk reaches a page."""
    return bool(dict(figure["entries"][-1][-1])["P"])


def _indices(figure: Figure, cell: float) -> list[str]:
    """The parts of the address: an index for each level, and the rest."""
    parts, width, address = [], figure["width"], figure["address"]
    for place, (_, index, *_) in enumerate(figure["entries"]):
        high, x = 11 + width * (figure["levels"] - place), LEFT + place * cell
        parts.append(_box(x, 20, cell, ROW, "c"))
        parts.append(_text(x + 5, 36, f"{high}:{high - width + 1}", "a"))
        parts.append(_text(x + 5, 54, f"{index:#x}", "v"))
    walked = len(figure["entries"])
    rest, x = 12 + width * (figure["levels"] - walked), LEFT + walked * cell
    name = "offset" if _there(figure) else "unused"
    parts.append(_box(x, 20, RIGHT - x, ROW))
    parts.append(_text(x + 5, 36, f"{rest - 1}:0, {name}", "a"))
    parts.append(_text(x + 5, 54, f"{address & (1 << rest) - 1:#x}", "v"))
    return parts


def _entry(y: float, above: str, value: int, flags: Sequence[tuple[str, bool]]) -> list[str]:
    """An entry of a page table: its place, its value, and the deciding bits."""
    cell = 31
    left = RIGHT - cell * len(flags)
    parts = [_box(LEFT, y, left - LEFT, 2 * LINE, "c")]
    parts.append(_text(LEFT + 6, y + 15, _short(above, left - LEFT - 10), "a"))
    parts.append(_text(LEFT + 6, y + 33, f"{value:#x}", "v"))
    for place, (name, is_set) in enumerate(flags):
        x = left + place * cell
        kind = _ring(is_set) if name == "U" else "c" if is_set else ""
        parts.append(_box(x, y, cell, 2 * LINE, kind))
        parts.append(_text(x + 6, y + 15, name, "a"))
        parts.append(_text(x + 6, y + 33, str(int(is_set)), "v"))
    return parts


def _task(figure: Figure) -> Drawn:
    """A task-state segment, and the stacks of its pointers."""
    parts = [_text(LEFT, 13, figure["name"], "a")]
    slots = figure["slots"][::-1]
    for place, (offset, name, value, leads) in enumerate(slots):
        y = 20 + place * 24
        parts.append(_box(38, y, 206, LINE, "c"))
        parts.append(_text(44, y + 14, name))
        parts.append(_text(84, y + 14, f"{value:#x}" if value else "none", "v"))
        parts.append(_text(LEFT, y + 14, f"+{offset}", "v sp"))
        if leads:
            leads = leads.removeprefix("IST ")
            parts.append(f'<path class="to" d="M244 {y + 10}h20m-5 -4l5 4l-5 4"/>')
            parts.append(_box(266, y, RIGHT - 266, LINE, "g"))
            parts.append(_text(272, y + 14, _short(leads, RIGHT - 266 - 12)))
    said = "; ".join(
        f"{name} {value:#x}{f', {leads}' if leads else ''}" for _, name, value, leads in slots[::-1]
    )
    return parts, 24 + len(slots) * 24, f"{figure['name']}: {said}."


def _stacks(figure: Figure) -> Drawn:
    """Each kernel stack in memory order, used from its end down; its guard is below it."""
    parts = []
    size, sp = figure["size"], figure["sp"]
    found = sorted(figure["stacks"], key=lambda each: each[1], reverse=True)
    y = 0
    for name, top, guard, used in found:
        parts.append(_box(LEFT, y + 2, RIGHT - LEFT, 2 * LINE, "c"))
        if used > 0:
            parts.append(_box(LEFT, y + 2, RIGHT - LEFT, max(2 * LINE * used / size, 3), "n g"))
        parts.append(_text(LEFT + 6, y + 17, name))
        parts.append(_text(LEFT + 226, y + 17, f"{top:#x}", "v"))
        if used >= 0:
            text = f"stack pointer, {used} bytes used"
            parts.append(_text(LEFT + 6, y + 35, text, "a"))
        parts.append(f'<path class="e" d="M{LEFT} {y + 43}h{RIGHT - LEFT}"/>')
        parts.append(_text(LEFT + 226, y + 35, guard, "a"))
        y += 2 * LINE + SPACE
    if all(used < 0 for *_, used in found):
        parts.append(_text(LEFT, y + 14, f"The stack pointer, {sp:#x}, is on none of them.", "sp"))
        y += LINE
    said = "; ".join(
        f"{name} ends at {top:#x}, {guard}{f', {used} bytes used' if used >= 0 else ''}"
        for name, top, guard, used in found
    )
    return parts, y, f"The stacks of ring 0: {said}. The stack pointer is {sp:#x}."


def _frame(figure: Figure) -> Drawn:
    """The words that an entry has pushed, by the fields of struct frame."""
    size = figure["word"]
    words = [Word(at, v, register_name(name, size), "code") for at, name, v in figure["slots"]]
    parts, height = stack.parts(words, (), figure["sp"] == words[0].address)
    return parts, height, stack.meaning(words, "a struct frame")


_KINDS: Mapping[str, Callable[[Figure], Drawn]] = {
    "bits": _bits,
    "table": _table,
    "walk": _walk,
    "task": _task,
    "stacks": _stacks,
    "frame": _frame,
}
