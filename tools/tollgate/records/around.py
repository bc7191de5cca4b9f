"""The worst case of a headline figure, found by the suite `around`, in words.

Each row is a path under many conditions: `plain` is its figure without any, the maximum is the
worst, `condition` names the worst one.
"""

from collections.abc import Iterable, Mapping
from typing import Any

SUITE = "around"
NOTABLE = 1.1
"""A worst case above this many times the plain figure is mentioned with it."""

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
"""The paths: suite and row (without origin) of the headline figure, and a name."""


def figure(result: Mapping[str, Any]) -> Any:
    """The figure of a result: the median; for a path under many conditions the maximum."""
    return result["max" if "condition" in result else "median"]


def thousands(value: float) -> str:
    """A whole number with commas."""
    return f"{value:,.0f}"


def most(plain: float, worst: float, condition: str) -> str:
    """Such as `most 13,825: a trusted partner`; empty if the worst is at most a tenth above the
    plain figure."""
    return f"most {thousands(worst)}: {condition}" if worst > NOTABLE * plain else ""


def alone(results: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The results of single conditions, by origin and path, such as `user/pipe`."""
    found = {}
    for result in results:
        origin, _, rest = result["id"].partition("/")
        mechanism, _, path = rest.partition("/")
        if result["suite"] == SUITE and mechanism == SUITE:
            found[f"{origin}/{path}"] = result
    return found
