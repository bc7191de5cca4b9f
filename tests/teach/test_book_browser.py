"""The whole book in a real browser: keys, slider, no script, phone, dark mode, screen readers."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate import browser as live
from tollgate.teach.book import index, slides
from tollgate.teach.lessons import lessons

from ..chromium import MARKS, Browser

pytestmark = MARKS
MOST = 4_000_000
"""Most bytes of the whole folder."""
PHONE = 390
"""px, width of a small one."""
FINGER = 44
"""px, the size that a finger can hit."""
ROW_PAGE = "int-amd64.html"

OPEN = "document.querySelectorAll('details').forEach(d => d.open = true)"
AT = "Number(document.querySelector('.slider').dataset.at)"


@pytest.fixture(scope="module")
def book(once: Any) -> Path:
    """The whole book, made now."""

    def make(folder: Path) -> None:
        index.make(str(folder / "book"), (), print)

    return Path(once("book", make) / "book")


@pytest.fixture
def window(chromium: Browser) -> Browser:
    """A desktop window, in light mode."""
    chromium.scripts(True)
    chromium.size(1200, 900)
    chromium.complaints.clear()
    return chromium


def pages(book: Path) -> list[Path]:
    return sorted(book.glob("*.html"))


def some(book: Path) -> list[Path]:
    """One page of each lesson, alternating kernels: testing all of them is weekly."""
    of = {name: re.sub("-(amd64|i386).html", "", name.name) for name in pages(book)}
    both = [[page for page in of if of[page] == lesson] for lesson in sorted({*of.values()})]
    return [each[number % len(each)] for number, each in enumerate(both)]


Pages = Callable[[Path], list[Path]]
EACH_OR_ALL = pytest.mark.parametrize(
    "which", [some, pytest.param(pages, marks=pytest.mark.weekly)]
)


def test_the_book_is_whole_and_small(book: Path) -> None:
    """A page for each lesson on each of its kernels, and the first one; no links to other sites."""
    names = {f"{each.name}-{arch}.html" for each in lessons() for arch in each.kernels}
    assert {page.name for page in pages(book)} == names | {"index.html", slides.FILE}
    assert sum(file.stat().st_size for file in book.iterdir()) <= MOST
    for page in pages(book):
        text = page.read_text(encoding="utf-8")
        assert "http://" not in text and "https://" not in text
        assert str(Path(__file__).parents[2]) not in text


@pytest.mark.skipif(not live.possible(), reason="v86 is not here: `make browser` fetches it")
def test_the_page_that_boots_is_in_the_book(book: Path, window: Browser) -> None:
    """Each link leads to a choice on the page; on a desktop and on a phone with one click."""
    choices = {f"#{anchor}" for anchor, _, _ in live.CHOICES}
    wanted = {
        f"{each.name}-{arch}.html": f"#{each.live}"
        for each in lessons()
        if each.live
        for arch in each.kernels
    }
    links = "[...document.querySelectorAll('a[href^=\"machine/\"]')].map((each) => each.hash)"
    window.open(book / "index.html")
    assert set(window.run(links)) == choices
    for page, choice in wanted.items():
        window.open(book / page)
        assert window.run(links) == [choice] and choice in choices
    window.run("document.querySelector('a[href^=\"machine/\"]').click()")
    window.wait_for("Page.loadEventFired")
    assert window.run("document.title") == live.TITLE


def test_every_page_is_shown_without_a_complaint(book: Path, window: Browser) -> None:
    for page in pages(book):
        window.open(page)
    assert window.complaints == []


def test_a_lesson_is_walked_by_keys_alone(book: Path, window: Browser) -> None:
    """→ opens an answer, goes to the next step, and on the slider to the next stop; ← goes back."""
    window.open(book / ROW_PAGE)
    steps = window.run("document.querySelectorAll('.step').length")
    opened = "document.querySelectorAll('.ask[open]').length"
    here = "[...document.querySelectorAll('main > section')].findIndex(s => s.matches('.now-step'))"
    assert window.run(opened) == 0
    for number in range(steps):
        window.press("ArrowRight")
        assert (window.run(here), window.run(opened)) == (number, number)
        window.press("ArrowRight")
        assert window.run(opened) == number + 1
    window.press("ArrowRight")
    assert window.run("document.querySelector('.now-step').id") == "path"
    last = int(window.run("document.querySelector('.slider').dataset.last"))
    for number in range(1, last + 1):
        window.press("ArrowRight")
        assert window.run(AT) == number
    window.press("ArrowRight")
    named = "document.querySelector('.now-step').getAttribute('aria-labelledby')"
    assert window.run(named) == "change"
    window.press("ArrowLeft")
    window.press("ArrowLeft")
    assert window.run(AT) == last - 1
    assert window.complaints == []


def test_the_slider_shows_each_instruction(book: Path, window: Browser) -> None:
    """The slider has its own keys; the ring changes its colour, the stack grows and shrinks."""
    window.open(book / ROW_PAGE)
    window.run("document.querySelector('input[type=range]').focus()")
    words = (
        "[...document.querySelectorAll('.slider svg.stack text:not(.v, .a, .sp)')].map("
        "t => t.textContent)"
    )
    ring = "document.querySelector('.slider .where .cpl').className"
    assert window.run(ring) == "cpl c3"
    program = window.run(words)
    window.press("ArrowRight")
    assert window.run(ring) == "cpl c0"
    assert window.run(words) == ["SS", "RSP", "RFLAGS", "CS", "RIP"]
    assert window.run("document.querySelectorAll('.slider svg.stack .n').length") == 5
    window.press("ArrowRight")
    window.press("ArrowRight")
    window.press("ArrowRight")
    assert window.run(words)[5:] == ["number"]
    assert window.run("document.querySelectorAll('.slider svg.stack .n').length") == 1
    said = "document.querySelector('input[type=range]').getAttribute('aria-valuetext')"
    assert window.run(said) == "4 of 41, CPL 0, next push rdi"
    window.press("End")
    assert (window.run(ring), window.run(words)) == ("cpl c3", program)
    assert window.run("document.querySelector('.slider .where b').textContent") == "41 of 41"
    window.press("Home")
    assert window.run(AT) == 0


@EACH_OR_ALL
def test_a_phone_shows_all_of_it(book: Path, window: Browser, which: Pages) -> None:
    """Only scrolling parts are wider than the screen; buttons fit a finger."""
    window.size(PHONE, 844)
    wide = {}
    for page in which(book):
        window.open(page)
        window.run(OPEN)
        if (width := window.run("document.documentElement.scrollWidth")) > PHONE:
            wide[page.name] = width
        buttons = "[...document.querySelectorAll('button, input')].filter(b => !b.hidden)"
        heights = window.run(f"{buttons}.map(b => b.offsetHeight)")
        assert min(heights, default=FINGER) >= FINGER, page.name
    assert not wide


HINT = re.compile(r'<details class="hint"><summary>Hint</summary><p>(.+?)</p>(.*?)</details>', re.S)


def test_every_question_has_a_hint_of_its_own_and_its_commands_say_something(book: Path) -> None:
    """In the whole course no hint occurs twice; the commands in a hint show what exists then."""
    found: dict[str, str] = {}
    for page in pages(book):
        text = page.read_text(encoding="utf-8")
        hints = HINT.findall(text)
        assert len(hints) == text.count("data-answer="), page.name
        for number, (hint, seen) in enumerate(hints, 1):
            place = f"{page.name.rpartition('-')[0]}, step {number}"
            assert found.setdefault(hint, place) == place
            assert not re.search("No symbol|Undefined|No entry|see `help|is no|Cannot", seen), place


OUTSIDE = """[...document.querySelectorAll("svg.stack text")].filter((text) => {
  const [mine, whole] = [text, text.closest("svg")].map((each) => each.getBoundingClientRect());
  return mine.width && (mine.right > whole.right + 1 || mine.bottom > whole.bottom + 1);
}).map((text) => text.textContent)"""
DRAWN = ("gdt", "idt", "gate", "tss", "stacks", "pages", "entry-frame")


@EACH_OR_ALL
def test_tables_and_walks_are_drawn_and_lie_within_their_drawing(
    book: Path, window: Browser, which: Pages
) -> None:
    """Each of these vocabulary words has a drawing wherever it occurs."""
    outside = {}
    for page in which(book):
        window.open(page)
        window.run(OPEN)
        if bad := window.run(OUTSIDE):
            outside[page.name] = bad
        text = page.read_text(encoding="utf-8")
        for word, drawn in re.findall(r"<figcaption><code>(\S+).*?</figcaption><(\w+)", text):
            assert drawn == "svg" or word not in DRAWN, f"{page.name}: {word}"
    assert not outside


@EACH_OR_ALL
def test_an_accessibility_checker_finds_nothing(book: Path, window: Browser, which: Pages) -> None:
    """Checked with every answer open."""
    found = {}
    for page in which(book):
        window.open(page)
        if bad := window.checked():
            found[page.name] = bad
    assert not found


def enter(window: Browser) -> None:
    """The Enter key, as a form receives it."""
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    for kind in ("keyDown", "keyUp"):
        window.ask("Input.dispatchKeyEvent", type=kind, **key)


QUESTIONS = "[...document.querySelectorAll('section[data-answer]')]"
DONE = f"{QUESTIONS}.filter(s => s.querySelector('details.ask').open).length"


@EACH_OR_ALL
def test_every_question_is_answered_by_keyboard_and_kept(
    book: Path, window: Browser, which: Pages
) -> None:
    """Typed, judged and counted; the answer opens; everything is there again after a reload."""
    for page in which(book):
        window.open(page)
        window.run("localStorage.clear()")
        window.open(page)
        count = window.run(f"{QUESTIONS}.length")
        for number in range(count):
            one = f"{QUESTIONS}[{number}]"
            window.run(
                f"{one}.querySelector('form input, form button[value=\"' + "
                f"{one}.dataset.answer + '\"]').focus()"
            )
            if not window.run(f"{one}.dataset.choices || ''"):
                window.ask("Input.insertText", text=window.run(f"{one}.dataset.answer"))
            enter(window)
        assert window.run(DONE) == count, page.name
        if count:
            window.open(page)
            said = window.run("document.querySelector('.count').textContent")
            assert said.startswith(f"{count} of {count} predicted, {count} right."), page.name
            assert window.run(f"{QUESTIONS}.every(s => s.querySelector('.verdict.right'))")
    assert window.complaints == []


def test_a_wrong_number_has_a_hint_and_a_second_try(book: Path, window: Browser) -> None:
    window.open(book / ROW_PAGE)
    window.run("localStorage.clear()")
    window.open(book / ROW_PAGE)
    first = f"{QUESTIONS}[0]"
    said = f"{first}.querySelector('.verdict').textContent"
    for typed, told in (
        ("perhaps", "The answer is a number, such as 51, 0x33, 33h or twelve."),
        ("two", "two is not it. It is more. You have a second try."),
        ("three", "three: right, at the second try."),
    ):
        window.run(f"{first}.querySelector('input').select()")
        window.ask("Input.insertText", text=typed)
        enter(window)
        assert window.run(said) == told
    second = f"{QUESTIONS}[1]"
    hint = f"{second}.querySelector('.hint')"
    window.run(f"{hint}.querySelector('summary').focus()")
    enter(window)
    assert window.run(f"{hint}.open")
    assert window.run(f"!!{hint}.querySelector('svg')")
    assert "`" not in window.run(f"{hint}.innerText")
    count = window.run("document.querySelector('.count').textContent")
    assert count.startswith("1 of 13 predicted, 0 right, 1 at the second try.")
    window.open(book / "index.html")
    lesson = f"document.querySelector('[href=\"{ROW_PAGE}\"]').closest('li').innerText"
    assert "amd64: 1 predicted, 1 right" in window.run(lesson)


def test_every_step_and_instruction_has_an_address(book: Path, window: Browser) -> None:
    """The address works on its page and, preceded by the lesson's name, on the first one."""
    for page in pages(book):
        text = page.read_text(encoding="utf-8")
        numbers = [int(number) for number in re.findall(r'<tr id="i(\d+)"', text)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert text.count("data-answer=") == len(re.findall(r'id="step-\d+"', text))
    window.open(book / ROW_PAGE)
    window.run("location.hash = '#i12'")
    at = "document.querySelector('.slider .where b').textContent"
    assert window.run(at) == "12 of 41"
    window.press("ArrowRight")
    window.open(book / "index.html")
    links = window.run("[...document.querySelectorAll('.lessons a')].length")
    assert links >= len(lessons())
    window.run("void (location.hash = '#int-i12')")
    window.wait_for("Page.loadEventFired")
    assert window.run("location.pathname.split('/').pop() + location.hash") == f"{ROW_PAGE}#i12"
    assert window.run(at) == "12 of 41"
    window.open(book / "index.html")
    window.run("void (location.hash = '#nmi_iret-step-2')")
    window.wait_for("Page.loadEventFired")
    assert window.run("location.pathname").endswith("/nmi_iret-amd64.html")


SHOWN = ".controls, .slider .where, .slider .change, .slider figure, .slider dl"
PLACES = f"""[...document.querySelectorAll('{SHOWN}')].map((each) => each.getBoundingClientRect())
  .map((box) => [box.top, box.bottom])"""


@pytest.mark.parametrize("size", [(PHONE, 844), (1280, 800)], ids=("phone", "desk"))
def test_a_link_to_an_instruction_shows_it_on_one_screen(
    book: Path, window: Browser, size: tuple[int, int]
) -> None:
    """The instruction, the registers and the stack."""
    window.size(*size)
    window.open(book / "index.html")
    window.run("void (location.hash = '#int-i12')")
    window.wait_for("Page.loadEventFired")
    places = window.run(PLACES)
    assert len(places) == SHOWN.count(",") + 1
    assert all(0 <= top < bottom <= size[1] for top, bottom in places), places
