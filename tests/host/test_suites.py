"""One table of the suites: all other places name the same."""

from __future__ import annotations

import re

from tollgate import suites
from tollgate.boot import ROOT
from tollgate.known import tabled


def test_every_suite_is_a_program() -> None:
    for name in suites.NAMES:
        place = ROOT / "user" / "suites" / name
        assert place.with_suffix(".c").is_file() or (place / "main.c").is_file(), name


def test_every_program_of_the_suites_is_in_the_table() -> None:
    """But two that no bench boots: kinds, which Linux runs as well, and a Linux's first program."""
    place = ROOT / "user" / "suites"
    there = {file.stem for file in place.glob("*.c")}
    there |= {file.parent.name for file in place.glob("*/main.c")}
    unknown = there - {*suites.NAMES, "kinds", "onlinux"}
    assert not unknown, "tools/tollgate/suites.py lacks it"


def test_help_and_readme_name_the_suites_of_the_table() -> None:
    said = re.search(r"^#[:-] +SUITE=(\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert said is not None
    assert said[1].split(",") == list(suites.NAMES)
    readme = (ROOT / "README.md").read_text().partition("| suite (")[2].partition("\n\n")[0]
    first = "".join(line.split("|")[1] for line in readme.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", first)) == set(suites.NAMES)


def test_the_kernel_runs_the_default_suites() -> None:
    said = re.search(r'\.suite = "([^"]*)"', (ROOT / "kernel" / "config.c").read_text())
    assert said is not None
    assert said[1].split(",") == [suite.name for suite in suites.TABLE if suite.default]


def test_both_menus_offer_the_suites_of_the_table() -> None:
    """And `kinds`, which is no suite of a bench: Linux runs it, too."""
    wanted = {suite.name for suite in suites.TABLE if suite.menu} | {"kinds"}
    short = wanted - {suite.name for suite in suites.TABLE if suite.minutes}
    grub = (ROOT / "boot" / "grub.cfg").read_text()
    page = (ROOT / "user" / "console" / "menu" / "choice.c").read_text()
    page = re.sub(r'"\s+"', "", page)  # one literal on two lines
    offered = {
        "boot/grub.cfg": re.findall(r'start \$kernel "?suite=(\w+)', grub),
        "user/console/menu/choice.c": re.findall(r'"suite=(\w+) only=', page),
    }
    for menu, names in offered.items():
        assert set(names) - {"init"} == wanted, menu
    everything = re.findall(r"(?:everything=|\"a?)suite=(\w+,[\w,]+)", grub + page)
    assert [set(each.split(",")) for each in everything] == [short, short]


def test_labels_are_the_papers_and_carried_on() -> None:
    """int80 to int83, and cg1 to cg4 as the others: by the variant's place, whatever is added."""
    short = {"int": "int8", "callgate": "cg", "sysenter": "sep", "syscall": "sys"}
    short |= {"call": "call", "site": "site", "samestack": "same"}
    variants = ("standard", "nowork", "service", "bare")
    for arch in ("i386", "amd64"):
        labels = tabled(arch)["toll"]
        assert len(labels) > 30
        for row, label in labels.items():
            _, way, variant = row.split("/")
            if way not in short or variant not in variants:
                continue
            place = variants.index(variant) + (way != "int")
            assert label == f"{short[way]}{place}", row
