"""A screen as in a photo: rotated, aslant, blurred, compressed, cut in half."""

import io
from collections.abc import Callable, Mapping

from PIL import Image, ImageFilter

Damage = Callable[[Image.Image], Image.Image]
ROOM = 18
"""Grey value of the room around the screen."""


def turned(degrees: float) -> Damage:
    """The camera is not upright."""
    return lambda image: image.rotate(
        degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=ROOM
    )


def aslant(part: float, side: str = "top") -> Damage:
    """Seen from below or from one side: that edge is shorter by this fraction."""

    def shear(image: Image.Image) -> Image.Image:
        w, h = image.size
        edge = part / 2
        corners = {  # of the picture that is seen: upper left, lower left, lower right, upper right
            "top": (-w * edge, 0, 0, h, w, h, w * (1 + edge), 0),
            "left": (0, -h * edge, 0, h * (1 + edge), w, h, w, 0),
        }[side]
        how = Image.Transform.QUAD, corners, Image.Resampling.BICUBIC
        return image.transform(image.size, *how, fillcolor=ROOM)

    return shear


def blurred(radius: float) -> Damage:
    """Out of focus."""
    return lambda image: image.filter(ImageFilter.GaussianBlur(radius))


def compressed(quality: int) -> Damage:
    """Sent by a messenger that compresses photos."""

    def squeeze(image: Image.Image) -> Image.Image:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=quality)
        return Image.open(io.BytesIO(file.getvalue())).convert("L")

    return squeeze


def half(side: str) -> Damage:
    """Half a frame."""

    def cut(image: Image.Image) -> Image.Image:
        w, h = image.size
        return image.crop({"left": (0, 0, w // 2, h), "top": (0, 0, w, h // 2)}[side])

    return cut


def larger(factor: float) -> Damage:
    """A camera with more pixels than the screen."""
    return lambda image: image.resize(
        (round(image.width * factor), round(image.height * factor)), Image.Resampling.BICUBIC
    )


def together(*damages: Damage) -> Damage:
    """Apply them one after the other."""

    def all_of(image: Image.Image) -> Image.Image:
        for damage in damages:
            image = damage(image)
        return image

    return all_of


READABLE: Mapping[str, Damage] = {
    "as it is": larger(1),
    "turned by 5 degrees": turned(5),
    "turned by -3 degrees, larger": together(larger(1.6), turned(-3)),
    "upside down": turned(180),
    "aslant by 4 %": aslant(0.04),
    "aslant by 4 % from a side, larger": together(larger(1.6), aslant(0.04, "left")),
    "blurred": together(larger(1.6), blurred(1.6)),
    "JPEG 30": compressed(30),
    "all of it, a little": together(
        larger(1.6), turned(2), aslant(0.02), blurred(0.8), compressed(30)
    ),
}
"""Damage from which every value must be recovered."""
UNREADABLE: Mapping[str, Damage] = {"left half": half("left"), "upper half": half("top")}
"""Damage for which an error message must appear."""
