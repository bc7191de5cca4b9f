"""The tables on the machine's screen: every row of every suite is complete, however wide.

A boot provides the rows of a run of everything. Their figures get the wanted width, and the page's
own sources draw them on the host (tests/unit/menu.c).
"""

import json
import random
import subprocess
from collections.abc import Iterable
from typing import Any

import pytest

from ..boot.test_iso import everything
from ..unit.test_unit import built

ARCHES = ("i386", "amd64")
HEADS = ["row", "label", "n", "min", "median", "p99"]
FIGURES = HEADS[2:]
VARIANTS = ("standard", "nowork", "service", "bare")
SIZES = ((80, 25), (128, 48), (240, 67))
UNITS = {"": 1, **{letter: 1000 ** (n + 1) for n, letter in enumerate("kMGTPE")}}


def pages(
    records: Iterable[dict[str, Any]], columns: int, rows: int, *more: str, verdict: str = "passed"
) -> list[list[str]]:
    """The lines of each page: the first, then the detail pages. `more`: no keyboard answers."""
    lines = b"".join(json.dumps(r, separators=(",", ":")).encode() + b"\n" for r in records)
    words = [str(built("menu")), str(columns), str(rows), verdict, *more]
    drawn = subprocess.run(words, input=lines, capture_output=True, check=True).stdout.decode()
    first, *others = (page.splitlines() for page in drawn.split("\f")[:-1])
    for page in (first, *others):
        assert len(page) < rows
        assert all(len(line) <= columns for line in page)
    return [first, *others]


def read_page(page: list[str]) -> list[list[str]]:
    """The rows of a detail page: its words and figures."""
    title, blank, *lines = page
    assert title.startswith(" ") and not blank.strip()
    heads: list[str] = []
    each = 0
    while heads != HEADS:
        heads += lines[each].split()
        each += 1
    body = lines[each:]
    ends = (n for n, line in enumerate(body) if line[:8] in ("Not here", ""))
    end = next(ends, len(body))
    assert not end % each, "a row is on one page"
    return [" ".join(body[n : n + each]).split() for n in range(0, end, each)]


def changed(result: dict[str, Any], digits: int, dice: random.Random) -> dict[str, Any]:
    """A row whose figures have this many digits."""
    low, high = 10 ** (digits - 1), 10**digits - 1
    return {**result, "histogram": [], **{key: dice.randint(low, high) for key in FIGURES}}


@pytest.fixture
def ran(boot: Any, arch: str, widths: Iterable[int]) -> list[dict[str, Any]]:
    """The records of a run of everything; for a single width, of the toll and exceptions only."""
    words = (
        "suite=toll,exceptions samples=1" if len(list(widths)) == 1 else f"{everything()} samples=2"
    )
    result = boot(arch, "EPYC", words, timeout=100)
    return [record.data for record in result.records]


def others() -> list[dict[str, Any]]:
    """Rows of the suites that "everything" leaves out, and the widest row that a suite may have."""
    ids = [["share", "user/share-trusted/key"], ["widest", f"user/{'x' * 55}"]]
    ids += [["wisconsin", f"trusted/default-site/statement-{n:02}"] for n in range(24)]
    label = "page/not-present"
    return [{"v": 1, "type": "result", "suite": s, "id": i, "label": label} for s, i in ids]


@pytest.mark.parametrize(
    ("arch", "widths"),
    [
        pytest.param("i386", (12,), id="i386"),
        *(pytest.param(arch, range(1, 13), marks=pytest.mark.long) for arch in ARCHES),
    ],
)
def test_every_row_of_every_suite_is_whole(ran: Any, arch: str, widths: Iterable[int]) -> None:
    """Tested with figures of 1 to 12 digits, on screens of every width: no row is cut or lost."""
    dice = random.Random(80)
    results = [record for record in ran if record["type"] == "result"] + others()
    rest = [record for record in ran if record["type"] != "result"]
    assert len(results) > (500 if len(list(widths)) > 1 else 100)
    for digits in widths:
        made = [changed(result, digits, dice) for result in results]
        wanted = sorted(
            [r["id"], *r["label"].split(), *(str(r[key]) for key in FIGURES)] for r in made
        )
        for columns, rows in SIZES:
            first, *details = pages([*rest, *made], columns, rows)
            read = sorted(row for page in details for row in read_page(page))
            assert read == wanted
            answers(first, made)


def rounded(text: str, value: int) -> bool:
    """A figure of the first page has all its digits, or is right to a tenth."""
    number, unit = (text[:-1], text[-1]) if text[-1].isalpha() else (text, "")
    if not unit:
        return int(number) == value
    step = UNITS[unit] / (10 if "." in number else 1)
    return abs(float(number) * UNITS[unit] - value) <= step * 0.51 and float(number) < 1000


def answers(page: list[str], made: list[dict[str, Any]]) -> None:
    """Every way in is on the first page, with a minimum and a median for each variant."""
    toll = {r["id"]: r for r in made if r["suite"] == "toll"}
    assert toll
    for meaning in ("a look for signals", "without that look", "straight to", "and its return"):
        assert meaning in " ".join(page), "what each variant is"
    for way in {name.rpartition("/")[0] for name in toll}:
        (line,) = (line for line in page if line.split()[:1] == [way])
        cells = line.split()[1:]
        for variant in VARIANTS:
            if row := toll.get(f"{way}/{variant}"):
                assert rounded(cells.pop(0), row["min"])
                assert rounded(cells.pop(0), row["median"])
            else:
                assert cells.pop(0) == "-"
        assert not cells


RUN: dict[str, Any] = {
    "v": 1,
    "type": "run",
    "version": "0.1.0",
    "arch": "amd64",
    "unit": "cycles",
    "readable": True,
}


def test_what_takes_less_than_nothing_is_no_figure() -> None:
    head = {**RUN, "tsc_hz": 0}
    row = {"v": 1, "type": "result", "suite": "toll", "label": "sep4", "n": 2}
    made = [
        {**row, "id": "user/sysenter/standard", "min": 86, "median": 88, "p99": 90},
        {**row, "id": "user/sysenter/service", "min": -3, "median": 18, "p99": 20},
        {**row, "id": "user/sysenter/bare", "min": -180, "median": -176, "p99": -100},
    ]
    page, detail = pages([head, *made], 80, 25)
    (line,) = (line for line in page if line.startswith("user/sysenter"))
    assert line.split()[1:] == ["86", "88", "-", "noisy", "noisy"]
    assert ["user/sysenter/bare", "sep4", "2", "-180", "-176", "-100"] in read_page(detail)


COSTS = {"user/int": 604, "user/syscall": 176, "user/sysenter": 150, "trusted/call": 94}


def crossings(**cycles: int) -> list[dict[str, Any]]:
    """The standard rows of the toll."""
    row = {"v": 1, "type": "result", "suite": "toll", "label": "x", "n": 9, "min": 1, "p99": 999}
    return [{**row, "id": f"{way}/standard", "median": n} for way, n in cycles.items()]


def test_a_counter_that_cannot_measure_breaks_no_contract() -> None:
    """Without a keyboard the page offers no key."""
    end = {"v": 1, "type": "end", "records": 1, "failed": 1}
    first, *_ = pages([{**RUN, "tsc_hz": 0, "readable": False}, end], 128, 48, "unheard")
    text = " ".join(" ".join(first).split())
    assert "The time-stamp counter does not go on within a loop: nothing can be measured by" in text
    assert "contract" not in text and "press" not in text
    first, *_ = pages([{**RUN, "tsc_hz": 0}, end], 128, 48)
    assert "Verdict: passed. Every control held, and every check." in first
    assert "This run has not measured the toll: press r to choose another one." in first
    loop = {"v": 1, "type": "check", "name": "control/loop", "ok": False, "detail": "1 of 2"}
    first, *_ = pages([{**RUN, "tsc_hz": 0}, loop, end], 128, 48, verdict="failed")
    assert "Verdict: failed, so no figure is to be believed. What failed: control/loop." in first


def test_a_run_with_a_program_that_was_ended_is_unreadable() -> None:
    """The page says so even if all checks passed: the end record counts killed programs."""
    sentence = "A program was quiet for too long: the run is unreadable."
    end = {"v": 1, "type": "end", "records": 1, "failed": 0}
    for columns, rows in SIZES:
        first, *_ = pages([{**RUN, "tsc_hz": 0}, {**end, "unquiet": 2}], columns, rows)
        text = " ".join(" ".join(first).split())
        assert f"Verdict: passed. {sentence}" in text
        assert "Every control held" not in text
    first, *_ = pages([{**RUN, "tsc_hz": 0}, end], 128, 48)
    assert sentence not in first and "Verdict: passed. Every control held" in " ".join(first)


def noisy(suite: str, row: str) -> dict[str, Any]:
    return {"v": 1, "type": "noisy", "suite": suite, "id": row, "reason": "it is"}


@pytest.mark.parametrize(
    ("hertz", "doubts", "said"),
    [
        (
            2000000000,
            [],
            "A system call takes 88 ns by SYSCALL, 302 by INT 80h, 3.4 times as long; "
            "a call within ring 0 takes 47.",
        ),
        (
            0,
            [noisy("clock", "rate")],
            "A system call takes 176 cycles by SYSCALL, 604 by INT 80h, 3.4 times as many; "
            "a call within ring 0 takes 94.",
        ),
        (
            2000000000,
            [noisy("toll", "user/syscall/standard"), noisy("toll", "trusted/call/standard")],
            "A system call takes 75 ns by SYSENTER, 302 by INT 80h, 4.0 times as long.",
        ),
        (
            2000000000,
            [noisy("toll", f"user/{way}/standard") for way in ("syscall", "sysenter")],
            "A system call takes 302 ns by INT 80h; a call within ring 0 takes 47.",
        ),
    ],
)
def test_one_sentence_answers(hertz: int, doubts: list[Any], said: str) -> None:
    """It uses only rows that are certain; and without a known rate nothing is in ns."""
    records = [{**RUN, "tsc_hz": hertz}, *crossings(**COSTS), *doubts]
    page, *_ = pages(records, 128, 48)
    assert said in page
    assert any(line.startswith("bare      the instruction") for line in page)
    if not hertz:
        assert "no rate is certain, so none in ns" in " ".join(page)
        assert " ns " not in " ".join(page).replace("none in ns", "")
    small, *_ = pages(records, 80, 25)
    assert said in " ".join(line.strip() for line in small)
