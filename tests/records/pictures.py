"""Codes as on a screen, made on the host from the program's sources (tests/unit/codes.c)."""

import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image
from tests.unit.test_unit import built

LEAST = 3
"""Smallest size of a module on a screen, in pixels: user/console/codes/screen.c."""
ROW = 16
"""Pixels of the console's row, below the code."""


@cache
def program() -> Path:
    """The filter program that packs and draws."""
    return built("codes")


def run(records: Iterable[bytes], *arguments: str) -> str:
    """Its output for these records."""
    lines = b"".join(record + b"\n" for record in records)
    done = subprocess.run([program(), *arguments], input=lines, capture_output=True, check=True)
    return done.stdout.decode()


def of_toll(record: Mapping[str, Any]) -> bool:
    """Whether the codes beside the results page contain a record."""
    kind, suite = record["type"], record.get("suite", "")
    if kind == "check":
        return str(record["name"]).startswith("control/")
    return kind in ("run", "end") or suite in {
        "result": ("toll", "control"),
        "skip": ("toll",),
        "noisy": ("toll", "control", "clock"),
    }.get(kind, ())


def packed(records: Iterable[bytes]) -> bytes:
    """The program's packed bytes for these records."""
    return bytes.fromhex(run(records))


def drawn(records: Iterable[bytes], size: tuple[int, int] = (1024, 768)) -> list[Image.Image]:
    """The program's screens for these records, one code each."""
    width, height = size
    _, *pictures = run(records, str(min(width, height - ROW) // LEAST)).split("P1 ")
    screens = []
    for picture in pictures:
        head, *rows = picture.split()
        side = int(head)
        dots = "".join(rows[1:]) if len(rows[0]) < side else "".join(rows)
        code = Image.new("L", (side + 8, side + 8), 255)
        for at, dot in enumerate(dots):
            if dot == "1":
                code.putpixel((4 + at % side, 4 + at // side), 0)
        scale = min(width, height - ROW) // code.width
        large = code.resize((code.width * scale,) * 2, Image.Resampling.NEAREST)
        screen = Image.new("L", size, 0)
        screen.paste(large, ((width - large.width) // 2, (height - ROW - large.height) // 2))
        screens.append(screen)
    return screens
