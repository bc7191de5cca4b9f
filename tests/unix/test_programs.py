"""docs/programs.md: a program not made for Tollgate, in both rings, as described."""

import re
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT

from ..person import Person

PAGE = (ROOT / "docs" / "programs.md").read_text("utf-8")
ESCAPE = "\x1b"
WRITTEN = "- /tmp/note [Modified] 1/1"


@pytest.mark.long
def test_what_the_page_types(person: Person, busybox: bytes) -> None:
    """Its lines, and a person who types when the editor is ready, as its drawing shows. The editor
    takes a key that arrives with ESC for a part of ESC, and loses it.
    """

    def types(text: str, directory: Path) -> None:
        person.at_the_line(text, directory)
        if editor in text:
            for drawn, keys in (("- /tmp/note 1/1", f"ihello ring 0{ESCAPE}"), (WRITTEN, ":wq\n")):
                person.sees(drawn, directory)
                person.at_the_line(keys, directory)

    session = PAGE.partition("`ADD=` puts it into")[2].partition("The first line runs it")[0]
    typed = re.findall(r"^    / # (.+)$", session, re.M)
    assert [line.split()[-1] for line in typed] == [
        *("ps", "/trusted/busybox", "ps", "1", "}'", "/tmp/note", "exit")
    ]
    before, editor = typed[:-2], typed[-2]
    steps = [
        ("", f"sh /page; {editor}; echo; echo left\n"),
        ("left", "wc -c /tmp/note; cat /tmp/note; exit\n"),
    ]
    more = {"bin/busybox": busybox, "page": "\n".join([*before, ""]).encode()}
    said = person.works("amd64", steps, types, more)
    assert "not found" not in said
    assert re.search(r"^ +\d+ 0 +/bin/busybox ps$", said, re.M)
    assert re.search(r"^ +\d+ 0 +/trusted/busybox ps$", said, re.M)
    assert re.search(r"^ +\d+ +\d+ 0 +R .* /trusted/busybox top -b -n 1$", said, re.M)
    assert "up since the boot: 1\n" in said
    assert "13 /tmp/note\nhello ring 0\n" in said
