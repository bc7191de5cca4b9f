"""The record reader: correct on complete lines; quiet and in step on anything else."""

import zlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.records.format import (
    MAX_LINE,
    MachineRun,
    Record,
    RecordReader,
    compact,
    encode,
    group,
)

SKIP = {"v": 1, "type": "skip", "suite": "toll", "id": "user/sysenter/bare", "reason": "SEP = 0"}
END = {"v": 1, "type": "end", "records": 2, "failed": 0}
CHECK = {"v": 1, "type": "check", "name": "control/loop", "ok": True, "detail": "@{3} of *3"}
RECORDS = (SKIP, END, CHECK)

noise_lines = st.binary(max_size=200).filter(lambda data: b"\n" not in data and b"@{" not in data)
records = st.sampled_from(RECORDS)


def read(data: bytes) -> tuple[list[Record], RecordReader]:
    reader = RecordReader()
    return reader.feed(data) + reader.close(), reader


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """`data` in pieces, cut at `places`."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.binary(max_size=2000))
def test_any_bytes_are_survived(data: bytes) -> None:
    read(data)


@given(st.lists(st.one_of(st.sampled_from(RECORDS).map(encode), st.binary(max_size=100))))
def test_any_mixture_is_survived_whole_or_in_pieces(parts: list[bytes]) -> None:
    data = b"".join(parts)
    whole, _ = read(data)
    reader = RecordReader()
    pieces = [record for byte in data for record in reader.feed(bytes([byte]))] + reader.close()
    assert pieces == whole


@given(st.lists(st.tuples(noise_lines, records)), st.lists(st.integers(min_value=0)))
def test_records_between_noise_arrive_in_order(
    parts: list[tuple[bytes, dict[str, Any]]], places: list[int]
) -> None:
    data = b"".join(noise + b"\r\n" + encode(record) for noise, record in parts)
    reader = RecordReader()
    found = [record for piece in cut(data, places) for record in reader.feed(piece)]
    assert [record.data for record in found] == [record for _, record in parts]
    assert reader.counters.bad == 0


@given(noise_lines, records)
def test_a_record_behind_noise_on_its_line_arrives(noise: bytes, record: dict[str, Any]) -> None:
    found, _ = read(noise + encode(record))
    assert [item.data for item in found] == [record]


@given(records, st.data())
def test_a_record_cut_short_is_counted_and_the_next_one_arrives(
    record: dict[str, Any], data: st.DataObject
) -> None:
    line = encode(record)
    kept = data.draw(st.integers(min_value=2, max_value=len(line) - 2))
    found, reader = read(line[:kept] + b"\n" + encode(END))
    assert [item.data for item in found] == [END]
    assert reader.counters.bad == 1


@given(records, st.data())
def test_a_record_that_interrupts_another_arrives(
    record: dict[str, Any], data: st.DataObject
) -> None:
    line = encode(SKIP)
    kept = data.draw(st.integers(min_value=0, max_value=len(line) - 2))
    found, _ = read(line[:kept] + encode(record))
    assert [item.data for item in found] == [record]


@given(records, st.data())
def test_a_flipped_bit_never_changes_a_record(record: dict[str, Any], data: st.DataObject) -> None:
    line = bytearray(encode(record))
    place = data.draw(st.integers(min_value=0, max_value=len(line) - 2))
    line[place] ^= 1 << data.draw(st.integers(min_value=0, max_value=7))
    found, _ = read(bytes(line))
    assert [item.data for item in found] in ([], [record])


def test_a_wrong_crc_is_counted_and_named() -> None:
    line = encode(SKIP).replace(b"SEP = 0", b"SEP = 1")
    found, reader = read(line + encode(END))
    assert [item.data for item in found] == [END]
    assert reader.counters.bad_crc == 1
    assert reader.problems[0].startswith("wrong CRC: ")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (SKIP | {"v": 2}, "record version 2; this tool reads version 1"),
        (SKIP | {"v": True}, "record version True"),
        (SKIP | {"type": "verdict"}, "unknown record type 'verdict'"),
        ({"v": 1, "type": "skip", "suite": "toll", "id": "x"}, 'a skip record has no "reason"'),
        (SKIP | {"reason": 3}, '"reason" of a skip record is not text'),
        (END | {"failed": "0"}, '"failed" of an end record is not a whole number'),
        (CHECK | {"ok": 1}, '"ok" of a check record is not true or false'),
    ],
)
def test_a_record_of_the_wrong_shape_is_counted_and_named(
    data: dict[str, Any], problem: str
) -> None:
    found, reader = read(encode(data))
    assert not found
    assert reader.counters.bad_shape == 1
    assert problem in reader.problems[0]


@pytest.mark.parametrize("text", [b"[1]", b"{", b'{"v":NaN}', b'{"v":"\\ud800"}', b"{" * 9000])
def test_json_that_is_no_record_is_survived(text: bytes) -> None:
    found, reader = read(b"@{" + text + b"} *%08x\n" % zlib.crc32(b"{" + text + b"}"))
    assert not found
    assert reader.counters.bad == 1


def test_a_line_without_end_does_not_grow_and_the_next_is_read() -> None:
    reader = RecordReader()
    for _ in range(10):
        assert not reader.feed(b"@{" + b"x" * MAX_LINE)
    assert len(reader._pending) <= MAX_LINE
    assert [record.data for record in reader.feed(b"\n" + encode(END))] == [END]
    assert reader.counters.too_long == 1


def test_a_last_line_without_its_newline_counts() -> None:
    reader = RecordReader()
    assert not reader.feed(encode(END)[:-1])
    assert [record.data for record in reader.close()] == [END]


def test_boots_are_grouped_and_lost_records_counted(make_run: Callable[..., MachineRun]) -> None:
    run = make_run()
    data = b"boot 1\n" + b"".join(map(encode, run.lines()))
    found, _ = read(encode(SKIP) + data + data)
    first, second = group(found)
    assert first == second == run
    assert first.lost == 0
    assert first.name == "amd64 EPYC (qemu-icount)"
    assert [record.text for record in first.records] == [compact(r.data) for r in run.records]
    del first.records[3]
    assert first.lost == 1


@pytest.mark.parametrize("kind", ["outcome", "missing"])
def test_a_guest_cannot_send_what_the_host_writes(kind: str) -> None:
    word = {"suite": "", "id": "", "ended": "reset", "expected": "reset", "chain": "", "reason": ""}
    data = {"v": 1, "type": kind, **word, "records": 1, "boots": []}
    found, reader = read(encode(data))
    assert not found
    assert "is the host's to write" in reader.problems[0]


@pytest.mark.parametrize("digits", ["9" * 33, "1" * 4000, "0." + "1" * 5000, "1e400"])
def test_a_number_that_no_64_bits_hold_is_damage(digits: str) -> None:
    text = b'{"v":1,"type":"end","failed":0,"records":' + digits.encode() + b"}"
    found, reader = read(b"@" + text + b" *%08x\n" % zlib.crc32(text))
    assert not found
    assert reader.counters.bad_json == 1
    assert len(reader.problems[0]) < 200
