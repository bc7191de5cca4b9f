"""The entries' promises to programs, and the consequences for programs that break the rules."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ARCHES, Boot
from tollgate.machines.debug import session
from tollgate.records import budgets, parts

from ..teach.test_lessons import guest

NMIS = Path(__file__).parent / "nmis.py"
MACHINES = [
    pytest.param("i386", "EPYC", "", id="i386-EPYC"),
    pytest.param("i386", "EPYC", "only=/standard", id="i386-standard"),
    pytest.param("i386", "pentium", "", marks=pytest.mark.long, id="i386-pentium"),
    pytest.param("amd64", "EPYC", "", id="amd64-EPYC"),
    pytest.param("amd64", "Skylake-Client", "only=/sysenter/", id="amd64-Skylake-Client"),
    pytest.param("amd64", "Skylake-Client", "", marks=pytest.mark.long, id="amd64-Skylake-all"),
]
SWEPT = [
    *(pytest.param(arch, "EPYC", "only=/standard", id=f"{arch}-standard") for arch in ARCHES),
    pytest.param("amd64", "EPYC", "only=user/syscall/lazy", id="amd64-lazy"),
    *(pytest.param(arch, "EPYC", "", marks=pytest.mark.long, id=f"{arch}-EPYC") for arch in ARCHES),
    pytest.param("amd64", "Skylake-Client", "", marks=pytest.mark.long, id="amd64-Skylake-all"),
]
"""Machines and rows of the sweep. AMD's processors have all rows of amd64 but SYSENTER's."""
ABSENT = {
    ("i386", "pentium"): tuple(
        f"{o}/{m}/" for o in ("user", "trusted") for m in ("sysenter", "syscall")
    ),
    ("amd64", "EPYC"): ("user/sysenter/", "compat/sysenter/"),
    ("amd64", "Skylake-Client"): ("compat/syscall/",),
}
"""Mechanisms that a processor lacks."""
PROMISES = (
    "the service routine sees",
    "a signal is pending",
    "registers behind a handler",
    "behind the slow way out",
    "the frame of a ",
    "registers that a service spoils",
)
INSIDE = {"standard": 7, "lazy": 7, "nowork": 6, "trusted/site/standard": 5}
"""The number of checks in user/checks/promises.c for each row of a variant, or for a row with a
fixed number."""


def failed_checks(result: Any) -> list[str]:
    return [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]


@pytest.mark.parametrize(("arch", "cpu", "only"), MACHINES)
def test_registers_flags_segments_fpu_and_arguments(
    boot: Any, arch: str, cpu: str, only: str
) -> None:
    """A caller's view (contract), and the inside of a variant (promises)."""
    result = boot(arch, cpu, f"suite=contract,promises {only}".strip())
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    tried = {c["name"] for c in result.checks} & budgets.load("toll", arch).keys()
    alone = {
        row for row in budgets.load("toll", arch) if not set(row) & {"+", "@"}
    }  # sets: `parts=`
    rows = {row for row in alone if only.removeprefix("only=") in row}
    absent = ABSENT.get((arch, cpu), ())
    assert tried == {row for row in rows if not row.startswith(absent)}
    inside = Counter(c["name"] for c in result.checks if c["detail"].startswith(PROMISES))
    for row in tried:
        wanted = INSIDE.get(row, INSIDE.get(row.rpartition("/")[2], inside[row]))
        assert inside[row] == wanted, row


EVERYTHING = "contract,promises,deaths"


@pytest.mark.parametrize(
    ("arch", "cpu", "suites", "only"),
    [
        *((arch, "EPYC", "contract,promises", "only=/standard") for arch in ("i386", "amd64")),
        pytest.param("i386", "EPYC", EVERYTHING, "", marks=pytest.mark.long),
        pytest.param("amd64", "EPYC", EVERYTHING, "", marks=pytest.mark.long),
        pytest.param("amd64", "Skylake-Client", EVERYTHING, "", marks=pytest.mark.long),
    ],
)
def test_promises_hold_while_programs_of_other_origins_run(
    boot: Any, arch: str, cpu: str, suites: str, only: str
) -> None:
    """The kernel exchanges them at each tick, and one origin's do not work for another."""
    result = boot(arch, cpu, f"suite={suites} beside=others {only}".strip())
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    origins = len(ORIGINS[arch])
    beside = [c["detail"] for c in result.checks if c["name"] == "beside"]
    assert beside == len(suites.split(",")) * origins * [
        f"{origins - 1} of {origins - 1} programs of other origins lived"
    ]


@pytest.mark.long
def test_null_selectors_of_i386_fault_in_bochs(boot: Any) -> None:
    """QEMU allows accesses through a null DS or ES; Bochs, like processors, does not."""
    words = "suite=contract,promises only=user/int/standard"
    result = boot("i386", "p3_katmai", words, platform="bochs")
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    told = {c["detail"].split(":")[0] for c in result.checks if c["name"] == "user/int/standard"}
    assert {"null ds es fs gs", "null es"} <= told


@pytest.mark.parametrize(("arch", "cpu", "only"), SWEPT)
def test_an_exception_or_interrupt_at_any_instruction_of_any_entry(
    boot: Any, arch: str, cpu: str, only: str
) -> None:
    result = boot(arch, cpu, f"suite=sweep {only}".strip())
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"


SOME = {
    "i386": ("user/int/standard", "user/callgate/nowork", "trusted/int/service"),
    "amd64": ("user/syscall/standard",),
}
"""Rows for which the short tests send an NMI at every instruction."""


@pytest.mark.parametrize(
    ("arch", "cpu", "rows"),
    [
        ("i386", "EPYC", SOME["i386"]),
        ("amd64", "EPYC", SOME["amd64"]),
        ("amd64", "EPYC", ("user/syscall/lazy",)),
        pytest.param(
            *("amd64", "EPYC", ("user/syscall/standard@linux-skylake",)),
            id="linux-skylake",
            marks=pytest.mark.long,
        ),
        pytest.param("i386", "EPYC", (), marks=pytest.mark.long),
        pytest.param("amd64", "EPYC", (), marks=pytest.mark.long),
        pytest.param("amd64", "Skylake-Client", (), marks=pytest.mark.long),
    ],
)
@pytest.mark.patient
def test_an_nmi_at_each_instruction_changes_nothing(
    boot: Any, arch: str, cpu: str, rows: tuple[str, ...]
) -> None:
    """Registers and all other state of the program stay the same."""
    if not rows:
        measured = boot(arch, cpu, "suite=toll samples=1").results
        rows = tuple(r["id"] for r in measured if r["suite"] == "toll" and "sections" in r)
    words = ("suite=contract", *([f"only={rows[0]}", *parts.word_for(rows[0])] * (len(rows) == 1)))
    narrow = arch == "i386" and any("/syscall/" in row for row in rows)
    with session(Boot(arch, cpu=cpu, words=words), narrow=narrow) as machine:
        command = [*machine.gdb(None, headless=True), "-ex", f'set $rows = "{" ".join(rows)}"']
        said = machine.run([*command, "-x", str(NMIS)], 300).stdout
        end = guest(machine).end
        told = machine.serial.read_text()
    sent = dict(re.findall("^(.+): ([0-9]+) NMIs$", said, re.MULTILINE))
    assert tuple(sent) == rows, said[-2000:]
    taken = re.search("^([0-9]+) NMIs were taken", told, re.MULTILINE)
    assert taken
    assert int(taken[1]) == sum(map(int, sent.values()))
    assert re.findall("^not ok.*", told, re.MULTILINE) == []
    assert end is not None
    assert end["failed"] == 0


def deaths(result: Any) -> list[str]:
    return [line for line in result.text.splitlines() if ": killed by " in line]


ORIGINS = {"i386": ["bin", "trusted"], "amd64": ["bin", "compat", "trusted"]}


@pytest.mark.parametrize(
    ("arch", "cpu", "platform"),
    [
        ("i386", "EPYC", "qemu-icount"),
        ("i386", "pentium", "qemu-icount"),
        ("i386", "phenom", "qemu-icount"),
        pytest.param("i386", "p3_katmai", "bochs", marks=pytest.mark.long),
        pytest.param("i386", "ryzen", "bochs", marks=pytest.mark.long),
        ("amd64", "EPYC", "qemu-icount"),
        ("amd64", "Haswell", "qemu-icount"),
        ("amd64", "phenom", "qemu-icount"),
        pytest.param("amd64", "corei7_haswell_4770", "bochs", marks=pytest.mark.long),
        pytest.param("amd64", "ryzen", "bochs", marks=pytest.mark.long),
    ],
)
def test_every_way_to_die_is_the_programs_alone(
    suite: Any, arch: str, cpu: str, platform: str
) -> None:
    result = suite(arch, cpu, platform, "deaths")
    assert failed_checks(result) == []
    assert result.outcome.value == "pass"
    assert {d.split("/")[1] for d in deaths(result)} == set(ORIGINS[arch])
    checks = [c["name"] for c in result.checks]
    assert checks.count("SIGSEGV-write-null") == len(ORIGINS[arch])
    assert checks.count("SIGSEGV-cr3") == len(ORIGINS[arch]) - 1, "CPL 0 may do that"
    for origin in ("user", "trusted"):
        for row in ("int/standard", "int/bare", "callgate/service"):
            assert f"SIGTRAP-step-{origin}/{row}" in checks


@pytest.mark.parametrize("fault", ["SIGSEGV-write-null", "SIGTRAP-step-user/int/standard"])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_fault_of_the_first_process(boot: Any, arch: str, fault: str) -> None:
    result = boot(arch, "EPYC", f"suite=deaths,usystime samples=10 only={fault}")
    signal, what = fault.split("-", 1)
    programs = ["/bin/deaths"] if "/" in what else [f"/{o}/deaths" for o in ORIGINS[arch]]
    assert [d.split(":")[0] for d in deaths(result)] == programs
    assert all(f"killed by {signal}:" in death for death in deaths(result))
    assert result.outcome.value == "fail"
    assert any(r["suite"] == "usystime" for r in result.results), "the next program did not run"


@pytest.mark.long
def test_sysexit_to_an_address_that_is_not_canonical(boot: Any) -> None:
    """Bochs raises #GP at CPL 0, like Intel; QEMU at CPL 3, as the suite deaths shows."""
    words = "suite=deaths,usystime samples=10 only=SIGSEGV-bad-sysenter"
    result = boot("amd64", "corei7_haswell_4770", words, platform="bochs")
    assert [death.split(":")[0] for death in deaths(result)] == [
        f"{folder}/deaths" for folder in ("/bin", "/compat", "/trusted")
    ]
    assert "the processor refused to return to it" in result.text
    assert any(r["suite"] == "usystime" for r in result.results), "the next program did not run"
