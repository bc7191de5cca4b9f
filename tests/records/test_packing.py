"""Records packed for codes: C and Python pack the same bytes, and unpacking restores them."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.records.pictures import packed, run

from tollgate.records.format import compact
from tollgate.records.packing import (
    PackingError,
    Table,
    pack,
    read_table,
    unpack,
    without_histogram,
)

TABLE = read_table()

HEAD = '{"v":1,"type":"result","suite":"toll","id":"user/int/standard",'
NUMBERS = st.integers(-(2**63), 2**63 - 1)
WHOLE = NUMBERS.map(str)
DECIMALS = NUMBERS.map(lambda n: f"{'-' * (n < 0)}{abs(n) // 100}.{abs(n) % 100:02d}")
ODD = st.sampled_from(
    ["-0", "-0.00", "00", "1.5", "1e9", "1.000", "0.05", "-0.05", "9" * 18, "9" * 19, "9" * 30]
)
TEXTS = st.text(st.characters(codec="ascii"), max_size=20).map(json.dumps)
SENTENCES = st.lists(
    st.sampled_from(["007", "12", "of", "#PF", "1000", "-3", "9" * 20, "12.05", '\\"', "~#", "%"])
).map(lambda words: '"' + " ".join(words) + '"')
DEEP = st.sampled_from(['{"a":"b","c":12}', "[[1,-2],[]]", '[{"x":1.25,"y":"z 3"}]', "[]", "true"])
VALUES = st.one_of(WHOLE, DECIMALS, ODD, TEXTS, SENTENCES, DEEP)


@st.composite
def records(draw: st.DrawFn) -> bytes:
    """Records that programs may write, and others."""
    keys = draw(st.lists(st.sampled_from("abcdefgh"), unique=True))
    pairs = [f'"{key}":{draw(VALUES)}' for key in keys]
    pairs.insert(draw(st.integers(0, len(pairs))), '"histogram":[[1,2],[3,4]]')
    return (HEAD + ",".join(pairs) + "}").encode()


@example([])
@given(st.lists(records(), max_size=10))
def test_both_sides_pack_the_same_and_it_comes_back(sent: list[bytes]) -> None:
    assert packed(sent) == (made := pack(sent, TABLE))
    assert unpack(made, TABLE) == [without_histogram(text) for text in sent]
    bare = Table([], 0)
    assert unpack(pack(sent, bare), bare) == [without_histogram(text) for text in sent]


@pytest.mark.parametrize(
    "line",
    [b'{"v":1', b'{"a":"b}', b"[]x]", b'{"a":"\x01"}', b"\xff{}", b'{"a":"' + b"x" * 3000 + b'"}'],
)
def test_what_is_no_record_is_refused(line: bytes) -> None:
    assert run([line]) == "refused\n"


@given(st.binary(max_size=60))
def test_bytes_that_were_not_packed_are_refused_or_read(data: bytes) -> None:
    try:
        unpack(data, TABLE)
    except PackingError as error:
        assert str(error)


def row(identity: str, median: int) -> dict[str, Any]:
    """A row like a processor's: some spread, a far maximum."""
    points = [f"MP{n}" for n in range(1, 9)]
    parts = [{"from": a, "to": b, "min": 90 + i, "median": 131 + i}
             for i, (a, b) in enumerate(pairwise(points))]  # fmt: skip
    return {
        "v": 1, "type": "result", "suite": "toll", "id": identity, "label": "int80", "n": 1000,
        "min": median - 17, "median": median, "p90": median + 23, "p99": median + 711,
        "max": median * 31, "mean": median + 3.25, "histogram": [[median, 1000]],
        "batch": median - 0.75, "sections": parts, "probe": 131, "residue": -12,
        "disturbed": 3, "repeated": 1,
    }  # fmt: skip


KNOWN = [word.decode() for word in TABLE.words if re.fullmatch(rb"[a-z]+/[a-z0-9]+/[a-z]+", word)]


def test_two_hundred_rows_are_four_codes_or_fewer() -> None:
    """Like a processor's: all existing rows with sections, and others."""
    sent = [compact(row(identity, 400 + 37 * n)) for n, identity in enumerate(KNOWN[:133])]
    for number in range(len(sent), 200):
        plain = row(f"user/new{number}/read", 100 * number)
        for key in ("batch", "sections", "probe", "residue"):
            del plain[key]
        sent.append(compact(plain))
    assert len(KNOWN) > 100
    assert run(sent, str(768 // 3)).count("P1") <= 4


def test_a_table_that_is_missing_is_said(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tollgate.errors import TollgateError

    monkeypatch.setattr("tollgate.records.packing.BUILD", tmp_path)
    with pytest.raises(TollgateError, match="`make` builds it"):
        read_table()
