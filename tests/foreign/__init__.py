"""Emulators as judges of the kernel: how each suite ends there, and what each row costs there.

v86 was written by others for other purposes, and nobody here has chosen its counter.
`python -m tests.foreign [SUITE,... [DOCUMENT]]` boots the i386 kernel on each judge and prints two
tables; the second goes into the document, too, between its marks. ends.toml has what is expected.
An end that no table expects is exit status 3.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tollgate import browser as page_maker
from tollgate.bench import check_suites
from tollgate.errors import TollgateError
from tollgate.machines import child, cleanup
from tollgate.machines.boot import BUILD, ROOT, Boot
from tollgate.machines.emulator import run_boot
from tollgate.records import budgets
from tollgate.records.format import RecordReader

from ..chromium import browser, installed

HERE = Path(__file__).parent
ENDS = HERE / "ends.toml"
V86 = BUILD / "v86"
LIMIT = 60.0
"""Processor seconds that a boot in v86 may take."""
STATUS = {33: "passed", 35: "failed", 39: "noisy", 100: "no end"}
"""The exit statuses of v86.js; with 101 it has printed a message."""
REFUSED = re.compile(r"(?m)^tollgate: (?!passed|failed|noisy)([^:\r\n]*)")
"""Why the kernel refuses to measure."""
SAMPLES = "samples=20"
SUITES = (
    "toll,exceptions,faults,usystime,calls,switch,spawn,starve,ladder,files,copy,html,web".split(
        ","
    )
)
"""Suites that end within the limit, or at once."""


@dataclass(frozen=True)
class End:
    """How a boot ended, its rows' medians by id, and the reasons for skipped rows."""

    word: str
    rows: Mapping[str, int]
    skips: Mapping[str, str] = field(default_factory=dict)


def _rows(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    return {each["id"]: budgets.figures(each)[0] for each in records}


def _failed(checks: Iterable[Mapping[str, Any]]) -> str:
    """The failed checks, each kind once."""
    kinds = {"/".join(each["name"].split("/")[:3]) for each in checks if not each["ok"]}
    return ", ".join(sorted(kinds))


def _end(status: int, text: str, said: str) -> End:
    """The end of a v86 boot, from its exit status, its serial line, and its error message."""
    reader = RecordReader()
    records = [r.data for r in reader.feed(text.encode()) + reader.close()]
    failed = _failed(r for r in records if r["type"] == "check")
    word = STATUS.get(status) or f"v86 throws: {said}"
    why = failed or next(iter(REFUSED.findall(text)), "")
    word = f"{word}: {why}" if word == "failed" and why else word
    skips = {r["id"]: r["reason"] for r in records if r["type"] == "skip"}
    return End(word, _rows(r for r in records if r["type"] == "result"), skips)


def _line(suite: str) -> str:
    return f"suite={suite} {SAMPLES} platform=v86 then=stop"


def v86(how: str) -> Callable[[str], End]:
    """v86 in node: `count` is the page's machine, `jit` the one that npm brings."""

    def judge(suite: str) -> End:
        files = (BUILD / "i386" / "kernel.elf", BUILD / "i386" / "initrd.cpio")
        command = ["node", HERE / "v86.js", how, str(LIMIT), V86, *files, _line(suite)]
        done = child.run([str(each) for each in command], 3 * LIMIT, cwd=ROOT)
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        return _end(done.returncode, done.stdout, said)

    return judge


BOOT = """
everything().then((all) => new Promise((done) => {
    const text = [];
    const said = () => text.map((byte) => String.fromCharCode(byte)).join("");
    const end = (status, why) => done([status, said(), why]);
    addEventListener("error", (event) => end(101, event.message));
    addEventListener("unhandledrejection", (event) => end(101, String(event.reason)));
    machine = new Machine(all, LINE, { jit: JIT, said: (byte) => text.push(byte),
        ended: (value) => end((value << 1) | 1, "") });
}))
"""


def chromium(how: str) -> Callable[[str], End]:
    """The same in Chromium, on the page's code with the whole initrd."""

    def judge(suite: str) -> End:
        jit = json.dumps(how == "jit")
        script = BOOT.replace("LINE", json.dumps(_line(suite))).replace("JIT", jit)
        with cleanup.folder() as folder, browser(folder) as window:
            page = folder / "page.html"
            initrd = BUILD / "i386" / "initrd.cpio"
            page.write_text(page_maker.whole(page_maker.facts(), initrd), encoding="utf-8")
            window.open(page)
            try:
                done = window.ask(
                    "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
                )
            except AssertionError:
                return End("no end", {})
        return _end(*done["result"]["value"])

    return judge


def ours(platform: str) -> Callable[[str], End]:
    """An emulator that the tests use anyway."""

    def judge(suite: str) -> End:
        words = (f"suite={suite}", SAMPLES)
        with cleanup.folder() as folder:
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
    "v86, Chromium": chromium("count"),
    "v86, Chromium, JIT": chromium("jit"),
}


def is_expected(judge: str, suite: str, end: End) -> bool:
    """Whether ends.toml expects this end."""
    words = tomllib.loads(ENDS.read_text(encoding="utf-8"))[judge]
    return end.word in words.get(suite, words["usual"])


def ends(found: Mapping[str, Mapping[str, End]]) -> Iterable[str]:
    """A line for each suite and judge."""
    for judge, suites in found.items():
        for suite, end in suites.items():
            mark = "" if is_expected(judge, suite, end) else "   (not expected)"
            yield f"{judge:18} {suite:11} {end.word}{mark}"


def table(found: Mapping[str, Mapping[str, End]], suite: str) -> Iterable[str]:
    """A suite's rows in Markdown: the count by each emulator."""
    judges = [judge for judge in found if found[judge].get(suite)]
    rows = dict.fromkeys(row for judge in judges for row in found[judge][suite].rows)
    yield f"| row | {' | '.join(judges)} |"
    yield f"|---|{' --: |' * len(judges)}"
    for row in rows:
        cells = [str(found[judge][suite].rows.get(row, "not here")) for judge in judges]
        yield f"| {row} | {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> int:
    """Boot them all; return the exit status."""
    suites = arguments[0].split(",") if arguments else SUITES
    try:
        check_suites(Boot("i386", words=(f"suite={','.join(suites)}",)))
    except TollgateError as error:
        print(f"foreign: {error}", file=sys.stderr)
        return int(error.code)
    judges = {
        judge: boot for judge, boot in JUDGES.items() if "Chromium" not in judge or installed()
    }
    if judges != JUDGES:
        print("There is no Chromium here: `tools/setup.sh long` brings Debian's.")
    found: dict[str, dict[str, End]] = {}
    for judge, boot in judges.items():
        found[judge] = {suite: boot(suite) for suite in suites}
        print("\n".join(ends({judge: found[judge]})), flush=True)
    counted = {judge: each for judge, each in found.items() if not judge.endswith("JIT")}
    if "toll" in suites:
        print("", *table(counted, "toll"), sep="\n")
    right = all(is_expected(j, s, e) for j, each in found.items() for s, e in each.items())
    return 0 if right else 3
