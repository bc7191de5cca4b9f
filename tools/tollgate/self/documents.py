"""The figures in the documents: tables that a command writes, and no others.

After `<!-- budgets SUITE,... ROW ... -->` a document has a table of these rows, in instructions on
EPYC by gcc 12, from tests/budgets.toml.  With an architecture before the suite the table has the
sections, too.  `make docs PART=budgets` rewrites them, the figures of docs/points.svg, and in
docs/trusted.md the table of show/shares.csv. The command that measures writes other sections:

    python -m tollgate.self.documents DOCUMENT SECTION FILE
"""

import re
import sys
from collections import ChainMap
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.boot import ARCHES, ROOT
from tollgate.records import budgets
from tollgate.records.budgets import OURS
from tollgate.records.derived_budgets import MOST, Budget
from tollgate.show import shares

POINTS = ROOT / "docs" / "points.svg"
TRUSTED = ROOT / "docs" / "trusted.md"
SHOWN = "user/int/standard"
"""The row in the picture."""
SECTIONS = ("total", "1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8")
END = r"(?=\n<!-- end of {} -->)"
_TABLE = re.compile(
    rf"(<!-- budgets ((?:{'|'.join(ARCHES)}) )?([\w,]+) ([^>]+) -->\n\n).*?{END.format('budgets')}",
    re.DOTALL,
)


def section(name: str, text: str) -> re.Match[str] | None:
    """The text between a section's two markers."""
    return re.search(rf"(?<=<!-- {name} -->\n\n).*?{END.format(name)}", text, re.DOTALL)


def find(document: Path, name: str) -> tuple[str, re.Match[str]]:
    """A document's text, and a section of it; TollgateError if it has none."""
    try:
        text = document.read_text(encoding="utf-8")
    except OSError as error:
        raise TollgateError(f"{document} cannot be read: {error.strerror}.") from None
    if not (found := section(name, text)):
        raise TollgateError(f"{document} has no section {name}.")
    return text, found


def put(document: Path, name: str, made: str) -> None:
    """Replace a section."""
    text, found = find(document, name)
    document.write_text(text[: found.start()] + made + text[found.end() :], encoding="utf-8")


def said(budget: Budget | None) -> str:
    """A budget's total; if it has only a bound, the bound."""
    if isinstance(budget, dict):
        exact = budget.get(OURS)
        return f"{exact:,}" if exact is not None else f"≤ {budget[MOST]:,}"
    return str(budget[0]) if budget else ""


def _table(found: re.Match[str]) -> str:
    start, arch, suite, rows = found.groups()
    heads: tuple[str, ...]
    if arch:
        known = budgets.load(suite, arch.strip())
        heads, cells = SECTIONS, {row: list(map(str, known[row])) for row in rows.split()}
    else:
        suites = suite.split(",")
        both = [dict(ChainMap(*(budgets.load(s, arch) for s in suites))) for arch in ARCHES]
        heads = ARCHES
        cells = {row: [said(each.get(row)) for each in both] for row in rows.split()}
    lines = [f"| {' | '.join(('row', *heads))} |", f"|---|{' --: |' * len(heads)}"]
    lines += [f"| `{row}` | {' | '.join(each)} |" for row, each in cells.items()]
    return start + "\n".join(lines) + "\n"


def made(path: Path, text: str) -> str:
    """A document's text with the budgets' figures, and the shares of direct calls."""
    if path != POINTS:
        if found := section("shares", text) if path == TRUSTED else None:
            text = text[: found.start()] + shares.markdown() + text[found.end() :]
        return _TABLE.sub(_table, text)
    figures = budgets.load("toll", "amd64")[SHOWN]
    for name, figure in zip(SECTIONS, figures, strict=True):
        points = "total" if name == "total" else "MP{}-MP{}".format(*name.split("-"))
        text = re.sub(rf'(class="{points}">)\d+', rf"\g<1>{figure}", text)
    return text


def stale(write: bool = False) -> list[Path]:
    """The documents whose figures differ from the budgets; `write`: updates them."""
    changed = []
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), POINTS):
        text = path.read_text(encoding="utf-8")
        if (new := made(path, text)) != text:
            changed.append(path)
            if write:
                path.write_text(new, encoding="utf-8")
    return changed


if __name__ == "__main__":
    put(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).read_text(encoding="utf-8"))
