"""What to write where results are cited: an entry for BibTeX, and what it is made of.

The SHA-256 of the records is the file's own, so a reader can see whether the figures that he has
are those that were cited.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tollgate import __version__, provenance
from tollgate.errors import TollgateError
from tollgate.printable import printable
from tollgate.records import Results

TITLE = "Tollgate: what does it cost to cross into ring 0?"
AUTHOR = "The Tollgate authors"
"""As CITATION.cff names them."""
MOST = 6
"""Machines that are named; the rest is a number."""
GROUP = 8
"""Digits of a SHA-256 that stay together: no column has room for all."""
SPECIAL = {
    **{c: rf"\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def plain(text: str) -> str:
    """Text that TeX sets as it stands."""
    return "".join(SPECIAL.get(c, c) for c in printable(text))


def sum_of(results: Results) -> str:
    """The SHA-256 of a file of results; TollgateError where it cannot be read."""
    try:
        return hashlib.sha256(results.path.read_bytes()).hexdigest()
    except OSError as error:
        raise TollgateError(f"{results.path} cannot be read: {error.strerror}.") from None


def machines(results: Results) -> str:
    """Which machines the records are of, and in which units."""
    names = list(dict.fromkeys(f"{run.name}, in {run.unit}" for run in results.runs))
    more = [f"and {len(names) - MOST} more"] if len(names) > MOST else []
    return "; ".join([*names[:MOST], *more])


def versions(results: Results) -> str:
    """The kernels' versions, each once."""
    return ", ".join(dict.fromkeys(str(run.run["version"]) for run in results.runs))


def entry(results: Results) -> str:
    """A @misc entry: version, commit, the records' SHA-256, machines and date.  Styles that know no
    `version` and no `sha256` leave these fields out, and the text has both besides.

    Where nothing beside the records says when and of which commit, the entry says that instead.
    """
    made = provenance.beside(results.path.parent)
    digits = sum_of(results)
    year = re.match(r"\d{4}", made.date) if made else None
    version = versions(results) or __version__
    parted = r"\allowbreak ".join(re.findall(f".{{{GROUP}}}", digits))
    fields = {
        "author": f"{{{AUTHOR}}}",
        "title": f"{{{plain(TITLE)}}}",
        **({"year": year[0], "date": made.date[:10]} if made and year else {}),
        "version": plain(version),
        "howpublished": f"Measured records of Tollgate {plain(version)}",
        "note": "; ".join(
            [
                f"commit {plain(made.commit)}, measured {plain(made.date)} by "
                rf"\texttt{{{plain(made.command)}}} on {plain(made.host)}"
                if made
                else "commit and date not recorded",
                f"machines: {plain(machines(results))}",
                rf"SHA-256 of the records \texttt{{{parted}}}",
            ]
        ),
        "sha256": digits,
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{tollgate-{digits[:12]},\n{lines}\n}}"


KEYWORDS = ("system call", "x86", "operating system", "benchmark", "kernel entry")
ABSTRACT = (
    "A small operating system that boots on bare x86, i386 and amd64, and measures what it costs "
    "to enter ring 0, by every way in."
)


def zenodo(commit: str, version: str, seconds: int) -> dict[str, Any]:
    """What Zenodo asks of a deposit, in the names of its .zenodo.json; `seconds` is the commit's
    date (Unix time).  CITATION.cff says the same."""
    return {
        "title": TITLE,
        "upload_type": "software",
        "description": f"{ABSTRACT} Made of commit {commit}; SHA256SUMS has the sum of each file.",
        "creators": [{"name": AUTHOR}],
        "version": version,
        "publication_date": f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}",
        "access_right": "open",
        "license": "MIT",
        "language": "eng",
        "keywords": list(KEYWORDS),
    }


def main(arguments: Sequence[str]) -> int:
    """COMMIT VERSION SECONDS: print a release's .zenodo.json."""
    if len(arguments) != 3:
        print("usage: python -m tollgate.cite COMMIT VERSION SECONDS", file=sys.stderr)
        return 2
    commit, version, seconds = arguments
    print(json.dumps(zenodo(commit, version, int(seconds)), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
