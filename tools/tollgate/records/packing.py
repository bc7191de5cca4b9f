"""Packs the records of a run for codes, like user/console/codes/pack.c, in Python.

A record is words with gaps, followed by the gaps' contents in order.  The words are the record's
JSON without its histogram; the record ends where its braces do.  In a list of lists each inner list
is a word, so that one table serves processors with any number of CPUID leaves.  These are gaps:

- a number, of kind 1 if it is whole, of kind 2 if it has two decimals.  Its content is the
  difference to the number before it in the record (0 at its start), with the sign in the lowest
  bit, as a count.  Before a gap of kind 2 that number counts a hundred times, behind it as its
  whole part.  A number that could not be restored exactly stays in the word
- a string that is a value of the record or of an object in it, of kind 3.  Its content is a word;
  if it has a space in it, its whole numbers are gaps of kind 1

A count has seven bits per byte, lowest first; the eighth bit means that another byte follows.  A
word is encoded by its number, a count from 1: those of the table first, then new ones.  A new word
is 0, a count of bytes, and the bytes, in which gaps are the bytes 1, 2 and 3.  The build makes the
table of user/console/codes/words and of every id and label; both sides must have the same.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tollgate.errors import TollgateError
from tollgate.machines.boot import BUILD

TABLE = "codes.words"
"""The table's file in the build."""

NUMBER, HUNDREDTHS, STRING = b"\1", b"\2", b"\3"
"""Gaps in a word: a whole number, one with two decimals, a string."""
_WRITTEN = {b"~#": NUMBER, b"~%": HUNDREDTHS, b"~$": STRING}
"""The same in the table's file."""

_HISTOGRAM = re.compile(rb',"histogram":\[')
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[-0-9][0-9.eE+-]*|[^"0-9-]')
_WHOLE = re.compile(rb"-?(?:0|[1-9][0-9]*)\Z")
_DECIMALS = re.compile(rb"-?(?:0|[1-9][0-9]*)\.[0-9]{2}\Z")
_DIGITS = re.compile(rb"[0-9]+")
_GAP = re.compile(rb"[\1\2\3]")
_CUT = re.compile(rb"(?<=\[)(?=\[)|(?<=\],)(?=\[)|(?<=\])(?=\])")
"""Where another word begins: around and between the inner lists of a list."""
MOST_DIGITS = 18
DEEP = 2
"""Strings of a record and its inner objects are gaps, except the strings of a row's sections."""
WRAP = 1 << 64


class PackingError(ValueError):
    """Bytes that are not packed records; the message says why."""


@dataclass(frozen=True)
class Table:
    """The words known to both sides; a code contains `version`."""

    words: Sequence[bytes]
    version: int


def read_table() -> Table:
    """The table of this build, or the one in the package; TollgateError if neither exists."""
    path = BUILD / TABLE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TollgateError(
            f"{path} cannot be read: {error.strerror}; `make` builds it, and codes are read with "
            "the tree that their ISO was built from."
        ) from None
    words = content
    for written, gap in _WRITTEN.items():
        words = words.replace(written, gap)
    return Table(words.splitlines(), int(hashlib.sha256(content).hexdigest()[:8], 16))


def without_histogram(text: bytes) -> bytes:
    """A record without the part that codes leave out."""
    found = _HISTOGRAM.search(text)
    if not found:
        return text
    depth, at = 1, found.end()
    while depth:
        depth += {0x5B: 1, 0x5D: -1}.get(text[at], 0)
        at += 1
    return text[: found.start()] + text[at:]


def _number(token: bytes) -> tuple[int, bool] | None:
    """The value of a number and whether it is in hundredths; None: it stays in its word."""
    digits = sum(c in b"0123456789" for c in token)
    if digits > MOST_DIGITS or not (_WHOLE.match(token) or _DECIMALS.match(token)):
        return None
    value = int(token.replace(b".", b""))
    return None if not value and token[:1] == b"-" else (value, b"." in token)


def _signed(value: int) -> int:
    """`value` as a signed 64-bit number."""
    return (value + WRAP // 2) % WRAP - WRAP // 2


def _whole(hundredths: int) -> int:
    """The number without decimals, rounded towards 0."""
    return abs(hundredths) // 100 * (-1 if hundredths < 0 else 1)


def _count(value: int) -> bytes:
    """Seven bits per byte, lowest first; the eighth means that another byte follows."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


@dataclass
class Packer:
    """The same as pack.c; tests compare the two."""

    table: Table
    out: bytearray = field(default_factory=bytearray)
    _known: dict[bytes, int] = field(default_factory=dict)
    _previous: int = 0

    def __post_init__(self) -> None:
        for word in self.table.words:
            self._known.setdefault(word, len(self._known))

    def _put_word(self, word: bytes) -> None:
        if word in self._known:
            self.out += _count(1 + self._known[word])
            return
        self._known[word] = len(self._known)
        self.out += _count(0) + _count(len(word)) + word

    def _put_number(self, value: int, hundredths: bool) -> None:
        difference = _signed(value - (100 * self._previous if hundredths else self._previous))
        self.out += _count((difference << 1 ^ difference >> 63) % WRAP)
        self._previous = _whole(value) if hundredths else value

    def _put_string(self, text: bytes) -> None:
        numbers: list[int] = []

        def gap(match: re.Match[bytes]) -> bytes:
            found = _number(match[0])
            if found is None:
                return match[0]
            numbers.append(found[0])
            return NUMBER

        self._put_word(_DIGITS.sub(gap, text) if b" " in text else text)
        for number in numbers:
            self._put_number(number, False)

    def add(self, text: bytes) -> None:
        """Pack a record, given as the JSON that was sent."""
        word, gaps, depth, before = b"", list[tuple[int, bool] | bytes](), 0, b""
        for match in _TOKEN.finditer(without_histogram(text)):
            token = match[0]
            found = _number(token) if token[:1] in b"-0123456789" else None
            if found is not None:
                gaps.append(found)
                word += HUNDREDTHS if found[1] else NUMBER
            elif token[:1] == b'"' and depth <= DEEP and before == b":":
                gaps.append(token[1:-1])
                word += b'"' + STRING + b'"'
            else:
                depth += (token in b"{[") - (token in b"}]")
                word += token
            before = token
        for part in _CUT.split(word):
            self._put_word(part)
        self._previous = 0
        for one in gaps:
            if isinstance(one, bytes):
                self._put_string(one)
            else:
                self._put_number(*one)


def pack(records: Iterable[bytes], table: Table) -> bytes:
    """The records of a run, packed."""
    packer = Packer(table)
    for text in records:
        packer.add(text)
    return bytes(packer.out)


@dataclass
class _Unpacker:
    data: bytes
    words: list[bytes]
    at: int = 0
    previous: int = 0

    def count(self) -> int:
        value = shift = 0
        while True:
            if self.at >= len(self.data) or shift > 63:
                raise PackingError("it is cut short")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def word(self) -> bytes:
        known = self.count()
        if known > len(self.words):
            raise PackingError(f"there is no word {known}")
        if known:
            return self.words[known - 1]
        length = self.count()
        word = self.data[self.at : self.at + length]
        if len(word) < length:
            raise PackingError("a word is cut short")
        self.at += length
        self.words.append(word)
        return word

    def record(self) -> bytes:
        """A record's words, up to the brace that ends it; its gaps are still gaps."""
        words = self.word()
        while words.count(b"{") > words.count(b"}"):
            words += self.word()
        return words

    def number(self, hundredths: bool) -> bytes:
        packed = self.count()
        difference = packed >> 1 ^ -(packed & 1)
        value = _signed(difference + (100 * self.previous if hundredths else self.previous))
        self.previous = _whole(value) if hundredths else value
        if not hundredths:
            return b"%d" % value
        whole, rest = divmod(abs(value), 100)
        return b"%s%d.%02d" % (b"-" if value < 0 else b"", whole, rest)

    def gap(self, match: re.Match[bytes]) -> bytes:
        if match[0] == STRING:
            return _GAP.sub(self.gap, self.word())
        return self.number(match[0] == HUNDREDTHS)


def unpack(data: bytes, table: Table) -> list[bytes]:
    """The records in packed bytes, as JSON; PackingError if invalid."""
    unpacker = _Unpacker(data, list(table.words))
    records = []
    while unpacker.at < len(data):
        unpacker.previous = 0
        records.append(_GAP.sub(unpacker.gap, unpacker.record()))
    return records
