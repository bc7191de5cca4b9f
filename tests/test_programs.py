"""docs/programs.md: a program that nobody has made for Tollgate, in both rings, as it says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tollgate.boot import ROOT

from .person import Person

PAGE = (ROOT / "docs" / "programs.md").read_text("utf-8")
ESCAPE = "\x1b"


@pytest.fixture
def busybox() -> bytes:
    path = shutil.which("busybox")
    if not path:
        pytest.skip("busybox is not installed; tools/setup.sh installs it")
    return Path(path).read_bytes()


@pytest.mark.long  # its typist and a busy host may miss each other
def test_what_the_page_types(person: Person, busybox: bytes) -> None:
    """Its lines, with somebody who knows when the editor is there and when it has the text."""
    session = PAGE.partition("`ADD=` puts it into")[2].partition("The first line runs it")[0]
    typed = re.findall(r"^    / # (.+)$", session, re.M)
    assert [line.split()[-1] for line in typed] == [
        *("ps", "/trusted/busybox", "ps", "1", "}'", "/tmp/note", "exit")
    ]
    before, editor = typed[:-2], typed[-2]
    signs = {f"{name}": f"\n{name}\n".encode() for name in ("there", "written")}
    later = f"({'; '.join(f'sleep 1; cat /{name}' for name in signs)}) &"
    page = "\n".join([*before, later, ""]).encode()
    more = {"bin/busybox": busybox, "page": page, **signs}
    steps = [
        ("", f"sh /page; {editor}; echo; echo left\n"),
        ("there", f"ihello ring 0{ESCAPE}"),
        ("written", ":wq\n"),
        ("left", "wc -c /tmp/note; cat /tmp/note; exit\n"),
    ]
    said = person.works("amd64", steps, person.at_the_line, more)
    assert "not found" not in said
    assert re.search(r"^ +\d+ 0 +/bin/busybox ps$", said, re.M)
    assert re.search(r"^ +\d+ 0 +/trusted/busybox ps$", said, re.M)
    assert re.search(r"^ +\d+ +\d+ 0 +R .* /trusted/busybox top -b -n 1$", said, re.M)
    assert "up since the boot: 1\n" in said
    assert "13 /tmp/note\nhello ring 0\n" in said
