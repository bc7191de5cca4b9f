"""`tollgate linux`: the record of a boot of Linux, and the columns."""

from pathlib import Path
from typing import Any

import pytest

from tollgate.errors import TollgateError
from tollgate.linux import columns, command, guest, package
from tollgate.linux.record import cpu_of
from tollgate.records.format import MachineRun, encode, host_record
from tollgate.records.rules import faults
from tollgate.show.table import make_console

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


def row(identity: str, least: int, suite: str = "kinds") -> Any:
    numbers = dict.fromkeys(("min", "median", "p90", "p99", "max", "mean"), least)
    fields = {"suite": suite, "id": identity, "label": "kinds", "n": 1}
    return host_record("result", **fields, **numbers, histogram=[[least, 1]])


def test_the_processor_is_the_first_of_cpuinfo() -> None:
    cpu = cpu_of(CPUINFO)
    assert (cpu["vendor"], cpu["brand"]) == ("AuthenticAMD", "AMD EPYC Processor")
    assert (cpu["family"], cpu["model"], cpu["stepping"]) == (23, 1, 2)
    assert cpu_of("")["family"] == 0


def linux_guest(mitigations: str = "off", cpu: str = "EPYC") -> guest.Guest:
    """A boot description that is never booted."""
    kernel = package.Kernel("amd64", "linux-image-6.1", "6.1.192-2", Path("vmlinuz"))
    return guest.Guest(kernel, cpu, mitigations)


def told(*rows: Any, mitigations: str = "off", more: str = "") -> MachineRun:
    """The outcome of a boot with these records."""
    records = "".join(encode(each.data).decode() for each in rows)
    text = f"Linux version 6.1.0 (gcc)\n{CPUINFO}{records}{more}{guest.DONE}\n"
    return guest.run_of(text, linux_guest(mitigations))


def test_a_boot_of_linux_is_a_run_in_instructions() -> None:
    run = told(row("user/read/null", 600))
    assert faults(run) == []
    assert (run.unit, run.run["firmware"]) == ("instructions", "Linux 6.1.0")
    assert run.run["kernel"] == "linux-image-6.1 6.1.192-2"
    assert run.run["cpu"]["vendor"] == "AuthenticAMD"
    with pytest.raises(TollgateError, match="mitigations off did not boot: panic"):
        guest.run_of("panic", linux_guest())


def test_a_suite_that_fails_on_linux_fails_the_run() -> None:
    run = told(more="onlinux: /bin/switch: status 100\n")
    assert [fault.rule for fault in faults(run)] == ["failed"]


def test_what_is_done_against_each_flaw_is_in_the_record() -> None:
    """The record has the kernel's own words, plus the command line's; missing ones are left out."""
    said = "vulnerability retbleed: Mitigation: untrained return thunk; SMT disabled\r\n"
    run = told(more=said + "vulnerability meltdown: Not affected\n", mitigations="default")
    assert run.run["mitigations"] == {
        "all": "default",
        "retbleed": "Mitigation: untrained return thunk; SMT disabled",
        "meltdown": "Not affected",
    }
    assert told().run["mitigations"] == {"all": "off"}
    assert faults(run) == []
    words = "EPYC Linux, chosen: retbleed (untrained return thunk; SMT disabled)."
    assert columns.chosen([run, told()]) == words
    assert words in columns.markdown([run])


def test_linux_and_ours_are_one_table() -> None:
    theirs = [
        told(row("user/getpid/syscall", 300), row("compat/getpid/sysenter", 400)),
        told(row("user/getpid/syscall", 350), mitigations="default"),
        told(row("user/getpid/syscall", 200), mitigations="minimal"),
    ]
    ours = told(
        row("user/getpid/syscall", 46),
        row("user/only-ours", 1),
        row("user/syscall/standard", 45, "toll"),
        row("compat/sysenter/standard", 67, "toll"),
    )
    ours.records[0].data.update(platform="qemu-icount", cpu_model="EPYC")
    page = columns.markdown([*theirs, ours]).splitlines()
    assert "| `getpid/syscall` | 46 | 200 | 300 | 350 |" in page
    assert "| `getpid/sysenter` | 67 |  | 400 |  |" in page
    heads = " | ".join(f"EPYC Linux, {name}" for name in ("minimal", "mitigations=off", "chosen"))
    assert f"| amd64 user | EPYC Tollgate | {heads} |" in page
    assert "only-ours" not in "".join(page)
    assert "linux-image-6.1 6.1.192-2" in page[0]


def test_a_median_above_the_least_is_shown() -> None:
    assert str(columns.Figure(300, 300)) == "300"
    assert str(columns.Figure(300, 312)) == "300-312"


def test_a_system_without_the_package_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(package, "said_by", lambda *_, **__: "")
    assert command.in_qemu("", make_console()) == []
    out = " ".join(capsys.readouterr().out.split())
    assert "not here: Linux for amd64: this system's packages have no linux-image-amd64" in out
    assert "not here: Linux for i386: this system's packages have no linux-image-686" in out


def test_a_kernel_that_was_kept_needs_no_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "tollgate" / "linux" / "linux-image-6.1.0-50-686-6.1.176-1"
    kept.parent.mkdir(parents=True)
    kept.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(package, "said_by", lambda *_, **__: "")
    assert package.kernel("i386") == package.Kernel(
        "i386", "linux-image-6.1.0-50-686", "6.1.176-1", kept
    )


ALWAYS = {"l1tf"}
"""Flaws against which Linux does something with mitigations=off, too."""


@pytest.mark.limit(1200)
@pytest.mark.parametrize(
    "cpus",
    [
        pytest.param(("EPYC",), marks=pytest.mark.long),
        pytest.param(guest.CPUS, marks=pytest.mark.weekly),
    ],
    ids=["EPYC", "all"],
)
def test_the_distributions_kernel_boots_and_costs_what_it_costs(
    monkeypatch: pytest.MonkeyPatch, cpus: tuple[str, ...]
) -> None:
    """Every row is present on both sides, and Linux's costs more except for exec.

    Mitigations make no call cheaper; paths of thousands of instructions also depend on Linux's
    memory layout.
    """
    monkeypatch.setattr(guest, "CPUS", cpus)
    found = command.in_qemu("100", make_console())
    if not found:
        pytest.skip("no kernel of the distribution's can be had here")
    assert [faults(run) for run in found] == [[]] * len(found)
    said = [run.run["mitigations"] for run in found if run.run["platform"] == "linux"]
    assert all({"all", "spectre_v2", "meltdown", "retbleed"} <= one.keys() for one in said)
    for run in found:
        if run.run["platform"] == "linux" and run.run["arch"] == "amd64":
            had = columns.mitigations(run).keys() - ALWAYS
            off = run.run["mitigations"]["all"] == "off"
            assert not had if off else {"spectre_v1", "spectre_v2"} <= had
    rows = columns.cells(found)
    for (width, what), figures in rows.items():
        for cpu in guest.CPUS:
            if (cpu, "default") not in figures:
                continue
            least = {system: figures[cpu, system].least for system in guest.MITIGATIONS}
            if what.startswith(("getpid/", "getppid/", "no-call/", "empty-null/")):
                assert least["off"] <= least["default"], (width, what, cpu)
            if (cpu, columns.OURS) in figures and what != "exec":
                assert figures[cpu, columns.OURS].least < least["off"], (width, what, cpu)
    ours = {what for (width, what), figures in rows.items() if ("EPYC", columns.OURS) in figures}
    wanted = {"getppid/syscall", "getppid/int80", "getpid/sysenter", "empty-null/int80", "exec"}
    wanted |= {"signal/segv", "signal/jump", "fault/zero", "fault/copy", "ipc/pipe", "fork"}
    assert ours >= wanted | {"turn/futex", "turn/yield"}
