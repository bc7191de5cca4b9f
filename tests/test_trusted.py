"""Programs under /trusted: which run at CPL 0, which are refused, and what a bad stack does."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate.boot import ROOT


def program(arch: str, name: str) -> bytes:
    return (ROOT / "build" / arch / "bin" / name).read_bytes()


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_trusted_program_runs_like_any_other(boot: Any, tree: Any, arch: str) -> None:
    module = tree({"trusted/usystime": program(arch, "usystime")})
    result = boot(arch, "EPYC", "suite=usystime samples=10", module=module)
    assert result.outcome.value == "pass"
    assert [r["id"] for r in result.results] == [
        "trusted/usystime/rdtsc",
        "trusted/usystime/getpid",
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
        ("i386", "p3_katmai", "bochs"),
        ("amd64", "EPYC", "qemu-icount"),
        ("amd64", "corei7_haswell_4770", "bochs"),
    ],
)
def test_stack_starvation_ends_the_program_alone(
    boot: Any, tree: Any, arch: str, cpu: str, platform: str, fault: str
) -> None:
    """A push at CPL 0 without a stack: its #PF's frame has a place by IST, or #DF is a task."""
    module = tree({f"trusted/{name}": program(arch, name) for name in ("fault", "usystime")})
    words = f"suite=fault,usystime samples=10 only={fault}"
    result = boot(arch, cpu, words, platform=platform, module=module)
    assert "/trusted/fault: killed by SIGSEGV: #PF" in result.text
    assert result.outcome.value == "fail"
    assert len(result.results) == 2, "the next program did not run"
