"""The page that boots the i386 kernel, in Firefox: the first screen, and each choice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .firefox import Firefox, firefox, installed
from .test_browser_page import DONE, ROWS, SHOWN_IN, page

__all__ = ["page"]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        installed() is None, reason="no Firefox is installed: Debian's package is firefox-esr"
    ),
]
SAID = "document.getElementById('view').innerText"
SCREENS = "[...document.querySelectorAll('.screen')].map((each) => each.textContent)"
FORWARD = "document.querySelectorAll('.controls button')[1].click();"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as running:
        yield running


def test_the_first_screen_is_there_at_once(page: Path, window: Firefox) -> None:
    """In processor time of all of Firefox's processes."""
    before = window.used()
    window.open(page.as_uri())
    assert 0 < window.used() - before <= SHOWN_IN
    choices = window.run("[...document.querySelectorAll('nav a')].map((each) => each.hash)")
    assert choices == ["#toll", "#shell", "#step", "#starve"]


def test_every_row_is_the_projects(page: Path, window: Firefox) -> None:
    window.open(f"{page.as_uri()}#toll")
    window.until(DONE.format("toll"))
    assert f"{ROWS} of {ROWS} rows equal the project's figures" in window.run(SAID)


def test_a_shell_takes_a_line(page: Path, window: Firefox) -> None:
    window.open(f"{page.as_uri()}#shell")
    window.until(f"{SCREENS}[0].endsWith('/ # ')")
    element = window.ask("WebDriver:FindElement", using="css selector", value="textarea")
    window.ask("WebDriver:ElementSendKeys", id=next(iter(element.values())), text="/trusted/ring\n")
    window.until(f"{SCREENS}[0].includes('/trusted/ring runs in ring 0 (CS = 0060)')")


def test_int_80h_is_walked(page: Path, window: Firefox) -> None:
    window.open(f"{page.as_uri()}#step")
    window.until(DONE.format("step"))
    steps = window.run("facts.walk.steps.length")
    window.run(f"void (() => {{ for (let n = 0; n < {steps}; n++) {FORWARD} }})()")
    assert window.run("walked.at(-1).registers.eip === facts.walk.end") is True
    assert "The call is back in its program: EAX = " in window.run(SAID)


def test_a_stack_is_taken_away(page: Path, window: Firefox) -> None:
    window.open(f"{page.as_uri()}#starve")
    window.until(f"{DONE.format('starve')} && {SCREENS}[1].includes('tollgate: passed')")
    survived, reset = window.run(SCREENS)
    assert "trusted/push/demand-zero: #PF -> #DF(0)" in survived and "not ok" not in survived
    assert "ring 0 (CS = 0060)" in reset.partition("--- reset ---")[2]
