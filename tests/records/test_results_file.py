"""results.jsonl: saved records are restored, and a bad file is named with line and reason."""

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tollgate.errors import Exit
from tollgate.records.format import (
    MachineRun,
    RecordReader,
    RecordsError,
    encode,
    group,
    load,
    save,
)
from tollgate.records.rules import faults

from .sample import make_run_record, without

MakeRun = Callable[..., MachineRun]


def test_runs_come_back_as_they_were(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(), make_run({"user/int/bare": 2}, arch="i386"), without(make_run(), "end")]
    path = tmp_path / "results.jsonl"
    save(runs, path)
    assert load(path).runs == runs
    assert load(tmp_path).runs == runs, "a folder means the file in it"
    first = path.read_bytes()
    save(load(path).runs, path)
    assert path.read_bytes() == first
    assert [child.name for child in tmp_path.iterdir()] == ["results.jsonl"]


def test_the_kernels_own_crc_stays_with_the_kernels_own_words(tmp_path: Path) -> None:
    """46.00 is not Python's 46.0, and the CRC is of the sent text."""
    text = b'{"v":1,"type":"end","records":1,"failed":0,"mean":46.00}'
    log = encode(make_run_record()) + b"@" + text + b" *%08x\n" % zlib.crc32(text)
    reader = RecordReader()
    path = tmp_path / "results.jsonl"
    save(group(reader.feed(log)), path)
    last = path.read_bytes().splitlines()[-1]
    assert last == text[:-1] + b',"crc":"%08x"}' % zlib.crc32(text)
    assert json.loads(last)["mean"] == 46
    assert not load(path).runs[0].damage
    path.write_bytes(path.read_bytes().replace(b"46.00", b"45.00"))
    (damage,) = load(path).runs[0].damage
    assert (damage.line, damage.rule, damage.reason) == (2, "crc", "wrong CRC")


def test_a_serial_log_is_read_too(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run()
    path = tmp_path / "machine.txt"
    path.write_bytes(b"GRUB\r\n" + b"hello\r\n".join(map(encode, run.lines())))
    (found,) = load(path).runs
    assert found == run
    assert [record.line for record in found.records][:3] == [2, 4, 6]


def test_what_is_missing_is_kept(make_run: MakeRun, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    save([make_run()], path, ["amd64 EPYC (qemu-icount)"])
    assert load(path).missing == ["amd64 EPYC (qemu-icount)"]
    assert not faults(load(path).runs[0])


def stored(text: bytes) -> bytes:
    """A line of results.jsonl with a correct CRC."""
    return text[:-1] + b',"crc":"%08x"}\n' % zlib.crc32(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no run; it is empty or was cut short."),
        (b"\n\n", "holds no run"),
        (b"hello\n", "line 1, is not a record: not JSON (rule json); the file is damaged"),
        (b"\xff\xfe\x00", "line 1, is not a record: not JSON (rule json)"),
        (b"[" * 100_000, "line 1, is not a record: nested too deeply (rule json)"),
        (b'{"v":1}\n', "without its CRC (rule crc); a file of an older Tollgate: measure again."),
        (b'{"v":1,"crc":"00000000"}\n', "line 1, is not a record: wrong CRC (rule crc)"),
        (stored(b'{"v":1,"type":"go"}'), "unknown record type 'go' (rule shape)"),
        (stored(b'{"v":7,"type":"run"}'), "record version 7; this tool reads version 1"),
        (b"\n" + stored(b'{"v":1,"type":"run"}'), "line 2, is not a record: a run record has no"),
        (stored(b'{"v":1,"n":' + b"7" * 4000 + b"}"), "a number of 4000 characters (rule json)"),
        (
            stored(b'{"v":1,"type":"end","records":0,"failed":0}'),
            "line 1, is not a record: an end record stands before any run record (rule first)",
        ),
    ],
)
def test_a_bad_file_is_named_with_line_and_rule(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordsError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.code is Exit.FAIL


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="does not exist; `make bench` writes"):
        load(tmp_path / "none.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_place_is_named(make_run: MakeRun, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RecordsError, match="cannot be written: Permission denied"):
        save([make_run()], tmp_path / "results.jsonl")


def test_a_place_that_is_not_there_is_named(make_run: MakeRun, tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="cannot be written: No such file"):
        save([make_run()], tmp_path / "none" / "results.jsonl")
