"""`tollgate check`: an imitated processor is found, and the broken rule is named."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.records import rules
from tollgate.records.check import ALL, RULES, found
from tollgate.records.format import MachineRun, Record, save
from tollgate.records.replay import request

from .sample import inserted, make_plain, make_run

INTEL = {
    "vendor": "GenuineIntel",
    "brand": "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz",
    "family": 6,
    "model": 0x8E,
}
EMULATED: dict[str, Any] = {
    "platform": "qemu-tcg",
    "unit": "host ticks",
    "hypervisor": "TCGTCGTCGTCG",
    "emulator": "qemu-7.2.22",
    "deterministic": False,
    "cpu_model": "some",
}
CLOCK = {"by": "the PIT", "nominal_hz": 0, "invariant": True, "core": "IA32_APERF", "smis": 7}


def measured(**changed: Any) -> MachineRun:
    """A boot on hardware: rows with a spread, and a changed run record.

    Of another version, so that this kernel's tables are not checked.
    """
    rows = {f"user/int{n}/standard": 100.0 + n for n in range(11)}
    rows["user/int/bare"] = changed.pop("bare", 90.0)
    rows["user/syscall/bare"] = changed.pop("call", 80.0)
    objects = json.loads(json.dumps(list(make_run(rows, unit="cycles").lines())))
    cpu = {**objects[0]["cpu"], **INTEL, **changed.pop("cpu", {})}
    tools = {**objects[0]["tools"], "emulator": changed.pop("emulator", "")}
    clock = CLOCK | changed.pop("clock", {})
    loop = changed.pop("loop", 1800)
    objects[0] |= {"cpu": cpu, "tsc_hz": 1_992_000_000, "version": "0.0.9"} | changed
    objects[0] |= {"tools": tools, "clock": clock}
    for data in objects:
        if data["type"] == "result":
            if data["id"] == "control/loop":
                data |= make_plain("control", "control/loop", loop)
            data["max"] += 7
            data |= {"core": 400_000, "reference": 400_000}
    return MachineRun([Record(data["type"], data) for data in objects])


def test_a_processor_is_believed() -> None:
    assert found(measured()) == []
    assert found(measured(**EMULATED)) == []
    assert found(measured(platform="linux", unit="host ticks", deterministic=False)) == []
    kvm = {"platform": "kvm", "hypervisor": "KVMKVMKVM", "emulator": "qemu-7.2.22"}
    assert found(measured(**kvm)) == []


def test_a_processor_that_says_itself_what_is_noisy_is_believed() -> None:
    """A crossing below zero or an uncertain rate is accepted only if the record declares it."""
    for unsaid, changed in (
        ({"suite": "toll", "id": "user/int/bare"}, {"bare": -176.0}),
        ({"suite": "clock", "id": "rate"}, {"tsc_hz": 0}),
    ):
        assert found(measured(**changed))
        said = {"v": 1, "type": "noisy", "reason": "it has moved"} | unsaid
        assert found(inserted(measured(**changed), said)) == []


def still(run: MachineRun, most: int = 99, control: bool = False) -> MachineRun:
    """The boot with rows or controls, at most `most`, whose samples are all equal."""
    for data in [row for row in run.results if (row["suite"] == "control") == control][:most]:
        data["max"] = data["min"]
    return run


def uncounted(run: MachineRun) -> MachineRun:
    """The boot with fewer ticks in total than its samples took."""
    run.results[2]["reference"] = 1
    return run


LIES: dict[str, tuple[Callable[[], MachineRun], str, str]] = {
    "a hypervisor beneath it": (lambda: measured(hypervisor="KVMKVMKVM", emulator=""),
        "hypervisor", "'KVMKVMKVM' has been beneath it"),
    "a person who insists": (lambda: measured(insisted=True), "hypervisor",
        "somebody insisted (unit=cycles)"),
    "a clock that CPUID does not know": (
        lambda: measured(clock={"by": "the PIT", "nominal_hz": 2_400_000_000}),
        "clock", "it runs at 1992000000 Hz, by CPUID at 2400000000 Hz"),
    "another maker": (lambda: measured(cpu={"vendor": "AuthenticAMD", "family": 16}), "vendor",
        "'AuthenticAMD' makes no 'Intel(R) Core"),
    "an emulator's brand": (lambda: measured(cpu={"brand": "QEMU Virtual CPU version 2.5+"}),
        "vendor", "is no hardware"),
    "an offset where a processor counts": (lambda: measured(offset=2), "place",
        "a processor reads no sample with an offset"),
    "an emulator that hides": (lambda: measured(**EMULATED | {"hypervisor": ""}), "place",
        "CPUID names the hypervisor '', and that is not qemu-tcg"),
    "another processor than the model": (lambda: measured(**EMULATED | {"cpu_model": "EPYC"}),
        "place", "cpu.vendor of EPYC is 'AuthenticAMD' there, not 'GenuineIntel'"),
    "a call too fast for its loop": (lambda: measured(call=31), "pace",
        "SYSCALL takes 31 where a thousand rounds take 1800"),
    "no clock": (lambda: measured(tsc_hz=0), "clock", "runs at 0 Hz"),
    "a clock too fast": (lambda: measured(tsc_hz=10**12), "clock", "runs at 1000000000000 Hz"),
    "a family that has no such brand": (lambda: measured(cpu={"family": 15}), "vendor",
        "is not of family 15"),
    "a model's brand": (lambda: measured(cpu={"brand": "Intel Core Processor (Haswell)"}),
        "vendor", "is no hardware"),
    "an emulator that played it": (lambda: measured(emulator="qemu-7.2.22"), "place",
        "hardware is not played by 'qemu-7.2.22'"),
    "KVM that nobody sees": (lambda: measured(platform="kvm", emulator="qemu-7.2.22"), "place",
        "KVM names itself in CPUID"),
    "a clock that stands still with the core": (lambda: measured(clock={"invariant": False}),
        "counters", "has a TSC that runs evenly, and this one does not"),
    "a core that nobody counts": (lambda: measured(clock={"core": ""}), "counters",
        "counts its core's cycles"),
    "no count of SMIs": (lambda: measured(clock={"smis": -1}), "counters",
        "counts system-management interrupts"),
    "less time than its samples": (lambda: uncounted(measured()), "counters",
        "samples took more than 1 ticks and 400000 cycles"),
    "an emulator's loop": (lambda: measured(loop=7400), "pace",
        "a round of two instructions takes 7.40 cycles"),
    "a gate too fast": (lambda: measured(bare=12), "floor", "12 cycles: no processor is so fast"),
    "no spread": (lambda: still(measured()), "spread",
        "13 rows without any spread: an emulator's counts"),
    "half of the rows without any spread": (lambda: still(measured(), 7), "spread",
        "7 of 13 rows without any spread"),
    "a loop without spread": (lambda: still(measured(), control=True), "pace",
        "all samples are 1800: a clock that counts instructions"),
    "an emulator's name": (lambda: measured(hypervisor="TCGTCGTCGTCG"), "unit",
        "an emulator's counts are never cycles"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "rule", "told"), LIES.values(), ids=LIES.keys())
def test_a_pretender_is_found(make: Callable[[], MachineRun], rule: str, told: str) -> None:
    faults = found(make())
    assert {fault.rule for fault in faults} == {rule}
    assert told in str(faults[0])


def test_every_rule_is_tried_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert {rule.id for rule in RULES} <= {rule for _, rule, _ in LIES.values()}
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["check", "--rules"])
    said = re.findall(r"^(\w+) +(.+)$", capsys.readouterr().out, re.M)
    assert said[:2] == list(rules.OF_LINES.items())
    assert said[2:] == [(r.id, r.says) for r in (*rules.RULES, *ALL)]


def test_the_command_names_file_line_and_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad, cut = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "cut.jsonl"
    save([measured()], good)
    save([measured(), measured(tsc_hz=1)], bad)
    save([measured()], cut, ["i386 EPYC (kvm)"])
    assert main(["check", str(good)]) == 0
    said = capsys.readouterr().out
    assert (
        f"{good}: amd64 EPYC (hardware): 13 rows in cycles, n = 1000: whole and honest.\n" in said
    )
    assert "counted by an emulator" not in said
    assert "believed, because nothing here can show it: " in said
    assert "--replay" not in said
    assert main(["check", str(good), str(bad)]) == 3
    said = capsys.readouterr().out
    line = len(good.read_bytes().splitlines()) + 1
    assert f"  line {line}, the run record: no time-stamp counter runs at 1 Hz (rule clock)" in said
    assert main(["check", str(cut)]) == 3
    assert f"{cut}: not whole: i386 EPYC (kvm) is missing" in capsys.readouterr().out


def test_hardware_counts_no_instructions() -> None:
    cpu = {**INTEL, "stepping": 3}
    boot = {"platform": "hardware", "hypervisor": "", "version": "0.0.9", "cpu": cpu}
    tools = {"emulator": "", "compiler": "gcc 12.2.0", "nasm": "2.16.01"}
    run = make_run({"user/int/standard": 46}, tools=tools, **boot)
    (fault,) = found(run)
    assert (fault.rule, "only those count instructions" in fault.text) == ("place", True)


def test_an_emulators_file_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.jsonl"
    save([make_run({"user/int/standard": 46}, version="0.0.9")], path)
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "counted by an emulator" in said
    assert "--replay makes this boot again." in said
    assert "remark: the run record: it is of version 0.0.9: its tables are not looked at" in said
    assert re.search(r"\n  run [0-9a-f]{64}\n", said)


def test_only_whole_records_of_one_platform_are_replayed() -> None:
    for run in (measured(), make_run({"user/int/standard": 46}, scanned=2)):
        assert "only whole records of qemu-icount" in str(request(run))
