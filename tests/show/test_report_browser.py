"""The report in a real browser: first screen, phone, dark mode, screen readers, links."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate import suites
from tollgate.machines.boot import DISK, BootResult
from tollgate.records.provenance import Made
from tollgate.records.rules import told
from tollgate.show.report import write_report

from ..chromium import MARKS, Browser
from .machines import default_bench, machine, pentium_4, with_exceptions

pytestmark = MARKS
DESK = (1280, 900)
PHONE = 400
"""The width of a small phone, in px."""
LEAST = 9.0
"""The smallest readable letter on a phone, in px."""
MADE = Made("2026-01-02T03:04:05Z", "0123456789ab", "make bench", "a host, 2 processors")
FEW_ROWS = """document.querySelectorAll("tbody").forEach((body) =>
  [...body.rows].slice(6).forEach((row) => row.remove()))"""
UNFOLD = """((chapter) => {
  document.querySelectorAll("details").forEach((each) => { each.open = true });
  document.querySelectorAll(".inner").forEach((each) => {
    if (chapter && each.id !== chapter) each.replaceChildren();
  });
})(%s)"""
FIRST = """["h1", ".lead", ".answer svg[role]", ".facts"].map((name) =>
  document.querySelector(name).getBoundingClientRect().bottom)"""
TEXTS = """[...document.querySelectorAll("svg[role] text")].map((each) => {
  const box = each.getBoundingClientRect();
  const {a, b} = each.getScreenCTM();
  const scale = Math.hypot(a, b);
  return [box.left, box.right, scale * parseFloat(getComputedStyle(each).fontSize)];
})"""
ALL_IDS = "[...document.querySelectorAll('main [id], main[id]')].map((each) => each.id)"
LINKED = """[...new Set([...document.querySelectorAll("a[href^='#']")]
  .map((each) => decodeURIComponent(each.hash.slice(1))))]"""
REACHED = """
(async () => {
  const lost = [];
  const shut = (each) => { each.open = false };
  const ids = %s;
  for (const id of ids) {
    document.querySelectorAll("details[open]").forEach(shut);
    const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = encodeURIComponent(id);
    await changed;
    await new Promise((done) => setTimeout(done));
    const target = document.getElementById(id);
    const box = target.getBoundingClientRect();
    const seen = target.checkVisibility() && box.bottom > 40 && box.top < innerHeight;
    if (!seen) lost.push(`${id}: ${Math.round(box.top)}`);
  }
  return lost;
})()
"""
BATCH = 40
"""Links opened in one go: the browser must answer within a limited time."""
SCREENS = "document.documentElement.scrollHeight / innerHeight"
MOST_SCREENS = 8
"""The limit for the report of `make bench`, before anything is unfolded."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three machines that count instructions, and one with scattered times."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    runs = [with_exceptions(run) for run in default_bench()]
    write_report([*runs, pentium_4()], path, made=[MADE])
    return path


@pytest.fixture
def window(chromium: Browser, page: Path) -> Browser:
    """The report on a desktop screen, in light mode."""
    chromium.scripts(True)
    chromium.size(*DESK)
    chromium.complaints.clear()
    chromium.open(page)
    return chromium


def checked(window: Browser, chapter: str = "") -> list[str]:
    """The findings of the accessibility checker, with all unfolded; or in one `chapter` only.

    It checks a table's first rows: the others are alike, and thousands would take minutes.
    """
    window.run(UNFOLD % json.dumps(chapter))
    window.run(FEW_ROWS)
    return window.checked()


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (PHONE, False)], ids=["light", "dark", "phone"]
)
def test_an_accessibility_checker_finds_nothing(window: Browser, width: int, dark: bool) -> None:
    window.size(width, 900, dark)
    assert checked(window) == []
    assert window.complaints == []


@pytest.mark.limit(900.0)
def test_nothing_is_wrong_with_the_report_of_all_suites(
    chromium: Browser, boot: Callable[..., BootResult], tmp_path: Path
) -> None:
    """A real boot of every suite: no address occurs twice, and the checker finds nothing."""
    names = ",".join(each.name for each in suites.TABLE if each.bench and not each.apart)
    path = tmp_path / "report.html"
    result = boot("amd64", "EPYC", f"suite={names} samples=5", disk=DISK, memory=64)
    assert not [told(run) for run in result.runs if told(run)]
    write_report(result.runs, path, made=[MADE])
    ids = re.findall(r' id="([^"]*)"', path.read_text())
    assert len(ids) == len(set(ids)) > 1000
    chromium.scripts(True)
    chromium.size(*DESK)
    chromium.complaints.clear()
    chromium.open(path)
    assert chromium.run(SCREENS) <= MOST_SCREENS
    heights = [svg_height(file) for file in (tmp_path / "figures").glob("*.svg")]
    assert max(heights) <= TALLEST and len(heights) > 9
    for chapter in chromium.run("[...document.querySelectorAll('.inner')].map((each) => each.id)"):
        chromium.open(path)
        assert checked(chromium, chapter) == [], chapter
    assert chromium.complaints == []


TALLEST = 500
"""The maximum number of points in a chart's file."""


def svg_height(file: Path) -> float:
    """Points."""
    found = re.search(r'height="([\d.]+)pt"', file.read_text())
    assert found, file
    return float(found[1])


def test_the_first_screen_has_the_answer(window: Browser) -> None:
    """Question, answer, chart, unit, machines and source are visible without scrolling."""
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


def test_without_scripts_all_is_there(window: Browser, page: Path) -> None:
    """Every row, every chart, the meaning of each mark; no button that would do nothing."""
    titles = "document.querySelectorAll('svg[role] title').length"
    window.scripts(False)
    whole = page.with_name("open.html")
    whole.write_text(page.read_text().replace("<details", "<details open"))
    window.open(whole)
    counted = page.read_text().count("<tr"), window.run(titles)
    tree = [node for node in window.nodes() if not node["ignored"]]
    roles = [node["role"]["value"] for node in tree]
    assert "button" not in roles and "image" in roles
    named = [node for node in tree if node["role"]["value"] in ("image", "link", "heading")]
    assert all(node.get("name", {}).get("value") for node in named)
    assert roles.count("row") == counted[0] and counted[1] > 100


def waited(window: Browser, script: str) -> Any:
    """The value of a JavaScript promise."""
    done = window.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in done, done["exceptionDetails"]
    return done["result"]["value"]


def test_every_address_opens_what_it_names(window: Browser) -> None:
    """Each id of the page has a link, and the link makes its element visible."""
    ids = window.run(ALL_IDS)
    assert len(ids) == len(set(ids)) > 400
    assert set(window.run(LINKED)) >= set(ids), "an address that no link has"
    for first in range(0, len(ids), BATCH):
        batch = json.dumps(ids[first : first + BATCH])
        assert waited(window, REACHED % batch) == []


def test_thirty_machines_are_readable(chromium: Browser, drawn: Any, tmp_path: Path) -> None:
    """No table has a column for each machine, nothing overflows, and the page stays short."""
    models = ("Pentium 4", "Athlon", "EPYC")
    lacks = {"user/syscall": "CPUID.80000001H:EDX.SYSCALL[bit 11] = 0"}
    runs = [
        machine(
            ("i386", "amd64")[place % 2], f"{models[place % 3]} {place}",
            lacks if place % 4 else {}, "cycles", "hardware", cost=9 + place / 3,
            spacing=1 + place % 7, tsc_hz=2_800_000_000 + place,
        )
        for place in range(30)
    ]  # fmt: skip
    path = tmp_path / "report.html"
    write_report(runs, path)
    chromium.size(*DESK)
    chromium.scripts(True)
    chromium.complaints.clear()
    chromium.open(path)
    assert chromium.run(SCREENS) <= MOST_SCREENS
    assert chromium.run("document.documentElement.scrollWidth") <= DESK[0]
    wide = """[...document.querySelectorAll("table")]
        .filter((each) => each.tHead.textContent.split(/M\\d+ /).length > 9).length"""
    assert chromium.run(wide) == 0
    chromium.run("document.querySelectorAll('.chapter').forEach((each) => { each.open = true })")
    assert chromium.run(SCREENS) < 40, "with every chapter unfolded"
    for chapter in ("overview", "ratios", "matrix"):
        chromium.open(path)
        assert checked(chromium, chapter) == [], chapter
    assert chromium.complaints == []
