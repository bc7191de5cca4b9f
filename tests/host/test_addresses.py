"""Figures in the documents are those of the budgets, by their addresses; a changed one shows."""

from __future__ import annotations

import copy
import random
import re
from functools import lru_cache

import pytest

from tollgate import addresses
from tollgate.addresses import Piece, pieces, section, wrong
from tollgate.boot import ROOT
from tollgate.budgets import load
from tollgate.linux import figures

from ..test_framebuffer import STORES
from .test_documents import judges_wrong

AT_LEAST = 200
"""Figures that have an address."""
EDITED = 50
WAYS = {"int": "int80", "syscall": "syscall"}


def text_of(piece: Piece) -> str:
    return (ROOT / piece.document).read_text(encoding="utf-8")


def test_every_figure_with_an_address_is_the_budgets() -> None:
    told = [said for piece in pieces() if (said := wrong(piece, text_of(piece)))]
    assert told == [], "`make budgets` writes them"
    assert sum(len(re.findall(r"\d+", piece.text())) for piece in pieces()) >= AT_LEAST


def documents() -> list[str]:
    """Every document of the tree."""
    folders = ("", "docs/", "exercises/*/", "results/contributed/", "tools/gdb/")
    return [str(p.relative_to(ROOT)) for f in folders for p in sorted(ROOT.glob(f"{f}*.md"))]


@lru_cache
def wanted(document: str) -> list[str]:
    """The pieces that a document must have."""
    return [piece.text() for piece in pieces() if piece.document == document]


sealed = lru_cache(addresses.sealed)


def placed(document: str, text: str) -> list[tuple[int, int]]:
    """Where a document's figures are that have an address, are generated, or are sealed."""
    names = ("sweep", "judges", *(name for _, name, _ in addresses.generated()))
    made = (section(name, text) for name in names)
    starts = ((text.find(piece), len(piece)) for piece in wanted(document))
    return [*(at.span() for at in made if at), *((at, at + size) for at, size in starts if at >= 0)]


def caught(name: str, text: str) -> bool:
    """Whether a document or a picture with this text is refused."""
    if not all(piece in text for piece in wanted(name)):
        return True
    if name.endswith(".svg"):
        return not wanted(name) and addresses.broken({**sealed(), name: text.encode()}) != []
    if name != "docs/results.md":
        return any(said.startswith(f"{name}:") for said in addresses.stale({ROOT / name: text}))
    sweep = section("sweep", text)
    assert sweep
    edited = {**sealed(), name: sweep[0].encode()}
    return bool(
        addresses.broken(edited) + addresses.stale({ROOT / name: text}) + judges_wrong(text)
    )


def test_of_fifty_edited_digits_fifty_are_caught() -> None:
    """Digits of figures in every document and picture, one at a time, each another digit."""
    names = (*documents(), "docs/points.svg")
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in names}
    digits = [
        (name, start + digit.start())
        for name, text in texts.items()
        for start, end in placed(name, text)
        for digit in re.finditer(r"\d", text[start:end])
    ]
    picture = "docs/headline.svg"
    texts[picture] = (ROOT / picture).read_text(encoding="utf-8")
    digits += [(picture, at.start(1)) for at in re.finditer(r">[^<]*?(\d)", texts[picture])]
    assert len(digits) >= 5000
    rng = random.Random(1)
    for name, place in [*rng.sample(digits, EDITED), *rng.sample(digits[-40:], EDITED // 10)]:
        text = texts[name]
        digit = rng.choice([d for d in "123456789" if d != text[place]])
        edited = text[:place] + digit + text[place + 1 :]
        assert caught(name, edited), (
            name,
            text.count("\n", 0, place) + 1,
            text[place - 30 : place],
        )
    assert not any(caught(name, text) for name, text in texts.items())


def test_an_edited_figure_is_named_with_its_line() -> None:
    rng = random.Random(1)
    for piece in rng.sample(list(pieces()), 10):
        text = text_of(piece)
        start = text.index(piece.text())
        place = start + next(addresses._ADDRESS.finditer(piece.template)).start()
        line = text.count("\n", 0, start) + 1
        if text[place].isdigit():
            digit = rng.choice([d for d in "123456789" if d != text[place]])
            said = wrong(piece, text[:place] + digit + text[place + 1 :])
            assert said.startswith(f"{piece.document}, line {line}: ")


def test_pictures_and_the_sweep_are_as_they_were_made() -> None:
    """Nobody has edited them; a byte that is another one is found."""
    found = addresses.sealed()
    assert len(found) >= 7
    assert addresses.broken(found) == [], "`make docs` and `make screens` write docs/sums.txt"
    for name, content in found.items():
        place = len(content) // 2
        edited = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        assert addresses.broken({**found, name: edited}) == [name]


def test_a_budget_that_changes_by_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = addresses.value

    def value(arch: str, suite: str, row: str, part: str = "total") -> int:
        more = (arch, suite, row) == ("amd64", "toll", "user/syscall/standard")
        return real(arch, suite, row, part) + more

    monkeypatch.setattr(addresses, "value", value)
    told = [said for piece in pieces() if (said := wrong(piece, text_of(piece)))]
    assert any(re.match(r"README\.md, line \d+: '`getpid` by `SYSCALL` takes 46 ", s) for s in told)
    assert len(told) >= 2


NO_FIGURES = re.compile(
    r"`[^`\n]*`|\]\([^)]*\)|^```$|\bi386\b|\bamd64\b|\bx86(?:-64)?\b|\bCR3\b|\bINT 80h\b|\bp99\b"
    r"|(?:Linux|Debian) [\d.]+(?: or \d+)?|(?:ring|SDM|APM) \d\w?(?: (?:to|and) \w+)?"
    r"|\b\d\d(?:-bit| bits)|MP\(?n?(?:\+1\))?\d?(?: to MP\d)?|\bt[01]\b|[1-7]-[2-8]|CS = \d+"
    r"|int8\d|cg1|1,000 samples|64 KiB|2001|reads 0|must be 0|control/empty 0|^ +0$",
    re.M,
)
"""Numbers in the README that nobody measured: names, versions, rings, and what is so by design."""


def test_every_number_of_the_readme_has_an_address() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for piece in pieces():
        if piece.document == "README.md":
            text = text.replace(piece.text(), "")
    lines = [line for line in NO_FIGURES.sub("", text).splitlines() if re.search(r"\d", line)]
    assert lines == []


MEASURED = re.compile(
    r"(?<![\w.,])\d[\d,.]* (?:\w+ )?(?:instructions?|cycles|ticks)\b|(?<![\w.,])\d[\d,.]* ?%"
    r"|(?<![\w.,])\d[\d,.]* (?:times as|more\b|less\b|fewer\b|too many|too high)"
    r"|(?<![\w.,])[\d,]+ (?:of|in place of|against) \d"
)
"""A number that somebody has measured, by the words behind it."""
SAID = re.compile(
    r"2001 instructions|250 ticks|5 more, whatever|100 or 190 more|2 ms more|0 of 0|1[36] of 21"
    r"|\b50,000 instructions|3,600 billion instructions|1.5 to 3 times as|medians of 20, in"
    r"|\d+ instructions (?:long|are enough|at most)|23 instructions are worth|0 of 128 bytes"
    r"|ring 3 less|ring 0 takes more|other kind: 0 in instructions"
    r"|768 or more|9[059] %|more than 1 %|to 1 %|1 further|20 of 23|18 of 23|\$39,%"
)
"""Of these none that would move: lengths by design, limits, intervals; what exercises ask for; and
how many of Linux's own tests pass, which no command here repeats."""


@pytest.mark.parametrize("name", documents())
def test_a_number_that_was_measured_has_an_address(name: str) -> None:
    """In prose and in code that shows what a command prints."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for start, end in sorted(placed(name, text), reverse=True):
        text = f"{text[:start]}\n{text[end:]}"
    text = SAID.sub("", re.sub(r"<!--most \w+-->.*?<!---->|\]\([^)]*\)", "", text))
    assert [line for line in text.splitlines() if MEASURED.search(line)] == []


def test_what_is_measured_is_told_from_what_is_not() -> None:
    for said in ("takes 51 instructions by", "costs 3.5 % less", "to 292 cycles", "0.6 times as",
                 "1,000 of 1,000 lost", "are 13 too high", "5 more, each way"):  # fmt: skip
        assert MEASURED.search(SAID.sub("", said)), said
    for said in ("a 64-bit program", "64 MiB of memory", "QEMU 7.2", "SDM 3A", "port 0x3f8"):
        assert not MEASURED.search(said), said


FIGURE_CELL = re.compile(r"[+-]?\d[\d,.]*(?: %)?")
BY_DESIGN = re.compile(
    r"^\| (?:1(?:, 1)?|4|\d+ of|areas of|`control/\w+`|`(?:NOFILE|NPROC)`).*|\| \+[01](?= \|$)",
    re.M,
)
"""Rows of tables whose numbers nobody measured: sizes of fields, lengths of loops, limits."""
NO_FIGURES_IN = ("codes.md", "lessons.md", "records.md")
"""Their tables have sizes of fields, minutes and points, exit statuses."""


@pytest.mark.parametrize(
    "name", [n for n in documents() if n.startswith("docs/") and n[5:] not in NO_FIGURES_IN]
)
def test_every_figure_in_a_table_has_an_address(name: str) -> None:
    """A row of a table with a cell that is a number is in a piece with addresses."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for start, end in sorted(placed(name, text), reverse=True):
        text = f"{text[:start]}|{text[end:]}"
    rows = [line for line in BY_DESIGN.sub("", text).splitlines() if line.startswith("|")]
    cells = {cell.strip(): row for row in rows for cell in row.split("|")}
    assert [row for cell, row in cells.items() if FIGURE_CELL.fullmatch(cell)] == []


def test_why_a_server_in_ring_0_takes_more_adds_up() -> None:
    """Two instructions of nine calls, and four of 17 windows, as docs/measuring.md says."""
    text = (ROOT / "docs/measuring.md").read_text(encoding="utf-8")
    assert "takes four instructions more, and a request passes 17 windows." in text
    ring_0, ring_3 = (
        addresses.value("amd64", "web", f"{way}/{way}/100") for way in ("trusted", "user")
    )
    assert ring_0 - ring_3 == 2 * 9 + 4 * 17


def test_the_screens_words_are_those_that_a_test_counts() -> None:
    text = (ROOT / "docs/hardware.md").read_text(encoding="utf-8")
    counted = {key: f"{n / 1e6:.{1 if n < 1e7 else 0}f}" for key, n in STORES.items()}
    words = re.search(
        r"writes (\d+) million words .* and ([\d.]+) million cells .*\n"
        r"\(amd64; i386: (\d+) and ([\d.]+) million",
        text,
    )
    assert words
    wanted = [counted[kind, arch] for arch in ("amd64", "i386") for kind in ("pixels", "text")]
    assert list(words.groups()) == wanted


def test_the_headline_compares_one_call_by_one_program() -> None:
    """Linux's getpid is the program calls'; what that reads of ours is what the toll reads."""
    for arch, ways in (("i386", ("int",)), ("amd64", ("int", "syscall"))):
        calls, toll = load("calls", arch), load("toll", arch)
        for way in ways:
            call = calls[f"user/getpid/{WAYS[way]}"]
            row = toll[f"user/{way}/standard"]
            assert isinstance(call, dict) and isinstance(row, list)
            assert call.get("gcc 12", row[0]) == row[0], (arch, way)


def test_the_tables_of_linux_are_those_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one figure of it that is changed by one shows in its table, and where prose has it."""
    assert addresses.stale() == [], "`make docs` writes them"
    found = copy.deepcopy(figures.load())
    monkeypatch.setattr(figures, "load", lambda: found)
    found["paths"]["getpid"]["off"]["SYSRET's checks"] += 1
    assert addresses.stale() == ["docs/linux.md: the paths are not those of their file"]
    told = [said for piece in pieces() if (said := wrong(piece, text_of(piece)))]
    assert any("18 SYSRET's checks" in said for said in told)
    found["rows"]["amd64 user getpid/syscall"]["EPYC off"][0] += 1
    assert len(addresses.stale()) == 2


def test_ours_beside_linux_are_the_budgets() -> None:
    """Where the row has a budget by the compiler of the documents."""
    compared = 0
    for name, row in figures.load()["rows"].items():
        arch, origin, what = name.split(" ")
        for suite in ("calls", "faults", "switch"):
            budget = addresses.table(suite, arch).get(f"{origin}/{what}")
            if isinstance(budget, dict) and addresses.COMPILER in budget:
                compared += 1
                assert row["EPYC Tollgate"][0] == budget[addresses.COMPILER], (
                    f"{name}: `tollgate linux --ours` measures it anew"
                )
    assert compared >= 20
