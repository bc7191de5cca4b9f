"""docs/book.png: `python -m tests.picture FILE` makes a picture of a page of the book.

The page is that of INT 80h on amd64, at its thirteenth instruction: the stack has the processor's
frame and the words that the entry has pushed so far.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tollgate.teach.book import index

from .chromium import browser, installed

STEP = 13
SIZE = (1200, 900)
SHOWN = (60, 20, 1140, 836)
COLOURS = 16


def make(path: Path) -> None:
    """Make the picture; AssertionError without a browser."""
    assert installed(), "there is no browser: `tools/setup.sh long` brings Debian's chromium"
    with tempfile.TemporaryDirectory(prefix="tollgate.") as directory:
        home = Path(directory)
        book = index.make(str(home / "book"), ("int",), print).parent
        with browser(home) as window:
            window.size(*SIZE)
            window.open(book / "int-amd64.html")
            window.run("document.querySelector('input[type=range]').focus()")
            for _ in range(STEP):
                window.press("ArrowRight")
            window.run("document.querySelector('#path').scrollIntoView({behavior: 'instant'})")
            window.picture(path)
    Image.open(path).convert("RGB").crop(SHOWN).quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
