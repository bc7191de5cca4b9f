"""Where the figures in the documents come from: docs/addresses.txt, held against what was measured.

Ours are those of tests/budgets.toml or, where a row has no budget, of docs/measured.json; Linux's
those of docs/linux.json, others' those of reference.csv.  `make docs` writes the figures into the
documents; a test holds these to them.  A sweep's tables and the pictures are made of records that
are not kept here: docs/sums.txt has their checksums, so that nobody edits a digit of them.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from tollgate import bands, budgets, derived, measured, mutants, published
from tollgate.boot import ARCHES, ROOT
from tollgate.errors import TollgateError
from tollgate.linux import figures

FILE = ROOT / "docs" / "addresses.txt"
RESULTS = ROOT / "docs" / "results.md"
SUMS = ROOT / "docs" / "sums.txt"
COMPILER = "gcc 12"
COLUMNS = tuple(
    tuple(column.split())
    for column in ("i386 user", "i386 trusted", "amd64 user", "amd64 compat", "amd64 trusted")
)
_ADDRESS = re.compile(r"\{([^}]+)\}")
LINUXS = ("linux", "path", "more")
"""What addresses of figures in docs/linux.json begin with."""
_FIGURE = r"[+-]?\d[\d,]*(?:\.\d+)?"
_OURS = re.compile(r"(?:, )?linux (\w+) (\w+)\|EPYC Tollgate\|(fork|exec|vfork|read/\w+)")
BAND = "band"
"""The address of what all compilers make of the other figures in its piece."""
_WORDS = {
    BAND: rf"(?:the same|{bands.COMPILERS[0]} alone|{_FIGURE} to {_FIGURE}(?: %)?)",
    "compilers": r"gcc 12[\w., ]*",
}


@dataclass(frozen=True)
class Piece:
    """A piece of a document, with addresses in place of its figures; `line` of addresses.txt."""

    document: str
    template: str
    line: int

    def text(self) -> str:
        """The piece with the figures that its addresses lead to."""

        def said(found: re.Match[str]) -> str:
            return bands.band(self.by_compiler()) if found[1] == BAND else figure(found[1])

        return _ADDRESS.sub(said, self.template)

    def addresses(self) -> list[str]:
        """The addresses in it."""
        return _ADDRESS.findall(self.template)

    def by_compiler(self) -> list[str]:
        """The rows of the piece whose figures are a compiler's, as docs/compilers.json has them."""
        return [
            " ".join(row)
            for address in self.addresses()
            for row in rows(address)
            if row[1] in bands.PROGRAMS
            and row[0] in ARCHES
            and not isinstance(table(row[1], row[0]).get(row[2]), list)
        ]

    def pattern(self) -> re.Pattern[str]:
        """What finds the piece, whatever its figures are."""
        parts = _ADDRESS.split(self.template)
        words = (re.escape(part) for part in parts[::2])
        figures = (
            r" \| ".join([_FIGURE] * len(COLUMNS))
            if part.startswith("5 ")
            else _WORDS.get(part, _FIGURE)
            for part in parts[1::2]
        )
        pieces = [next(words)]
        for one, word in zip(figures, words, strict=True):
            pieces += [one, word]
        return re.compile("".join(pieces))


@lru_cache
def table(suite: str, arch: str) -> dict[str, derived.Budget]:
    """What tests/budgets.toml says of a suite."""
    return budgets.load(suite, arch)


SECTIONS = ("total", "1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8")
"""The parts of a budget of a row that has sections."""


def value(arch: str, suite: str, row: str, part: str = "total") -> int:
    """The figure of an address, a section of it or `most`; TollgateError where there is none."""
    budget = table(suite, arch).get(row)
    if isinstance(budget, list):
        return budget[SECTIONS.index(part)]
    if budget is None:
        return measured.value(arch, suite, row)
    if part == derived.MOST:
        return budget[derived.MOST]
    named = {by: found for by, found in budget.items() if by != derived.MOST}
    if COMPILER not in named and len(set(named.values())) != 1:
        raise TollgateError(f"{FILE}: there is no figure of {arch} {suite} {row} by {COMPILER}.")
    return named.get(COMPILER) or next(iter(named.values()))


def rows(address: str) -> list[list[str]]:
    """The rows of ours that an address leads to: kernel, suite and id."""
    head, *rest = address.split()
    if head == "5":
        suite, row = rest
        return [[arch, suite, f"{who}/{row}"] for arch, who in COLUMNS]
    if (found := _OURS.fullmatch(address)) is not None:
        arch, origin, row = found.groups()
        return [[arch, "kinds" if "/" in row else "spawn", f"{origin}/{row}"]]
    words = rest if head == "," else [head, *rest]
    known = len(words) == 3 and words[0] not in (*LINUXS, "reference", "%")
    return [words] if known else []


def of_linux(address: str) -> int:
    """The figure of `linux WIDTH|COLUMN|ROW`, of `path CALL|SYSTEM|CAUSE`, or what is `more` there.

    That is than in ours.
    """
    kind, parts = address.split(" ", 1)
    first, second, third = parts.split("|")
    if kind == "linux":
        return figures.least(first, second, third)
    less = figures.of_cause(first, figures.OURS, third) if kind == "more" else 0
    return figures.of_cause(first, second, third) - less


def of_others(address: str) -> float:
    """The figure of `reference SOURCE|OPERATION` or `...|CPU`, which reference.csv has."""
    source, operation, cpu = f"{address.removeprefix('reference ')}|".split("|")[:3]
    for row in published.load():
        known = row.source.startswith(source) and row.operation == operation
        if known and row.cpu.startswith(cpu) and row.low is not None:
            return row.low
    raise TollgateError(f"{FILE}: reference.csv has no {operation} of {source}.")


def of_two(address: str) -> str:
    """The figure of `ratio A ; B`, or of `less A ; B`: how much less B is, in percent."""
    how, _, both = address.partition(" ")
    first, second = (
        of_others(one) if one.startswith("reference") else float(figure(one).replace(",", ""))
        for one in both.split(" ; ")
    )
    return f"{first / second:.1f}" if how == "ratio" else f"{(first - second) * 100 / first:.0f}"


def figure(address: str) -> str:
    """The text in the document for an address."""
    if address == "compilers":
        return bands.names()
    head, *rest = address.split()
    if head == "reference":
        return f"{of_others(address):,.0f}"
    if head in ("ratio", "less"):
        return of_two(address)
    if head in LINUXS:
        return str(of_linux(address))
    if head == "," and rest[0] in LINUXS:
        return f"{of_linux(address.removeprefix(', ')):,}"
    if head == "5":
        suite, row = rest
        return " | ".join(str(value(arch, suite, f"{who}/{row}")) for arch, who in COLUMNS)
    if head == "%":
        more, less = (value(*one.split()) for one in address.removeprefix("% ").split("|"))
        return f"{(more - less) * 100 / less:+.3f}"
    if head == ",":
        return f"{value(*rest):,}"
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
    return f"{where}: {found[0]!r} is {piece.text()!r} by {FILE.name}:{piece.line}"


def section(name: str, text: str) -> re.Match[str] | None:
    """The text between a generated section's two markers."""
    return re.search(rf"(?<=<!-- {name} -->\n\n).*?(?=\n<!-- end of {name} -->)", text, re.DOTALL)


def generated() -> Iterator[tuple[Path, str, str]]:
    """The sections that are made whole: document, name, and what it must be."""
    for name, made in figures.tables().items():
        yield figures.DOCUMENT, name, made
    yield RESULTS, "mutants", mutants.table()


def stale(edited: Mapping[Path, str] = MappingProxyType({})) -> list[str]:
    """The generated sections that are not what their files say; `edited`: documents as they would
    be."""
    told = []
    for path, name, made in generated():
        text = edited.get(path) or path.read_text(encoding="utf-8")
        if not (found := section(name, text)) or found[0] != made:
            told.append(f"docs/{path.name}: the {name} are not those of their file")
    return told


def sealed() -> dict[str, bytes]:
    """The sweep's tables, and the pictures that no address leads into, by name."""
    has = {piece.document for piece in pieces()}
    kept = section("sweep", RESULTS.read_text(encoding="utf-8"))
    found = {"docs/results.md": kept[0].encode() if kept else b""}
    for path in sorted((ROOT / "docs").rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix in (".png", ".svg") and name not in has:
            found[name] = path.read_bytes()
    return found


def sums() -> dict[str, str]:
    """The checksums of docs/sums.txt, by name."""
    lines = SUMS.read_text(encoding="utf-8").splitlines()
    return {name: known for known, _, name in (line.partition("  ") for line in lines)}


def broken(found: Mapping[str, bytes]) -> list[str]:
    """Which of these are not what was made."""
    known = sums()
    wrong = [name for name, content in found.items() if sha256(content) != known.get(name)]
    return wrong + sorted(known.keys() - found.keys())


def seal(prefix: str) -> None:
    """Write the checksums of those that have just been made: whose names begin so."""
    kept = sums()
    made = {
        name: sha256(content) if name.startswith(prefix) else kept.get(name, "")
        for name, content in sealed().items()
    }
    text = "".join(f"{known}  {name}\n" for name, known in made.items())
    SUMS.write_text(text, encoding="utf-8")


def sha256(content: bytes) -> str:
    """As sha256sum prints it."""
    return hashlib.sha256(content).hexdigest()


def put_sweep(made: Path) -> None:
    """Write what a sweep made into its place in docs/results.md."""
    text = RESULTS.read_text(encoding="utf-8")
    if found := section("sweep", text):
        new = made.read_text(encoding="utf-8")
        RESULTS.write_text(text[: found.start()] + new + text[found.end() :], encoding="utf-8")


def rewrite_sections() -> list[str]:
    """Make the generated sections anew; which ones have changed."""
    changed = stale()
    for path, name, made in generated():
        text = path.read_text(encoding="utf-8")
        if found := section(name, text):
            path.write_text(text[: found.start()] + made + text[found.end() :], encoding="utf-8")
    return changed


def today(row: str) -> int | None:
    """What the compiler of the documents makes of a row; None where only a bound is kept."""
    try:
        return value(*row.split())
    except TollgateError:
        return None


def rewrite() -> list[str]:
    """Write the figures into the documents; which pieces have changed."""
    bands.settle(today)
    changed = rewrite_sections()
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
    if sys.argv[1:] == ["--compilers"]:
        banded = {row for p in pieces() if BAND in p.addresses() for row in p.by_compiler()}
        try:
            bands.measure(banded, print)
        except TollgateError as error:
            sys.exit(f"tollgate: {error}")
        sys.argv.pop()
    if sys.argv[1:2] == ["--seal"]:
        seal(sys.argv[2])
        sys.exit(0)
    for sweep in sys.argv[1:]:
        put_sweep(Path(sweep))
    print("\n".join(rewrite()) or "as measured")
