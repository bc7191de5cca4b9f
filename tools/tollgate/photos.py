"""Pictures out of what a telephone has taken: photos, HEIC too, and films.

HEIC is read by pillow-heif (libheif), films by PyAV (FFmpeg): the extra `phone`, which `make setup`
installs with the tests' packages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from tollgate import extra
from tollgate.errors import TollgateError

LARGEST = 4000
"""Pixels of a photo's longer side: more say nothing about a screen."""
EACH = 0.5
"""Seconds of a film between two of its pictures that are looked at: a code stays for twelve."""
BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1")
"""What HEIC calls itself in its first box (ISO 14496-12, ftyp)."""
FILMS = (b"ftyp", b"moov", b"mdat", b"wide")
"""Types of the first box of a film, of MP4 and QuickTime."""
MATROSKA = b"\x1a\x45\xdf\xa3"
"""How WebM and Matroska begin."""


def _lacks(path: Path, kind: str, package: str) -> TollgateError:
    return TollgateError(
        f"{path} is {kind}, which the Python package {package} reads, and it is missing: "
        f"`{extra.line('phone')}` installs it."
    )


def _begins(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # (a FIFO would wait for its other end)
        raise TollgateError(f"{path} is no photo or film: it is no regular file.")
    try:
        with path.open("rb") as file:
            return file.read(16)
    except FileNotFoundError:
        raise TollgateError(f"{path} does not exist.") from None
    except OSError as error:
        raise TollgateError(f"{path} cannot be read: {error.strerror}.") from None


def _grey(image: Image.Image) -> Image.Image:
    """The picture, grey and as it was held."""
    grey = ImageOps.exif_transpose(image).convert("L")
    if max(grey.size) > LARGEST:
        grey.thumbnail((LARGEST, LARGEST))
    return grey


def open_photo(path: Path) -> Image.Image:
    """The photo; TollgateError where it is none."""
    if _begins(path)[8:12] in BRANDS:
        try:
            from pillow_heif import register_heif_opener
        except ImportError:
            raise _lacks(path, "HEIC", "pillow-heif") from None
        register_heif_opener()
    try:
        with Image.open(path) as photo:
            return _grey(photo)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = "unknown format" if isinstance(error, UnidentifiedImageError) else error
        raise TollgateError(
            f"{path} is no photo that can be read: {reason}; PNG, JPEG and HEIC can, and films."
        ) from None


def is_film(path: Path) -> bool:
    """Whether it begins as a film does."""
    first = _begins(path)
    return first.startswith(MATROSKA) or (first[4:8] in FILMS and first[8:12] not in BRANDS)


def film(path: Path) -> Iterator[tuple[float, Image.Image]]:
    """A film's pictures, EACH seconds apart, and when they were taken, in seconds."""
    try:
        import av
    except ImportError:
        raise _lacks(path, "a film", "av") from None
    due = 0.0
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise TollgateError(f"{path} is a film without pictures.")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            for frame in container.decode(stream):
                if frame.time is None or frame.time < due:
                    continue
                due = frame.time + EACH
                yield frame.time, _grey(frame.to_image())  # type: ignore[no-untyped-call]
    except (av.FFmpegError, ValueError) as error:
        raise TollgateError(f"{path} is no film that can be read: {error}.") from None
