"""Pictures of screens in the documents: PNG files that carry their own text.

`make docs` makes them of the machines that tests look at. A long test compares the text of each
picture with what its machine shows now (SCREENS=compare). `make test` does not: a row more, which a
release draws, is no mistake.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo

from tollgate.machines.boot import ROOT

if TYPE_CHECKING:
    from .test_iso import Machine

FOLDER = ROOT / "docs" / "screens"
ASKED = os.environ.get("SCREENS", "")
COMPARES = "compare"
MAKES = bool(ASKED) and ASKED != COMPARES
TEXT = "Description"
"""The keyword that PNG has for it."""
COLOURS = 8
"""Of a screen of text: a file is a few thousand bytes."""


def take(name: str, guest: Machine, text: str) -> None:
    """Make the picture of what is on the screen now."""
    path = guest.directory / "screen.ppm"
    guest.ask("screendump", filename=str(path))
    with_text = PngInfo()
    with_text.add_itxt(TEXT, text)
    FOLDER.mkdir(exist_ok=True)
    few = Image.open(path).quantize(COLOURS)
    few.save(FOLDER / f"{name}.png", optimize=True, pnginfo=with_text)


def text_of(name: str) -> str:
    """The text on a picture."""
    picture = Image.open(FOLDER / f"{name}.png")
    assert isinstance(picture, PngImageFile)
    return str(picture.text[TEXT])


def shape(text: str) -> str:
    """The words of a screen, which stay from run to run, without figures and their blanks."""
    return re.sub(r"[ \d.]+", " ", text)


def same(name: str, guest: Machine, text: str, figures: bool = False) -> None:
    """The picture of that name shows this text; to the digit if its `figures` are always these."""
    if MAKES:
        take(name, guest, text)
    if not ASKED:
        return
    was = text_of(name)
    told = "docs/screens: make docs"
    assert (was == text) if figures else (shape(was) == shape(text)), told
