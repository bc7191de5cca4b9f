"""The ISO on common firmware, the screen's contents, and boots that must be refused.

The machines here have no isa-debug-exit: they power off, which QEMU turns into a pause, so that
memory and screen can be read at the end.
"""

import contextlib
import gzip
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tollgate import suite_lists
from tollgate.machines.boot import BUILD, INITRD, KERNEL, ROOT, SYMBOLS
from tollgate.machines.child import Child
from tollgate.machines.clock import Clock
from tollgate.machines.outcome import Outcome
from tollgate.records.format import MachineRun, RecordReader, group

OVMF = Path("/usr/share/OVMF")
FONT = Path("/usr/share/consolefonts/Uni2-VGA16.psf.gz")
SHORT = "suite=usystime samples=10 then=stop"
ENDS = ("tollgate: passed", "tollgate: noisy: ")
"""Beginnings of the last line: the counter is the host's clock, and a busy host makes it noisy."""
SOON = ("-icount", "shift=7,sleep=off")
"""A machine with few instructions per second, so that GRUB's three seconds end soon."""
SLOW = ("-icount", "shift=5,sleep=on")
"""31 million instructions per second, because firmware waits by computing."""
LIT = bytes([0]) + bytes([1]) * 255
DIGITS = b"01" + bytes(254)
"""A table that converts pixels to bits, and bits to digits."""
SCREEN = (1280, 1024)
"""The screen that the kernels request from the loader (boot/multiboot.asm)."""
TEXT_SCREEN = 0xB8000
FRAMEBUFFER = 0xFD000000
"""Physical addresses; SeaBIOS puts the VGA memory of QEMU's machine `pc` there."""


def spread(line: bytes, scale: int) -> bytes:
    """The screen lines for one line of letters' pixels."""
    return b"".join(bytes([pixel]) * scale for pixel in line) * scale


def linked(directory: Path, argument: str | Path) -> str:
    """A path without a space for a file: a kernel's path is the first word of its command line."""
    argument, name = str(argument), Path(argument).name
    if " " not in argument or not Path(argument).is_file():
        return argument
    (directory / name).unlink(missing_ok=True)
    (directory / name).symlink_to(argument)
    return name


class Machine:
    """A QEMU with its serial line in a file and its monitor on a pipe.

    An instruction takes two ticks, unless the arguments contain another -icount or -accel: then the
    kernel must treat it as a clock.  Only waiting depends on the host.
    """

    def __init__(self, directory: Path, *arguments: str, line: str = "file:serial.log") -> None:
        self.directory = directory
        self.serial = directory / "serial.log"
        self._child = Child(
            [
                *("qemu-system-x86_64", "-nodefaults", "-vga", "std"),
                *("-display", "none", "-m", "64"),
                *("-serial", line, "-qmp", "stdio", "-no-shutdown"),
                *(linked(directory, argument) for argument in arguments),
                *(() if {"-icount", "-accel"} & {*arguments} else ("-icount", "shift=1,sleep=on")),
            ],
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ask("qmp_capabilities")

    def close(self) -> None:
        """End the emulator."""
        self._child.close()

    def ask(self, command: str, **arguments: Any) -> Any:
        """QEMU's answer to a QMP command; events before it are dropped."""
        qemu = self._child.process
        assert qemu.stdin is not None
        assert qemu.stdout is not None
        qemu.stdin.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        qemu.stdin.flush()
        for line in qemu.stdout:
            answer = json.loads(line)
            assert "error" not in answer, answer
            if "return" in answer:
                return answer["return"]
        pytest.fail(f"QEMU left instead of answering {command}")

    def text(self) -> str:
        """The serial output so far."""
        return self.serial.read_text("utf-8", "replace") if self.serial.exists() else ""

    def wait(self, condition: Callable[[], bool], seconds: float = 200) -> float:
        """Wait until the condition holds, for `seconds` that QEMU could use; return those used."""
        clock = Clock(self._child.pid)
        while not condition():
            if clock.read() > seconds:
                pytest.fail("no progress; the serial line ends:\n" + self.text()[-2000:])
            time.sleep(0.05)
        return clock.read()

    def press(self, key: str, boots: int = 0) -> None:
        """Press a key when GRUB's menu has appeared after this many boots."""

        def there() -> bool:
            *before, last = self.text().split("Tollgate 0.")
            return len(before) >= boots and "starvation unprotected" in last

        self.wait(there)
        self.ask("send-key", keys=[{"type": "qcode", "data": key}])

    def finish(self) -> list[MachineRun]:
        """Wait for the power-off; return the records of every boot until then."""
        self.wait(lambda: self.ask("query-status")["status"] == "shutdown")
        reader = RecordReader()
        runs = group(reader.feed(self.serial.read_bytes()) + reader.close())
        assert not reader.problems
        return runs

    def memory(self, address: int, size: int) -> bytes:
        """Part of physical memory."""
        path = self.directory / "memory"
        self.ask("pmemsave", val=address, size=size, filename=str(path))
        return path.read_bytes()

    def text_screen(self) -> str:
        """The text on the VGA text screen."""
        cells = self.memory(TEXT_SCREEN, 80 * 25 * 2)[::2].decode("latin-1")
        return "\n".join(cells[i : i + 80].rstrip() for i in range(0, len(cells), 80))

    @contextlib.contextmanager
    def stopped(self) -> Iterator[bool]:
        """The machine is stopped. True if its processor was idle, so the drawing is complete."""
        self.ask("stop")
        yield "HLT=1" in self.ask("human-monitor-command", **{"command-line": "info registers"})
        self.ask("cont")

    def whole_screen(self) -> str:
        """The text on the VGA text screen while the processor waits, or "" while it works."""
        with self.stopped() as waits:
            return self.text_screen() if waits else ""

    def photo(self) -> tuple[int, int, bytes]:
        """A picture of the screen: columns, rows, and the red value of each pixel."""
        path = self.directory / "screen.ppm"
        self.ask("screendump", filename=str(path))
        head, size, most, body = path.read_bytes().split(b"\n", 3)
        assert (head, most) == (b"P6", b"255")
        width, height = map(int, size.split())
        return width, height, body[::3]

    def pixels(self, size: tuple[int, int] = SCREEN) -> bytes:
        """The pixels of the framebuffer: 1 for each that is lit, otherwise 0."""
        *found, red = self.photo()
        assert tuple(found) == size
        return red.translate(LIT)

    def page(self, scale: int = 1) -> str:
        """The text on a pixel screen of any size, next to codes, even while it is drawn."""
        width, _, red = self.photo()
        return self._letters(red.translate(LIT), width, scale, lambda _: " ")

    def pixel_screen(self, size: tuple[int, int] = SCREEN, scale: int = 1) -> str:
        """The text on the framebuffer, glyph by glyph; every pixel must belong to one.

        A letter's pixel is a square of `scale` by `scale`; inverse rows are recognised, too.
        """
        lit = self.pixels(size)
        lines = [lit[at : at + size[0] : scale] for at in range(0, len(lit), size[0] * scale)]
        assert scale == 1 or lit == b"".join(spread(line, scale) for line in lines)

        def none(cell: bytes) -> str:
            pytest.fail(f"no letter: {cell.hex()}")

        return self._letters(lit, size[0], scale, none)

    def _letters(self, lit: bytes, across: int, scale: int, none: Callable[[bytes], str]) -> str:
        """The rows of letters in a picture; `none` gives the letter for an unknown cell."""
        lines = [lit[at : at + across : scale] for at in range(0, len(lit), across * scale)]
        width = across // scale // 8 * 8
        lines = [line[:width] for line in lines]
        digits = b"".join(lines).translate(DIGITS)
        bits = int(digits, 2).to_bytes(len(digits) // 8, "big")
        font = gzip.decompress(FONT.read_bytes())[4:]
        letters = {font[code * 16 : code * 16 + 16]: chr(code) for code in range(0x20, 0x7F)}
        letters |= {bytes(255 - line for line in glyph): c for glyph, c in letters.items()}
        rows = []
        bytes_each = width // 8
        for at in range(0, len(bits) // (16 * bytes_each) * 16 * bytes_each, 16 * bytes_each):
            cells = [bits[at + x : at + 16 * bytes_each : bytes_each] for x in range(bytes_each)]
            rows.append("".join(letters.get(c) or none(c) for c in cells).rstrip())
        return "\n".join(rows)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Callable[..., Machine]]:
    """A callable that starts a machine with these QEMU arguments."""
    machines: list[Machine] = []

    def start(*arguments: str, **options: str) -> Machine:
        machines.append(Machine(tmp_path, *arguments, **options))
        return machines[-1]

    yield start
    for started in machines:
        started.close()


@pytest.fixture(scope="session")
def iso(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The general ISO: from `make iso`, or a new one if the build is newer."""
    made = BUILD / "tollgate.iso"
    parts = [BUILD / name for name in (*SYMBOLS.values(), *INITRD.values())]
    if made.exists() and made.stat().st_mtime >= max(part.stat().st_mtime for part in parts):
        return made
    return make_iso(tmp_path_factory.mktemp("iso") / "tollgate.iso")


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The general ISO for unattended use: its menu already has words."""
    path = tmp_path_factory.mktemp("alone") / "tollgate.iso"
    return make_iso(path, menu="then=stop suite=toll,exceptions,faults,usystime")


def make_iso(path: Path, *words: str, build: Path = BUILD, menu: str = "") -> Path:
    """An ISO by tools/iso.sh, with the kernels in `build`, and these words in its menu."""
    environment = {**os.environ, "BUILD": str(build), "WORDS": menu}
    subprocess.run([ROOT / "tools/iso.sh", path, *words], check=True, env=environment)
    return path


def smbios(arch: str, words: str = SHORT) -> tuple[str, str]:
    """The option that makes the ISO's menu choose without a key."""
    words = words.replace(",", ",,")
    return "-smbios", f"type=1,product=tollgate,version={arch},serial={words}"


def cd(iso: Path) -> tuple[str, ...]:
    """The ISO as a CD."""
    return "-cdrom", str(iso)


def stick(iso: Path) -> tuple[str, ...]:
    """The ISO as a USB stick."""
    return (
        *("-device", "qemu-xhci", "-device", "usb-storage,drive=stick"),
        *("-drive", f"if=none,id=stick,format=raw,file={iso},readonly=on"),
    )


def uefi(directory: Path) -> tuple[str, ...]:
    """UEFI firmware with unwritten variables."""
    shutil.copyfile(OVMF / "OVMF_VARS_4M.fd", directory / "vars.fd")
    return (
        *("-drive", f"if=pflash,format=raw,readonly=on,file={OVMF}/OVMF_CODE_4M.fd"),
        *("-drive", "if=pflash,format=raw,file=vars.fd"),
        *("-m", "96"),  # it needs some 40 MiB itself, and GRUB needs room for the programs
        *SLOW,
    )


def passed(run: MachineRun) -> bool:
    """Whether a boot ended without a failed check and without a lost record."""
    return run.end is not None and run.end["failed"] == 0 and not run.lost


def ended(screen: str) -> bool:
    """Whether the screen has the last line of a boot without failures."""
    return any(line.startswith(ENDS) for line in screen.splitlines())


@pytest.mark.long
def test_image_is_small_and_reproducible(iso: Path, tmp_path: Path) -> None:
    assert iso.stat().st_size < 9 << 20
    assert make_iso(tmp_path / "again.iso").read_bytes() == iso.read_bytes()


@pytest.mark.long
@pytest.mark.parametrize(
    ("medium", "arch"),
    [pytest.param(cd, "i386", id="cd-i386"), pytest.param(stick, "amd64", id="stick-amd64")],
)
def test_bios(machine: Any, iso: Path, medium: Any, arch: str) -> None:
    guest = machine(*medium(iso), *smbios(arch))
    (run,) = guest.finish()
    assert passed(run)
    assert (run.run["arch"], run.run["firmware"]) == (arch, "multiboot1")
    assert run.run["cmdline"] == SHORT
    screen = guest.text_screen()
    assert ended(screen)
    assert f"Tollgate 0.1.0, {arch}." in screen
    assert "@" not in screen


@pytest.mark.long
@pytest.mark.parametrize(("medium", "arch"), [(cd, "i386"), (stick, "amd64")], ids=["cd", "stick"])
def test_uefi(machine: Any, iso: Path, medium: Any, arch: str, tmp_path: Path) -> None:
    guest = machine(*uefi(tmp_path), *medium(iso), *smbios(arch))
    (run,) = guest.finish()
    assert passed(run)
    assert (run.run["arch"], run.run["firmware"]) == (arch, "multiboot2 uefi")
    assert run.run["state"]["system"].endswith(f"; tollgate; {arch}"), "by UEFI's own table"
    screen = guest.pixel_screen()
    assert ended(screen)
    assert "@" not in screen


@pytest.mark.long
def test_framebuffer_scrolls(machine: Any, iso: Path) -> None:
    """More lines than the screen has: the last ones are complete, the first are gone."""
    guest = machine(*cd(iso), *smbios("both", "suite=toll,toll samples=1 then=stop"))
    guest.press("a")
    (run,) = guest.finish()
    assert run.run["firmware"] == "multiboot2 bios"
    text = guest.text().partition("Tollgate 0.")[2]
    said = [line for line in text.splitlines() if not line.startswith("@")]
    rows = [line[i : i + 160] for line in said for i in range(0, max(len(line), 1), 160)]
    assert len(rows) > 63
    assert guest.pixel_screen().splitlines() == rows[-63:]


def asking(
    folder: Path, width: int, height: int, depth: int, trees: dict[str, bytes] | None = None
) -> Path:
    """An ISO of kernels whose Multiboot header requests another screen; with initrds of our own."""
    asks = struct.Struct("<HHIIII")  # type, flags, size, width, height, depth
    for name in (*SYMBOLS.values(), *INITRD.values()):
        (folder / name).parent.mkdir(exist_ok=True)
        content = (BUILD / name).read_bytes()
        header = asks.pack(5, 1, 20, *SCREEN, 32)
        (folder / name).write_bytes(
            content.replace(header, asks.pack(5, 1, 20, width, height, depth))
        )
    for arch, tree in (trees or {}).items():
        (folder / INITRD[arch]).write_bytes(tree)
    return make_iso(folder / "other.iso", build=folder)


@pytest.mark.long
@pytest.mark.parametrize("depth", [16, 24])
def test_framebuffer_depths(machine: Any, tmp_path: Path, depth: int) -> None:
    guest = machine(*cd(asking(tmp_path, 1024, 768, depth)), *smbios("both"))
    guest.press("a")
    guest.finish()
    screen = guest.pixel_screen((1024, 768))
    assert ended(screen)
    frame = guest.memory(FRAMEBUFFER, 1024 * 768 * depth // 8)
    size = depth // 8
    parts = [frame[at::size].translate(LIT) for at in range(size)]
    assert bytes(map(max, *parts)) == guest.pixels((1024, 768))


@pytest.mark.long
@pytest.mark.limit(900)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_large_framebuffer_keeps_interrupts_off_no_longer(
    machine: Any, suites: Any, tmp_path: Path, arch: str
) -> None:
    """The suite latency, with a screen on which each character is 128 pixels of four bytes."""
    trees = {name: suites(name, "latency", folders=("bin",)) for name in INITRD}
    guest = machine(
        *cd(asking(tmp_path, 1920, 1080, 32, trees)),
        *smbios("both", "suite=latency platform=qemu-icount then=stop"),
        *("-global", "VGA.vgamem_mb=64", "-m", "256", "-cpu", "EPYC"),
        *("-accel", "tcg", "-icount", "shift=0,sleep=off"),
    )
    guest.press(arch[0])
    guest.wait(lambda: '"type":"end"' in guest.text(), 600)
    (run,) = guest.finish()
    rows = [record.data for record in run.records if record.data.get("suite") == "latency"]
    longest = {row["id"]: row["max"] for row in rows if not row["id"].endswith("/quiet/off")}
    assert ended(guest.pixel_screen((1920, 1080)))
    assert {"user/write/off", "user/execve/off"} <= longest.keys()
    assert {name: length for name, length in longest.items() if length > 50_000} == {}


def pairs(*keys: str) -> Iterator[str]:
    """Each pair of keys once, one behind the other (a de Bruijn sequence)."""
    for at, key in enumerate(keys):
        yield key
        for behind in keys[at + 1 :]:
            yield from (key, behind)
    yield keys[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "height", "scale", "arch"),
    [
        *((640, 480, 1, "i386"), (800, 600, 1, "amd64"), (1024, 768, 1, "i386")),
        *((1280, 1024, 1, "amd64"), (1920, 1080, 1, "amd64"), (3840, 2160, 2, "i386")),
    ],
)
def test_framebuffer_sizes(
    machine: Any, tmp_path: Path, width: int, height: int, scale: int, arch: str
) -> None:
    """The page fits on the smallest and the largest screen; on the largest, letters are magnified.

    After every pair of keys the whole picture is the one that was drawn first.
    """
    guest = machine(
        *cd(asking(tmp_path, width, height, 32)),
        *smbios("both", "suite=toll samples=20"),
        *("-global", "VGA.vgamem_mb=64", "-m", "256"),
    )
    guest.press(arch[0])
    guest.wait(lambda: "What next?" in guest.text(), 100)

    def screen() -> str:
        assert guest.photo()[:2] == (width, height)
        return str(guest.page(scale))

    guest.ask("send-key", keys=[{"type": "qcode", "data": "l"}])  # pages turn automatically
    guest.wait(lambda: "Verdict: " in screen())
    assert f"Tollgate 0.1.0, {arch}: what it costs" in screen()
    assert "user/int" in screen()
    assert len(screen().splitlines()) == height // (16 * scale)

    known: dict[bytes, str] = {}

    def is_known_or_new() -> bool:
        with guest.stopped() as waits:
            picture = hashlib.sha256(guest.photo()[2]).digest()
            if waits and picture not in known:
                name = re.findall(r"\n (\d+/\d+|lines \d+ to \d+) ", screen())[-1]
                assert name not in known.values(), "two pictures of one page"
                known[picture] = name
            return bool(waits)

    for key in pairs("pgdn", "pgup", "spc", "p", "end", "home", "q") if scale == 1 else ():
        guest.ask("send-key", keys=[{"type": "qcode", "data": key}], **{"hold-time": 1})
        guest.wait(is_known_or_new)
    assert scale > 1 or len(known) >= 4


@pytest.mark.long
def test_without_a_screen_the_line_says_so(machine: Any, iso: Path, tmp_path: Path) -> None:
    """UEFI passes none. (A BIOS always has one; GRUB itself stops in a mode with a palette.)"""
    guest = machine(*uefi(tmp_path), *cd(iso), *smbios("amd64"), "-vga", "none")
    (run,) = guest.finish()
    assert passed(run)
    assert (
        "The loader has found no screen: nothing is shown on it, all is said on the serial line "
        "(COM1)."
    ) in guest.text()


@pytest.mark.long
def test_pixels_without_memory_are_not_used(machine: Any, iso: Path) -> None:
    """GRUB's 1280x1024 needs more than the screen's 1 MiB, and behind that are other addresses."""
    guest = machine(*cd(iso), *smbios("both", "suite=toll then=stop"), "-global", "VGA.vgamem_mb=1")
    guest.press("a")
    (run,) = guest.finish()
    assert passed(run)
    assert "This screen has less memory than pixels" in guest.text()


@pytest.mark.long
@pytest.mark.limit(600)
def test_a_plain_machine_answers_and_stays(machine: Any, iso: Path) -> None:
    """A plain machine, without words, keys or harness: GRUB's words, the kernel's, and the page."""
    guest = machine(*cd(iso), "-m", "256")
    guest.wait(lambda: "Verdict: " in guest.page(), 200)
    assert "user/syscall" in guest.page()
    guest.wait(lambda: "code 1 of " in guest.page())
    guest.wait(lambda: "Verdict: " in guest.page())  # every second page is the first one
    guest.wait(lambda: "code 2 of " in guest.page())
    assert guest.ask("query-status")["status"] == "running"
    for key in ("p", "home"):
        guest.ask("send-key", keys=[{"type": "qcode", "data": key}])
    guest.wait(lambda: guest.page().startswith("Tollgate 0.1.0, amd64.\n"))
    grub = guest.text().partition("Tollgate 0.1.0")[0]
    assert "the amd64 kernel and its programs are being loaded" in grub
    assert "Tollgate: it starts." in grub


@pytest.mark.long
@pytest.mark.limit(900)
def test_behind_everything_the_codes_come_by_themselves(
    machine: Any, iso: Path, tmp_path: Path
) -> None:
    """All codes, on pixels, until a key is pressed; together they contain the whole run."""
    from ..console.test_codes import back_from

    guest = machine(*cd(iso), *smbios("both", f"{everything()} samples=2"), "-m", "256")
    guest.press("a")
    guest.wait(lambda: "code 1 of " in guest.text(), 200)
    count = int(guest.text().rpartition("code 1 of ")[2].partition(":")[0])
    back_from(guest, count, tmp_path)
    guest.wait(lambda: "a side, made in " in guest.text())
    guest.wait(lambda: re.search(r" 2/\d+ PgUp", guest.page()))


@pytest.mark.long
def test_a_text_screen_says_what_would_have_room(machine: Any, iso: Path) -> None:
    """The message stays to the end, because the codes are tried only once."""
    guest = machine(*cd(iso), *smbios("both", f"{everything()} samples=2"), "-m", "256")
    guest.press("p")
    guest.press("a")
    guest.wait(lambda: "codes: a text screen is too small for these records" in guest.text(), 200)
    guest.wait(lambda: re.search(r" 2/\d+ PgUp", guest.text_screen()))


def everything() -> str:
    """The suites of "everything" in the menu."""
    return f"suite={suite_lists.EVERYTHING}"


@pytest.mark.long
def test_both_in_turn(machine: Any, iso: Path) -> None:
    guest = machine(*cd(iso), *smbios("both"))
    guest.press("b")
    guest.press("ret", boots=1)
    first, second = guest.finish()
    assert passed(first)
    assert passed(second)
    assert [first.run["arch"], second.run["arch"]] == ["i386", "amd64"]
    assert first.run["cmdline"] == f"{SHORT} then=reset"


@pytest.mark.long
@pytest.mark.parametrize(("cpu", "arch"), [("qemu64", "amd64"), ("pentium3", "i386")])
def test_starvation_unprotected_is_reported_after_the_reset(
    machine: Any, iso: Path, cpu: str, arch: str
) -> None:
    guest = machine("-cpu", cpu, *cd(iso), *smbios("none"))
    guest.press("s")
    guest.press("ret", boots=1)
    first, second = guest.finish()
    assert first.run["cmdline"] == f"{SHORT} suite=starve only=unprotected"
    assert ("both in turn" in guest.text()) == (arch == "amd64"), "pentium3 has no long mode"
    assert first.end is None
    assert passed(second)
    sentence = f"The boot before this one, of {arch}, let a trusted program starve"
    assert guest.text().count(sentence) == 1
    assert sentence in guest.text().rpartition("\ntollgate: ")[0].rpartition("Tollgate 0.")[2]


@pytest.mark.long
def test_menu_without_long_mode(machine: Any, iso: Path) -> None:
    """A processor without long mode is offered only i386, and gets it without a key."""
    guest = machine("-cpu", "pentium3", *SOON, *cd(iso), *smbios("none"))
    (run,) = guest.finish()
    assert run.run["arch"] == "i386"
    assert "both in turn" not in guest.text()


@pytest.mark.long
@pytest.mark.parametrize(("arch", "model"), [("i386", "pentium"), ("amd64", "corei7_haswell_4770")])
def test_bochs(boot: Any, alone: Path, arch: str, model: str) -> None:
    result = boot(arch, platform=f"bochs:{model}", iso=alone)
    assert result.outcome is Outcome.PASS, result.reason
    assert result.run["arch"] == arch


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_quick_image(machine: Any, tmp_path: Path, arch: str) -> None:
    quick = make_iso(tmp_path / "quick.iso", arch, *SHORT.split(), "model=a;$b")
    guest = machine(*cd(quick))
    (run,) = guest.finish()
    assert passed(run)
    assert run.run["arch"] == arch
    assert run.run["cmdline"] == f"{SHORT} model=a;$b"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_boots_with_32_mib(boot: Any, arch: str) -> None:
    assert boot(arch, cmdline=SHORT, memory=32).outcome is Outcome.PASS


@pytest.mark.long
@pytest.mark.parametrize("memory", ["16", pytest.param("17", marks=pytest.mark.long)])
def test_a_cd_boots_with_16_mib(machine: Any, iso: Path, memory: str) -> None:
    """A Pentium's memory; GRUB unpacks the initrd in it, too."""
    guest = machine(*cd(iso), "-cpu", "pentium", "-m", memory, *smbios("i386"))
    (run,) = guest.finish()
    assert passed(run)


def test_what_grub_cannot_load_does_not_start(machine: Any, tmp_path: Path) -> None:
    large = asking(tmp_path, *SCREEN, 32, {arch: bytes(12 << 20) for arch in SYMBOLS})
    guest = machine(*cd(large), "-cpu", "pentium", "-m", "12", *smbios("i386"), *SOON)
    guest.wait(lambda: "Tollgate: GRUB could not load it; its reason stands above." in guest.text())
    assert "Tollgate: it starts." not in guest.text()


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_no_file_tree(machine: Any, arch: str) -> None:
    guest = machine("-kernel", str(BUILD / KERNEL[arch]))
    sentence = "tollgate: no initrd: pass build/"
    guest.wait(lambda: sentence in guest.text_screen(), 10)
    assert sentence in guest.text()
    assert guest.ask("query-status")["status"] == "running", "the sentence stays"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.parametrize("part", [0.001, 0.5, 0.999])
def test_file_tree_cut_short(boot: Any, arch: str, part: float) -> None:
    tree = (BUILD / INITRD[arch]).read_bytes()
    tree = tree[: tree.rindex(b"TRAILER!!!")]  # the rest is padding
    result = boot(arch, cmdline=SHORT, module=tree[: int(len(tree) * part)])
    assert result.outcome is Outcome.PANIC
    assert "the initrd is damaged: " in result.text


@pytest.mark.long
def test_refusal_on_the_framebuffer(machine: Any, iso: Path, tmp_path: Path) -> None:
    guest = machine(*uefi(tmp_path), *cd(iso), *smbios("amd64", "colour=red"))
    guest.wait(lambda: "emulator=... " in guest.text())
    assert "tollgate: the command line has `colour=red`: no such word." in guest.pixel_screen()


def test_long_mode_refusal(machine: Any) -> None:
    """The amd64 kernel names the missing features, on the screen, too."""
    tree = BUILD / INITRD["amd64"]
    guest = machine("-cpu", "pentium3", "-kernel", str(BUILD / KERNEL["amd64"]), "-initrd", tree)
    guest.wait(lambda: "this processor has no long mode" in guest.text(), 10)
    guest.wait(lambda: "this processor has no long mode" in guest.text_screen(), 10)
