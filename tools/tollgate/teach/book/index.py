"""The first page, and the folder: a page for each lesson and kernel."""

import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tollgate import browser
from tollgate.bench import result_of
from tollgate.errors import TollgateError, reason
from tollgate.machines import cleanup
from tollgate.machines.boot import BUILD
from tollgate.machines.row_path import Sources
from tollgate.show.report.markup import Html, code, esc, paragraph, raw, tag
from tollgate.teach.book import slides
from tollgate.teach.book.lesson import Page, frame, page, sentence
from tollgate.teach.book.walk import Walk
from tollgate.teach.book.walks import give, groups, with_lines
from tollgate.teach.lessons import PARTS, Lesson, find, lessons

OUT = BUILD / "book"
AT_ONCE = 2
"""Machines."""
BESIDE = ("book.css", "book.js", "course.js")
"""Files that every page uses."""
LIVE = "machine"
"""The folder of the page that boots the kernel."""
TITLE = "Tollgate: the lessons, as a book"
LEAD = (
    "What does it cost to cross into ring 0, and what happens there? Each page is a lesson as a "
    "machine has lived through it: told, asked, stepped and checked by a debugger, without a "
    "person. Every register, every word of a stack and every instruction is from that walk."
)
HOW = (
    "Read the story, type a prediction, and the answer opens. There is a hint, and a wrong number "
    "has a second try; what you have predicted is kept in this browser and goes nowhere else. The "
    "arrow keys go forward and back; on the slider at the end of a page they go from instruction "
    "to instruction, each of which has an address of its own, such as #int-i12 on this page. "
    "Without scripts each page is one long text."
)

LIVE_LEAD = "The i386 kernel boots in a page of this book, in an emulated PC. "


def name_of(lesson: Lesson, arch: str) -> str:
    """The file of a lesson's page."""
    return f"{lesson.name}-{arch}.html"


def make(out: str, names: Sequence[str], say: Callable[[str], None]) -> Path:
    """Run the lessons, write the folder; return its first page.

    `names` are the wanted lessons, all if empty.
    """
    for name in names:
        find(name)
    folder = Path(out) if out else OUT
    _clear(folder)
    stop = threading.Event()
    given = groups(names)
    with cleanup.folder() as records, ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            walked = [
                pool.submit(give, arch, some, records / f"{number}.jsonl", stop)
                for number, (arch, some) in enumerate(given)
            ]
            walks: list[Walk] = []
            for (arch, some), each in zip(given, walked, strict=True):
                found = result_of(each)
                walks += found
                say(f"{arch}: {', '.join(some)}")
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    if browser.possible():
        browser.make(str(folder / LIVE))
    return write(folder, with_lines(walks))


def _clear(folder: Path) -> None:
    """Empty the folder; one with other contents than a book is refused."""
    if folder.exists() and any(folder.iterdir()) and not (folder / BESIDE[0]).is_file():
        raise TollgateError(f"{folder} holds something that is not the book; name another folder.")
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    except OSError as error:
        raise TollgateError(f"{folder} cannot be written: {reason(error)}.") from None


def write(folder: Path, walks: Sequence[Walk]) -> Path:
    """The pages of these walks, in the course's order."""
    known = [lesson for lesson in lessons() if any(walk.name == lesson.name for walk in walks)]
    for walk in walks:
        lesson = find(walk.name)
        before, after = _links(known, lesson, walk.arch, _live(folder))
        text = page(Page(lesson, walk, macros_of(walk), before, after))
        (folder / name_of(lesson, walk.arch)).write_text(text, encoding="utf-8")
    for file in BESIDE:
        shutil.copy(Path(__file__).with_name(file), folder / file)
    first = folder / "index.html"
    first.write_text(_index(known, _live(folder)), encoding="utf-8")
    (folder / slides.FILE).write_text(slides.page(walks), encoding="utf-8")
    return first


def macros_of(walk: Walk) -> dict[tuple[str, int], str]:
    """The macro, or the half of an entry, around each line of assembly that a walk stepped."""
    owner = Sources().owner
    done = [one for some in walk.paths for one in some]
    lines = {(s.file, s.line) for one in done if (s := one.before.source)}
    return {at: owner(*at) for at in lines if at[0].endswith((".asm", ".inc"))}


def _other(lesson: Lesson, arch: str) -> str:
    """The other kernel, target of a link from a page of `arch`."""
    return arch if arch in lesson.kernels else lesson.kernels[0]


def _live(folder: Path) -> str:
    """The page that boots the kernel; "" = this book has none."""
    page = f"{LIVE}/{browser.PAGE}"
    return page if (folder / page).is_file() else ""


def _links(known: Sequence[Lesson], lesson: Lesson, arch: str, live: str) -> tuple[Html, Html]:
    """The links above a page and below it."""
    place = known.index(lesson)
    kernels = [
        tag("b", esc(each), aria_current="page")
        if each == arch
        else tag("a", esc(each), href=name_of(lesson, each))
        for each in sorted(lesson.kernels)
    ]
    book = tag("a", "The book", href="index.html")
    if live and lesson.live:
        kernels.append(tag("a", "live", href=f"{live}#{lesson.live}"))
    above = tag(
        "nav", raw(book, tag("span", raw(*(raw(" ", k) for k in kernels)))), aria_label="Book"
    )
    below = []
    for step, word, rel in ((-1, "\u2190", "prev"), (1, "\u2192", "next")):
        if 0 <= place + step < len(known):
            other = known[place + step]
            text = f"{word} {other.name}" if step < 0 else f"{other.name} {word}"
            href = name_of(other, _other(other, arch))
            below.append(tag("a", esc(text), href=href, rel=rel))
    foot = tag("nav", raw(*below), class_="foot", aria_label="Lessons before and after")
    return tag("header", above), tag("footer", foot)


def _choices(live: str) -> Html:
    """The choices on the page that boots the kernel."""
    links = (
        raw(tag("a", esc(name), href=f"{live}#{anchor}"), esc(f": {text} "))
        for anchor, name, text in browser.CHOICES
    )
    return tag("p", raw(tag("strong", "Try it. "), esc(LIVE_LEAD), *links))


def _index(known: Sequence[Lesson], live: str) -> Html:
    parts = []
    for number, part in enumerate(PARTS, 1):
        members = [lesson for lesson in known if lesson.place[0] == number]
        if not members:
            continue
        items = "".join(_entry(lesson) for lesson in members)
        title = tag("h2", raw(tag("span", str(number)), esc(sentence(part))), id=f"part-{number}")
        listed = tag("ol", items, class_="lessons")
        parts.append(tag("section", raw(title, listed), aria_labelledby=f"part-{number}"))
    total = sum(lesson.minutes for lesson in known)
    count = f"{len(known)} lessons, {total} minutes."
    body = raw(
        '<main class="index">',
        tag("p", "Tollgate", class_="name"),
        tag("h1", "A system call, step by step"),
        paragraph(LEAD, class_="lead"),
        *([_choices(live)] if live else []),
        paragraph(HOW),
        *parts,
        paragraph(count),
        tag("p", tag("a", "The slides", href=slides.FILE)),
        "</main>",
    )
    return frame(TITLE, body)


def _entry(lesson: Lesson) -> Html:
    kernels = sorted(lesson.kernels)
    first = tag(
        "a", raw(code(lesson.name), " ", esc(lesson.title)), href=name_of(lesson, kernels[0])
    )
    others = raw(*(raw(" \u00b7 ", tag("a", esc(k), href=name_of(lesson, k))) for k in kernels[1:]))
    note = raw(esc(f"{kernels[0]}"), others, esc(f" \u00b7 {lesson.minutes} min"))
    return tag("li", raw(first, tag("small", note)))
