"""docs/source.md: each question's search leads to the function that answers it."""

import re
import shlex
import subprocess

import pytest

from tollgate.machines.boot import ROOT

PAGE = ROOT / "docs" / "source.md"
STOPS = re.findall(
    r"^\| ([^|]+\?) \| `(grep -[^`]+)` \| `(\w+)\(\)` in `([^`]+)` \|$", PAGE.read_text(), re.M
)
QUESTIONS = 12
HITS = 12
"""Most lines of a search that a reader scans."""
NEAR = 40
"""Most lines from a hit to its function."""


def test_the_tour_has_its_questions() -> None:
    assert len(STOPS) == QUESTIONS == PAGE.read_text().partition("\n## The four")[0].count("?")


@pytest.mark.parametrize(("search", "function", "file"), [stop[1:] for stop in STOPS])
def test_a_step_leads_where_the_page_says(search: str, function: str, file: str) -> None:
    done = subprocess.run(shlex.split(search), cwd=ROOT, capture_output=True, text=True)
    hits = done.stdout.splitlines()
    assert 1 <= len(hits) <= HITS, done.stdout + done.stderr
    found = [int(line) for name, line, *_ in (hit.split(":") for hit in hits) if name == file]
    assert found, f"{file} is not among the hits of {search}:\n{done.stdout}"
    lines = (ROOT / file).read_text().splitlines()
    begins = [
        number
        for number, line in enumerate(lines, start=1)
        if re.match(rf"(?:[\w *]+\b\*?)?{function}\(", line) and not line.endswith(";")
    ]
    assert begins, f"no {function}() in {file}"
    assert min(abs(begin - at) for begin in begins for at in found) <= NEAR, (begins, found)
