"""The units that need no machine, on the host: each test is one binary of tests/unit.

Each builds its own binary, and no two share an object, so workers may run side by side; a lock
keeps two runs of one test from building at the same moment.
"""

import fcntl
import json
import os
import random
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run

OUT = BUILD / "unit"
UNITS = "json elf statistics noise counter html http rate cycle frame measure".split()
REAL_INPUT = {"elf": "*/console/true"}
"""The arguments of a unit: files of the build, by pattern."""


def built(unit: str) -> Path:
    """Build one binary and return its path; on failure report the compiler's output."""
    OUT.mkdir(parents=True, exist_ok=True)
    folder = ROOT / "tests" / "unit"
    out = os.path.relpath(OUT, folder)  # make takes no name with a space, and ROOT may have one
    with (OUT / f"{unit}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(
            ["make", "-s", "-C", folder, f"OUT={out}", f"{out}/{unit}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    if made.returncode:
        pytest.fail(f"{unit} does not build:\n{made.stdout}", pytrace=False)
    return OUT / unit


def output_of(binary: Path, *arguments: str | Path) -> str:
    """Run a binary and return its output; on failure report its errors."""
    options = {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    done = run([binary, *arguments], 60, env=options, merge=True)
    if done.returncode:
        pytest.fail(f"{binary.name}: status {done.returncode}\n{done.stdout}", pytrace=False)
    return done.stdout


@pytest.mark.parametrize("unit", UNITS)
def test_unit(unit: str) -> None:
    """Every cmocka test of the unit passes, and no sanitizer reports anything."""
    files: list[Path] = []
    if pattern := REAL_INPUT.get(unit):
        files = sorted(file for file in BUILD.glob(pattern) if OUT not in file.parents)
        assert files, f"build/{pattern}: no such file, and the test wants real ones; run `make`"
    assert "[  PASSED  ]" in output_of(built(unit), *files)


def test_record_is_json() -> None:
    """A record with every kind of value, as Python's zlib and json read it."""
    line = output_of(built("json"), "--print")
    start, body, checksum = line[0], line[1:-11], line[-9:-1]
    assert (start, line[-11:-9], line[-1]) == ("@", " *", "\n")
    assert f"{zlib.crc32(body.encode('ascii')):08x}" == checksum
    assert json.loads(body) == {
        "v": 1,
        "type": "check",
        "characters": "".join(map(chr, range(1, 256))),
        "empty": "",
        'a "key" with \\': "{[,",
        "lowest": -(2**63),
        "highest": 2**63 - 1,
        "cents": -0.05,
        "yes": True,
        "no": False,
        "object": {"empty": {}, "one": 1},
        "array": [[1, -2], []],
        "last": 0,
    }


class Text(HTMLParser):
    """The text of a page as Python parses it, without scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.data: list[str] = []
        self.raw = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.raw = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.raw = False

    def handle_data(self, data: str) -> None:
        if not self.raw:
            self.data.append(data)


PIECES = (
    *(
        "text ",
        "<p class='a > b'>one</p>",
        '<a href="?x=1&amp;y=>">two</a>',
        "<br>",
        "<hr />",
        "\n",
    ),
    *("<!-- a <b> -- comment -->", "<script>if (a < b && c) '</p>'</script>", "1 < 2 & 3 > 2"),
    *("<style>p > a { }</style>", "&lt;&copy;&Eacute;&#8364;&#x1f600;", "<td\nalign=left >", "ü€"),
    *("<!DOCTYPE html>", "<EM>loud</EM>", "&nbsp;&hellip;", "<input disabled value=x>", "&amp;lt;"),
)


def pages() -> list[str]:
    """Pages without errors: those of the tree, and 50 of pieces in random order."""
    order = random.Random(2000)
    made = ("".join(order.choices(PIECES, k=order.randrange(1, 60))) for _ in range(50))
    return [(ROOT / "user/pages/index.html").read_text(), *made]


def test_the_text_of_a_page_is_what_python_reads(tmp_path: Path) -> None:
    ends = "<p>the end of a page</p>\n"
    wanted, markup = [], []
    for page in pages():
        reader = Text()
        reader.feed(page + ends)
        reader.close()
        wanted.append("".join(reader.data))
        markup.append(page + ends)
    (tmp_path / "page.html").write_text("".join(markup), newline="")
    assert output_of(built("html"), "--text", tmp_path / "page.html") == "".join(wanted)
