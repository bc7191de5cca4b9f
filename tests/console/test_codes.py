"""The codes of a run, photographed and scanned: every value is restored, or it is an error."""

import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from rich.console import Console

from tollgate.records.codes import TOLL
from tollgate.records.fields import PART, SCANNED
from tollgate.records.format import MachineRun, load
from tollgate.records.packing import without_histogram
from tollgate.records.rules import faults
from tollgate.records.scan import find, scan

from .. import screens
from ..boot.test_iso import TEXT_SCREEN, Machine, asking, cd, iso, machine, smbios, uefi
from ..records.degrade import READABLE
from ..records.pictures import of_toll
from .test_pages import press, records, seated

__all__ = ["iso", "machine", "seated"]
"""Fixtures of theirs."""

LONG = pytest.mark.long
SAID = "code {} of {}: take a photo of each."


def stands(guest: Machine, text: str) -> bool:
    """Whether the serial line contains the text."""
    return text in guest.text()


def photograph(guest: Machine, photo: Callable[[int], Path]) -> list[Path]:
    """Use the menu: show the codes, take a photo of each, and go back."""
    press(guest, "c")
    guest.wait(lambda: "code 1 of " in guest.text())
    count = int(guest.text().rpartition("code 1 of ")[2].partition(":")[0])
    photos = []
    for number in range(1, count + 1):
        guest.wait(partial(stands, guest, SAID.format(number, count)))
        photos.append(photo(number))
        press(guest, "spc")
    guest.wait(lambda: guest.text().count(SAID.format(1, count)) == 2)
    press(guest, "q")
    guest.wait(lambda: "a side, made in " in guest.text())
    return photos


def screenshots(guest: Machine, folder: Path) -> list[Path]:
    """A picture of the screen for each code, as PNG."""

    def photo(number: int) -> Path:
        path = folder / f"{number}.png"
        guest.ask("screendump", filename=str(folder / "screen.ppm"))
        Image.open(folder / "screen.ppm").save(path)
        return path

    return photograph(guest, photo)


def back_from(guest: Machine, count: int, folder: Path) -> None:
    """Each of the automatic codes is photographed, and together they have all values."""
    photos = []
    for number in range(1, count + 1):
        guest.wait(partial(stands, guest, SAID.format(number, count)))
        photos.append(folder / f"{number}.png")
        guest.ask("screendump", filename=str(folder / "screen.ppm"))
        Image.open(folder / "screen.ppm").save(photos[-1])
    (sent,) = records(guest)
    (back,) = load(scan(photos, str(folder / "out"), Console(file=io.StringIO()))).runs
    same(back, sent)


def same(scanned: MachineRun, sent: MachineRun) -> None:
    """A whole boot is restored, except its histograms, and is marked as scanned."""
    head, *rest = (record.text for record in scanned.records)
    mark = b',"%s":%d}' % (SCANNED.encode(), scanned.run[SCANNED])
    assert head.endswith(mark)
    assert [head.removesuffix(mark) + b"}", *rest] == [
        without_histogram(record.text) for record in sent.records
    ]
    assert [fault.rule for fault in faults(scanned)] == [fault.rule for fault in faults(sent)]


def one_photo(guest: Machine, folder: Path) -> None:
    """A picture of the first page, shown without a key, contains the toll's records."""
    picture = folder / "first.png"

    def whole() -> bool:
        guest.ask("screendump", filename=str(folder / "screen.ppm"))
        image = Image.open(folder / "screen.ppm")
        image.save(picture)
        found = find(image, 1)
        return bool(found) and found[0].form == TOLL and len(found) == found[0].count

    guest.wait(whole)
    (sent,) = records(guest)
    (back,) = load(scan([picture], str(folder / "first"), Console(file=io.StringIO()))).runs
    assert back.run[PART] == "toll"
    head, *rest = (record.text for record in back.records)
    assert head.startswith(sent.records[0].text[:-1])
    assert rest == [without_histogram(r.text) for r in sent.records[1:] if of_toll(r.data)]
    assert [fault.rule for fault in faults(back)] == [fault.rule for fault in faults(sent)]


NO_KEYBOARD = ("-machine", "q35,i8042=off")


@LONG
@pytest.mark.parametrize(
    ("arch", "bios", "arguments"),
    [
        ("amd64", True, ()),
        pytest.param("i386", True, ("-cpu", "pentium3"), marks=pytest.mark.weekly),
        ("amd64", False, NO_KEYBOARD),
    ],
    ids=["pixels", "pentium3", "uefi-without-a-keyboard"],
)
def test_the_toll_leaves_by_one_photo_and_no_key(
    machine: Any, iso: Path, tmp_path: Path, arch: str, bios: bool, arguments: tuple[str, ...]
) -> None:
    firmware = () if bios else uefi(tmp_path)
    guest = machine(
        *firmware, *cd(iso), *smbios("both", "suite=toll,usystime samples=100"), *arguments
    )
    guest.wait(lambda: "What next?" in guest.text(), 100)
    one_photo(guest, tmp_path)
    first = [f"Tollgate 0.1.0, {arch}: what it costs"]
    first += [] if bios else [" 1/", "No keyboard answers here."]
    guest.wait(lambda: (page := guest.page()) and all(word in page for word in first))
    assert ("Keys, here:" in guest.text()) == (not bios)
    if not bios:
        guest.wait(lambda: "code 1 of " in guest.text())  # and automatically all codes


SILICON = ("-cpu", "Skylake-Client,-hypervisor")
"""Its figures are in cycles, and each row has counts that an emulator's lacks: longer records."""


@LONG
@pytest.mark.parametrize(("width", "height", "beside"), [(1024, 768, True), (800, 600, False)])
def test_a_smaller_screen_has_them_beside_the_page_or_in_turn_with_it(
    machine: Any, tmp_path: Path, width: int, height: int, beside: bool
) -> None:
    """A keyboard answers, but no key is pressed."""
    guest = machine(
        *cd(asking(tmp_path, width, height, 32)),
        *smbios("both", "suite=toll samples=100"),
        *SILICON,
    )
    guest.wait(lambda: "What next?" in guest.text(), 100)
    one_photo(guest, tmp_path)
    assert guest.photo()[:2] == (width, height)
    assert ("One photo of this page" in guest.page()) == beside
    assert "code 1 of " not in guest.text(), "nobody has asked for them"
    guest.wait(lambda: "Verdict: " in guest.page())


def menu(guest: Machine) -> None:
    """GRUB's menu has the entries of its picture; the text around them is GRUB's."""

    def entries() -> str:
        screen = guest.memory(TEXT_SCREEN, 80 * 25 * 2)[::2].decode("cp437")
        lines = [screen[at : at + 80] for at in range(0, len(screen), 80)]
        return "\n".join(line.strip(" *│\x18\x19") for line in lines if line[1:2] == "│")

    guest.wait(lambda: "executed automatically" in guest.text_screen())
    screens.same("menu", guest, entries())


def shown(guest: Machine, arch: str, words: str) -> None:
    """Let that architecture's kernel run on a framebuffer, up to its menu."""
    guest.press("a" if arch == "amd64" else "i")
    guest.wait(lambda: "What next?" in guest.text())


@LONG
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_codes_of_a_framebuffer_bring_every_value_back(
    machine: Any, iso: Path, arch: str, tmp_path: Path
) -> None:
    words = "suite=toll,framebuffer only=user/int samples=2"
    guest = machine(*cd(iso), *smbios("both", words))
    menu(guest)
    shown(guest, arch, words)
    one_photo(guest, tmp_path)
    photos = screenshots(guest, tmp_path)
    if screens.MAKES and arch == "i386":
        Image.open(photos[0]).convert("1").save(screens.FOLDER / "code.png", optimize=True)
    assert find(Image.open(screens.FOLDER / "code.png")), "docs/screens: make docs"
    (sent,) = records(guest)
    (back,) = load(scan(photos[::-1], str(tmp_path / "out"), Console(file=io.StringIO()))).runs
    same(back, sent)
    assert "ok 1 /dev/fb0 # 1280 x 1024, 32 bits" in guest.text()


@pytest.mark.parametrize("arch", ["amd64", pytest.param("i386", marks=LONG)])
def test_a_text_screen_has_half_blocks_or_says_what_helps(
    seated: Any, arch: str, tmp_path: Path
) -> None:
    guest = seated(arch, "suite=usystime,framebuffer samples=2", "-cpu", "EPYC")
    guest.wait(lambda: "What next?" in guest.text())
    assert "/dev/fb0: no such device here" in guest.text()

    def photo(number: int) -> Path:
        cells = guest.memory(0xB8000, 80 * 24 * 2)[::2]
        picture = Image.new("L", (80, 48), 0)
        for at, cell in enumerate(cells):
            for lower, lit in enumerate((b"\xdf\xdb", b"\xdc\xdb")):
                if bytes([cell]) in lit:
                    picture.putpixel((at % 80, at // 80 * 2 + lower), 255)
        path = tmp_path / f"{number}.png"
        picture.resize((800, 480), Image.Resampling.NEAREST).save(path)
        return path

    photos = photograph(guest, photo)
    (sent,) = records(guest)
    (back,) = load(scan(photos, str(tmp_path / "out"), Console(file=io.StringIO()))).runs
    same(back, sent)


@pytest.fixture(scope="session")
def taken(
    iso: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[Image.Image], MachineRun]]:
    """Real screens of one run, and its records."""
    folder = tmp_path_factory.mktemp("taken")
    guest = Machine(folder, *cd(iso), *smbios("both", "suite=toll,exceptions,faults samples=100"))
    try:
        shown(guest, "amd64", "")
        photos = screenshots(guest, folder)
        (sent,) = records(guest)
        yield [Image.open(photo).convert("L") for photo in photos], sent
    finally:
        guest.close()


@LONG
@pytest.mark.parametrize("name", READABLE)
def test_every_value_comes_back_from_a_bad_photo(taken: Any, name: str, tmp_path: Path) -> None:
    screens, sent = taken
    photos = []
    for number, screen in enumerate(screens):
        photos.append(tmp_path / f"{number}.png")
        READABLE[name](screen).save(photos[-1])
    (back,) = load(scan(photos, str(tmp_path / "out"), Console(file=io.StringIO()))).runs
    same(back, sent)
