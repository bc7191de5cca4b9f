"""Pictures of screens in the documents: PNG files that contain their text.

`make docs` takes them of the tests' machines. A long test compares each picture's text with its
machine's current screen (SCREENS=compare). `make test` does not, because an additional row is drawn
only at a release.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo

from tollgate.machines.boot import ROOT

if TYPE_CHECKING:
    from .boot.test_iso import Machine

FOLDER = ROOT / "docs" / "screens"
ASKED = os.environ.get("SCREENS", "")
COMPARES = "compare"
MAKES = bool(ASKED) and ASKED != COMPARES
TEXT = "Description"
"""PNG's keyword for it."""
COLOURS = 8
"""For a text screen: keeps a file at a few thousand bytes."""


def take(name: str, guest: Machine, text: str) -> None:
    """Take a picture of the current screen."""
    path = guest.directory / "screen.ppm"
    guest.ask("screendump", filename=str(path))
    with_text = PngInfo()
    with_text.add_itxt(TEXT, text)
    FOLDER.mkdir(exist_ok=True)
    few = Image.open(path).quantize(COLOURS)
    few.save(FOLDER / f"{name}.png", optimize=True, pnginfo=with_text)


def text_of(name: str) -> str:
    """The text stored in a picture."""
    picture = Image.open(FOLDER / f"{name}.png")
    assert isinstance(picture, PngImageFile)
    return str(picture.text[TEXT])


def shape(text: str) -> str:
    """A screen's words, which are the same in every run, without figures and their blanks."""
    return re.sub(r"[ \d.]+", " ", text)


def same(name: str, guest: Machine, text: str, figures: bool = False) -> None:
    """The picture of this name has this text; exactly if its `figures` are always the same."""
    if MAKES:
        take(name, guest, text)
    if not ASKED:
        return
    was = text_of(name)
    told = "docs/screens: make docs"
    assert (was == text) if figures else (shape(was) == shape(text)), told
