"""The page that boots the i386 kernel, in a real browser: every choice and every failure."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate import browser as page_maker
from tollgate.machines.boot import BUILD, ROOT
from tollgate.records import budgets

from ..chromium import MARKS, Browser
from ..show.test_report_browser import checked

pytestmark = MARKS
DESK = (1200, 900)
PHONE = 400
"""px, width of a small one."""
FINGER = 44
"""px, the size that a finger can hit."""
ROWS = 26
"""The budgets' rows that an Intel processor has outside 64-bit mode."""
DONE = "document.getElementById('view').dataset.done === '{}'"
SCREEN = "document.querySelector('.screen').textContent"
COMPARED = ("id", "n", "min", "median", "p90", "p99", "max", "mean", "histogram", "residue")
"""The fields of a result that are equal on every machine that counts instructions."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, made now; skips the test if v86 is not available."""
    build = os.path.relpath(BUILD, ROOT)
    wanted = [f"BUILD={build}", f"{build}/i386/browser.cpio", f"{build}/v86/v86.wasm"]
    made = subprocess.run(
        ["make", "-s", *wanted], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if "setup: v86" in made.stderr:
        pytest.skip(made.stderr.splitlines()[0])
    assert made.returncode == 0, made.stderr
    return page_maker.make(str(tmp_path_factory.mktemp("page") / "page"))


@pytest.fixture
def window(chromium: Browser) -> Iterator[Browser]:
    """A desktop window, in light mode; a machine left by a test ends with it."""
    chromium.scripts(True)
    chromium.size(*DESK)
    chromium.complaints.clear()
    yield chromium
    chromium.ask("Page.navigate", url="about:blank")


def shown(window: Browser, page: Path, choice: str) -> None:
    """Open the page at the address of a choice."""
    window.ask("Page.navigate", url="about:blank")
    window.ask("Page.navigate", url=f"{page.as_uri()}#{choice}")
    until(window, "document.readyState === 'complete' && !!document.querySelector('#view > *')")


def until(window: Browser, condition: str) -> None:
    """Wait until the page satisfies the condition, within the browser's limit."""
    script = (
        "new Promise((done) => { const look = () => "
        f"{{ ({condition}) ? done() : setTimeout(look, 50); }}; look(); }})"
    )
    window.ask("Runtime.evaluate", expression=script, awaitPromise=True)


def said(window: Browser) -> str:
    return str(window.run("document.getElementById('view').innerText"))


def typed(window: Browser, text: str) -> None:
    """A line, as from a phone's keyboard or a paste, and the Enter key."""
    window.run("document.querySelector('textarea').focus()")
    window.ask("Input.insertText", text=text)
    window.press("Enter")


def test_one_small_file_is_all(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert page.stat().st_size <= page_maker.MOST
    assert "http://" not in text and "https://" not in text and " src=" not in text
    assert str(ROOT) not in text
    licences = page.with_name("LICENSES.txt").read_text(encoding="utf-8")
    assert "v86" in licences and "SeaBIOS" in licences


def test_the_first_screen_is_there_at_once(page: Path, window: Browser) -> None:
    """A description in words, and each choice with one click."""
    window.open(page)
    choices = window.run("[...document.querySelectorAll('nav a')].map((each) => each.hash)")
    assert choices == ["#toll", "#shell"]
    ends = window.run("document.querySelector('nav').getBoundingClientRect().bottom")
    assert ends <= DESK[1]
    assert window.complaints == []


@pytest.mark.parametrize(
    ("choice", "width", "dark"),
    [("", DESK[0], False), ("toll", PHONE, False), ("shell", PHONE, True)],
)
def test_an_accessibility_checker_finds_nothing(
    page: Path, window: Browser, choice: str, width: int, dark: bool
) -> None:
    window.size(width, 900, dark)
    if choice:
        shown(window, page, choice)
    else:
        window.open(page)
    assert checked(window) == []
    assert window.run("document.documentElement.scrollWidth") <= width
    heights = window.run(
        "[...document.querySelectorAll('button, textarea, nav a')].map((each) => each.offsetHeight)"
    )
    assert min(heights) >= FINGER
    assert window.complaints == []


def test_every_row_is_the_projects_and_qemus(page: Path, window: Browser, boot: Any) -> None:
    """Figure and sections of 26 rows; and the records equal QEMU's."""
    shown(window, page, "toll")
    until(window, DONE.format("toll"))
    assert f"{ROWS} of {ROWS} rows equal the project's figures" in said(window)
    assert "8 rows are not here: Intel: SYSCALL is #UD outside 64-bit mode" in said(window)
    assert "control/entered: no breakpoints: entries are not counted." in said(window)
    text = window.ask(
        "Runtime.evaluate",
        expression="fetch(document.querySelector('a[download]').href).then((file) => file.text())",
        awaitPromise=True,
        returnByValue=True,
    )["result"]["value"]
    records = [json.loads(line) for line in text.splitlines()]
    assert next(each for each in records if each["type"] == "run")["unit"] == "instructions"
    here = {each["id"]: each for each in records if each["type"] == "result"}
    wanted = budgets.load("toll", "i386")
    rows = {row: budgets.figures(each) for row, each in here.items() if row in wanted}
    assert rows == {row: wanted[row] for row in rows} and len(rows) == ROWS
    theirs = {each["id"]: each for each in boot("i386", "pentium3", "suite=toll").results}
    for row in rows:
        assert compared(here[row]) == compared(theirs[row])
    assert window.complaints == []


def compared(result: dict[str, Any]) -> dict[str, Any]:
    return {name: result.get(name) for name in (*COMPARED, "sections")}


def test_a_row_that_differs_is_named(page: Path, window: Browser) -> None:
    """If the project's table has another figure, the page shows a message."""
    window.open(page)
    window.run("facts.rows.i386['user/int/bare'][0]++, location.hash = '#toll'")
    until(window, DONE.format("toll"))
    assert "25 of 26 rows equal the project's figures" in said(window)
    assert "not equal: user/int/bare." in said(window)


def test_a_counter_that_counts_blocks_measures_nothing(page: Path, window: Browser) -> None:
    """Without the edit that ends each block a loop reads 0; the page shows the kernel's message."""
    window.open(page)
    window.run("EDITS.shift(), location.hash = '#toll'")
    until(window, DONE.format("toll"))
    assert "No row was measured. The kernel says: the time-stamp counter" in said(window)


def test_a_shell_takes_keys_and_pasted_text(page: Path, window: Browser) -> None:
    shown(window, page, "shell")
    until(window, f"{SCREEN}.endsWith('/ # ')")
    typed(window, "/bin/ring; /trusted/ring")
    until(window, f"{SCREEN}.includes('/trusted/ring runs in ring 0 (CS = 0060)')")
    assert "/bin/ring runs in ring 3 (CS = 0073)" in window.run(SCREEN)
    typed(window, "cp /bin/ring /trusted/again; /trusted/again")  # as in the README
    until(window, f"{SCREEN}.includes('/trusted/again runs in ring 0 (CS = 0060)')")
    typed(window, "echo one | wc\necho two")
    # the second line may be echoed before or after the first one's output
    until(window, f"/(\\n|# )two\\n\\/ # $/.test({SCREEN})")
    typed(window, "/trusted/yes > /dev/null")
    key = {"key": "c", "code": "KeyC", "modifiers": 2}
    until(window, f"{SCREEN}.includes('/dev/null\\n')")
    for kind in ("keyDown", "keyUp"):
        window.ask("Input.dispatchKeyEvent", type=kind, **key)
    until(window, f"{SCREEN}.includes('/trusted/yes: killed by SIGINT')")
    typed(window, "exit")
    until(window, "document.getElementById('view').innerText.includes('The machine has ended.')")
    assert window.complaints == []


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("delete globalThis.WebAssembly", "This browser has no WebAssembly"),
        ("delete globalThis.DecompressionStream", "This browser is too old"),
        (
            "WebAssembly.instantiate = async () => { throw new WebAssembly.CompileError('no') }",
            "This browser does not let the page run WebAssembly: no",
        ),
        (
            "WebAssembly.instantiate = async () => { throw new RangeError('Out of memory') }",
            "There is not enough memory for the emulated PC",
        ),
    ],
    ids=["none", "old", "blocked", "memory"],
)
def test_what_fails_is_said(page: Path, window: Browser, script: str, sentence: str) -> None:
    made = window.ask("Page.addScriptToEvaluateOnNewDocument", source=script)
    try:
        shown(window, page, "toll")
        until(window, "document.querySelector('.failed')")
    finally:
        window.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=made["identifier"])
    assert sentence in window.run("document.querySelector('.failed').innerText")


def test_without_scripts_it_says_so(page: Path, window: Browser) -> None:
    window.scripts(False)
    window.open(page)
    told = [node["name"]["value"] for node in window.nodes() if node.get("name")]
    assert any(page_maker.NO_SCRIPT in text for text in told)
