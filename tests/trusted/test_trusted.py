"""Programs under /trusted: which run at CPL 0, which are refused, and the effect of a bad stack."""

import contextlib
from typing import Any

import pytest

from tollgate.errors import TollgateError
from tollgate.machines.boot import BUILD
from tollgate.machines.qemu import qmp

from ..elf import DATA, Segment, exits

ORIGINS = ("bin", "trusted")
PT_NOTE = 4


def program(arch: str, name: str) -> bytes:
    return (BUILD / arch / "bin" / name).read_bytes()


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_trusted_program_runs_like_any_other(boot: Any, tree: Any, arch: str) -> None:
    module = tree({"trusted/usystime": program(arch, "usystime")})
    result = boot(arch, "EPYC", "suite=usystime samples=10", module=module)
    assert result.outcome.value == "pass"
    assert [r["id"] for r in result.results] == [
        "trusted/usystime/rdtsc",
        "trusted/usystime/getpid",
        "trusted/usystime/read",
    ]


def test_what_cannot_be_trusted_is_refused_in_words(boot: Any, tree: Any) -> None:
    files = {f"{folder}/usystime": program("i386", "usystime") for folder in ("bin", "trusted")}
    result = boot("amd64", "EPYC", "suite=usystime samples=10", module=tree(files))
    sentence = "not started: a 32-bit program cannot be trusted here"
    assert f"/trusted/usystime: {sentence}" in result.text
    assert result.outcome.value == "fail"
    assert result.results, "the ring-3 program did not run"


@pytest.mark.parametrize("fault", ["SIGSEGV-bad-stack", "SIGSEGV-stack-overflow"])
@pytest.mark.parametrize(
    ("arch", "cpu", "platform"),
    [
        ("i386", "pentium", "qemu-icount"),
        pytest.param("i386", "p3_katmai", "bochs", marks=pytest.mark.long),
        ("amd64", "EPYC", "qemu-icount"),
        pytest.param("amd64", "corei7_haswell_4770", "bochs", marks=pytest.mark.long),
    ],
)
def test_stack_starvation_ends_the_program_alone(
    boot: Any, tree: Any, arch: str, cpu: str, platform: str, fault: str
) -> None:
    """A push at CPL 0 without a stack: IST provides a stack for the #PF, or #DF is a task."""
    module = tree({f"trusted/{name}": program(arch, name) for name in ("deaths", "usystime")})
    words = f"suite=deaths,usystime samples=10 only={fault}"
    result = boot(arch, cpu, words, platform=platform, module=module)
    assert "/trusted/deaths: killed by SIGSEGV: #PF" in result.text
    assert result.outcome.value == "fail"
    assert len(result.results) == 3, "the next program did not run"


MACHINES = [
    ("i386", "phenom", "qemu-icount"),
    ("i386", "athlon64_clawhammer", "bochs"),
    ("amd64", "EPYC", "qemu-icount"),
]


IDS = ["-".join(machine) for machine in MACHINES]


def stackless(boot: Any, tree: Any, machine: tuple[str, str, str], way: str, **more: Any) -> Any:
    """Boot with user/checks/badstack.c, twice in a row, and another program after it."""
    arch, cpu, platform = machine
    module = tree({f"trusted/{name}": program(arch, name) for name in ("badstack", "usystime")})
    words = f"suite=badstack,badstack,usystime samples=10 only={way}"
    result = boot(arch, cpu, words, platform=platform, module=module, **more)
    assert len(result.results) == 3, "the next program did not run"
    return result


ON_BOCHS = [pytest.param(m, marks=[pytest.mark.long] * (m[2] == "bochs")) for m in MACHINES]


@pytest.mark.parametrize("way", ["push", "call", "store", "step"])
@pytest.mark.parametrize("machine", ON_BOCHS, ids=IDS)
def test_without_a_stack_a_fault_is_the_programs(
    boot: Any, tree: Any, machine: tuple[str, str, str], way: str
) -> None:
    text = stackless(boot, tree, machine, way).text
    death = "SIGTRAP: #DB" if way == "step" else "SIGSEGV: #PF"
    assert text.count(f"/trusted/badstack: killed by {death}") == 2
    double_faults = 1 if machine[0] == "i386" and way != "step" else 0
    assert f"badstack: so far {double_faults} double faults, 0 lost interrupts" in text


@pytest.mark.parametrize("machine", ON_BOCHS, ids=IDS)
def test_an_interrupt_without_a_stack_is_not_lost(
    boot: Any, tree: Any, machine: tuple[str, str, str]
) -> None:
    """i386: an interrupt whose frame has no room was acknowledged, so the 8259 still holds it."""
    text = stackless(boot, tree, machine, "interrupt").text
    if machine[0] == "i386":
        assert text.count("/trusted/badstack: killed by SIGSEGV: #PF") == 2
        assert "badstack: so far 1 double faults, 1 lost interrupts" in text
    else:
        assert text.count("badstack: lived through interrupt") == 2


@pytest.mark.parametrize("machine", ON_BOCHS, ids=IDS)
def test_syscall_needs_a_stack_on_i386_to_come_back(
    boot: Any, tree: Any, machine: tuple[str, str, str]
) -> None:
    """The sixth argument cannot be read, so the exit is IRET, whose three words have no room."""
    text = stackless(boot, tree, machine, "syscall").text
    dies = "/trusted/badstack: killed by SIGSEGV: #PF"
    lives = "badstack: lived through syscall"
    assert text.count(dies if machine[0] == "i386" else lives) == 2


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_an_nmi_without_a_stack_disturbs_nothing(boot: Any, tree: Any, arch: str) -> None:
    def send(line: str, directory: Any) -> None:
        if line.startswith("badstack: waiting"):
            with contextlib.suppress(TollgateError):  # the last one may end the machine before that
                qmp(directory, "inject-nmi", {})  # answers; they are counted below

    machine = (arch, "EPYC", "qemu-icount")
    result = stackless(boot, tree, machine, "nmi", qmp=True, watch=send)
    assert result.text.count("badstack: 1 NMIs") == 2
    assert result.text.count("badstack: lived through nmi") == 2
    assert "so far 0 double faults" in result.text
    assert result.outcome.value == "pass"


@pytest.mark.long
@pytest.mark.parametrize("row", ["trusted/call", "trusted/samestack", "trusted/int"])
@pytest.mark.parametrize(("arch", "cpu"), [("i386", "athlon64_clawhammer")])
def test_bochs_agrees_on_the_contract_of_the_direct_calls(
    boot: Any, arch: str, cpu: str, row: str
) -> None:
    """Bochs checks segments like a processor: null ones, and those whose descriptor is gone."""
    result = boot(arch, cpu, f"suite=contract only={row}", platform="bochs")
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass"


@pytest.mark.parametrize("arch", ["i386", pytest.param("amd64", marks=pytest.mark.long)])
def test_steps_and_bad_arguments_are_as_from_ring_3(boot: Any, tree: Any, arch: str) -> None:
    """With TF through each way in: each step stops at the same place, and none in the kernel."""
    steps = program(arch, "steps")
    result = boot(arch, "EPYC", "suite=steps", module=tree({f"{o}/steps": steps for o in ORIGINS}))
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass"
    told: dict[str, dict[str, list[str]]] = {}
    for check in result.checks:
        origin, row = check["name"].split("/", 1)
        told.setdefault(row, {}).setdefault(origin, []).append(check["detail"])
    assert {"int/standard", "callgate/standard", "call/standard"} <= told.keys()
    for row, by in told.items():
        bad = [[d for d in details if "pointers" in d] for details in by.values()]
        assert bad == bad[:1] * len(bad), row
        walked = {details[0] for details in by.values()}
        if (arch, row) != ("amd64", "syscall/bare"):  # which does not restore the flags at CPL 0
            assert len(walked) == 1, row
        assert all(said.endswith(", 0 in the kernel") for said in walked), row


def test_sysenter_at_cpl_0_is_refused_in_a_sentence(boot: Any, tree: Any) -> None:
    """SYSEXIT leads to CPL 3 only, so a trusted program has no SYSENTER."""
    files = {f"{o}/{name}": program("i386", name) for o in ORIGINS for name in ("deaths",)}
    words = "suite=deaths only=SIGSEGV-bad-sysenter"
    result = boot("i386", "EPYC", words, module=tree(files))
    assert "/trusted/deaths: killed by SIGSEGV: #GP, general protection at ip 08" in result.text


@pytest.mark.parametrize(("size", "refused"), [(16384, False), (16388, True)])
def test_notes_are_read_up_to_a_size(boot: Any, tree: Any, size: int, refused: bool) -> None:
    """The program is trusted: of other programs the kernel does not read the notes to the end."""
    code = exits(64, 0, Segment(DATA, data=bytes(size), kind=PT_NOTE))  # empty notes
    files = {f"{origin}/noted": code for origin in ORIGINS}
    result = boot("amd64", cmdline="suite=noted", module=tree(files))
    sentence = "/trusted/noted: not started: its notes are larger than 16 KiB"
    assert (sentence in result.text) is refused
    assert "/bin/noted:" not in result.text
    assert result.outcome.value == ("fail" if refused else "pass")
