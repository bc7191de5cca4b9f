"""The second meter's view of the suite `around`: each path's figure under each set of conditions.

The program prints a line for each set: `  user, high descriptors: read 106 pipe 901`. The spans
between its two time stamps are in that order.  A partner from the same file has the same stamps:
its first spans, while the program waits for it, are among those of a message.
"""

import re
from collections.abc import Iterator, Sequence

LINE = re.compile(r"^  (user|compat|trusted), (.*): ((?:\w+ -?\d+ ?)+)\r?$", re.MULTILINE)
SAMPLES, TAKEN = 20, 25
"""Counted spans, and all spans of a path under a set (user/suites/around/around.h)."""
STARTS = 2 * SAMPLES
"""A program's first spans, for the cost of clearing a page."""
MESSAGES = ("hand", "pipe")
PAGES = {"65,536 bytes": 16}
"""Pages of a message, by its condition; otherwise 1."""
COPIES = 4


def middle(spans: Sequence[int]) -> int:
    """The median, by nearest rank."""
    return sorted(spans)[(len(spans) + 1) // 2 - 1]


def net(path: str, words: str, spans: Sequence[int], before: int, clearing: int) -> tuple[int, int]:
    """A path's figure, and the number of spans used, if `before` spans precede the empty ones."""
    end = before + SAMPLES
    value = middle(spans[before - SAMPLES : before]) - middle(spans[before:end])
    if path == "fault":
        value -= clearing
    if path == "pipe":
        none, copied = (spans[end + i * SAMPLES :][:SAMPLES] for i in range(2))
        value -= COPIES * (middle(copied) - middle(none))
        value = int(value / next((n for name, n in PAGES.items() if name in words), 1))
        end += 2 * SAMPLES
    return value, end


def befores(path: str) -> Iterator[int]:
    """Possible numbers of a path's spans before the empty ones."""
    yield TAKEN
    if path in MESSAGES:
        yield from (TAKEN + STARTS, TAKEN + STARTS - 1)


class Program:
    """A program's lines, and the cost of clearing a page, which it measures first."""

    def __init__(self, origin: str, text: str) -> None:
        self.lines = [line for line in LINE.finditer(text) if line[1] == origin]
        self.clearing: int | None = None

    def take(self, spans: Sequence[int]) -> dict[str, list[int]]:
        """Each path's figures under the next sets, from these spans.

        Stopped instructions are excluded.  The program's output decides only how many spans are a
        partner's.
        """
        taken: dict[str, list[int]] = {}
        at = 0
        if self.clearing is None:
            self.clearing = middle(spans[:SAMPLES]) - middle(spans[SAMPLES:STARTS])
            at = STARTS
        while at + TAKEN + SAMPLES <= len(spans) and self.lines:
            line = self.lines.pop(0)
            for path, said in re.findall(r"(\w+) (-?\d+)", line[3]):
                tries = [net(path, line[2], spans[at:], n, self.clearing) for n in befores(path)]
                value, used = next((each for each in tries if each[0] == int(said)), tries[0])
                taken.setdefault(path, []).append(value)
                at += used
        return taken
