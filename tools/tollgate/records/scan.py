"""`tollgate scan`: makes results.jsonl from photos of the codes that `codes` shows.

zbar reads a code. If it finds none in a photo, several variants of the photo are tried.  A code's
CRC decides whether it was read correctly.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageChops, ImageFilter, ImageOps
from rich.console import Console

from tollgate.bench import make_out
from tollgate.errors import TollgateError
from tollgate.printable import plain
from tollgate.records.codes import TOLL, Code, CodesError, join, parse
from tollgate.records.fields import PART, SCANNED
from tollgate.records.format import DamageError, MachineRun, Record, group, parse_line, save
from tollgate.records.packing import read_table
from tollgate.records.photos import open_photo
from tollgate.records.results_folder import RECORDS
from tollgate.records.rules import told

Way = Callable[[Image.Image], Image.Image]


def _scaled(factor: float) -> Way:
    def scale(image: Image.Image) -> Image.Image:
        size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
        return image.resize(size, Image.Resampling.BICUBIC)

    return scale


def _blurred(radius: float) -> Way:
    return lambda image: image.filter(ImageFilter.GaussianBlur(radius))


def _level(image: Image.Image) -> Image.Image:
    """The picture without slow changes of brightness: light from one side, broad bands of moire."""
    around = image.filter(ImageFilter.BoxBlur(max(image.size) // 40))
    return ImageOps.autocontrast(ImageChops.subtract(image, around, 1, 128), 2)


def _upright(left: float, top: float, right: float, bottom: float) -> Way:
    """As if seen from the front; each side is shortened by that fraction of its length."""

    def stretch(image: Image.Image) -> Image.Image:
        w, h = image.size
        corners = (
            *(w * top / 2, h * left / 2, w * bottom / 2, h * (1 - left / 2)),
            *(w * (1 - bottom / 2), h * (1 - right / 2), w * (1 - top / 2), h * right / 2),
        )
        return image.transform(image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC)

    return stretch


def _plain(image: Image.Image) -> Image.Image:
    return image


WAYS: Sequence[Sequence[Way]] = (
    (_plain,),
    (_blurred(1),),
    (_scaled(0.5),),
    (_level, _blurred(1)),
    (_blurred(2),),
    (_scaled(2), _blurred(1)),
    (lambda image: image.filter(ImageFilter.MedianFilter(3)), _blurred(1)),
    (_scaled(0.5), _level),
    *(
        (_upright(*(part * side for side in sides)), _blurred(soft))
        for part in (0.04, 0.08)
        for sides in ((0, 1, 0, 0), (0, 0, 0, 1), (1, 0, 0, 0), (0, 0, 1, 0))
        for soft in (0.5,)
    ),
)
"""Variants of a photo, tried until one has a code: the processing before zbar."""


def _zbar() -> Callable[[Image.Image], list[bytes]]:
    """zbar, as a function that reads the texts of all codes in a picture."""
    try:
        from pyzbar.pyzbar import ZBarSymbol, decode
    except ImportError as error:
        raise TollgateError(
            f"zbar, which reads codes, is missing: {error}; Debian's package libzbar0 has it."
        ) from None
    return lambda image: [found.data for found in decode(image, symbols=[ZBarSymbol.QRCODE])]


def looks(image: Image.Image, most: int) -> Iterator[Image.Image]:
    """A photo, then variants that may be easier to read; `most` in total."""
    for way in WAYS[:most]:
        made = image
        for step in way:
            made = step(made)
        yield made


def find(image: Image.Image, most: int = len(WAYS)) -> list[Code]:
    """Our codes in a photo: all from the first of `most` variants that has any."""
    read = _zbar()
    for made in looks(image, most):
        found = [code for code in map(parse, read(made)) if code]
        if found:
            return found
    return []


def runs_of(texts: Sequence[bytes], codes: int, part: str = "") -> list[MachineRun]:
    """The boots in scanned records, each marked as scanned; `part`: the only suite with records in
    the codes."""
    mark = b',"%s":%d' % (SCANNED.encode(), codes)
    if part:
        mark += b',"%s":"%s"' % (PART.encode(), part.encode())
    records: list[Record] = []
    for text in texts:
        marked = text
        if text.startswith(b'{"v":1,"type":"run"'):
            marked = text[:-1] + mark + b"}"
        try:
            record = parse_line(line_of(marked))
        except DamageError as error:
            raise CodesError(f"The codes hold a record that is none: {error}.") from None
        if record is None:
            raise CodesError("The codes hold a record that is none.")
        records.append(record)
    return group(records)


def line_of(text: bytes) -> bytes:
    """A record's JSON as a serial line."""
    return b"@%s *%08x" % (text, zlib.crc32(text))


def scan(photos: Sequence[Path], out: str, console: Console) -> Path:
    """Save the contents of the codes in these photos in the folder `out`, which is returned.

    CodesError if one is missing or belongs to another run or table: then nothing is written.
    """
    table = read_table()
    codes: dict[Code, str] = {}
    for path in photos:
        found = find(open_photo(path))
        for code in found:
            codes.setdefault(code, str(path))
        said = ", ".join(f"code {code.index} of {code.count}" for code in found)
        console.print(plain(f"{path}: {said or 'no code can be read'}"), soft_wrap=True)
    if not codes:
        raise CodesError(
            "No code can be read in what was photographed: hold the camera straight before the "
            "screen, so near that the code fills the picture, and against reflections."
        )
    first = next(iter(codes))
    runs = runs_of(join(codes, table), first.count, "toll" if first.form == TOLL else "")
    if not runs:
        raise CodesError("The codes hold no run.")
    folder = make_out(out)
    save(runs, folder / RECORDS)
    for run in runs:
        if wrong := told(run):
            console.print(plain(f"{run.name}: {wrong}"), soft_wrap=True)
    return folder
