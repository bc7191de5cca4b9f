"""Figures in the documents are those of the budgets, by their addresses; a changed one shows."""

from __future__ import annotations

import copy
import random
import re

import pytest

from tollgate import addresses
from tollgate.addresses import Piece, pieces, wrong
from tollgate.boot import ROOT
from tollgate.budgets import load
from tollgate.linux import figures

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


def test_a_digit_that_is_edited_is_found_and_its_line_named() -> None:
    """Fifty digits of figures, one at a time, each another digit."""
    rng = random.Random(1)
    found = 0
    for _ in range(EDITED):
        piece = rng.choice(list(pieces()))
        text = text_of(piece)
        start = text.index(piece.text())
        figures = addresses._ADDRESS.finditer(piece.template)
        place = start + next(figures).start()
        assert text[place].isdigit()
        digit = rng.choice([d for d in "123456789" if d != text[place]])
        said = wrong(piece, text[:place] + digit + text[place + 1 :])
        line = text.count("\n", 0, start) + 1
        found += said.startswith(f"{piece.document}, line {line}: ")
    assert found == EDITED


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


FIGURE_CELL = re.compile(r"[+-]?\d[\d,.]*(?: %)?")
BY_DESIGN = re.compile(
    r"^\| (?:1(?:, 1)?|4|\d+ of|areas of|`control/\w+`|`(?:NOFILE|NPROC)`).*|\| \+[01](?= \|$)",
    re.M,
)
"""Rows of tables whose numbers nobody measured: sizes of fields, lengths of loops, limits."""


@pytest.mark.parametrize("name", ["clock.md", "limits.md", "measuring.md", "trusted.md"])
def test_every_figure_in_a_table_has_an_address(name: str) -> None:
    """A row of a table with a cell that is a number is in a piece with addresses."""
    document = f"docs/{name}"
    text = (ROOT / document).read_text(encoding="utf-8")
    for piece in pieces():
        if piece.document == document:
            text = text.replace(piece.text(), "|")
    rows = [line for line in BY_DESIGN.sub("", text).splitlines() if line.startswith("|")]
    cells = {cell.strip(): row for row in rows for cell in row.split("|")}
    assert [row for cell, row in cells.items() if FIGURE_CELL.fullmatch(cell)] == []


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
