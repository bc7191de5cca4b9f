"""The worst beside a headline figure: what the suite `around` has found, in words.

A row of it is a path under many conditions: `plain` is its figure under none of them, the maximum
the worst, `condition` what that was under.
"""

from __future__ import annotations

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


def figure(result: Mapping[str, Any]) -> Any:
    """The figure of a result: the median; of a path under many conditions the worst."""
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
