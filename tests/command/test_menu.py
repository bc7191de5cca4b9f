"""GRUB's menu and the page about it have the same entries."""

import re

from tollgate import suite_lists
from tollgate.machines.boot import ROOT

PAGE = ROOT / "docs" / "hardware.md"


def test_every_entry_of_the_menu_is_on_the_page() -> None:
    """All suites are on the page except those whose keys the menu itself shows."""
    keys = re.findall(r"(?m)^\s*menuentry .*--hotkey (\S+)", suite_lists.grub())
    entries = suite_lists.grub().count("menuentry ")
    others = set(keys) - {suite.key for suite in suite_lists.OFFERED}
    table = PAGE.read_text().partition("## The menu")[2].partition("\n## ")[0]
    assert len(set(keys)) == len(keys) == entries, "each entry has a key of its own"
    assert sorted(re.findall(r"(?m)^\| `(\w)` \|", table)) == sorted(others)


def test_every_suite_of_the_menu_says_how_far_it_is() -> None:
    """Every suite counts its rows by one function (user/lib/progress.h), under its own name."""
    menu = suite_lists.grub()
    named = re.findall(r"(?m)^set everything=suite=(\S+)", menu)[0].split(",")
    named += re.findall(r"start \$kernel \"?suite=(\w+)", menu)
    sources = "".join(file.read_text() for file in (ROOT / "user" / "suites").rglob("*.c"))
    for suite in set(named) - {"init"}:
        says = rf"(?:progress_(?:begin|walk)|measure|reads_measure)\(argv, \"{suite}\""
        says += rf"|suite = \"{suite}\""
        assert re.search(says, sources), suite
    assert "progress_walk(argv, suite, " in (ROOT / "user/lib/measure.c").read_text()
