"""Remove parts of a failing input until every part left is needed.

A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002: ddmin.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shrink(parts: Sequence[T], fails: Callable[[list[T]], bool], tries: int = 300) -> list[T]:
    """The parts, in order, that the failure needs; or the rest after this many tries."""
    left = list(parts)
    pieces = 2
    while len(left) > 1 and tries > 0:
        size = -(-len(left) // pieces)
        for start in range(0, len(left), size):
            rest = left[:start] + left[start + size :]
            tries -= 1
            if rest and fails(rest):
                left, pieces = rest, max(pieces - 1, 2)
                break
            if tries <= 0:
                return left
        else:
            if size == 1:
                return left
            pieces = min(len(left), 2 * pieces)
    return left
