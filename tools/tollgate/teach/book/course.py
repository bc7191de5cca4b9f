"""Parts of the book that make the pages a course: the measurement points, the words, exercises, a
search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from tollgate.machines.boot import ROOT
from tollgate.show.report.markup import Html, esc, paragraph, raw, tag
from tollgate.teach.book.lesson import frame, sentence, told
from tollgate.teach.exercises import Exercise, exercises

WORDS, EXERCISES, SLIDES = "words.html", "exercises.html", "slides.html"
ROW = re.compile(r"^\| ([^|]+) \| (.+) \| \[.*\) \|$", re.M)
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
MP = (
    (1, 26, 3, "the program's last instruction before the gate"),
    (2, 74, 0, "the first instruction that is possible in the kernel"),
    (3, 146, 0, "before the service routine is called"),
    (4, 186, 0, "the routine's first instruction"),
    (5, 236, 0, "the routine's last instruction"),
    (6, 282, 0, "after the routine's return"),
    (7, 338, 0, "before the instruction that leaves"),
    (8, 386, 3, "the program's first instruction after it"),
)
"""Each point: its number, where it is drawn, its ring, what it is."""
SECTIONS = ("gate", "save, check", "call", "service", "return", "restore", "gate")
LANES = {3: 150, 0: 50}
"""Where a ring is drawn."""
LETTER = 5.6
"""px, of a section's name."""


def points() -> Html:
    """The eight measurement points in one picture, with the sections between them."""
    parts = [
        '<text x="4" y="16">ring 0, the kernel</text>',
        f'<text x="56" y="{LANES[3] + 14}">ring 3, the program</text>',
        '<path class="e" d="M2 100h416"></path>',
    ]
    for (_, x, ring, _), (_, to, other, _), name in zip(MP, MP[1:], SECTIONS, strict=False):
        parts.append(f'<path class="e" d="M{x} {LANES[ring]}L{to} {LANES[other]}"></path>')
        level = ring == other
        left = (x + to) / 2 - LETTER * len(name) / 2 if level else 4 if ring else 392
        y = LANES[0] + 18 if level else 94
        parts.append(f'<text class="a" x="{left:.0f}" y="{y}">{esc(name)}</text>')
    for number, x, ring, _ in MP:
        y = LANES[ring] + (-8 if ring == 0 else 14)
        parts.append(f'<text class="sp" x="{x - 13}" y="{y}">MP{number}</text>')
    said = "; ".join(f"MP{n} is {what}" for n, _, _, what in MP)
    drawn = tag(
        "svg",
        raw(*(Html(part) for part in parts)),
        role="img",
        viewBox="0 0 420 172",
        class_="points",
        aria_label=f"The eight measurement points of a call: {said}.",
    )
    items = "".join(f"<li>MP{number}: {esc(what)}</li>" for number, _, _, what in MP)
    title = tag("h2", "The eight measurement points", id="points")
    lead = "Where a call is measured. Between two points is a section of its cost."
    listed = tag("ol", Html(items), class_="points")
    return tag("section", raw(title, paragraph(lead), drawn, listed), aria_labelledby="points")


def words() -> list[tuple[str, str]]:
    """The project's own words and their meanings, from docs/words.md."""
    page = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
    return [(word.strip(), means) for word, means in ROW.findall(page) if word.strip() != "word"]


def links() -> Html:
    """To the pages beside the lessons."""
    return tag(
        "p",
        raw(
            tag("a", "The words", href=WORDS),
            " · ",
            tag("a", "The exercises", href=EXERCISES),
            " · ",
            tag("a", "The slides", href=SLIDES),
        ),
    )


def pages() -> dict[str, Html]:
    """The pages beside the lessons, by their files."""
    return {WORDS: _words(), EXERCISES: _exercises()}


def _page(title: str, lead: str, *inside: Html) -> Html:
    book = tag("nav", tag("a", "The book", href="index.html"), aria_label="Book")
    head = raw(tag("h1", title), paragraph(lead))
    body = raw(tag("header", book), '<main class="index">', head, *inside, "</main>")
    return frame(f"{title} (Tollgate)", body)


def _words() -> Html:
    listed = raw(
        *(
            tag(
                "div",
                raw(tag("dt", esc(word)), tag("dd", told(LINK.sub(r"\1", means)))),
                id=anchor(word),
            )
            for word, means in words()
        )
    )
    return _page(
        "Words",
        "Words that are Tollgate's own, or mean something narrower here than elsewhere.",
        tag("dl", listed, class_="words"),
    )


def anchor(word: str) -> str:
    """The address of a word on its page."""
    return re.sub(r"\W+", "-", word.lower()).strip("-")


def _exercises() -> Html:
    return _page(
        "Exercises",
        "In each something is written, and a grade says what holds of it. They need a clone of the "
        "repository; words in {braces} are your own, for the name that you give as SEED.",
        *(_exercise(each) for each in exercises()),
    )


def _exercise(exercise: Exercise) -> Html:
    text = (ROOT / exercise.text).read_text(encoding="utf-8")
    lines = text.splitlines()
    title = tag("h2", esc(lines[0].lstrip("# ")), id=exercise.name)
    begins = f"make exercises X={exercise.name} SEED=yourname"
    about = (
        f"{exercise.minutes} minutes, {exercise.points} points, after "
        f"{', '.join(exercise.lessons)}. It begins with `{begins}` and is graded by "
        f"`make grade X={exercise.name}`."
    )
    inside = raw(title, tag("p", told(about), class_="manual"), *_blocks(lines[1:]))
    return tag("section", inside, aria_labelledby=exercise.name)


def _blocks(lines: Sequence[str]) -> Iterator[Html]:
    """The paragraphs, items and commands of a text."""
    held: list[str] = []
    verbatim = False
    for line in [*lines, ""]:
        fence = line.strip() == "```"
        if held and (fence or not line.strip()) and not (verbatim and not fence):
            yield _block(held, verbatim)
            held = []
        verbatim = verbatim != fence
        if line.strip() and not fence:
            held.append(line)


def _block(lines: Sequence[str], verbatim: bool) -> Html:
    if verbatim or lines[0].startswith("    "):
        text = "\n".join(line.strip() for line in lines)
        return tag("pre", esc(text), tabindex="0")
    return paragraph_of(" ".join(line.strip() for line in lines))


def paragraph_of(text: str) -> Html:
    """A paragraph, in which a link is only its text."""
    return tag("p", told(LINK.sub(r"\1", text)))


def searched(steps: Sequence[tuple[str, str]]) -> Html:
    """The entries of the search: steps, words, exercises, each with its address."""
    found = [*steps]
    found += [(f"{word}: {means}", f"{WORDS}#{anchor(word)}") for word, means in words()]
    found += [(f"{e.name}: {sentence(e.title)}", f"{EXERCISES}#{e.name}") for e in exercises()]
    text = json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")
    return raw(f'<script type="application/json" class="found">{text}</script>')
