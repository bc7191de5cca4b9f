"""A screen as in a photo: rotated, aslant, blurred, noisy, compressed, moire, cut in half."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable, Mapping

from PIL import Image, ImageChops, ImageFilter

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
        corners = {
            "top": ((w * edge, h * edge), (w * (1 - edge), h * edge), (w, h), (0, h)),
            "left": ((w * edge, h * edge), (w, 0), (w, h), (w * edge, h * (1 - edge))),
        }[side]
        return image.transform(
            image.size, Image.Transform.PERSPECTIVE, homography(corners, w, h),
            Image.Resampling.BICUBIC, fillcolor=ROOM,
        )  # fmt: skip

    return shear


def homography(
    corners: tuple[tuple[float, float], ...], width: float, height: float
) -> tuple[float, ...]:
    """The eight coefficients that map a picture's corners (clockwise from the upper left one) to
    these points: eight equations, solved by elimination."""
    rows = []
    for (x, y), (u, v) in zip(
        corners, ((0, 0), (width, 0), (width, height), (0, height)), strict=True
    ):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    for i in range(8):
        best = max(range(i, 8), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(8):
            if r != i:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return tuple(row[8] for row in rows)


def blurred(radius: float) -> Damage:
    """Out of focus."""
    return lambda image: image.filter(ImageFilter.GaussianBlur(radius))


def noisy(sigma: float, seed: int = 1) -> Damage:
    """A dark room: noise of this deviation, determined by the seed."""

    def add(image: Image.Image) -> Image.Image:
        chance = random.Random(seed)
        tile = Image.new("L", (256, 256))
        tile.putdata([int(max(0, min(255, chance.gauss(128, sigma)))) for _ in range(256 * 256)])
        noise = Image.new("L", image.size)
        for x in range(0, image.width, 256):
            for y in range(0, image.height, 256):
                noise.paste(tile.rotate(90 * chance.randrange(4)), (x, y))
        return ImageChops.add(image, noise, 1, -128)

    return add


def compressed(quality: int) -> Damage:
    """Sent by a messenger that compresses photos."""

    def squeeze(image: Image.Image) -> Image.Image:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=quality)
        return Image.open(io.BytesIO(file.getvalue())).convert("L")

    return squeeze


def moire(pitch: float = 0.47, degrees: float = 2) -> Damage:
    """A screen's pixels with dark lines between them, resampled at another pitch, unfiltered."""

    def sample(image: Image.Image) -> Image.Image:
        large = image.resize((image.width * 3, image.height * 3), Image.Resampling.NEAREST)
        lines = Image.new("L", (3, 3), 255)
        for i in range(3):
            lines.putpixel((2, i), 90)
            lines.putpixel((i, 2), 90)
        mask = Image.new("L", large.size)
        row = Image.new("L", (large.width, 3))
        for x in range(0, large.width, 3):
            row.paste(lines, (x, 0))
        for y in range(0, large.height, 3):
            mask.paste(row, (0, y))
        seen = ImageChops.multiply(large, mask)
        cos, sin = math.cos(math.radians(degrees)) / pitch, math.sin(math.radians(degrees)) / pitch
        size = (round(large.width * pitch), round(large.height * pitch))
        middle = (large.width / 2, large.height / 2)
        matrix = (
            *(cos, sin, middle[0] - cos * size[0] / 2 - sin * size[1] / 2),
            *(-sin, cos, middle[1] + sin * size[0] / 2 - cos * size[1] / 2),
        )
        return seen.transform(
            size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=ROOM
        )

    return sample


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
    "noisy": noisy(25),
    "JPEG 30": compressed(30),
    "moire": moire(),
    "all of it, a little": together(
        larger(1.6), turned(2), aslant(0.02), blurred(0.8), noisy(10), compressed(30)
    ),
}
"""Damage from which every value must be recovered."""
UNREADABLE: Mapping[str, Damage] = {"left half": half("left"), "upper half": half("top")}
"""Damage for which an error message must appear."""


def chance(seed: int) -> Damage:
    """Some of each damage, sometimes too much to be readable."""
    random_ = random.Random(seed)
    return together(
        larger(random_.uniform(0.7, 2.5)),
        turned(random_.uniform(-5, 5)),
        aslant(random_.uniform(0, 0.1), random_.choice(["top", "left"])),
        random_.choice([larger(1), moire(random_.uniform(0.3, 0.8), random_.uniform(-3, 3))]),
        blurred(random_.uniform(0, 2.5)),
        noisy(random_.uniform(0, 40), seed),
        compressed(random_.randint(30, 95)),
    )
