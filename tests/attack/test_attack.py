"""Ring 3 against the kernel: every case of user/attack ends as expected; the machine survives."""

import os
import re
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, ROOT

from ..emulators import attacks_that_end_otherwise

THIN = "only=/8"
"""Every eighth case of subjects with more than 600; the long tests try all."""
MACHINES = [
    ("i386", "EPYC", "qemu-icount", THIN),
    pytest.param("i386", "EPYC", "qemu-icount", "beside=others", marks=pytest.mark.long),
    pytest.param("amd64", "phenom", "qemu-icount", "beside=others", marks=pytest.mark.long),
]
BOCHS = [("i386", "ryzen"), ("amd64", "corei7_haswell_4770")]
if "TORTURE" in os.environ:  # `make test PART=torture` is slow
    MACHINES += [("i386", "phenom", "qemu-icount", "")]
    MACHINES += [("amd64", "Skylake-Client", "qemu-icount", "")]
    MACHINES += [(arch, model, "bochs", "") for arch, model in BOCHS]
"""Two machines also run programs of all other origins, so that each tick exchanges the ways in.

phenom has neither SMEP nor SMAP: there QEMU 7.2 lets far returns and IRET at CPL 3 succeed."""

SUBJECTS = re.findall(
    r"^ {8}SUBJECT\((\w+)\)", (ROOT / "user" / "attack" / "attack.h").read_text(), re.M
)


def origins(arch: str) -> int:
    return 1 if arch == "i386" else 2


def ended_wrong(result: Any) -> list[str]:
    """The cases that ended differently from a processor, except known differences of this
    emulator's version; and other failed checks."""
    known = attacks_that_end_otherwise(result.run["tools"]["emulator"])
    wrong = re.findall(r"^  (\S+): .*; it may end by mask", result.text, re.MULTILINE)
    found = [name for name in wrong if name not in known]
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    if (failed and not wrong) or result.outcome.value not in ("pass", "fail"):
        return [*found, *failed, result.reason]
    return found


@pytest.mark.limit(600)
@pytest.mark.parametrize(("arch", "cpu", "platform", "only"), MACHINES)
def test_every_attack_ends_right_and_alone(
    boot: Any, suites: Any, arch: str, cpu: str, platform: str, only: str
) -> None:
    beside = "beside" in only
    folders = ["bin", "compat", "trusted"] if arch == "amd64" else ["bin", "trusted"]
    module = suites(arch, "attack", "usystime", folders=folders if beside else ())
    words = f"suite=attack,usystime samples=10 {only}"
    result = boot(arch, cpu, words, platform=platform, module=module)
    assert ended_wrong(result) == []
    subjects = [*SUBJECTS, "beside"] if beside else SUBJECTS
    assert [c["name"] for c in result.checks] == subjects * origins(arch)
    programs = origins(arch) + beside
    assert len(result.results) == 3 * programs, "the next program did not run"
    if only == THIN:  # within a second or two
        left_out = re.findall(r"^tollgate: (\d+) more programs were killed", result.text, re.M)
        assert 50 <= len(re.findall(r": killed(?: by|:) ", result.text)) < sum(map(int, left_out))


@pytest.mark.long
def test_every_attack_of_64_bits_ends_right_and_alone(boot: Any, tree: Any) -> None:
    """Each of ring 3's rows, listed by the kernel, is entered under each condition."""
    build = BUILD / "amd64" / "bin"
    module = tree({f"bin/{name}": (build / name).read_bytes() for name in ("attack", "usystime")})
    result = boot("amd64", "phenom", "suite=attack,usystime samples=10", module=module)
    assert ended_wrong(result) == []
    assert [c["name"] for c in result.checks][: len(SUBJECTS)] == SUBJECTS
    assert any(r["suite"] == "usystime" for r in result.results), "the next program did not run"
    toll = boot("amd64", "phenom", "suite=toll samples=10")
    told = [record.data for record in toll.records if record.data.get("suite") == "toll"]
    rows = {row["id"] for row in told if row["id"].startswith("user/")}
    source = (ROOT / "user" / "attack" / "entries.c").read_text()
    conditions = len(re.findall(r'\{"\w+", enter_', source))
    [detail] = [c["detail"] for c in result.checks if c["name"] == "entries"]
    assert sum(map(int, re.findall(r"\d+", detail))) == conditions * len(rows)


@pytest.mark.parametrize(
    ("arch", "cpu", "platform", "parts"),
    [
        *(pytest.param(*machine, "bochs", "", marks=pytest.mark.long) for machine in BOCHS),
        ("amd64", "Skylake-Client", "qemu-icount", "parts=linux-tigerlake"),
    ],
)
def test_every_entry_holds(
    boot: Any, suites: Any, arch: str, cpu: str, platform: str, parts: str
) -> None:
    """Bochs is the strict judge of the entry path. Its other attacks: `make test PART=torture`."""
    module = suites(arch, "attack", "usystime")
    words = f"suite=attack,usystime samples=10 only=entry/ {parts}"
    result = boot(arch, cpu, words, platform=platform, module=module)
    assert ended_wrong(result) == []
    assert len(result.results) == 3 * origins(arch), "the next program did not run"


SINGLE = {
    "address/write/kernel_text": "SIGSEGV",
    "address/ud2_with_stack/kernel": "SIGILL",
    "entry/syscall/service/stack_0": "",
    "entry/callgate/standard/mov_ss_TF": "SIGTRAP",
    "privileged/out_dx": "SIGSEGV",
    "iret/kernel_cs": "SIG",
}
"""Cases without a second process, and the kernel's messages at their ends."""


@pytest.mark.parametrize("case", SINGLE)
def test_an_attack_in_the_first_process(boot: Any, suites: Any, case: str) -> None:
    module = suites("amd64", "attack", "usystime")
    words = f"suite=attack,usystime samples=10 only={case}"
    result = boot("amd64", "phenom", words, module=module)
    deaths = [line for line in result.text.splitlines() if ": killed by " in line]
    assert len(deaths) == (origins("amd64") if SINGLE[case] else 0)
    assert all(f": killed by {SINGLE[case]}" in line for line in deaths)
    assert "wrong:" not in result.text
    assert result.outcome.value == ("fail" if SINGLE[case] else "pass")
    assert len(result.results) == 3 * origins("amd64"), "the next program did not run"


@pytest.mark.long
@pytest.mark.parametrize("arch", ["i386", "amd64"] if "TORTURE" in os.environ else ["amd64"])
def test_linux_ends_the_same_cases_the_same_way(linux: Any, arch: str) -> None:
    """The same binary on this host: the expected ends are Linux's."""
    done = linux(arch, "attack", piped=True)  # ftruncate(1, ...) is among the calls
    if "other/syscall_of_32_bits: SIGSEGV" in done.stdout:
        pytest.skip("this host ends the SYSCALL of 32-bit code by SIGSEGV, other kernels by SIGILL")
    people = [line for line in done.stdout.splitlines() if not line.startswith("@{")]
    assert [line for line in people if not line.startswith(("ok ", "1.."))] == []
    assert done.returncode == 0
    assert len([line for line in people if line.startswith("ok ")]) == len(SUBJECTS)
