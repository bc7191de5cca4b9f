"""A person's screen and keyboard in a lesson: lines of 80 columns, one screen at a time."""

from __future__ import annotations

import os
import re
import shutil
import sys
import termios
import textwrap
from collections.abc import Iterator, Sequence

import gdb

COLUMNS, ROWS = 80, 24
"""The smallest terminal. A larger one shows more lines at once, not longer ones."""
WIDTH = 76
MARGIN = "   "
MORE = "  [Enter: more] "
END_OF_LINE = b"\x03"
"""^C: the terminal delivers it at once, like an Enter."""


class LeaveError(Exception):
    """^C or ^D at a prompt."""


def paragraphs(text: str, first: str = MARGIN) -> list[str]:
    """A text as lines, with an empty line before each paragraph."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines += ["", *textwrap.wrap(" ".join(paragraph.split()), WIDTH, initial_indent=first)]
        first = ""
    head = len(MARGIN)
    return [line if line[:head] == MARGIN or not line else MARGIN + line for line in lines]


def fit(line: str) -> list[str]:
    """A line of any length, wrapped between words to the screen's width."""
    if len(line) < COLUMNS:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.rstrip(),
        COLUMNS - 1,
        subsequent_indent=f"{indent}    ",
        replace_whitespace=False,
        break_on_hyphens=False,
    )


class Screen:
    """Counts shown lines, and waits for Enter before a screen is full."""

    def __init__(self) -> None:
        self._shown = 0

    @property
    def room(self) -> int:
        """Lines that fit on a screen besides a prompt."""
        return max(shutil.get_terminal_size((COLUMNS, ROWS)).lines, ROWS) - 2

    def show(self, *lines: str) -> None:
        """Lines, one below the other."""
        for line in self._fitted(lines):
            if self._shown >= self.room:
                self.pause()
            print(line)
            self._shown += 1

    def together(self, lines: Sequence[str], pause: str = MORE) -> None:
        """Show lines at once, if they fit on a screen."""
        fitted = list(self._fitted(lines))
        if self._shown and self._shown + len(fitted) > self.room:
            self.pause(pause)
        self.show(*fitted)

    def fits(self, *lines: str) -> bool:
        """Whether these lines fit on one screen."""
        return len(list(self._fitted(lines))) <= self.room

    @staticmethod
    def _fitted(lines: Sequence[str]) -> Iterator[str]:
        for text in lines:
            for line in text.expandtabs().split("\n"):
                yield from fit(line)

    def pause(self, prompt: str = MORE) -> None:
        """Wait for Enter; then a new screen begins."""
        line = self.ask(prompt)
        if line in ("q", "quit"):
            raise LeaveError
        if line:
            print(f"   ({line}: not taken. Here Enter only goes on.)")

    def ask(self, prompt: str) -> str:
        """A typed line."""
        gdb.write(prompt)
        gdb.flush()
        self._shown = 0
        return _read_line().strip()


_typed = b""


def _read_line() -> str:
    """Read a line from the terminal. Meanwhile ^C is a character that ends it: as a signal it would
    go to gdb, without effect before Enter."""
    global _typed
    terminal = os.isatty(0)
    if terminal:
        before = termios.tcgetattr(0)
        now = termios.tcgetattr(0)
        now[3] = (now[3] | termios.ICANON | termios.ECHO) & ~termios.ISIG
        now[6][termios.VEOL] = END_OF_LINE
        termios.tcsetattr(0, termios.TCSADRAIN, now)
    try:
        while b"\n" not in _typed and END_OF_LINE not in _typed:
            more = os.read(0, 4096)
            if not more:
                break
            _typed += more
    finally:
        if terminal:
            termios.tcsetattr(0, termios.TCSADRAIN, before)
    line, end, _typed = _typed.partition(b"\n")
    if END_OF_LINE in line or not (line or end):
        print(file=sys.stdout)
        raise LeaveError
    return line.decode("utf-8", "replace")
