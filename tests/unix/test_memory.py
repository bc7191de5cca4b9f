"""A program's memory: pages on demand, areas, protection, and running out of it."""

import re
from typing import Any

import pytest

from tollgate.records import budgets

MACHINES = [("i386", "EPYC"), ("i386", "pentium"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")]
IDS = [f"{arch}-{cpu}" for arch, cpu in MACHINES]

FOLDERS = {"i386": ["/bin", "/trusted"], "amd64": ["/bin", "/compat", "/trusted"]}
FAULT = 250
"""Instructions of a demand-zero page fault, entry to return, without the clearing."""


def deaths(result: Any) -> list[str]:
    return [line for line in result.text.splitlines() if ": killed" in line]


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_areas_and_pages(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=memory")
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass"
    assert len(result.checks) >= 45 * len(FOLDERS[arch])


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_a_page_fault_costs(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=memory")
    costs = [c["detail"] for c in result.checks if c["name"] == "cost"]
    assert len(costs) == len(FOLDERS[arch])
    zeroing = budgets.load("faults", arch)["user/page/clear"]
    assert isinstance(zeroing, dict)
    for detail in costs:
        cost = int(detail.removeprefix("demand-zero page fault: "))
        assert 0 < cost - min(zeroing.values()) <= FAULT


@pytest.mark.parametrize("way", ["unmapped", "read-only", "behind-brk"])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_not_the_programs_kills_it(boot: Any, arch: str, way: str) -> None:
    result = boot(arch, "EPYC", f"suite=memory,usystime samples=10 only={way}")
    assert [death.split(": ")[:2] for death in deaths(result)] == [
        [f"{folder}/memory", "killed by SIGSEGV"] for folder in FOLDERS[arch]
    ]
    assert len(result.results) == 3 * len(FOLDERS[arch]), "the next program did not run"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_stack_grows_to_its_limit_and_not_into_anything(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=memory only=stack")
    assert len(deaths(result)) == len(FOLDERS[arch])
    assert all("killed by SIGSEGV: #PF" in death for death in deaths(result))
    grown = [int(n) for n in re.findall(r"^stack: (\d+) MiB$", result.text, re.MULTILINE)]
    assert grown == [*range(8)] * len(FOLDERS[arch])


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_who_eats_all_memory_is_killed_alone(boot: Any, arch: str, cpu: str) -> None:
    words = "suite=memory,memory,usystime samples=10 only=eat-all"
    result = boot(arch, cpu, words, memory=32, whole=True)
    assert deaths(result) == 2 * [f"{f}/memory: killed: out of memory" for f in FOLDERS[arch]]
    assert result.text.count("/bin/memory: failed, status 137") == 2
    assert len(result.results) == 3 * len(FOLDERS[arch]), "the next program did not run"


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_who_has_most_of_the_memory_is_killed(boot: Any, arch: str) -> None:
    """Nobody else who touches a page when there is none."""
    result = boot(arch, "EPYC", "suite=memory only=eat-beside", memory=32)
    assert result.outcome.value == "pass", result.reason
    assert deaths(result) == [f"{f}/memory: killed: out of memory" for f in FOLDERS[arch]]
    assert len(result.checks) == len(FOLDERS[arch])


@pytest.mark.figures
def test_who_has_most_in_page_tables_is_killed(boot: Any, suites: Any) -> None:
    module = suites("amd64", "memory", folders=("bin",))
    result = boot("amd64", cmdline="suite=memory only=eat-tables", module=module, memory=16)
    assert result.outcome.value == "pass", result.text
    assert deaths(result) == ["/bin/memory: killed: out of memory"]


def test_the_first_program_is_not_killed_for_what_others_have(boot: Any, suites: Any) -> None:
    """Where nobody has a quarter of the memory, who needs a page is killed, but for that one."""
    module = suites("amd64", "memory", folders=("bin",))
    result = boot("amd64", cmdline="suite=memory only=eat-shares", module=module, memory=32)
    assert result.outcome.value == "pass", result.text
    assert {*deaths(result)} == {"/bin/memory: killed: out of memory"}


BOUNDS = 14
"""Rows in the table of docs/limits.md that a program can reach."""


@pytest.mark.parametrize("arch", ["amd64", pytest.param("i386", marks=pytest.mark.long)])
def test_every_bound_is_reached_says_so_and_gives_all_back(
    boot: Any, suites: Any, arch: str
) -> None:
    """With this much memory the last file has more tables of pages than are freed at once."""
    module = suites(arch, "bounds", folders=("bin",))
    result = boot(arch, cmdline="suite=bounds", module=module, memory=128)
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert len(result.checks) == BOUNDS
    assert result.text.count("killed: out of memory") == 2
