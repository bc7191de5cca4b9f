"""results.jsonl: what is saved comes back, and a bad file is named with its line and reason."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.records import MachineRun, RecordsError, load, save

MakeRun = Callable[..., MachineRun]


def test_runs_come_back_as_they_were(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(), make_run({"user/int/bare": 2}, arch="i386"), make_run()]
    runs[2].end = None
    path = tmp_path / "results.jsonl"
    save(runs, path)
    assert load(path) == runs
    assert load(tmp_path) == runs, "a folder means the file in it"
    first = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == first
    assert [child.name for child in tmp_path.iterdir()] == ["results.jsonl"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no run; it is empty or was cut short."),
        (b"\n\n", "holds no run"),
        (b"hello\n", "line 1, is not a record (not JSON); the file is damaged"),
        (b"\xff\xfe\x00", "line 1, is not a record (not JSON)"),
        (b"[" * 100_000, "line 1, is not a record (nested too deeply)"),
        (b'{"v":1}\n', "line 1, is not a record (unknown record type None)"),
        (b'{"v":7,"type":"run"}\n', "record version 7; this tool reads version 1"),
        (b'\n{"v":1,"type":"run"}\n', 'line 2, is not a record (a run record has no "arch")'),
        (
            b'{"v":1,"type":"end","records":0,"failed":0}\n',
            "line 1: an end record stands before any run record",
        ),
    ],
)
def test_a_bad_file_is_named_with_line_and_reason(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordsError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="does not exist; `make bench` writes"):
        load(tmp_path / "none.jsonl")


def test_a_damaged_result_is_found_before_anyone_reads_it(
    make_run: MakeRun, tmp_path: Path
) -> None:
    run = make_run()
    run.results[0]["sections"] = [{"from": "MP1"}]
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in run.lines()))
    with pytest.raises(RecordsError, match=r'line 2, is not a record .a section has no "to"'):
        load(path)


@given(data=st.data())
def test_a_file_damaged_anywhere_gives_runs_or_a_sentence(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    lines = [json.dumps({"v": 1, "type": "end", "records": 0, "failed": 0})] * 2
    content = bytearray("\n".join(lines).encode())
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    with pytest.raises(RecordsError):
        load(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_place_is_named(make_run: MakeRun, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RecordsError, match="cannot be written: Permission denied"):
        save([make_run()], tmp_path / "results.jsonl")


def test_a_place_that_is_not_there_is_named(make_run: MakeRun, tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="cannot be written: No such file"):
        save([make_run()], tmp_path / "none" / "results.jsonl")
