"""Photos from a telephone; pillow-heif (libheif), the extra `phone`, reads HEIC."""

from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from tollgate.errors import TollgateError, install

LARGEST = 4000
"""Pixels of a photo's longer side: more do not help."""
BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1")
"""HEIC's names in the first box (ISO 14496-12, ftyp)."""


def _begins(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # (a FIFO would wait for its other end)
        raise TollgateError(f"{path} is no photo: it is no regular file.")
    try:
        with path.open("rb") as file:
            return file.read(16)
    except FileNotFoundError:
        raise TollgateError(f"{path} does not exist.") from None
    except OSError as error:
        raise TollgateError(f"{path} cannot be read: {error.strerror}.") from None


def _grey(image: Image.Image) -> Image.Image:
    """The picture in grey, upright."""
    grey = ImageOps.exif_transpose(image).convert("L")
    if max(grey.size) > LARGEST:
        grey.thumbnail((LARGEST, LARGEST))
    return grey


def open_photo(path: Path) -> Image.Image:
    """The photo; TollgateError if it is not one."""
    if _begins(path)[8:12] in BRANDS:
        try:
            from pillow_heif import register_heif_opener
        except ImportError:
            raise TollgateError(
                f"{path} is HEIC, which the Python package pillow-heif reads, and it is missing: "
                f"`{install('phone')}` installs it."
            ) from None
        register_heif_opener()
    try:
        with Image.open(path) as photo:
            return _grey(photo)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = "unknown format" if isinstance(error, UnidentifiedImageError) else error
        raise TollgateError(
            f"{path} is no photo that can be read: {reason}; PNG, JPEG and HEIC can."
        ) from None
