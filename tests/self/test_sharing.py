"""What tests share: a boot that says the same each time, and the pieces of a long one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tollgate.machines import cpio
from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.outcome import Outcome
from tollgate.records.format import RecordReader, encode, group

from .. import conftest
from ..host.sample import make_run_record


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Boot]:
    """The boots that are made, each of which says its words and hangs where it is told so."""
    boots: list[Boot] = []

    def run_boot(boot: Boot, directory: Path, watch: Any = None) -> BootResult:
        boots.append(boot)
        outcome = Outcome.HANG if "hang" in boot.words else Outcome.PASS
        return BootResult(boot, outcome, "", str(boot.words), [], [], [], 33, 1.0, 0.1, directory)

    monkeypatch.setattr(conftest, "run_boot", run_boot)
    return boots


def booter(folder: Path, name: str) -> conftest.Booter:
    """That of one test: a folder of its own, and one for all."""
    for each in (name, "shared"):
        (folder / each).mkdir(exist_ok=True)
    return conftest.Booter(folder / name, folder / "shared", [])


def test_the_same_boot_is_made_once(made: list[Boot], tmp_path: Path) -> None:
    one, other = (booter(tmp_path, name) for name in ("one", "other"))
    assert one("amd64", cmdline="a").text == other("amd64", cmdline="a").text
    assert len(made) == 1
    one("amd64", cmdline="a", module=b"a tree")
    one("amd64", cmdline="a", module=b"another")
    one("i386", cmdline="a")
    other("amd64", cmdline="b")
    assert len(made) == 5


@pytest.mark.parametrize(
    "own", [{"fresh": True}, {"qmp": True}, {"watch": print}, {"platform": "qemu-tcg"}]
)
def test_who_touches_the_guest_or_times_it_has_it_alone(
    made: list[Boot], tmp_path: Path, own: dict[str, Any]
) -> None:
    boot = booter(tmp_path, "one")
    for _ in range(2):
        boot("amd64", cmdline="a", **own)
    assert len(made) == 2


def test_a_hang_is_tried_again(made: list[Boot], tmp_path: Path) -> None:
    """The host may have been why."""
    for name in ("one", "other"):
        assert booter(tmp_path, name)("amd64", cmdline="hang").outcome is Outcome.HANG
    assert len(made) == 2


def test_a_long_boot_is_cut_where_the_separator_has_run(tmp_path: Path) -> None:
    run = make_run_record(arch="i386")
    checks = {
        name: {"v": 1, "type": "check", "name": name, "ok": True, "detail": ""}
        for name in ("first", "second", "third")
    }
    rows = [
        {"v": 1, "type": "skip", "suite": "between", "id": f"user/between/{n}", "reason": ""}
        for n in range(2)
    ]
    between = "".join(encode(row).decode() for row in rows) + "getpid(): 57 ticks\n"
    said = [f"1..1\n{encode(check).decode()}" for check in checks.values()]
    text = encode(run).decode() + between.join(said) + between
    reader = RecordReader()
    records = reader.feed(text.encode()) + reader.close()
    whole = BootResult(
        Boot("i386"), Outcome.PASS, "", text, group(records), records, [], 33, 1.0, 0.1, tmp_path
    )
    pieces = conftest.parts(whole, "between")
    assert [[c["name"] for c in piece.checks] for piece in pieces[:3]] == [[n] for n in checks]
    assert all(piece.run["arch"] == "i386" for piece in pieces)
    assert not [skip for piece in pieces for skip in piece.skips]
    assert "getpid" not in "".join(piece.text for piece in pieces)


def test_a_boot_on_bochs_reads_what_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"bin/a": b"1", "compat/a": b"2", "trusted/b": b"3", "bin/c": b"4"}
    monkeypatch.setattr(conftest, "tree_of", lambda arch: there)
    archive = conftest.named_programs("amd64", "suite=a,b samples=c")
    assert cpio.read(archive) == {path: there[path] for path in ("bin/a", "compat/a", "trusted/b")}
