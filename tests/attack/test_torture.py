"""Random instructions and programs of calls from ring 3.

A thousand deeds of each; in the long tests 20,000, or TORTURE=N.
"""

import itertools
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ..conftest import SANITIZED
from ..torture import guests, inputs, led, program
from ..torture.__main__ import MILLION, Job, attempt, jobs, parse

COUNTS = [int(os.environ.get("TORTURE", "1000"))]
SEED = int(os.environ.get("TORTURE_SEED", "1"))

REFUSED = [
    ("--kind=zzz", "there is no kind `zzz'; there are insn,"),
    ("--platform=zzz", "There is no platform 'zzz'; choose one of qemu-icount,"),
    ("--parts=verw", "PARTS is for the kinds insn, crowd, hostile, not for program"),
    ("--kind=insn --parts=zzz", "There is no part or set 'zzz' around an entry"),
    ("--shard=3/2", "SHARD is i/n, with i from 1 to n, not `3/2'"),
]

MACHINES = [("i386", "EPYC"), ("amd64", "Skylake-Client"), ("amd64", "phenom")]


HOUR = 3600
DAMAGED = 30
"""Files of a kind, in the long tests."""
pytestmark = pytest.mark.limit(2 * HOUR if "TORTURE" in os.environ else 300)


def origins(arch: str) -> int:
    return 1 if arch == "i386" else 2


def tallies(text: str) -> list[str]:
    return re.findall(r"^torture: (\w+, seed .*)$", text, re.MULTILINE)


def tell(line: str, _directory: Any) -> None:
    if line.startswith("torture: "):
        print(f"\n{line}", end="", flush=True)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("arch", "cpu"), MACHINES)
def test_the_kernel_survives(boot: Any, suites: Any, arch: str, cpu: str, count: int) -> None:
    words = f"suite=torture,usystime samples=10 only=insn/{count}/{SEED}"
    module = suites(arch, "torture", "usystime")
    result = boot(arch, cpu, words, module=module, watch=tell, timeout=120.0, deadline=HOUR)
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass"
    assert len(tallies(result.text)) == origins(arch)
    assert len(result.results) == 3 * origins(arch), "the next program did not run"


@pytest.mark.long
@pytest.mark.limit(HOUR / 3)
@pytest.mark.parametrize("kind", ["insn", "crowd", *inputs.KINDS])
def test_the_first_jobs_of_a_kind_find_nothing(kind: str) -> None:
    """The start of `make test PART=torture`, amd64: 20,000 deeds in each mode, or damaged files."""
    first = (job for job in jobs([kind], MILLION, 1, "qemu-icount") if job.arch == "amd64")
    for job in itertools.islice(first, 2 if kind in guests.KINDS else DAMAGED):
        wrong, said = attempt(job)
        assert not wrong, f"{job.name}: {wrong}\n{said}"


@pytest.mark.long
@pytest.mark.limit(HOUR / 3)
@pytest.mark.parametrize("mode", guests.PARTED)
@pytest.mark.parametrize(("kind", "count"), [("insn", 3000), ("hostile", 1000), ("crowd", 2)])
def test_a_set_around_each_way_in_finds_nothing(kind: str, count: int, mode: str) -> None:
    """linux-skylake gives a program a page table of its own, and exchanges GS's base."""
    wrong, said = attempt(Job(kind, mode, 1, count, parts="linux-skylake"))
    assert not wrong and re.search(r"torture: [34] ways in have parts", said), said


LONG_PLAIN = [pytest.mark.long] * (not SANITIZED)


@pytest.mark.parametrize("mode", [pytest.param("user32", marks=LONG_PLAIN), "user64"])
def test_crowds_find_nothing(mode: str) -> None:
    """Processes and threads that share memory, files and handlers under short timers."""
    wrong, said = attempt(Job("crowd", mode, SEED + 4, 20 if SANITIZED else 2))
    assert not wrong, said


@pytest.mark.long
@pytest.mark.limit(HOUR / 3)
@pytest.mark.parametrize("mode", led.RINGS)
def test_new_programs_find_nothing(mode: str, tmp_path: Path) -> None:
    wrong, said = attempt(Job("program", mode, 1, led.OF_A_BOOT), tmp_path)
    assert not wrong, said


@pytest.mark.parametrize(
    ("second", "wrong"),
    [("", False), ("torture: program, deeds 10 to 10: 2 frames and 30 objects are lost", True)],
)
def test_memory_that_is_lost_once_is_a_name_that_stays(
    monkeypatch: pytest.MonkeyPatch, second: str, wrong: bool
) -> None:
    """The second boot repeats the suspect. A leak loses memory each time, a new name only once."""
    lost = "torture: program, deeds 0 to 0: 2 frames and 1 objects are lost"
    boots = iter([lost, second])

    def boot(_mode: str, _some: Any, _watched: bool) -> led.Ran:
        text = next(boots)
        fault = f"fail: 1 deeds, 1 {led.ONLY_LOST}" if text else ""
        result: Any = SimpleNamespace(text=text)
        return led.Ran(result, frozenset(), [], fault)

    monkeypatch.setattr(led, "boot", boot)
    assert bool(led.run("compat", [program.read("getpid()")]).wrong) == wrong


@pytest.mark.parametrize("mode", [pytest.param("user32", marks=pytest.mark.long), "user64"])
def test_what_was_kept_finds_nothing(mode: str) -> None:
    """The programs that reached a new block when they were found."""
    ran = led.run(mode, led.kept(), watched=False)
    assert not ran.wrong, led.culprit(mode, led.kept(), led.run(mode, led.kept()))


def test_a_program_is_led_by_what_it_reaches() -> None:
    """Two programs that differ in one call reach its blocks. An unused call reaches none."""
    one, other = program.read("getcwd(0x30000000, 100)"), program.read("getpid(); getpid()")
    blocks = led.plugin()[1]
    first, second = led.run("user64", [one, other]).reached
    functions = {blocks[index].function for index in first - second}
    assert "sys_getcwd" in functions
    assert "sys_sysinfo" not in {blocks[index].function for index in first | second}


@pytest.mark.parametrize("lines", [led.CORPUS.read_text().splitlines()])
def test_a_program_is_the_line_that_it_was_read_from(lines: list[str]) -> None:
    assert [program.write(program.read(line)) for line in lines] == lines
    assert led.CORPUS.stat().st_size <= 200_000


def test_the_same_seed_makes_the_same_programs_and_another_makes_others() -> None:
    def lines(seed: str) -> list[str]:
        maker = program.Maker(seed)
        made = [maker.program() for _ in range(50)]
        return [program.write(maker.variant(one, made)) for one in made]

    assert lines("1") == lines("1") != lines("2")


def test_a_deed_that_goes_takes_its_result_with_it() -> None:
    line = program.read("getpid(); open('a', 2); read(r1, [r0, 'b'], 8); close(r1)")
    assert (
        program.write(program.remove(line, 0)) == "open('a', 2); read(r0, [r0, 'b'], 8); close(r0)"
    )
    twice = program.insert(line, 1, program.read("dup(3); close(r0)"))
    assert program.write(twice).endswith(
        "close(r1); open('a', 2); read(r3, [r0, 'b'], 8); close(r3)"
    )


@pytest.mark.long
def test_the_same_seed_does_the_same(boot: Any, suites: Any) -> None:
    module = suites("amd64", "torture")
    words = "suite=torture samples=10 only=insn/500/"
    first, again, other = (
        tallies(boot("amd64", "EPYC", f"{words}{seed}", module=module).text) for seed in (7, 7, 8)
    )
    assert first
    assert first == again
    assert [t.split(": ", 1)[1] for t in first] != [t.split(": ", 1)[1] for t in other]


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_same_program_on_linux(linux: Any, arch: str) -> None:
    """The grammar covers a lot, and the harness survives its programs."""
    done = linux(arch, "torture", "only=insn/10000/7", piped=True)
    assert done.returncode == 0, done.stdout
    assert len(tallies(done.stdout)) == 1  # another run may differ: a host has a clock


@pytest.mark.parametrize(("word", "told"), REFUSED)
def test_a_word_that_cannot_be_meant_is_refused(
    word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(word.split())
    assert told in capsys.readouterr().err
