"""The text of a QR code, as user/console/codes/code.c makes it, and the contents of several.

It is PREFIX and bytes in the 45 characters of QR's alphanumeric mode, so every reader of codes can
read it.  The bytes are HEAD, a piece of the packed records (tollgate.records.packing), and CRC. All
pieces have one length, or one byte less.  Each code contains the number of codes.
"""

import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tollgate.errors import Exit, TollgateError
from tollgate.records.packing import PackingError, Table, unpack

PREFIX = "TOLLGATE:"
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
"""RFC 9285's digits: two bytes become three digits, lowest first; an odd byte becomes two."""
FORMAT = 1
TOLL = 2
"""The format of codes with only the records of the toll, out of a run."""
HEAD = struct.Struct(">BIIBB")
"""Format, table version, run, index, count; then a piece, and the CRC-32 of everything."""
CRC = struct.Struct(">I")


class CodesError(TollgateError):
    """The codes cannot become a file; the message says which are missing or from another run."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.FAIL)


@dataclass(frozen=True)
class Code:
    """One code: piece number `index` of `count` of the packed records."""

    table: int
    run: int
    index: int
    count: int
    piece: bytes
    form: int = FORMAT


def _bytes_of(text: str) -> bytes:
    """ValueError if the text is not valid base 45."""
    out = bytearray()
    for at in range(0, len(text), 3):
        group = text[at : at + 3]
        value = sum(DIGITS.index(c) * 45**place for place, c in enumerate(group))
        out += value.to_bytes(len(group) - 1, "big")
    return bytes(out)


def parse(text: bytes) -> Code | None:
    """The code read as `text`; None if it is not one of ours, or damaged."""
    try:
        whole = _bytes_of(text.decode("ascii").removeprefix(PREFIX))
    except (ValueError, OverflowError):
        return None
    if not text.startswith(PREFIX.encode()) or len(whole) < HEAD.size + CRC.size:
        return None
    body, crc = whole[: -CRC.size], whole[-CRC.size :]
    if CRC.unpack(crc)[0] != zlib.crc32(body):
        return None
    form, table, run, index, count = HEAD.unpack_from(body)
    if form not in (FORMAT, TOLL):
        raise CodesError(
            f"A code is of format {form}, and this Tollgate reads formats {FORMAT} and {TOLL}: "
            "scan it with the tree that its ISO was built from."
        )
    piece = body[HEAD.size :]
    return Code(table, run, index, count, piece, form) if 1 <= index <= count else None


def text_of(code: Code) -> bytes:
    """The bytes for parse(): `code` as a machine writes it."""
    whole = HEAD.pack(code.form, code.table, code.run, code.index, code.count) + code.piece
    whole += CRC.pack(zlib.crc32(whole))
    out = []
    for at in range(0, len(whole), 2):
        value = int.from_bytes(whole[at : at + 2], "big")
        for _ in range(len(whole[at : at + 2]) + 1):
            out.append(DIGITS[value % 45])
            value //= 45
    return PREFIX.encode() + "".join(out).encode()


def split(packed: bytes, count: int, table: Table) -> list[Code]:
    """Packed bytes cut into `count` codes."""
    run, size = zlib.crc32(packed), len(packed)
    return [
        Code(table.version, run, i + 1, count, packed[size * i // count : size * (i + 1) // count])
        for i in range(count)
    ]


def _listed(words: Iterable[object]) -> str:
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def join(codes: Mapping[Code, str], table: Table) -> list[bytes]:
    """The records in these codes, as JSON; `codes` says where each code was seen.

    CodesError if they are of several runs or of another table, or one is missing.
    """
    runs = {code.run for code in codes}
    if len(runs) > 1:
        where = (
            f"{run:08x} in {_listed(sorted({seen for c, seen in codes.items() if c.run == run}))}"
            for run in sorted(runs)
        )
        raise CodesError(
            f"These codes are of {len(runs)} runs: {'; '.join(where)}. Scan each alone."
        )
    if any(code.table != table.version for code in codes):
        raise CodesError(
            f"These codes were made with the words {next(iter(codes)).table:08x}, and here are "
            f"{table.version:08x}: scan them with the tree that their ISO was built from."
        )
    pieces = {code.index: code.piece for code in codes}
    count = next(iter(codes)).count
    missing = [index for index in range(1, count + 1) if index not in pieces]
    if missing:
        what = f"Code {missing[0]} is" if len(missing) == 1 else f"Codes {_listed(missing)} are"
        raise CodesError(
            f"{what} missing of {count}: photograph what is missing, and scan all again."
        )
    packed = b"".join(pieces[index] for index in range(1, count + 1))
    if zlib.crc32(packed) != next(iter(runs)):
        raise CodesError("These codes come from different runs: their checksum differs.")
    try:
        return unpack(packed, table)
    except PackingError as error:
        raise CodesError(f"The codes hold no records: {error}.") from None
