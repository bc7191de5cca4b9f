"""A person at the machine after a run: the pages and the keys.

QEMU counts instructions here, so each page has exactly the records' figures.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, INITRD, KERNEL, ROOT
from tollgate.machines.child import run
from tollgate.records.format import RecordReader, group

from .. import screens
from ..boot.test_iso import TEXT_SCREEN, Machine

ARCHES = ("i386", "amd64")
VARIANTS = ("standard", "nowork", "service", "bare")
COUNTED = ("-cpu", "EPYC", "-icount", "shift=0,sleep=off")


@pytest.fixture
def seated(tmp_path: Path) -> Iterator[Callable[..., Machine]]:
    """A callable that starts a machine of an architecture with these words and no harness."""
    machines: list[Machine] = []

    def start(arch: str, words: str, *arguments: str) -> Machine:
        machines.append(
            Machine(
                tmp_path,
                *("-kernel", str(BUILD / KERNEL[arch]), "-initrd", str(BUILD / INITRD[arch])),
                *("-append", words, *arguments),
            )
        )
        return machines[-1]

    yield start
    for machine in machines:
        machine.close()


def press(guest: Machine, *keys: str) -> None:
    """Press keys of the PS/2 keyboard, one after the other."""
    for key in keys:
        guest.ask("send-key", keys=[{"type": "qcode", "data": key}])


def see(guest: Machine, text: str) -> str:
    """Wait until the screen has this text and no drawing is going on; return the whole screen."""
    screen = ""

    def stands() -> bool:
        nonlocal screen
        screen = guest.whole_screen()
        return text in screen

    guest.wait(stands)
    return screen


def records(guest: Machine) -> list[Any]:
    """The runs on the serial line so far."""
    reader = RecordReader()
    runs = group(reader.feed(guest.serial.read_bytes()) + reader.close())
    assert not reader.problems
    return runs


def answers(screen: str, results: list[dict[str, Any]]) -> None:
    """Every way in is there once, with the minimum and median of each of its variants."""
    ways: dict[str, dict[str, tuple[int, int]]] = {}
    for result in results:
        if result["suite"] == "toll":
            way, _, variant = result["id"].rpartition("/")
            ways.setdefault(way, {})[variant] = (result["min"], result["median"])
    assert len(ways) >= 8
    for way, costs in ways.items():
        (line,) = re.findall(rf"(?m)^{way} .*$", screen)
        figures = line.split()[1:]
        for variant in VARIANTS:
            for figure in costs.get(variant, ("-",)):
                assert figures.pop(0) == str(figure), line
        assert not figures


@pytest.mark.clocked
def test_what_is_not_certain_has_a_mark_in_the_table(seated: Any) -> None:
    """For any number on this host: the marked rows are those that the records name."""
    guest = seated("amd64", "suite=toll samples=100", "-cpu", "EPYC", "-accel", "tcg")
    see(guest, "Verdict: ")
    press(guest, "l")
    screen = see(guest, "Verdict: ")
    (run,) = records(guest)
    doubted = {noisy["id"] for noisy in run.noisy if noisy["suite"] == "toll"}
    doubted_ways = {noisy.rpartition("/")[0] for noisy in doubted}
    for result in run.results:
        way, _, variant = result["id"].rpartition("/")
        if result["suite"] != "toll" or variant not in VARIANTS or result["min"] < 0:
            continue
        (line,) = re.findall(rf"(?m)^{way} .*$", screen)
        marked = f"~{result['median']} " in line + " "
        assert marked or result["id"] not in doubted, line
        assert result["id"] in doubted or not marked or way in doubted_ways, line
    assert doubted or "~" not in screen
    if run.noisy:
        words = " ".join(screen.split())
        assert re.search(r"[Nn]ot certain: \d+ of the table, each with a ~", words), screen


@pytest.mark.parametrize("arch", ARCHES)
def test_a_run_ends_in_a_page_that_answers(seated: Any, arch: str) -> None:
    guest = seated(arch, "suite=toll samples=10", *COUNTED)
    see(guest, "Verdict: passed.")
    press(guest, "l")  # time passes fast on an idle machine: the pages turn at full speed
    screen = see(guest, "Verdict: passed.")
    (run,) = records(guest)
    assert f"Tollgate 0.1.0, {arch}: what it costs" in screen
    assert "AMD EPYC Processor" in screen
    assert "Minimum and median in instructions" in screen
    answers(screen, run.results)
    assert len(screen.splitlines()) == 25
    if arch == "amd64":
        screens.same("answer", guest, screen, figures=True)

    pages = int(re.findall(r"(?m)^ 1/(\d+) ", screen)[0])
    seen = ""
    for number in range(2, pages + 1):
        press(guest, "pgdn" if number % 2 else "spc")
        seen += see(guest, f" {number}/{pages} ")
        if (arch, number) == ("amd64", 2):
            screens.same("detail", guest, guest.text_screen(), figures=True)
    for result in run.results:
        figures = rf"{result['n']} +{result['min']} +{result['median']} +{result['p99']}$"
        assert re.search(rf"(?m)^{result['id']} .* {figures}", seen), result["id"]
    assert seen.count("Not here") == len({(s["id"].split("/")[0], s["reason"]) for s in run.skips})
    press(guest, "pgdn")
    assert see(guest, f" 1/{pages} ") == screen, "no letter of another page stays"
    press(guest, "pgup")
    see(guest, f" {pages}/{pages} ")

    press(guest, "p", "home")
    assert see(guest, " lines 1 to 24 ").startswith(f"Tollgate 0.1.0, {arch}.\n")
    press(guest, "pgdn")
    see(guest, " lines 25 to 48 ")
    press(guest, "q", "s")
    see(guest, "/ #")
    press(guest, *"echo", "spc", *"shell", "ret", *"exit", "ret")
    see(guest, f" {pages}/{pages} ")
    assert "\nshell" in guest.text().replace("\r", "")
    press(guest, "o")
    guest.wait(lambda: guest.ask("query-status")["status"] == "shutdown")


@pytest.mark.long
def test_a_screen_is_the_same_whatever_stood_there_before(seated: Any) -> None:
    """All 80 by 25 cells are compared after each pair of keys, on the pages and in the text."""
    guest = seated("i386", "suite=toll,exceptions samples=2", *COUNTED)
    see(guest, "Verdict: ")
    seen: dict[str, str] = {}

    def is_known_or_new() -> bool:
        screen = guest.whole_screen()
        name = re.search(r"\n (\d+/\d+|lines \d+ to \d+) .*(?:o off|q: back)$", screen)
        return name is not None and seen.setdefault(name[1], screen) == screen

    press(guest, "l")
    keys = ("pgdn", "pgup", "spc", "p", "end", "home", "q")
    for pair in product(keys, repeat=2):
        for key in pair:
            press(guest, key)
            guest.wait(is_known_or_new)
    assert len([name for name in seen if "/" in name]) >= 4
    assert len(seen) >= 8


@pytest.mark.long
def test_the_pictures_are_what_the_screens_show() -> None:
    """`make docs` takes them in tests, which compare each with its machine."""
    tests = ("tests/console/test_pages.py", "tests/console/test_codes.py")
    words = ("-k", "(answers or progress or (framebuffer and i386)) and not pictures")
    done = run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, *tests],
        100,
        cwd=ROOT,
        env={**os.environ, "SCREENS": screens.COMPARES},
    )
    assert done.returncode == 0, done.stdout[-3000:]


DRAWN = re.compile(rb"addr 0xb8f02 value 0x3([1-9]) .*'vga-lowmem'")
"""QEMU's log line for the second letter of the screen's last line: the number of a page."""


@pytest.mark.long
def test_pages_turn_by_themselves_until_a_key_is_pressed(seated: Any, tmp_path: Path) -> None:
    """Every second one is the first. And `b` resets the machine: its loader starts the kernel.

    The machine is idle, so its ten seconds pass quickly, and polling could miss a page: QEMU logs
    the drawing.
    """
    log = tmp_path / "drawn"
    guest = seated("i386", "suite=toll,exceptions samples=2", *COUNTED, "-D", str(log))
    guest.ask("trace-event-set-state", name="memory_region_ops_write", enable=True)
    guest.wait(lambda: len(DRAWN.findall(log.read_bytes())) >= 8)
    assert b"".join(DRAWN.findall(log.read_bytes()))[:8] == b"12131415"
    press(guest, "b")
    guest.wait(lambda: guest.text().count("Tollgate 0.1.0, i386.") == 2)


WRITE = re.compile(rb"addr 0x(b[89][0-9a-f]{3}) value 0x([0-9a-f]+) size (\d)")
"""QEMU's log line for cells of the screen."""
ROW = re.compile(r"toll: row (\d+) of (\d+) \(user/\w+/\w+\), program 1 of 2(, about \d+ s left)?")


def drawn(log: bytes) -> Iterator[tuple[str, str]]:
    """The first and the last line of the screen, each time before the last one is redrawn."""
    cells, last, before = bytearray(b"  " * 80 * 25), 80 * 24 * 2, 0
    for write in WRITE.finditer(log):
        at, size = int(write[1], 16) - TEXT_SCREEN, int(write[3])
        if last <= at < before:
            first, final = (cells[line : line + 160 : 2].decode("latin-1") for line in (0, last))
            yield first.rstrip(), final.rstrip()
        before = at if at >= last else before
        cells[at : at + size] = int(write[2], 16).to_bytes(8, "little")[:size]


def test_progress_is_on_the_screen_and_nowhere_else(seated: Any, tmp_path: Path) -> None:
    """A row's progress is soon replaced, so it is read from QEMU's log, except for a picture."""
    log = tmp_path / "drawn"
    if screens.MAKES:
        guest = seated("i386", "suite=toll samples=20000", *COUNTED)
        guest.wait(lambda: "user/callgate/standard" in guest.text_screen())
        guest.ask("stop")
        screens.take("run", guest, guest.text_screen().splitlines()[0])
        return
    traced = ("-trace", "memory_region_ops_write", "-D", str(log))
    guest = seated("i386", "suite=toll samples=2 only=user/int/", *COUNTED, *traced)
    guest.wait(lambda: '"type":"end"' in guest.text())
    said = [
        (first, found) for first, last in drawn(log.read_bytes()) if (found := ROW.fullmatch(last))
    ]
    rows = list(dict.fromkeys((int(found[1]), int(found[2])) for _, found in said))
    (run,) = records(guest)
    there = [row for row in run.results if row["suite"] == "toll"]
    assert len(rows) == len(there) >= len(VARIANTS)
    assert rows == [(number, len(rows)) for number in range(1, len(rows) + 1)]
    screens.same("run", guest, said[0][0])
    assert "toll: row" not in guest.text()


def test_no_record_is_on_the_screen(seated: Any) -> None:
    """Records are left out, and so is the number of NMIs: the serial line has both."""
    guest = seated("amd64", "suite=starve samples=1 only=nmi", *COUNTED)
    see(guest, "Verdict:")
    assert re.search(r"\n[0-9]+ NMIs were taken\.", guest.text().replace("\r", ""))
    press(guest, "p")
    screen = see(guest, "q: back")
    assert "@" not in screen
    assert "NMIs" not in screen
    assert "tollgate: passed" in screen
