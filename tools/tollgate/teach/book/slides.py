"""The slides: each step's title, what its question is about, the question, and a picture of the
result."""

from collections.abc import Sequence

from tollgate.show.report.markup import Html, code, esc, raw, tag
from tollgate.teach.book import figures, stack
from tollgate.teach.book.lesson import frame, told
from tollgate.teach.book.path import ring, shared
from tollgate.teach.book.walk import Step, Walk, paragraphs
from tollgate.teach.book.words import Namer
from tollgate.teach.lessons import find

FILE = "slides.html"
TITLE = "Tollgate: the lessons, as slides"


def page(walks: Sequence[Walk]) -> Html:
    """One page with all of them, amd64 first. book.js moves forward and back, screen by screen."""
    walks = sorted(walks, key=lambda walk: walk.arch)
    links = (
        tag("li", tag("a", esc(f"{walk.name} ({walk.arch})"), href=f"#{_name(walk)}"))
        for walk in walks
    )
    made = [tag("h1", TITLE), tag("ol", raw(*links))]
    for walk in walks:
        title = raw(tag("h2", esc(walk.name)), tag("p", esc(find(walk.name).title)))
        made.append(tag("section", title, id=_name(walk)))
        namer = Namer(walk, {})
        made += [_slide(walk, n, step, namer) for n, step in enumerate(walk.steps, 1)]
    return frame(TITLE, tag("main", raw(*made), class_="slides"))


def _name(walk: Walk) -> str:
    return f"{walk.name}-{walk.arch}"


def _slide(walk: Walk, number: int, step: Step, namer: Namer) -> Html:
    before = namer.words(step.start)
    for one in step.instructions:
        namer.step(one)
    after = step.end or step.start
    words = namer.words(after)
    drawn = [figures.draw(each) for look in step.looks for each in look.figures][:1]
    if words and step.instructions:
        drawn = [stack.draw(words, shared(before, words), after.stack.name), *drawn]
    answer = raw(
        tag("summary", "The answer"),
        tag("p", raw(tag("strong", esc(step.said)), " ", told(step.because))),
        tag("p", raw(ring(after.cpl), " ", code(after.symbol), ": next ", code(after.next))),
        tag("figure", raw(*drawn), class_="stack"),
    )
    choices = f" ({' or '.join(step.choices)})" if step.choices else ""
    whole = raw(
        tag("h2", raw(tag("span", str(number)), esc(step.title))),
        tag("p", told(paragraphs(step.story)[-1])),
        tag("p", told(f"{step.ask}{choices}"), class_="question"),
        tag("details", answer, class_="ask"),
    )
    return tag("section", whole, id=f"{_name(walk)}-{number}")
