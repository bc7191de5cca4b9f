"""Why an instruction of a kernel is there, by the file `causes` beside this one."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path

from tollgate.linux.walk import Step, Walked

FILE = Path(__file__).with_name("causes")
PROGRAM = "the program's own"
NONE = "no cause"
"""Of what no line of the file finds."""


@lru_cache
def rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The causes in their order, and what finds them."""
    lines = (line.split(" | ", 1) for line in FILE.read_text().splitlines())
    return tuple((line[0], re.compile(line[1])) for line in lines if len(line) == 2)


@cache
def cause(step: Step) -> str:
    """Why a kernel's instruction is there; NONE where no line says so."""
    if not step.frames:
        return PROGRAM
    for frame in step.frames:
        words = f"{frame}: {step.text}"
        for name, pattern in rules():
            if pattern.search(words):
                return name
    return NONE


def bill(walked: Walked) -> Counter[str]:
    """How many instructions of a call each cause has; their sum is the call's figure."""
    counted = Counter(map(cause, walked.steps))
    counted[PROGRAM] -= walked.empty
    return counted
