"""A stack as SVG: high addresses at the top, growing downwards, with a name for every word."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tollgate.show.report.markup import Html, esc, tag
from tollgate.teach.book.words import LOCAL, Word

LINE = 20
"""px, height of a word."""
WIDTH = 420
NAME, VALUE = 12, 140
"""px, start of a word's name and value."""
LETTER = 7
"""px, upper limit of the mean width of a note's letters."""
MANY = 3
"""Words of one function that are drawn separately."""
KNOWN_MAX = 48


@dataclass(frozen=True)
class Row:
    """A word, or several less important words of one function."""

    word: Word
    count: int = 1


def rows(words: Sequence[Word]) -> list[Row]:
    """The words from the stack's top down; long runs of one function's words become one row."""
    found: list[Row] = []
    for word in words:
        last = found[-1] if found else None
        if last and word.kind == LOCAL and last.word.name == word.name:
            found[-1] = Row(last.word, last.count + 1)
        else:
            found.append(Row(word))
    spread: list[Row] = []
    at = {word.address: place for place, word in enumerate(words)}
    for row in found:
        if row.count > MANY:
            spread.append(row)
        else:
            first = at[row.word.address]
            spread += [Row(word) for word in words[first : first + row.count]]
    return spread[:KNOWN_MAX][::-1]


def meaning(words: Sequence[Word], owner: str) -> str:
    """The drawing in a sentence, for those who cannot see it."""
    if not words:
        return f"The stack is {owner}."
    said = ", ".join(f"{row.word.name} {row.word.value:#x}" for row in rows(words)[::-1][:12])
    return f"The stack, {owner}; from the stack pointer up: {said}."


def draw(words: Sequence[Word], changed: Collection[int], owner: str) -> Html:
    """The stack; words at the addresses in `changed` are marked."""
    drawn, height = parts(words, changed, True)
    view = f"0 0 {WIDTH} {height}"
    return Html(
        f'<svg class="stack" role="img" aria-label="{esc(meaning(words, owner))}" '
        f'viewBox="{view}" width="{WIDTH}" height="{height}">{"".join(drawn)}</svg>'
    )


def parts(words: Sequence[Word], changed: Collection[int], pointed: bool) -> tuple[list[str], int]:
    """The drawing of these words, and its height; `pointed`: the stack pointer is at the last."""
    lines = rows(words)
    found = [f'<text class="a" x="{NAME}" y="14">higher addresses</text>']
    for place, row in enumerate(lines):
        top = (place + 1) * LINE
        found.append(_row(row, top, row.word.address in changed and row.count == 1))
    if lines and pointed:
        end = (len(lines) + 1) * LINE
        found.append(f'<path class="e" d="M2 {end + 1}h{WIDTH - 4}"/>')
        found.append(f'<text class="sp" x="{NAME}" y="{end + 16}">stack pointer</text>')
    return found, (len(lines) + 2) * LINE


def _row(row: Row, top: int, changed: bool) -> Html:
    base = top + 14
    box = f'<path class="{row.word.kind[0]}{" n" if changed else ""}" d="M2 {top}h416v20h-416z"/>'
    if row.count > 1:
        text = f"{row.count} words {row.word.name}"
        return Html(f'{box}<text class="a" x="{NAME}" y="{base}">{esc(text)}</text>')
    value = f"{row.word.value:#x}"
    name = tag("text", esc(row.word.name), x=str(NAME), y=str(base))
    number = f'<text class="v" x="{VALUE}" y="{base}">{value}</text>'
    note = row.word.note
    after = VALUE + 8 * len(value) + 8  # px per digit
    room = int((WIDTH - after - 6) // LETTER)
    if not note or room < 6:
        return Html(f"{box}{name}{number}")
    short = note if len(note) <= room else note[: room - 1] + "\u2026"
    said = f'<text class="a" x="{after}" y="{base}">{esc(short)}</text>'
    return Html(f"{box}{name}{number}{said}")
