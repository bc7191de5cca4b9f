"""`tollgate linux`: what the host says of itself, the columns, and what differs."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate import linux, linux_guest
from tollgate.errors import TollgateError
from tollgate.records import MachineRun, encode, host_record
from tollgate.rules import faults
from tollgate.table import make_console

CPUINFO = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 23
model\t\t: 1
model name\t: AMD EPYC Processor
stepping\t: 2
flags\t\t: fpu tsc hypervisor

processor\t: 1
vendor_id\t: another
"""


def row(identity: str, least: int) -> Any:
    numbers = dict.fromkeys(("min", "median", "p90", "p99", "max", "mean"), least)
    fields = {"suite": linux.SUITE, "id": identity, "label": "kinds", "n": 1}
    return host_record("result", **fields, **numbers, histogram=[[least, 1]])


def said(platform: str, rows: dict[str, int], checks: dict[str, bool]) -> MachineRun:
    """A run of that platform with these figures and checks."""
    records = [linux.run_record("amd64", "")]
    records[0].data["platform"] = platform
    records += [row(identity, least) for identity, least in rows.items()]
    records += [host_record("check", name=n, ok=ok, detail="") for n, ok in checks.items()]
    return MachineRun(records)


def test_the_processor_is_the_first_of_cpuinfo() -> None:
    cpu = linux.cpu_of(CPUINFO)
    assert (cpu["vendor"], cpu["brand"]) == ("AuthenticAMD", "AMD EPYC Processor")
    assert (cpu["family"], cpu["model"], cpu["stepping"]) == (23, 1, 2)
    assert "hypervisor" in cpu["flags"]
    assert linux.cpu_of("")["family"] == 0


def test_a_host_says_its_kernel_and_what_it_does_against_flaws() -> None:
    data = linux.run_record("i386", "samples=7").data
    assert data["unit"] == "host ticks"
    assert data["kernel"].startswith(data["firmware"])
    assert isinstance(data["mitigations"], dict)


def test_a_column_is_an_origin_and_has_the_best() -> None:
    run = said("linux", {"user/read/null": 90, "user/read/zero": 95, "compat/read/null": 99}, {})
    found = linux.columns([run])
    assert found == {
        "Linux amd64 user": {"null": 90, "zero": 95},
        "Linux amd64 compat": {"null": 99},
    }


def test_what_holds_on_one_side_alone_is_named() -> None:
    theirs = said("linux", {}, {"a": True, "b": True, "c": False})
    ours = said("qemu-icount", {}, {"a": True, "c": True})
    assert linux.differences(theirs, ours) == ["b: not here", "c: not on Linux"]
    assert linux.differences(theirs, said("x", {}, {"a": True, "b": False})) == [
        "b: not here",
        "c: not on Linux",
    ]


@pytest.mark.parametrize("arch", ["amd64", "i386"])
def test_the_programs_of_the_kinds_pass_on_this_host(arch: str) -> None:
    found = linux.on_host(arch, "20")
    if found is None:
        pytest.skip("this host runs no 32-bit programs (CONFIG_IA32_EMULATION)")
    assert [check["name"] for check in found.failed_checks] == []
    assert len(found.checks) > 700
    kinds = linux.best(found)["user"]
    assert {"null", "zero", "pipe", "socket", "pty", "proc", "proc-sys"} <= kinds.keys()
    assert {skip["id"] for skip in found.skips} >= {"user/read/nfs", "user/read/net-pty"}
    hurt = [fault.rule for fault in faults(found) if fault.rule not in ("histogram", "order")]
    assert not hurt


def test_units_have_a_table_each(capsys: pytest.CaptureFixture[str]) -> None:
    theirs = said("linux", {"user/read/null": 270}, {})
    ours = said("qemu-icount", {"user/read/null": 95}, {})
    ours.records[0].data.update(unit="instructions", deterministic=True)
    for run in (theirs, ours):
        run.records.append(host_record("end", records=run.arrived, failed=0))
    linux.show([theirs, ours], make_console())
    out = capsys.readouterr().out
    assert out.index("in host ticks") < out.index("270") < out.index("in instructions")
    assert out.index("in instructions") < out.index("95")


def test_a_boot_of_linux_is_a_run_in_instructions() -> None:
    kinds = encode(row("user/read/null", 600).data).decode()
    text = f"Linux version 6.1.0 (gcc)\n{CPUINFO}{kinds}{linux_guest.DONE}\n"
    run = linux_guest.run_of(text, "panic=-1", "linux-image-6.1", "6.1.192-2", "off")
    assert faults(run) == []
    assert (run.unit, run.run["firmware"]) == ("instructions", "Linux 6.1.0")
    assert run.run["kernel"] == "linux-image-6.1 6.1.192-2"
    assert run.run["cpu"]["vendor"] == "AuthenticAMD"
    assert linux.columns([run]) == {"Linux amd64 (off) user": {"null": 600}}
    with pytest.raises(TollgateError, match="did not boot: panic"):
        linux_guest.run_of("panic", "", "linux-image-6.1", "1", "off")


def test_a_system_without_the_package_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(linux_guest, "said_by", lambda *_, **__: "")
    assert linux.in_qemu("", make_console()) == []
    assert "not here: this system's packages have no linux-image-amd64" in capsys.readouterr().out


@pytest.mark.long
def test_the_distributions_kernel_boots_and_costs_what_it_costs() -> None:
    try:
        found = linux_guest.runs("50")
    except linux_guest.NoPackageError as error:
        pytest.skip(str(error))
    default, off = (linux.best(run) for run in found)
    assert [faults(run) for run in found] == [[], []]
    for origin in ("user", "compat"):
        assert off[origin].keys() == default[origin].keys() >= {"null", "pipe", "socket", "pty"}
        assert all(off[origin][kind] < least for kind, least in default[origin].items())
