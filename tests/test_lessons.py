"""The lessons and gdb's vocabulary, on running kernels, without a person.

A lesson prints TAP: each claim about the machine is a line. When it is over the machine is let go,
so the guest's own records say whether it has survived, and how long the bench thinks the walk was.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tollgate.boot import ROOT, Boot
from tollgate.child import run
from tollgate.clock import Clock
from tollgate.debug import Session, find_lesson, session
from tollgate.records import MachineRun, RecordReader, group

GDB_LIMIT = 60.0
"""Seconds that gdb may use; a lesson takes about one."""
GUEST_LIMIT = 30.0
"""Seconds that the guest may use to come to its end once gdb has let it go."""
STEPS = 10
"""No lesson is shorter."""

USER_HALF = "clean_user_int_standard_call"
WORDS = ("suite=toll", "samples=1")


def machine(arch: str, cpu: str) -> Boot:
    """A short run of the suite that the lessons walk through."""
    return Boot(arch, cpu=cpu, words=WORDS)


def run_gdb(started: Session, script: Path) -> tuple[int, list[str]]:
    """Run a script headless; gdb's exit status and the lines it printed."""
    done = run(started.gdb(script, headless=True), GDB_LIMIT, cwd=ROOT, merge=True)
    return done.returncode, done.stdout.splitlines()


def guest(started: Session) -> MachineRun:
    """The guest's records, once it has come to its end."""
    clock = Clock(started.pid)
    while clock.read() < GUEST_LIMIT:
        runs = group(RecordReader().feed(started.serial.read_bytes()))
        if runs and runs[-1].end is not None:
            return runs[-1]
        time.sleep(0.02)
    return pytest.fail(f"the guest did not end:\n{started.serial.read_text()[-2000:]}")


def claims(lines: list[str]) -> list[str]:
    """The TAP result lines, after a look at the plan."""
    found = [line for line in lines if re.match(r"(not )?ok \d+ - ", line)]
    numbers = [int(re.sub(r"\D+(\d+) - .*", r"\1", "x" + line)) for line in found]
    assert numbers == list(range(1, len(found) + 1)), lines
    assert lines.count(f"1..{len(found)}") == 1, lines
    return found


@pytest.mark.parametrize(
    ("lesson", "arch", "cpu"),
    [
        ("int", "i386", "EPYC"),
        ("int", "i386", "pentium"),
        ("int", "amd64", "Skylake-Client"),
        ("int", "amd64", "EPYC"),
        ("syscall", "amd64", "Skylake-Client"),
        ("syscall", "amd64", "EPYC"),
    ],
)
def test_every_claim_holds(lesson: str, arch: str, cpu: str) -> None:
    """The lesson passes, the guest survives it, and the walk is as long as the bench says."""
    with session(machine(arch, cpu)) as started:
        status, lines = run_gdb(started, find_lesson(lesson))
        failed = [line for line in claims(lines) if line.startswith("not ok")]
        assert (status, failed) == (0, []), "\n".join(lines)
        assert len([line for line in lines if re.match(r"# \d+\. ", line)]) >= STEPS
        run = guest(started)
    assert run.end is not None and run.end["failed"] == 0
    row = f"user/{lesson}/standard"
    (result,) = (result for result in run.results if result["id"] == row)
    assert f"# {row}: {result['median']} instructions" in lines


def test_a_lesson_says_which_kernel_it_needs() -> None:
    """On another kernel it is skipped, in TAP's way."""
    with session(machine("i386", "qemu32")) as started:
        status, lines = run_gdb(started, find_lesson("syscall"))
    assert status == 0
    assert [line for line in lines if line.startswith("1..0 # SKIP")]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('lesson.check("a bit", 0x12, 0x13)', "not ok 1 - a bit"),
        ('lesson.check("registers", {"ax": 1}, {"ax": 2})', "#  ax 0x1, expected 0x2"),
        ('lesson.step_to("hcf")', "Bail out! error: no hcf within 500 instructions"),
        ('machine.symbol("nowhere")', 'Bail out! error: No symbol "nowhere" in current context.'),
    ],
)
def test_a_false_claim_fails(tmp_path: Path, body: str, says: str) -> None:
    """A claim that does not hold, or a lesson that breaks off, is status 1 and says why."""
    script = tmp_path / "wrong.py"
    script.write_text(
        "from lesson import teach\nfrom vocabulary import machine\n"
        f"def walk(lesson):\n    machine.run_to(machine.symbol('{USER_HALF}'))\n    {body}\n"
        "teach('wrong', 'a lesson that fails', walk, ('i386', 'amd64'))\n"
    )
    with session(machine("amd64", "qemu64")) as started:
        status, lines = run_gdb(started, script)
    assert status == 1
    assert says in lines


def speak(tmp_path: Path, arch: str, words: list[str]) -> str:
    """What gdb prints for `words` at the last instruction of ring 3 before INT 80h."""
    script = tmp_path / "words.gdb"
    lines = [f"tbreak *&{USER_HALF}", "continue", *words, "detach"]
    script.write_text("".join(f"{line}\n" for line in lines))
    with session(machine(arch, "EPYC")) as started:
        _, said = run_gdb(started, script)
    return "\n".join(said)


COMMON = {
    "ring": ["CPL 3   gate page", "the program's", "int 0x80"],
    "table user/int": ["int80  user/int/standard            armed: clean"],
    "pages 0": ["not mapped: #PF"],
    "pages main": ["page   user, read-only"],
    "idt 0x0e": ["interrupt gate, DPL 0", "<vector_14>"],
    "entry-frame": ["number", "ss"],
    "program": ["symbols of /bin/toll"],
    "points user/int/standard": ["clean_user_int_standard_entry", "clean_user_getpid"],
}
OWN = {
    "i386": {
        "gdt": ["0x60  code, DPL 0, 32-bit", "base 0x0, 4 GiB", "0x80  TSS, busy"],
        "idt 8": ["task gate, DPL 0, to TSS 0xf8"],
        "tss": ["ss0   0x68"],
        "gate": ["0x93  call gate, DPL 3, to 0x60:"],
    },
    "amd64": {
        "gdt": ["0x10  code, DPL 0, 64-bit", "0x40  TSS, busy", "0x80  call gate"],
        "idt 8": ["interrupt gate, DPL 0, IST 1"],
        "tss": ["ist6", "ist7"],
        "gate": ["0x83  call gate, DPL 3, to 0x10:"],
    },
}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_vocabulary_speaks(tmp_path: Path, arch: str) -> None:
    """Every word says what it should of a machine that is about to execute INT 80h."""
    expected = COMMON | OWN[arch]
    said = speak(tmp_path, arch, list(expected))
    missing = [text for texts in expected.values() for text in texts if text not in said]
    assert not missing, said


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("idt 300", "The IDT ends before vector 0x12c."),
        ("ring 3", "ring: too many positional arguments; see `help ring`"),
        ("points user/int", "There is no row user/int; `table` lists them."),
        ("pages nowhere", 'No symbol "nowhere" in current context.'),
    ],
)
def test_a_wrong_word_is_refused_in_a_sentence(tmp_path: Path, word: str, says: str) -> None:
    """A wrong argument is one line, not a traceback."""
    said = speak(tmp_path, "amd64", [word])
    assert says in said
    assert "Traceback" not in said


def test_measurement_points_are_labels(tmp_path: Path) -> None:
    """MP1 to MP8 are places to stop: `break clean_user_int_standard_entry.MP3`."""
    words = ["points user/int/standard", "tbreak clean_user_int_standard_entry.MP3", "continue"]
    said = speak(tmp_path, "amd64", [*words, "ring"])
    call, entry, service = ["MP1", "MP8"], ["MP2", "MP3", "MP6", "MP7"], ["MP4", "MP5"]
    assert re.findall(r"^  (MP\d)", said, re.MULTILINE) == call + entry + service
    assert "CPL 0   entry stub" in said
