"""The harness's own verdict, on given facts and on stand-in emulators that misbehave on purpose."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tollgate.errors import Exit, TollgateError
from tollgate.machines import bochs, qemu
from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.child import StoppedError
from tollgate.machines.emulator import run_plan
from tollgate.machines.outcome import Evidence, Outcome, judge, worst
from tollgate.machines.plan import Ending, Plan
from tollgate.records.format import MachineRun, encode
from tollgate.records.rules import faults

from ..records.sample import without

MakeRun = Callable[..., MachineRun]
Ends = Callable[[int, str, str], Ending]

GOOD = Evidence(serial_bytes=9, run=None, bad_lines=0, triple_fault=False, asked=Outcome.PASS)


def play(
    directory: Path,
    script: str,
    ending: Ends = qemu.ending,
    limit: float = 0.5,
    resets: bool = False,
) -> BootResult:
    """Run a shell script instead of an emulator."""
    path = directory / "emulator"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    boot = Boot("amd64", cpu="none", limit=limit, deadline=5.0, resets=resets)
    plan = Plan([str(path)], directory, ending, bochs.restarted, bochs.display)
    return run_plan(boot, plan)


def speak(directory: Path, run: MachineRun) -> str:
    """Shell text that writes a complete boot to the serial line."""
    (directory / "said").write_bytes(b"hello\r\n" + b"".join(map(encode, run.lines())))
    return "cat said > serial.log\n"


def test_a_shell_that_is_left_has_passed_no_check(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = replace(GOOD, run=make_run())
    assert judge(good) == (Outcome.PASS, "every check passed")
    for kind in ("results", "checks"):
        monkeypatch.setattr(MachineRun, kind, property(lambda run: []))
    assert judge(good) == (Outcome.PASS, "it has ended; it checks nothing")


@pytest.mark.parametrize(
    ("words", "empty"),
    [
        ("suite=toll", ""),
        ("suite=toll,copy", "copy"),
        ("suite=toll,copy only=user", ""),  # rows left out by it are no failure
        ("suite=toll,walk", ""),  # a program that is not a suite
    ],
)
def test_a_suite_without_a_record_is_a_failure(make_run: MakeRun, words: str, empty: str) -> None:
    outcome, reason = judge(replace(GOOD, run=make_run({"user/int/bare": 2}, cmdline=words)))
    assert outcome is (Outcome.FAIL if empty else Outcome.PASS), reason
    assert not empty or reason.startswith(f"the suite {empty} has measured nothing")


def test_exit_codes_are_the_documented_table() -> None:
    codes = {outcome.value: int(outcome.exit_code) for outcome in Outcome}
    assert codes == {
        "pass": 0,
        "fail": 3,
        "error": 4,
        "reset": 5,
        "hang": 6,
        "silent": 7,
        "panic": 8,
        "noisy": 9,
    }
    assert int(Exit.USAGE) == 2


def test_the_worst_of_several_boots_counts() -> None:
    assert worst([Outcome.PASS, Outcome.RESET, Outcome.FAIL]) is Outcome.RESET
    assert worst([Outcome.PASS]) is Outcome.PASS
    assert worst([]) is Outcome.ERROR


def test_a_boot_passes_only_with_its_end_record(make_run: MakeRun) -> None:
    run = make_run()
    assert judge(replace(GOOD, run=run))[0] is Outcome.PASS
    run = without(run, "end")
    assert judge(replace(GOOD, run=run))[0] is Outcome.FAIL
    assert judge(GOOD)[0] is Outcome.FAIL
    assert judge(replace(GOOD, run=run, asked=None))[0] is Outcome.PANIC


def test_failures_are_named(make_run: MakeRun) -> None:
    run = make_run()
    run.checks[1]["ok"] = False
    assert run.end is not None
    run.end["failed"] = 1
    assert judge(replace(GOOD, run=run)) == (Outcome.FAIL, "1 failed: control/loop")


def test_a_check_that_failed_is_no_pass_whatever_its_program_said(make_run: MakeRun) -> None:
    """It is like a shell session: the shell ends with success, but a program printed `not ok`."""
    run = make_run()
    run.checks[1]["ok"] = False
    told = (Outcome.FAIL, "a check failed: control/loop")
    assert judge(replace(GOOD, run=run)) == told


def test_the_host_writes_the_outcome_of_a_guest_that_cannot(
    make_run: MakeRun, tmp_path: Path
) -> None:
    run = without(make_run(cmdline="platform=x suite=starve only=unprotected"), "end")
    log = "echo 'Triple fault' > emulator.log"
    result = play(tmp_path, speak(tmp_path, run) + log, resets=True)
    outcome = result.runs[-1].outcome
    assert outcome is not None
    assert {k: outcome[k] for k in ("suite", "id", "ended", "expected", "chain", "records")} == {
        "suite": "starve",
        "id": "unprotected",
        "ended": "reset",
        "expected": "reset",
        "chain": "triple fault",
        "records": len(run.records),
    }
    assert not faults(result.runs[-1])
    result = play(tmp_path, speak(tmp_path, run) + "sleep 60")
    (fault,) = faults(result.runs[-1])
    assert (fault.rule, fault.text) == ("end", "hang: no progress for 0.5 s")


@pytest.mark.parametrize("asked", [Outcome.PASS, Outcome.FAIL, Outcome.PANIC, None])
def test_a_triple_fault_is_a_reset_whatever_came_before(
    make_run: MakeRun, asked: Outcome | None
) -> None:
    evidence = replace(GOOD, run=make_run(), asked=asked, triple_fault=True)
    assert judge(evidence)[0] is Outcome.RESET


def test_lost_records_are_the_harness_error(make_run: MakeRun) -> None:
    run = make_run()
    run.records = [record for record in run.records if record.type != "skip"]
    assert run.end is not None
    run.end["records"] -= 1
    outcome, reason = judge(replace(GOOD, run=run, bad_lines=1))
    assert outcome is Outcome.ERROR
    assert reason == "the serial line lost records: 1 damaged, 1 missing"


def test_status_0_without_a_word_is_silent(tmp_path: Path) -> None:
    assert play(tmp_path, "exit 0").outcome is Outcome.SILENT


def test_status_0_after_some_words_is_a_reset(tmp_path: Path) -> None:
    assert play(tmp_path, "echo hello > serial.log").outcome is Outcome.RESET


def test_status_0_after_a_whole_run_is_still_a_reset(make_run: MakeRun, tmp_path: Path) -> None:
    result = play(tmp_path, speak(tmp_path, make_run()) + "exit 0")
    assert result.outcome is Outcome.RESET
    assert result.end is not None


def test_a_triple_fault_in_the_log_is_named(tmp_path: Path) -> None:
    result = play(tmp_path, "echo 'Triple fault' > emulator.log")
    assert (result.outcome, result.reason) == (Outcome.RESET, "the guest reset by a triple fault")


@pytest.mark.parametrize(
    ("status", "outcome"), [(33, Outcome.PASS), (35, Outcome.FAIL), (37, Outcome.PANIC)]
)
def test_the_debug_exit_is_the_verdict_on_a_whole_run(
    make_run: MakeRun, tmp_path: Path, status: int, outcome: Outcome
) -> None:
    result = play(tmp_path, speak(tmp_path, make_run()) + f"exit {status}")
    assert result.outcome is outcome
    assert result.text.startswith("hello\n")
    assert result.first_byte is not None


def test_the_passing_status_without_an_end_record_is_a_failure(tmp_path: Path) -> None:
    result = play(tmp_path, "echo hello > serial.log; exit 33")
    assert (result.outcome, result.reason) == (
        Outcome.FAIL,
        "the kernel left without its end record",
    )


def test_an_emulator_that_fails_says_why(tmp_path: Path) -> None:
    result = play(tmp_path, "echo warning: x >&2; echo no such processor >&2; exit 1")
    assert result.outcome is Outcome.ERROR
    assert result.reason == "QEMU left with status 1: no such processor"


def test_an_emulator_that_is_killed_says_by_what(tmp_path: Path) -> None:
    result = play(tmp_path, "kill -ABRT $$")
    assert result.outcome is Outcome.ERROR
    assert "SIGABRT" in result.reason


def test_a_guest_that_says_nothing_is_silent(tmp_path: Path) -> None:
    assert play(tmp_path, "sleep 60", limit=0.1).outcome is Outcome.SILENT


@pytest.mark.clocked
def test_a_guest_that_stops_hangs_and_progress_keeps_it_alive(tmp_path: Path) -> None:
    script = "for i in 1 2 3 4 5; do echo $i >> serial.log; sleep 0.1; done; sleep 60"
    result = play(tmp_path, script, limit=0.4)
    assert (result.outcome, result.reason) == (Outcome.HANG, "no progress for 0.4 s")
    assert result.text == "1\n2\n3\n4\n5\n"


@pytest.mark.clocked
def test_what_who_watches_takes_is_no_silence_of_the_guest(tmp_path: Path) -> None:
    """The guest polls for input all the time; its person is slow."""
    script = "echo type > serial.log; until test -s typed; do :; done; echo typed >> serial.log"
    (tmp_path / "emulator").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "emulator").chmod(0o755)

    def types(line: str, directory: Path) -> None:
        if line == "type":
            time.sleep(1.2)
        (directory / "typed").write_text("typed")

    plan = Plan([str(tmp_path / "emulator")], tmp_path, qemu.ending)
    result = run_plan(Boot("i386", limit=9), plan, types)
    assert (result.text, result.outcome) == ("type\ntyped\n", Outcome.RESET), result.reason
    assert result.silence < 1


def test_a_guest_that_babbles_hangs(tmp_path: Path) -> None:
    result = play(tmp_path, "head -c 20000000 /dev/zero > serial.log; exec sleep 60")
    assert result.outcome is Outcome.HANG
    assert "MiB on the serial line" in result.reason


@pytest.mark.patient
def test_a_stuck_emulator_is_gone_with_its_children(tmp_path: Path) -> None:
    play(tmp_path, "sh -c 'echo $$ > child; exec sleep 60' & wait", limit=0.3)
    child = Path("/proc") / (tmp_path / "child").read_text().strip() / "stat"
    while child.exists() and child.read_text().split()[2] != "Z":
        time.sleep(0.01)


def test_a_boot_can_be_given_up(tmp_path: Path) -> None:
    path = tmp_path / "emulator"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError):
        run_plan(Boot("i386", limit=9.0), Plan([str(path)], tmp_path, qemu.ending), stop=stop)


def test_a_missing_emulator_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    plan = Plan([str(tmp_path / "none")], tmp_path, qemu.ending)
    result = run_plan(Boot("i386", limit=1.0), plan)
    assert result.outcome is Outcome.ERROR
    assert "No such file" in result.reason


def test_bochs_is_judged_by_its_log(make_run: MakeRun, tmp_path: Path) -> None:
    said = speak(tmp_path, make_run())
    shutdown = "echo '>>PANIC<< Shutdown port: shutdown requested' > emulator.log; exit 1"
    fault = "echo '>>PANIC<< 3rd (13) exception with no resolution' > emulator.log; exit 1"
    reset = "echo 'bx_pc_system_c::Reset(HARDWARE) Reset' > emulator.log; exit 1"
    twice = "yes 'bx_pc_system_c::Reset(HARDWARE)' | head -2 > emulator.log; exec sleep 60"

    def outcome(script: str) -> Outcome:
        return play(tmp_path, script, bochs.ending, limit=3.0).outcome

    assert outcome(said + shutdown) is Outcome.PASS
    assert outcome("echo refused > serial.log\n" + shutdown) is Outcome.PANIC
    assert outcome(said + fault) is Outcome.RESET
    assert outcome(said + reset) is Outcome.ERROR
    assert outcome(said + twice) is Outcome.RESET
    assert outcome(shutdown) is Outcome.SILENT


def test_boots_name_what_is_not_built(tmp_path: Path) -> None:
    with pytest.raises(TollgateError, match=r"kernel\.elf is missing; `make` builds it\."):
        Boot("i386", kernel=tmp_path / "kernel.elf").kernel_file()
