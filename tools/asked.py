"""asked.py GOALS NAME=VALUE... - what is wrong with what was asked of make: a sentence, or nothing.

Which variables a target takes is what the Makefile's help names beside it.  Whether a machine, a
suite, a lesson or a file is there, the target says itself.
Python's standard library alone: it runs before anything is installed.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

MAKEFILE = Path(__file__).resolve().parent.parent / "Makefile"
EVERY = {"CC", "V", "JOBS", "BUILD"}
"""What building takes, which every target may do."""
Check = Callable[[str], str]


def takes() -> dict[str, set[str]]:
    """Each target of the help, with the variables that stand in its paragraph."""
    found: dict[str, set[str]] = {}
    target = "all"
    for line in re.findall(r"^#[:-] (.*)$", MAKEFILE.read_text(encoding="utf-8"), re.M):
        if begins := re.match(r" *make( [a-z-]+)? ", line):
            target = (begins[1] or "all").strip()
        found.setdefault(target, set()).update(re.findall(r"\b([A-Z]+)=", line))
    return found


def takes_any() -> set[str]:
    """All variables of the help."""
    return EVERY.union(*takes().values())


def whole(least: int, most: int | None = None) -> Check:
    """A check for a number in decimal digits."""

    def check(value: str) -> str:
        number = int(value) if re.fullmatch("[0-9]{1,18}", value) else least - 1
        if least <= number and (most is None or number <= most):
            return ""
        return f"a whole number from {least}" + (f" to {most}" if most is not None else " up")

    return check


def switch(value: str) -> str:
    """A check for something that is on or off."""
    return "" if value in ("0", "1") else "1 (yes) or 0 (no)"


def without_space(value: str) -> str:
    """A check for a folder's name that make itself must be able to read."""
    return (
        "a folder whose name has no space, `:', `#' or `%'" if re.search(r"[\s:#%]", value) else ""
    )


def tests(value: str) -> str:
    """A check for what pytest gets: its options, and files or folders that are there."""
    files = [word.partition("::")[0] for word in value.split() if word.startswith("tests")]
    there = all((MAKEFILE.parent / file).exists() for file in files)
    return "" if there else "files that are there"


def shard(value: str) -> str:
    """A check for one of so many parts."""
    part, _, parts = value.partition("/")
    good = part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)
    return "" if good else "I/N, the I-th of N parts, from 1"


OF_TARGET: dict[tuple[str, str], Check] = {
    ("torture", "N"): whole(1),
    ("torture", "SEED"): whole(1, 2**32 - 1),
    ("torture", "SHARD"): shard,
}
CHECKS: dict[str, Check] = {
    "JOBS": whole(1),
    "AGAIN": whole(0),
    "PORT": whole(0, 65535),
    "QUOTA": whole(1, 100),
    "BUILD": without_space,
    "TESTS": tests,
    **dict.fromkeys(("V", "ALL", "BOOT", "FREEZE", "MINIMAL", "PATHS", "WAIT"), switch),
}


def sentence(goals: list[str], given: dict[str, str]) -> str:
    """What is wrong, or nothing; a target that is a file's name takes what building takes."""
    known = takes()
    targets = [goal for goal in goals or ["all"] if goal in known]
    for name, value in given.items():
        allowed = set().union(EVERY, *(known[target] for target in targets))
        if targets and name not in allowed:
            takers = sorted(target for target in known if name in known[target])
            return f"`make {targets[0]}' takes no {name}; it is for make {', '.join(takers)}"
        checks = [OF_TARGET.get((target, name), CHECKS.get(name)) for target in targets or [""]]
        for check in filter(None, checks):
            if value and (wanted := check(value)):
                return f"{name} must be {wanted}, not `{value}'"
    return ""


if __name__ == "__main__":
    print(sentence(sys.argv[1].split(), dict(word.split("=", 1) for word in sys.argv[2:])))
