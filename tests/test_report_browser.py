"""The report in a real browser: first screen, phone, dark, paper, screen readers, sorting."""

from __future__ import annotations

import base64
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate.provenance import Made
from tollgate.report import write_report

from .browser import Browser, browser, installed
from .host.machines import default_bench, pentium_4, with_exceptions

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        installed() is None,
        reason="no browser is installed: `tools/setup.sh long` brings Debian's chromium",
    ),
]
DESK = (1280, 900)
PHONE = 400
"""px, the width of a small one."""
LEAST = 9.0
"""px of a letter that can be read there."""
MADE = Made("2026-01-02T03:04:05Z", "0123456789ab", "make bench", "a host, 2 processors")
FIRST = """["h1", ".lead", ".answer svg[role]", ".facts"].map((name) =>
  document.querySelector(name).getBoundingClientRect().bottom)"""
TEXTS = """[...document.querySelectorAll("svg[role] text")].map((each) => {
  const box = each.getBoundingClientRect();
  const {a, b} = each.getScreenCTM();
  const scale = Math.hypot(a, b);
  return [box.left, box.right, scale * parseFloat(getComputedStyle(each).fontSize)];
})"""
TABLE = "table[data-name^=m1-][data-name*=all-results]"
MEDIANS = f"""[...document.querySelectorAll("{TABLE} tbody tr")]
  .map((row) => parseFloat(row.cells[5].textContent.replace(",", "")))"""
HEAD = f"document.querySelectorAll('{TABLE} th')[5]"
OPEN_ROWS = """[...document.querySelectorAll("tr")]
  .filter((row) => !row.closest("details:not([open])")).length"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three machines that count instructions, and one whose times spread."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    runs = [with_exceptions(run) for run in default_bench()]
    write_report([*runs, pentium_4()], path, made=[MADE])
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
def window(chromium: Browser, page: Path) -> Browser:
    """The report on a desk, in the light."""
    chromium.scripts(True)
    chromium.size(*DESK)
    chromium.complaints.clear()
    chromium.open(page)
    return chromium


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (PHONE, False)], ids=["light", "dark", "phone"]
)
def test_an_accessibility_checker_finds_nothing(window: Browser, width: int, dark: bool) -> None:
    window.size(width, 900, dark)
    assert window.checked() == []
    assert window.complaints == []


def test_the_checker_finds_what_is_wrong(window: Browser) -> None:
    window.run("document.querySelector('svg[role]').removeAttribute('aria-label')")
    assert "svg-img-alt" in " ".join(window.checked())


def test_the_first_screen_has_the_answer(window: Browser) -> None:
    """Question, sentence, chart, unit, machines and whence, without scrolling."""
    assert max(window.run(FIRST)) <= DESK[1]
    text = window.run("document.querySelector('.answer').innerText")
    for word in ("M1 i386 EPYC", "2026-01-02 03:04:05 UTC", MADE.commit, MADE.command, MADE.host):
        assert word in text
    lead = window.run("document.querySelector('.lead').innerText")
    assert "46 (INT 80h) to 62 (SYSENTER) on i386" in lead and "Linux" in lead


def test_a_phone_shows_bars_and_totals(window: Browser) -> None:
    window.size(PHONE, 800)
    assert window.run("document.documentElement.scrollWidth") <= PHONE
    texts: list[Any] = window.run(TEXTS)
    assert len(texts) > 300
    assert min(left for left, _, _ in texts) >= 0 and max(right for _, right, _ in texts) <= PHONE
    assert min(size for _, _, size in texts) >= LEAST
    ends = "map((each) => each.getBoundingClientRect().right)"
    assert max(window.run(f"[...document.querySelectorAll('svg[role] path')].{ends}")) <= PHONE


def test_a_dark_screen_has_dark_charts(window: Browser) -> None:
    colours = """[getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector("svg[role] text[font-weight=bold]")).fill]"""
    light = window.run(colours)
    window.size(*DESK, dark=True)
    dark = window.run(colours)
    assert light == ["rgb(255, 255, 255)", "rgb(27, 39, 51)"]
    assert dark == ["rgb(18, 23, 28)", "rgb(227, 232, 237)"]


def test_tables_sort_where_scripts_run(window: Browser) -> None:
    before = window.run(MEDIANS)
    window.run(f"{HEAD}.querySelector('button').click()")
    rising = window.run(MEDIANS)
    assert rising == sorted(before) != before
    assert window.run(f"{HEAD}.getAttribute('aria-sort')") == "ascending"
    window.run(f"{HEAD}.querySelector('button').click()")
    assert window.run(f"{HEAD}.getAttribute('aria-sort')") == "descending"
    assert window.run(MEDIANS) == sorted(before, reverse=True)


def test_without_scripts_all_is_there(window: Browser, page: Path) -> None:
    """Every row, every chart, what each mark means; no button that would do nothing."""
    titles = "document.querySelectorAll('svg[role] title').length"
    counted = window.run(OPEN_ROWS), window.run(titles)
    window.scripts(False)
    window.open(page)
    tree = [node for node in window.nodes() if not node["ignored"]]
    roles = [node["role"]["value"] for node in tree]
    assert "button" not in roles and "image" in roles
    named = [node for node in tree if node["role"]["value"] in ("image", "link", "heading")]
    assert all(node.get("name", {}).get("value") for node in named)
    assert roles.count("row") == counted[0] and counted[1] > 100


def test_a_mark_says_what_it_is(window: Browser) -> None:
    said = window.run("document.querySelector('[data-name=figure-6-m1] path title').textContent")
    assert said == "user/int/standard, MP1\u2013MP2, the gate, going in: 1 of 46 instructions"


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils reads the paper")
def test_paper_has_page_numbers(window: Browser, tmp_path: Path) -> None:
    made = window.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(base64.b64decode(made["data"]))
    out = subprocess.run(["pdftotext", "-layout", paper, "-"], capture_output=True, check=True)
    pages = out.stdout.decode().rstrip("\f").split("\f")
    assert len(pages) > 5
    for number, text in enumerate(pages, start=1):
        assert f"{number} of {len(pages)}" in text
    assert "MP2\u2013MP3" in "".join(pages), "what is folded on the screen"
