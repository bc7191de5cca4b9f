"""Where an instruction of a kernel comes from, by the kernel's own debugging information."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tollgate.paths import binutils


@dataclass(frozen=True)
class Frame:
    """A function, inlined or not, and the place in it."""

    function: str
    place: str

    def __str__(self) -> str:
        return f"{self.function} {self.place}"


@dataclass(frozen=True)
class Symbols:
    """The frames of addresses, the innermost first; `entries` are addresses of functions."""

    known: Mapping[int, tuple[Frame, ...]]
    entries: Collection[int]

    def frames(self, address: int) -> tuple[Frame, ...]:
        """The functions that an address is in; one without a name where nothing is known."""
        return self.known.get(address) or (Frame("", f"{address:#x}"),)

    @classmethod
    def of(cls, kernel: Path, addresses: Collection[int], entries: Collection[str]) -> Symbols:
        """What a kernel's file says of these addresses; where functions of these names begin."""
        lines = (line.split() for line in binutils("nm", kernel))
        begin = {int(words[0], 16) for words in lines if words[-1] in entries}
        return cls(dict(_resolved(kernel, sorted(addresses))), begin)


def _resolved(kernel: Path, addresses: list[int]) -> Iterator[tuple[int, tuple[Frame, ...]]]:
    text = subprocess.run(
        ["addr2line", "-a", "-f", "-i", "-e", kernel],
        input="".join(f"{address:#x}\n" for address in addresses),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for part in re.split(r"^0x", text, flags=re.MULTILINE)[1:]:
        address, *lines = part.splitlines()
        frames = zip(lines[::2], lines[1::2], strict=True)
        yield int(address, 16), tuple(Frame(name, _place(file)) for name, file in frames)


def _place(file: str) -> str:
    """A file of the kernel's tree and its line."""
    file = re.sub(r" \(discriminator \d+\)", "", file)
    return re.sub(
        r"^.*?(?=(arch|block|drivers|fs|include|init|ipc|kernel|lib|mm|net|security|crypto)/)",
        "",
        file,
    )
