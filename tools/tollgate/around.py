"""The worst beside a headline figure: what the suite `around` has found, in words.

A row of it is a path under many conditions: `plain` is its figure under none of them, the maximum
the worst, `condition` what that was under.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

SUITE = "around"
NOTABLE = 1.1
"""A worst that is more times the plain figure than this is said beside it."""

HEADLINES: Mapping[str, tuple[str, str, str]] = {
    "getpid": ("usystime", "usystime/getpid", "getpid"),
    "read": ("usystime", "usystime/read", "an empty read"),
    "clock": ("vsyscall", "gettimeofday/function", "the time by a function"),
    "hand": ("switch", "ipc/hand", "a word handed over and back"),
    "pipe": ("switch", "ipc/pipe", "a byte through two pipes and back"),
    "fault": ("exceptions", "fault/zero-net", "a page of zeros, without clearing it"),
    "segv": ("exceptions", "signal/segv", "SIGSEGV to a handler and back"),
    "fork": ("spawn", "fork", "fork to the end of wait"),
}
"""The paths: the suite and the row (behind the origin) of its headline figure, and what it is."""

MARK = re.compile(r"<!--most (\w+)-->.*?<!---->")
"""Where a text has the worst of a path behind its headline figure."""


def figure(result: Mapping[str, Any]) -> Any:
    """What counts of a result: the median; of a path under many conditions the worst."""
    return result["max" if "condition" in result else "median"]


def thousands(value: float) -> str:
    """A whole number with commas."""
    return f"{value:,.0f}"


def most(plain: float, worst: float, condition: str) -> str:
    """Such as `most 13,825: a trusted partner`; empty where the worst is no more than a tenth
    above the plain figure."""
    return f"most {thousands(worst)}: {condition}" if worst > NOTABLE * plain else ""


def alone(results: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The results of the conditions alone, by origin and path, such as `user/pipe`."""
    found = {}
    for result in results:
        origin, _, rest = result["id"].partition("/")
        mechanism, _, path = rest.partition("/")
        if result["suite"] == SUITE and mechanism == SUITE:
            found[f"{origin}/{path}"] = result
    return found


def marked(text: str, results: Iterable[Mapping[str, Any]]) -> str:
    """A text with the worst of each path written where it is marked, of programs in ring 3.

    Above 100,000 it is rounded to thousands: what a process costs depends on which frames are free.
    """
    found = alone(results)

    def words(match: re.Match[str]) -> str:
        row = found[f"user/{match[1]}"]
        worst = row["max"] if row["max"] < 100_000 else round(row["max"], -3)
        said = most(row["plain"], worst, row["condition"])
        return f"<!--most {match[1]}-->{f' ({said})' if said else ''}<!---->"

    return MARK.sub(words, text)
