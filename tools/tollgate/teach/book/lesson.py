"""The page of one lesson on one kernel."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.show.report.markup import Html, code, esc, paragraph, raw, tag
from tollgate.teach.book import figures, path, stack
from tollgate.teach.book.names import register_name
from tollgate.teach.book.path import Track
from tollgate.teach.book.walk import Look, State, Step, Walk, paragraphs, plain
from tollgate.teach.book.words import Namer, Word
from tollgate.teach.lessons import Lesson

FLAGS = {
    "CF": 1, "PF": 4, "AF": 0x10, "ZF": 0x40, "SF": 0x80, "TF": 0x100, "IF": 0x200, "DF": 0x400,
    "NT": 0x4000, "AC": 0x40000,
}  # fmt: skip
SHOWN = ("ip", "cs", "flags", "sp", "ss")
"""Registers that every step shows, changed or not: the registers that a gate changes."""
FEW = 4
"""Up to this many instructions a step shows each one with its source."""
NOTHING = "The machine stands still in this step: this is what there is."


@dataclass(frozen=True)
class Page:
    """The parts of a lesson's page."""

    lesson: Lesson
    walk: Walk
    macros: Mapping[tuple[str, int], str]
    """The macro around a line of the source."""
    before: Html
    """Links to the neighbouring lessons, and to the same one on the other kernel."""
    after: Html


def frame(title: str, body: Html) -> Html:
    """A page of the folder, which contains the style and the script."""
    return raw(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{esc(title)}</title>",
        '<link rel="stylesheet" href="book.css"><script src="course.js" defer></script>',
        '<script src="book.js" defer></script></head>\n',
        f"<body>{body}</body></html>\n",
    )


def page(made: Page) -> Html:
    """The whole document."""
    lesson, walk = made.lesson, made.walk
    track = path.track(walk, Namer(walk, made.macros))
    namer = Namer(walk, made.macros)
    steps = [_step(made, number, step, namer) for number, step in enumerate(walk.steps, 1)]
    where = f"{walk.arch}, {lesson.model(walk.arch)}"
    body = raw(
        made.before,
        '<main id="top">',
        tag(
            "p", esc(f"{lesson.part} \u00b7 {where} \u00b7 {lesson.minutes} minutes"), class_="name"
        ),
        tag("h1", raw(tag("span", esc(f"{lesson.name}: ")), esc(lesson.title))),
        *steps,
        _all(made, track),
        _closing(walk),
        "</main>",
        made.after,
    )
    return frame(f"{lesson.name} ({walk.arch}): {lesson.title}", body)


def sentence(text: str) -> str:
    """The text with a capital letter, unless it begins with code."""
    code_first = re.search(r"[_(=`/]", text.split(" ", 1)[0])
    return text if code_first else text[:1].upper() + text[1:]


def told(text: str) -> Html:
    """Prose of a lesson; text between `grave accents` is code."""
    parts = esc(plain(text)).split("`")
    spelled = [part if place % 2 == 0 else tag("code", part) for place, part in enumerate(parts)]
    return raw(*spelled)


def _step(made: Page, number: int, step: Step, namer: Namer) -> Html:
    before = namer.words(step.start)
    for one in step.instructions:
        namer.step(one)
    after = step.end or step.start
    words = namer.words(after)
    title = tag("h2", raw(tag("span", str(number)), esc(step.title)), id=f"step-{number}")
    choices = f" ({' or '.join(step.choices)})" if step.choices else ""
    question = raw(tag("b", "Predict:"), " ", told(f"{step.ask}{choices}"))
    answer = raw(tag("strong", esc(step.said)), " ", told(step.because))
    inside = raw(
        tag("summary", "The answer"),
        tag("p", answer, class_="answer"),
        _did(made, step, before, words, after),
        *(_look(look) for look in step.looks),
        _claims(step),
    )
    return tag(
        "section",
        raw(
            title,
            paragraph(step.manual, class_="manual"),
            *(tag("p", told(text)) for text in paragraphs(step.story)),
            tag("p", question, class_="question"),
            _hint(step),
            tag("details", inside, class_="ask"),
        ),
        class_="step",
        aria_labelledby=f"step-{number}",
        data_step=str(number),
        data_answer=step.said,
        data_choices="|".join(step.choices),
    )


def _hint(step: Step) -> Html:
    """The hint, and output that can be seen before the step."""
    seen = raw(*(_look(look) for look in step.hints))
    inside = raw(tag("summary", "Hint"), tag("p", told(step.hint)), seen)
    return tag("details", inside, class_="hint")


def _did(
    made: Page, step: Step, before: Sequence[Word], words: Sequence[Word], after: State
) -> Html:
    """The machine's side of a step: instructions in their lines, registers, the stack."""
    changed = path.shared(before, words) if step.instructions else set()
    owner = after.stack.name
    drawn = tag(
        "figure",
        raw(
            tag("figcaption", esc(f"The stack: {owner}")),
            stack.draw(words, changed, owner) if words else paragraph(_nothing(after)),
        ),
        class_="stack",
    )
    where = raw(_rings(step, after), _ran(step, after), _by_hand(step, after))
    left = raw(where, _instructions(made, step), _registers(step, after))
    return tag("div", raw(tag("div", left), drawn), class_="did")


def _nothing(after: State) -> str:
    """Why there is no stack to draw."""
    if not after.stack.words:
        return f"Nothing lies above the stack pointer, {after.registers['sp']:#x}."
    return "Nothing has been pushed on it that has a name."


def _rings(step: Step, after: State) -> Html:
    was, now = step.start.cpl, after.cpl
    ring = raw(path.ring(was), " \u2192 ", path.ring(now)) if was != now else path.ring(now)
    place = f", {after.place}" if after.place else ""
    return tag("p", raw(ring, " ", code(after.symbol), esc(place)), class_="where")


def _unseen(step: Step, after: State) -> bool:
    """Whether the machine ran to another place, not instruction by instruction."""
    return not step.instructions and step.start.registers["ip"] != after.registers["ip"]


def _by_hand(step: Step, after: State) -> Html:
    """Values that the lesson wrote into registers in this step, for an experiment."""
    own = {n: v for n, v in step.hand.items() if step.start.registers[n] != v}
    size = after.stack.word
    said = ", ".join(f"{register_name(name, size)} = {value:#x}" for name, value in own.items())
    return paragraph(f"The lesson has set {said}.") if own else raw()


def _ran(step: Step, after: State) -> Html:
    places = step.ran or ([after.symbol] if _unseen(step, after) else [])
    names = raw(*(raw(", " if n else "", code(name)) for n, name in enumerate(places)))
    return tag("p", raw("The machine ran to ", names, ".")) if places else raw()


def _instructions(made: Page, step: Step) -> Html:
    """The first and last instructions with their source lines; the slider has all."""
    done = step.instructions
    if not done:
        source = (step.end or step.start).source
        here = raw(tag("p", raw("Next ", code((step.end or step.start).next)), class_="next"))
        return raw(here, path.lines_of(source) if source else "")
    shown = done if len(done) <= FEW else [done[0], done[-1]]
    parts = []
    for place, one in enumerate(shown):
        if place == 1 and shown is not done:
            link = tag("a", esc(f"{len(done) - 2} more instructions"), href="#path")
            parts.append(tag("p", raw("\u22ee ", link), class_="more"))
        source = one.before.source
        macro = made.macros.get((source.file, source.line), "") if source else ""
        at = path.file_line(source, macro) if source else raw()
        parts.append(tag("p", raw(code(one.before.next), " ", tag("small", at)), class_="next"))
        if source:
            parts.append(path.lines_of(source))
    return raw(*parts)


def _registers(step: Step, after: State) -> Html:
    """Before and after, changed ones marked; unchanged ones are left out, except a few."""
    unseen = _unseen(step, after)
    first = step.instructions[0].before if step.instructions else step.start
    old = after.registers if unseen else first.registers
    size = after.stack.word
    rows = []
    for name in (*SHOWN, *(n for n in after.registers if n not in SHOWN)):
        was, now = old[name], after.registers[name]
        if was == now and name not in SHOWN:
            continue
        mark = ' class="new"' if was != now else ""
        words = flags(was, now) if name == "flags" else ""
        told = tag("small", esc(f" {words}")) if words else raw()
        arrow = (
            f"<td>{was:#x}</td><td>{now:#x}{told}</td>"
            if was != now
            else (f'<td colspan="2">{now:#x}{told}</td>')
        )
        rows.append(f'<tr{mark}><th scope="row">{register_name(name, size)}</th>{arrow}</tr>')
    moved = any(old[name] != after.registers[name] for name in old)
    head = "<thead><tr><th>register</th><th>before</th><th>after</th></tr></thead>"
    table = f"<table>{head if moved else ''}<tbody>{''.join(rows)}</tbody></table>"
    still = not (moved or step.instructions or step.ran or unseen)
    note = tag("p", esc(NOTHING), class_="still") if still else raw()
    whole = path.scrolled(table, "Registers", "regs")
    return raw(note, whole)


def flags(was: int, now: int) -> str:
    """The flags that differ; if none, those that are set."""
    if was == now:
        return " ".join(name for name, bit in FLAGS.items() if now & bit) or "none set"
    return ", ".join(
        f"{name} {'set' if now & bit else 'cleared'}"
        for name, bit in FLAGS.items()
        if (was ^ now) & bit
    )


def _look(look: Look) -> Html:
    """The output of a vocabulary word: as a drawing if there is one, else as text."""
    caption = tag("figcaption", code(look.word))
    if not look.figures:
        text = tag("pre", esc("\n".join(look.lines)), tabindex="0")
        return tag("figure", raw(caption, text), class_="look")
    drawn = [raw(figures.draw(each), _said(each)) for each in look.figures]
    return tag("figure", raw(caption, *drawn), class_="look stack")


def _said(figure: Mapping[str, Any]) -> Html:
    """The meaning of a figure's bits."""
    return paragraph(figure["words"], class_="manual") if "words" in figure else raw()


def _claims(step: Step) -> Html:
    if not step.claims:
        return raw()
    items = "".join(tag("li", told(claim)) for claim, _ in step.claims)
    return raw(
        tag("p", "What held on the machine:", class_="held"), tag("ul", items, class_="held")
    )


def _all(made: Page, track: Track) -> Html:
    """The slider's chapter."""
    walk = made.walk
    if track.count < 2:
        return raw()
    row = f"of {walk.row}, from MP1 to MP8" if walk.row else "of this walk"
    lead = (
        f"{track.count} instructions, each as the machine executed it. The strip shows the ring; "
        "below it, the table has every instruction, its line and what it left on the stack."
    )
    return tag(
        "section",
        raw(
            tag("h2", raw(tag("span", "\u2263"), esc(f"Every instruction {row}")), id="path-title"),
            paragraph(lead),
            tag(
                "p",
                raw(
                    path.ring(3),
                    " a program",
                    " \u00a0 ",
                    path.ring(0),
                    " the kernel, or a trusted program",
                ),
            ),
            path.scrolled(path.strip(track), "The rings"),
            path.KEY,
            path.slider(track, made.macros),
            path.listing(track, made.macros),
        ),
        id="path",
        aria_labelledby="path-title",
    )


def _closing(walk: Walk) -> Html:
    return tag(
        "section",
        raw(
            tag(
                "h2",
                raw(tag("span", "\u2192"), "Change this, and see the number move"),
                id="change",
            ),
            *(tag("p", told(text)) for text in paragraphs(walk.closing)),
            tag("p", told(sentence(walk.change)), class_="change"),
        ),
        aria_labelledby="change",
    )
