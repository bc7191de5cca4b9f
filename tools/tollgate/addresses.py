"""Where the figures in the documents come from: docs/addresses.txt, held against the budgets.

`make docs` writes the figures into the documents; a test holds the documents to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from tollgate import budgets
from tollgate.boot import ROOT
from tollgate.errors import TollgateError

FILE = ROOT / "docs" / "addresses.txt"
COMPILER = "gcc 12"
COLUMNS = tuple(
    tuple(column.split())
    for column in ("i386 user", "i386 trusted", "amd64 user", "amd64 compat", "amd64 trusted")
)
_ADDRESS = re.compile(r"\{([^}]+)\}")
_FIGURE = r"[\d,]+"


@dataclass(frozen=True)
class Piece:
    """A piece of a document, with addresses in place of its figures; `line` of addresses.txt."""

    document: str
    template: str
    line: int

    def text(self) -> str:
        """The piece with the figures that its addresses lead to."""
        return _ADDRESS.sub(lambda found: figure(found[1]), self.template)

    def pattern(self) -> re.Pattern[str]:
        """What finds the piece, whatever its figures are."""
        parts = _ADDRESS.split(self.template)
        words = (re.escape(part) for part in parts[::2])
        figures = (
            r" \| ".join([_FIGURE] * len(COLUMNS)) if part.startswith("5 ") else _FIGURE
            for part in parts[1::2]
        )
        pieces = [next(words)]
        for one, word in zip(figures, words, strict=True):
            pieces += [one, word]
        return re.compile("".join(pieces))


@lru_cache
def table(suite: str, arch: str) -> dict[str, budgets.Budget]:
    """What tests/budgets.toml says of a suite."""
    return budgets.load(suite, arch)


def value(arch: str, suite: str, row: str) -> int:
    """The figure of an address; TollgateError where there is none."""
    budget = table(suite, arch).get(row)
    if isinstance(budget, list):
        return budget[0]
    named = {by: found for by, found in (budget or {}).items() if by != budgets.MOST}
    if COMPILER not in named and len(set(named.values())) != 1:
        raise TollgateError(f"{FILE}: there is no figure of {arch} {suite} {row} by {COMPILER}.")
    return named.get(COMPILER) or next(iter(named.values()))


def figure(address: str) -> str:
    """What stands in the document for an address."""
    head, *rest = address.split()
    if head == "5":
        suite, row = rest
        return " | ".join(str(value(arch, suite, f"{who}/{row}")) for arch, who in COLUMNS)
    if head == ",":
        return f"{value(rest[0], rest[1], rest[2]):,}"
    return str(value(head, *rest))


def pieces() -> Iterator[Piece]:
    """Every piece that has addresses."""
    document = ""
    for number, line in enumerate(FILE.read_text().splitlines(), start=1):
        if line.startswith("@ "):
            document = line[2:]
        elif line and not line.startswith("# ") and document:
            yield Piece(document, line, number)


def nearest(piece: Piece, text: str) -> re.Match[str] | None:
    """What is most like a piece among all that have its words."""
    alike = SequenceMatcher(b=piece.text())

    def likeness(found: re.Match[str]) -> float:
        alike.set_seq1(found[0])
        return alike.ratio()

    return max(piece.pattern().finditer(text), key=likeness, default=None)


def wrong(piece: Piece, text: str) -> str:
    """How a document differs from a piece, with its line; empty where it does not."""
    if piece.text() in text:
        return ""
    found = nearest(piece, text)
    where = f"{piece.document}, line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
    if not found:
        return f"{piece.document} has nothing like {piece.text()!r} ({FILE.name}:{piece.line})"
    return f"{where}: {found[0]!r} is {piece.text()!r} by tests/budgets.toml"


def rewrite() -> list[str]:
    """Write the figures into the documents; which pieces have changed."""
    changed = []
    for piece in pieces():
        path = ROOT / piece.document
        text = path.read_text(encoding="utf-8")
        if told := wrong(piece, text):
            changed.append(told)
            if found := nearest(piece, text):
                new = text[: found.start()] + piece.text() + text[found.end() :]
                path.write_text(new, encoding="utf-8")
    return changed


if __name__ == "__main__":
    print("\n".join(rewrite()) or "as measured")
