"""The verdict on one boot, from the emulator's behaviour and the serial line.

The `end` record is the verdict; a guest that ended without one has crashed, whatever its emulator's
exit status.  QEMU's status 0 means that the guest reset or powered off: never a pass.
"""

from dataclasses import dataclass
from enum import Enum

from tollgate.errors import Exit
from tollgate.records.format import MachineRun, Record, host_record
from tollgate.suites import find

RECORDED = {"faults": "exceptions"}
"""The suite in a program's records, if it differs from the program's name."""


class Outcome(Enum):
    """How a boot ended; the value is its name in messages, files and exit-code tables."""

    PASS = "pass"
    NOISY = "noisy"
    FAIL = "fail"
    PANIC = "panic"
    RESET = "reset"
    HANG = "hang"
    SILENT = "silent"
    ERROR = "error"

    @property
    def exit_code(self) -> Exit:
        """The exit code of a command whose worst boot had this outcome."""
        return Exit[self.name]


SEVERITY = (
    Outcome.PASS,
    Outcome.NOISY,
    Outcome.FAIL,
    Outcome.PANIC,
    Outcome.RESET,
    Outcome.HANG,
    Outcome.SILENT,
    Outcome.ERROR,
)
"""Outcomes from best to worst: for several boots, the worst is the command's outcome."""


def worst(outcomes: list[Outcome]) -> Outcome:
    """The most severe of `outcomes`; ERROR if there are none, because no boot has passed."""
    return max(outcomes, key=SEVERITY.index, default=Outcome.ERROR)


@dataclass(frozen=True)
class Evidence:
    """The facts at the end of a boot.

    `stuck` says why the guest was stopped; `asked` is its verdict at QEMU's debug exit (Bochs'
    shutdown port carries none); `left` is an end without a verdict; `complaint` is the emulator's
    last message if it failed by itself.
    """

    serial_bytes: int
    run: MachineRun | None
    bad_lines: int
    triple_fault: bool
    stuck: str = ""
    asked: Outcome | None = None
    left: bool = False
    complaint: str = ""


def _crash(evidence: Evidence) -> tuple[Outcome, str] | None:
    """The ends that count as a crash despite any record, worst first."""
    if evidence.triple_fault:
        return Outcome.RESET, "the guest reset by a triple fault"
    if evidence.complaint:
        return Outcome.ERROR, evidence.complaint
    if evidence.stuck and not evidence.serial_bytes:
        return Outcome.SILENT, f"nothing arrived on the serial line; {evidence.stuck}"
    if evidence.stuck:
        return Outcome.HANG, evidence.stuck
    if evidence.asked is Outcome.PANIC:
        return (
            Outcome.PANIC,
            "the kernel panicked or refused to boot; its reason is on the serial line",
        )
    if not evidence.serial_bytes:
        return Outcome.SILENT, "the guest left without a word on the serial line"
    if evidence.left:
        return Outcome.RESET, "the guest reset or powered off instead of giving its verdict"
    return None


def judge(evidence: Evidence) -> tuple[Outcome, str]:
    """Return a boot's outcome and a sentence that explains it (without a full stop)."""
    crash = _crash(evidence)
    if crash is not None:
        return crash
    run = evidence.run
    if run is None or run.end is None:
        if evidence.asked is None:
            return (
                Outcome.PANIC,
                "the kernel shut down without its end record: a panic or a refused boot",
            )
        return Outcome.FAIL, "the kernel left without its end record"
    if evidence.bad_lines or run.lost:
        return (
            Outcome.ERROR,
            f"the serial line lost records: {evidence.bad_lines} damaged, {run.lost} missing",
        )
    names = ", ".join(check["name"] for check in run.failed_checks)
    failed = int(run.end["failed"])
    if failed or evidence.asked is Outcome.FAIL:
        return Outcome.FAIL, f"{failed} failed: {names or 'see the serial line'}"
    if names:
        return Outcome.FAIL, f"a check failed: {names}"
    if empty := unmeasured(run):
        return Outcome.FAIL, f"the suite {empty} has measured nothing: no result, and no reason why"
    if run.noisy and evidence.asked is not Outcome.PASS:  # not only rows shorter than a stamp
        return Outcome.NOISY, moved(run)
    something = run.checks or run.results
    return Outcome.PASS, "every check passed" if something else "it has ended; it checks nothing"


def unmeasured(run: MachineRun) -> str:
    """A complete requested suite without any record; empty if there is none."""
    words = dict(word.partition("=")[::2] for word in str(run.run["cmdline"]).split())
    there = {record["suite"] for record in (*run.results, *run.skips, *run.noisy)}
    if "only" in words:
        return ""
    asked = (name for name in words.get("suite", "").split(",") if find(name))
    return next((name for name in asked if RECORDED.get(name, name) not in there), "")


def moved(run: MachineRun) -> str:
    """The rows and controls of a noisy boot that are unreliable, and the reason for the first."""
    first, *others = [f"{noisy['id']}: {noisy['reason']}" for noisy in run.noisy]
    return first + (f"; and {len(others)} more" if others else "")


def closing(run: MachineRun, ended: Outcome, reason: str, resets: bool, chain: str) -> Record:
    """The host's record on a boot whose guest sent no verdict, or was not supposed to.

    `chain` is the exceptions of a triple fault; suite and id are from the kernel's command line.
    """
    words = dict(word.partition("=")[::2] for word in str(run.run["cmdline"]).split())
    return host_record(
        "outcome",
        suite=words.get("suite", ""),
        id=words.get("only", ""),
        ended=ended.value,
        expected=(Outcome.RESET if resets else Outcome.PASS).value,
        chain=chain,
        reason=reason,
        records=run.arrived,
    )
