"""The database of the suite `wisconsin`: Linux's answers in every ring and width, its figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate import wisconsin
from tollgate.boot import BUILD, ROOT
from tollgate.child import run

from .test_linux import NARROW, answers

WORDS = "suite=wisconsin samples=2 only="
"""Each query twice; ONLY of the runs."""


def module(arch: str) -> Path:
    path = BUILD / arch / "wisconsin.cpio"
    if not path.exists():
        pytest.skip("`make test` and `make bench SUITE=wisconsin` build the initrd with a database")
    return path


def hosts(arch: str, folder: Path) -> tuple[str, str]:
    """Rows and checksum that the same program finds on this host's Linux."""
    program = BUILD / arch / "database" / "bin" / "database"
    said = run([program, "alone", "2", folder / "rows", "10", "512"], 60).stdout
    found = re.search(r"^rows (\d+) 0\nchecksum (\d+) 0$", said, re.MULTILINE)
    assert found, said
    return found[1], found[2]


def results(found: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["suite"], row["id"]): row for row in found.results}


@pytest.mark.parametrize(
    ("arch", "only", "least"),
    [
        ("amd64", "cache-10-site", 1),
        *(
            pytest.param(arch, only, 4 if only == "server" else 2, marks=pytest.mark.long)
            for arch in ("amd64", "i386")
            for only in ("cache-10", "default", "page-512", "server")
        ),
    ],
)
def test_rows_and_checksum_are_the_hosts(
    boot: Any, tmp_path: Path, arch: str, only: str, least: int
) -> None:
    """In both rings; with `server`, of each client with each server; in `make test` in ring 0, with
    its system calls as calls: the other test below has databases of either ring."""
    result = boot(arch, "EPYC", WORDS + only, module=module(arch), memory=64)
    assert result.outcome.value == "pass", result.reason
    totals = [row for row in result.results if row["id"].endswith("/total")]
    assert len(totals) >= least
    said = {(str(row["rows"]), str(row["checksum"])) for row in totals}
    assert said == {hosts(arch, tmp_path)}


@pytest.mark.long
@pytest.mark.parametrize("arch", ["amd64", "i386"])
def test_the_difference_between_the_rings_is_explained(boot: Any, arch: str) -> None:
    """To a ten-thousandth of the total; and reads and writes are what the toll says."""
    result = boot(arch, "EPYC", WORDS + "cache-10", module=module(arch), memory=64)
    figures = results(result) | results(boot(arch, "EPYC", "suite=toll,faults samples=20"))
    found = wisconsin.Boot(arch, figures)
    (each,) = [d for d in wisconsin.differences(found) if d.setting == "cache-10"]
    assert each.left is not None
    assert abs(each.left) < each.base / 10_000
    for name in ("pread64", "pwrite64"):
        ring_3, ring_0 = (figures["wisconsin", f"{ring}/cache-10/call-{name}"] for ring in RINGS)
        assert ring_3["count"] == ring_0["count"] > 30_000
    apart = wisconsin.reads_and_writes(found, each.setting)
    assert apart[0] is not None
    assert abs(apart[1] - apart[0]) <= abs(apart[0]) / 10


RINGS = ("user", "trusted")
MOST = {"i386": {"pread64": 1400, "pwrite64": 1510}, "amd64": {"pread64": 780, "pwrite64": 850}}
"""Instructions of a call of 4,096 bytes, at most: a tenth above what gcc 12 makes of it."""


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_page_read_or_written_has_a_budget(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", WORDS + "cache-10", module=module(arch), memory=64)
    figures = results(result)
    for name, most in MOST[arch].items():
        for ring in RINGS:
            row = figures["wisconsin", f"{ring}/cache-10/call-{name}"]
            assert most / 2 < row["median"] / row["count"] <= most, row["id"]


@pytest.mark.parametrize(
    ("arch", "folder"),
    [
        ("amd64", "bin"),
        ("amd64", "trusted"),
        ("i386", "bin"),
        pytest.param("amd64", "compat", marks=pytest.mark.long),
        pytest.param("i386", "trusted", marks=pytest.mark.long),
    ],
)
def test_a_database_killed_at_a_write_is_whole(
    boot: Any, tree: Any, tmp_path: Path, arch: str, folder: str
) -> None:
    """All of a change or nothing, when it is opened again."""
    width = "i386" if folder == "compat" else arch
    library = BUILD / width / "libsqlite3.a"
    if not library.exists():
        pytest.skip("`make test` fetches SQLite")
    program, source = tmp_path / "killed", ROOT / "tests" / "linux" / "killed.c"
    narrow = NARROW if width == "i386" else []
    wrap = "-Wl,--wrap=pwrite64"
    sources = (source, ROOT / "user" / "libc" / "wisconsin" / "fmod.c")
    run(["gcc", *narrow, "-static", "-O1", *sources, wrap, library, "-lm", "-o", program], 60)
    expected = answers(run([program], 60, cwd=tmp_path).stdout)
    assert expected == "".join(f"= {w} 12 of 12\n" for w in ("killed", "all or nothing", "sound"))
    files = {f"{folder}/killed": program.read_bytes(), "tmp/.here": b""}
    result = boot(arch, "EPYC", "suite=killed", module=tree(files))
    assert answers(result.text.replace("\r", "")) == expected
    assert result.outcome.value == "pass", result.reason
