"""`tollgate browser`: one HTML file that boots the i386 kernel in v86, a PC in WebAssembly.

Everything is in the file: the emulator, its firmware, the kernel and a small initrd, each gzipped
and in base64. Its facts about rows are taken from tests/budgets.toml when the file is made.
"""

import base64
import gzip
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tollgate import __version__
from tollgate.errors import TollgateError, reason
from tollgate.machines.boot import BUILD, ROOT, built
from tollgate.records import budgets
from tollgate.show.report.markup import Html, esc, raw, tag

OUT = BUILD / "browser"
PAGE = "index.html"
LICENCES = "LICENSES.txt"
MOST = 5_000_000
"""The page's maximum size in bytes."""
HERE = Path(__file__).parent
V86 = BUILD / "v86"
FIRMWARE = Path("/usr/share/seabios")
INITRD = BUILD / "i386" / "browser.cpio"
SUITE = "toll"

TITLE = "Tollgate in this browser"
LEAD = (
    "What does it cost to cross into ring 0? Tollgate is a small operating system that measures "
    "it. Its i386 kernel runs in this page, in an emulated PC. There is nothing to install, "
    "nothing leaves the page, and a reload forgets everything."
)
CHOICES = (
    ("toll", "The toll", "Measure every way into the kernel and back, counted in instructions."),
    ("shell", "A shell", "Run the same program in ring 3 and in ring 0."),
)
LIMITS = (
    "v86 counts instructions, not cycles: how long a way in takes, only a real processor can say.",
    "v86 has no 64-bit mode, so the amd64 kernel does not run here. The table has its figures, "
    "as the project's tests hold them against QEMU.",
    "v86 has no debug registers, so the control that counts entries by a breakpoint is left out.",
    "v86 does not deliver #DF, a fault that comes while another is delivered. What takes a stack "
    "away in ring 0 is left out.",
    "v86 does not single-step, and its task gates work from ring 0 alone.",
    "SYSCALL is not here: the processor that v86 names is Intel's, which has it in 64-bit mode "
    "alone.",
)
NO_SCRIPT = "This page runs a PC in WebAssembly, and this browser runs no scripts here."


def possible() -> bool:
    """Whether all parts of the page are available."""
    files = (V86 / "libv86.js", V86 / "v86.wasm", FIRMWARE / "bios.bin", INITRD)
    return all(file.is_file() for file in files)


def make(out: str) -> Path:
    """Write the folder; return its page. TollgateError if a part is missing or it is too large."""
    folder = Path(out) if out else OUT
    page = folder / PAGE
    if folder.exists() and any(folder.iterdir()) and not (folder / LICENCES).is_file():
        raise TollgateError(f"{folder} holds something that is not this page; name another folder.")
    text = whole(facts()).encode()
    if len(text) > MOST:
        raise TollgateError(f"The page has {len(text):,} bytes, and may have {MOST:,}.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        page.write_bytes(text)
        (folder / LICENCES).write_text(licences(), encoding="utf-8")
    except OSError as error:
        raise TollgateError(f"{folder} cannot be written: {reason(error)}.") from None
    return page


def facts() -> dict[str, Any]:
    """The script's data, besides the machine."""
    return {
        "version": __version__,
        "rows": {arch: budgets.load(SUITE, arch) for arch in ("i386", "amd64")},
    }


def whole(known: Mapping[str, Any], initrd: Path = INITRD) -> Html:
    """The page as text."""
    style = (HERE / "page.css").read_text(encoding="utf-8")
    scripts = ((HERE / name).read_text(encoding="utf-8") for name in ("machine.js", "page.js"))
    return raw(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        tag("title", esc(TITLE)),
        f"<style>{style}</style></head>\n<body>",
        body(known),
        data("application/json", "facts", json.dumps(known).replace("</", "<\\/")),
        *(data("text/plain", name, packed(content)) for name, content in parts(initrd).items()),
        *(f"<script>\n{text}</script>\n" for text in scripts),
        "</body></html>\n",
    )


def body(known: Mapping[str, Any]) -> Html:
    """The page before any choice."""
    links = (
        tag("a", raw(tag("strong", esc(name)), tag("span", esc(text))), href=f"#{anchor}")
        for anchor, name, text in CHOICES
    )
    limits = (tag("li", esc(text)) for text in LIMITS)
    return raw(
        "<main>",
        tag("p", "Tollgate", class_="name"),
        tag("h1", esc(TITLE)),
        tag("p", esc(LEAD), class_="lead"),
        tag("nav", raw(*links), aria_label="What to do"),
        tag("noscript", tag("p", esc(NO_SCRIPT), class_="failed")),
        '<div id="view"></div>',
        tag(
            "section",
            raw(tag("h2", "What this page cannot show"), tag("ul", raw(*limits)), amd64(known)),
        ),
        "</main>",
    )


def amd64(known: Mapping[str, Any]) -> Html:
    """The other kernel's figures: totals by mechanism and variant."""
    rows = (
        f'<tr><th scope="row">{esc(row)}</th><td class="num">{figures[0]}</td></tr>'
        for row, figures in known["rows"]["amd64"].items()
    )
    head = '<th scope="col">row</th><th scope="col" class="num">instructions</th>'
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return tag("details", raw(tag("summary", "The amd64 kernel's figures"), table))


def data(kind: str, name: str, text: str) -> Html:
    """A block for the script to read."""
    return raw(f'<script type="{kind}" id="{name}">{text}</script>\n')


def packed(content: bytes) -> str:
    """Gzipped, in base64; the same bytes each time."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def parts(initrd: Path) -> dict[str, bytes]:
    """The files of a machine, under the names that page.js uses."""
    for file in ("bios.bin", "vgabios-stdvga.bin"):
        if not (FIRMWARE / file).is_file():
            raise TollgateError(f"{FIRMWARE / file} is missing; Debian's package seabios has it.")
    return {
        "library": built(V86 / "libv86.js", "make browser").read_bytes(),
        "wasm": built(V86 / "v86.wasm", "make browser").read_bytes(),
        "bios": (FIRMWARE / "bios.bin").read_bytes(),
        "vgabios": (FIRMWARE / "vgabios-stdvga.bin").read_bytes(),
        "kernel": stripped(built(BUILD / "i386" / "kernel.elf")),
        "initrd": built(initrd).read_bytes(),
    }


def stripped(kernel: Path) -> bytes:
    """A kernel without symbols and line numbers, which are not used here."""
    with tempfile.NamedTemporaryFile(suffix=".elf") as copy:
        subprocess.run(["strip", "-o", copy.name, kernel], check=True)
        return Path(copy.name).read_bytes()


def licences() -> str:
    """Credits and licences of the works in the page."""
    seabios = Path("/usr/share/doc/seabios/copyright")
    texts: Sequence[tuple[str, Path]] = (
        ("Tollgate", ROOT / "LICENSE"),
        ("v86, unchanged but for what machine.js edits in memory", V86 / "LICENSE"),
        ("SeaBIOS, Debian's package", seabios),
    )
    return "\n\n".join(
        f"{name}\n{'=' * len(name)}\n\n{path.read_text(encoding='utf-8')}"
        for name, path in texts
        if path.is_file()
    )
