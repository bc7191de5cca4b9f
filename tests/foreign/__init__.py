"""Emulators as judges of the kernel: how each suite ends there, and what each row costs there.

v86 was written by others for other purposes, and nobody here has chosen its counter.
`python -m tests.foreign [SUITE,...]` boots the i386 kernel on each judge and prints two tables;
ends.toml has what is expected. An end that no table expects is exit status 3.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tollgate import budgets, child, warden
from tollgate.boot import BUILD, ROOT, Boot
from tollgate.machine import run_boot
from tollgate.records import RecordReader

HERE = Path(__file__).parent
ENDS = HERE / "ends.toml"
V86 = BUILD / "v86"
LIMIT = 60.0
"""Seconds of the processor that a boot of v86's may take."""
STATUS = {33: "passed", 35: "failed", 39: "noisy", 100: "no end"}
"""What v86.js leaves with; with 101 it has printed a sentence of its own."""
SAMPLES = "samples=20"
SUITES = (
    "toll,exceptions,faults,usystime,calls,switch,spawn,starve,ladder,files,copy,html,web".split(
        ","
    )
)
"""Those that end within the limit, or at once."""


@dataclass(frozen=True)
class End:
    """How a boot ended, its rows' medians by their ids, and why others were skipped."""

    word: str
    rows: Mapping[str, int]
    skips: Mapping[str, str] = field(default_factory=dict)


def _rows(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    return {each["id"]: budgets.figures(each)[0] for each in records}


def _failed(checks: Iterable[Mapping[str, Any]]) -> str:
    """Which checks do not hold, each kind once."""
    kinds = {"/".join(each["name"].split("/")[:3]) for each in checks if not each["ok"]}
    return ", ".join(sorted(kinds))


def v86(how: str) -> Callable[[str], End]:
    """The judge of that name: `count` is the page's machine, `jit` the one that npm brings."""

    def judge(suite: str) -> End:
        files = (BUILD / "i386" / "kernel.elf", BUILD / "i386" / "initrd.cpio")
        line = f"suite={suite} {SAMPLES} platform=v86 then=stop"
        command = ["node", HERE / "v86.js", how, str(LIMIT), V86, *files, line]
        done = child.run([str(each) for each in command], 3 * LIMIT, cwd=ROOT)
        reader = RecordReader()
        records = [r.data for r in reader.feed(done.stdout.encode()) + reader.close()]
        failed = _failed(r for r in records if r["type"] == "check")
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        word = STATUS.get(done.returncode) or f"v86 throws: {said}"
        word = f"{word}: {failed}" if word == "failed" and failed else word
        skips = {r["id"]: r["reason"] for r in records if r["type"] == "skip"}
        return End(word, _rows(r for r in records if r["type"] == "result"), skips)

    return judge


def ours(platform: str) -> Callable[[str], End]:
    """A judge that the tests have anyway."""

    def judge(suite: str) -> End:
        words = (f"suite={suite}", SAMPLES)
        with warden.folder() as folder:
            result = run_boot(Boot("i386", platform, words=words), folder)
        failed = _failed(result.checks)
        word = {"pass": "passed", "fail": "failed"}.get(result.outcome.value, result.outcome.value)
        word = f"{word}: {failed}" if failed else word
        return End(word, _rows(result.results))

    return judge


JUDGES: Mapping[str, Callable[[str], End]] = {
    "QEMU": ours("qemu-icount"),
    "Bochs": ours("bochs"),
    "v86": v86("count"),
    "v86, JIT": v86("jit"),
}


def is_expected(judge: str, suite: str, end: End) -> bool:
    """Whether ends.toml says so."""
    words = tomllib.loads(ENDS.read_text(encoding="utf-8"))[judge]
    return end.word in words.get(suite, words["usual"])


def ends(found: Mapping[str, Mapping[str, End]]) -> Iterable[str]:
    """A line for each suite and judge."""
    for judge, suites in found.items():
        for suite, end in suites.items():
            mark = "" if is_expected(judge, suite, end) else "   (not expected)"
            yield f"{judge:9} {suite:11} {end.word}{mark}"


def table(found: Mapping[str, Mapping[str, End]], suite: str) -> Iterable[str]:
    """A suite's rows in Markdown: what each judge counts."""
    judges = [judge for judge in found if found[judge].get(suite)]
    rows = dict.fromkeys(row for judge in judges for row in found[judge][suite].rows)
    yield f"| row | {' | '.join(judges)} |"
    yield f"|---|{'---|' * len(judges)}"
    for row in rows:
        cells = [str(found[judge][suite].rows.get(row, "")) for judge in judges]
        yield f"| {row} | {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> int:
    """Boot them all; the exit status."""
    suites = arguments[0].split(",") if arguments else SUITES
    found: dict[str, dict[str, End]] = {}
    for judge, boot in JUDGES.items():
        found[judge] = {suite: boot(suite) for suite in suites}
        print("\n".join(ends({judge: found[judge]})), flush=True)
    counted = {judge: each for judge, each in found.items() if judge != "v86, JIT"}
    for suite in suites:
        if suite == "toll":
            print("", *table(counted, suite), sep="\n")
    right = all(is_expected(j, s, e) for j, each in found.items() for s, e in each.items())
    return 0 if right else 3
