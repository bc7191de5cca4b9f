"""Empty reads of every kind of file, by each method, with the address limit lifted."""

from typing import Any

import pytest

from tollgate.machines.boot import DISK
from tollgate.records import budgets, derived_budgets
from tollgate.show.report import rubini

WORDS = "suite=ladder,files samples=20"
KINDS = ["null", "zero", "file", "console", "pipe", "socket", "pty", "proc", "proc-sys"]
DISKS = ["hda", "ext2"]
"""Kinds of files that need a disk."""
CEILINGS = {  # id: amd64, i386
    "user/read/null": (95, 85),
    "user/read/zero": (97, 90),
    "user/read/file": (97, 101),
    "user/read/console": (97, 101),
    "user/read/pipe": (114, 104),
    "user/read/socket": (130, 140),
    "user/read/pty": (130, 140),
    "user/read/proc": (130, 140),
    "user/read/proc-sys": (130, 140),
    "user/read/hda": (130, 140),
    "user/read/ext2": (130, 140),
    "kernel/sys_read/null": (45, 45),
    "kernel/file_read/null": (12, 12),
}
"""The promised bound of an empty read, in instructions, with gcc 12."""

BAD_POINTER = {"user/efault/zero": (400, 400), "trusted/efault/zero": (450, 450)}
"""The cost of a read into a bad pointer, from the suite files."""


def medians(result: Any, suite: str) -> dict[str, int]:
    return {r["id"]: r["median"] for r in result.results if r["suite"] == suite}


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_reads_cost_what_their_budgets_say(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", WORDS, disk=DISK)
    assert result.outcome.value == "pass", result.reason
    room = 0 if budgets.compiler_of(result.run) == "gcc 12" else derived_budgets.ROOM
    for suite in ("ladder", "files"):
        assert budgets.differences(result, suite) == {}, "tests/budgets.toml"
        figures = medians(result, suite)
        for row, ceiling in {**CEILINGS, **(BAD_POINTER if suite == "files" else {})}.items():
            assert figures[row] * 100 <= ceiling[arch == "i386"] * (100 + room), row
    spread = [r["id"] for r in result.results if r["min"] != r["max"]]
    assert not spread, "not the same each time"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_articles_sum_leaves_nothing_over(boot: Any, arch: str) -> None:
    """Crossing, entry work and sys_read equal those of /dev/null, for every kind of file."""
    result = boot(arch, "EPYC", WORDS, disk=DISK)
    for suite in ("ladder", "files"):
        figures = {row: float(value) for row, value in medians(result, suite).items()}
        found = rubini.kinds(figures)
        assert {*KINDS, *DISKS} <= set(found)
        assert {kind: rubini.residue(figures, kind) for kind in found} == dict.fromkeys(found, 0)


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_each_rung_is_lower_than_the_one_above(boot: Any, arch: str) -> None:
    figures = medians(boot(arch, "EPYC", WORDS, disk=DISK), "ladder")
    for kind in [*KINDS, *DISKS]:
        rungs = [figures[f"{rung}/{kind}"] for rung, _, _ in rubini.RUNGS[1:]]
        assert rungs == sorted(rungs, reverse=True), kind
        gates = [row for row in figures if row.startswith("user/") and row.endswith(f"/{kind}")]
        allowed = [row for row in budgets.load("ladder", arch) if row.startswith("user/")]
        assert set(gates) == {row for row in allowed if row.endswith(f"/{kind}")}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_not_here_says_why(boot: Any, arch: str) -> None:
    skips = {s["id"]: s["reason"] for s in boot(arch, "EPYC", WORDS, disk=DISK).skips}
    for kind in ("nfs", "net-pty"):
        for rung in (rubini.USER, rubini.GATE, rubini.SYS_READ, rubini.FILE_READ, rubini.CACHED):
            assert skips[f"{rung}/{kind}"] == "no network yet"


@pytest.mark.parametrize(
    ("arch", "cpu"),
    [
        pytest.param("i386", "p3_katmai", marks=pytest.mark.long),
        pytest.param("amd64", "corei7_haswell_4770", marks=pytest.mark.long),
    ],
)
def test_bochs_counts_the_same(suite: Any, boot: Any, arch: str, cpu: str) -> None:
    """Only a fault differs: Bochs counts it. Without a disk the disk's row is skipped."""
    ours = medians(boot(arch, "EPYC", WORDS, disk=DISK), "ladder")
    result = suite(arch, cpu, "bochs", "ladder")
    skips = {s["id"]: s["reason"] for s in result.skips}
    assert skips["user/read/hda"] == "no disk"
    assert skips["kernel/cached/ext2"] == "no ext2 on a disk"
    theirs = medians(result, "ladder")
    common = {row for row in theirs if row in ours}
    assert {f"{rung}/{kind}" for rung, _, _ in rubini.RUNGS for kind in KINDS} <= common
    assert {row: theirs[row] for row in common} == {row: ours[row] for row in common}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_limit_that_stays_lifted_ends_the_program(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=limit", whole=True)
    assert result.outcome.value == "pass", result.reason
    sentence = "killed by SIGSEGV: it would have gone on in ring 3 with its address limit lifted"
    assert result.text.count(f"/bin/attack: {sentence}") == 2
    assert result.text.count("wrong: read() wrote 4 bytes of the kernel's memory") == 1


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_ksystime_says_what_the_article_prints(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=usystime,ksystime,kinds samples=20")
    assert result.outcome.value == "pass", result.reason
    assert budgets.differences(result, "usystime") == {}, "tests/budgets.toml"
    usystime, kinds = medians(result, "usystime"), medians(result, "kinds")
    for origin in {row.partition("/")[0] for row in usystime}:
        assert kinds[f"{origin}/read/getpid"] == usystime[f"{origin}/usystime/getpid"]
    said = [line for line in result.text.splitlines() if line.startswith("ksystime: ")]
    names = [line.split(" - ")[1] for line in said]
    assert names == ["tsc", "read()", "sys_read()", "f_op->read()", "cached_f_op_read()"]
    figures = [int(line.split()[1]) for line in said[1:]]
    assert figures == sorted(figures, reverse=True)
    assert result.text.count("read(): ") == {"i386": 2, "amd64": 3}[arch]


MOST = {  # reads of 4,096 bytes: amd64, i386
    "user/read/zero-4096": (665, 1186),
    "user/read/file-4096": (706, 1276),
}


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_byte_costs_what_its_instructions_are(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=copy samples=5")
    assert result.outcome.value == "pass", result.reason
    figures = {row: float(value) for row, value in medians(result, "copy").items()}
    for row, most in MOST.items():
        assert figures[row] <= most[arch == "i386"], row
    found = rubini.lines(figures)
    word = {"i386": 4, "amd64": 8}[arch]
    expected = {"movsb": 1, "movs": 1 / word, "loop": 6 / word}
    for name, slope in expected.items():
        line = found[f"user/copy/{name}"]
        assert line.slope == pytest.approx(slope)
        assert line.residual < 0.5
    for size in (256, 1024, 4096, 16384, 65536):
        end = {name: figures[f"user/copy/{name}-{size}"] for name in expected}
        start = {name: figures[f"user/copy/{name}-64"] for name in expected}
        for name, slope in expected.items():
            assert end[name] - start[name] == (size - 64) * slope, (name, size)
    for way in (rubini.USER, rubini.GATE, rubini.SYS_READ, rubini.FILE_READ):
        for of_what in ("zero", "file"):  # a page is copied word by word, in any context
            small, page = (figures[f"{way}/{of_what}-{size}"] for size in (1024, 4096))
            assert page - small == (4096 - 1024) / word, (way, of_what)
        for of in ("zero", "file"):
            assert found[f"{way}/{of}"].slope == pytest.approx(1 / word, rel=0.25), way
    worth = [rubini.break_even(found, rung, "zero") or 0.0 for rung, _, _ in rubini.RUNGS[1:4]]
    assert worth == sorted(worth)
    assert worth[-1] > 0
    skipped = {s["id"].split("/")[2].split("-")[0] for s in result.skips}
    assert skipped == (set() if arch == "i386" else {"fs"})
    assert ("user/copy/fs" in found) == (arch == "i386")
