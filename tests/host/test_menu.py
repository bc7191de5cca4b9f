"""GRUB's menu and the page about it name the same entries."""

from __future__ import annotations

import re

from tollgate.boot import ROOT

MENU = ROOT / "boot" / "grub.cfg"
PAGE = ROOT / "docs" / "hardware.md"


def test_every_entry_of_the_menu_is_on_the_page() -> None:
    keys = re.findall(r"(?m)^\s*menuentry .*--hotkey (\S+)", MENU.read_text())
    entries = MENU.read_text().count("menuentry ")
    table = PAGE.read_text().partition("## The menu")[2].partition("\n## ")[0]
    assert len(set(keys)) == len(keys) == entries, "each entry has a key of its own"
    assert sorted(re.findall(r"(?m)^\| `(\w)` \|", table)) == sorted(keys)
