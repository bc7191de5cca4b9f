"""Programs under /trusted: which run at CPL 0, which are refused, and what a bad stack does."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate.boot import ROOT


def program(arch: str, name: str) -> bytes:
    return (ROOT / "build" / arch / "bin" / name).read_bytes()


def test_a_trusted_program_runs_like_any_other(boot: Any, tree: Any) -> None:
    module = tree({"trusted/usystime": program("amd64", "usystime")})
    result = boot("amd64", "EPYC", "suite=usystime samples=10", module=module)
    assert result.outcome.value == "pass"
    assert [r["id"] for r in result.results] == [
        "trusted/usystime/rdtsc",
        "trusted/usystime/getpid",
    ]


@pytest.mark.parametrize(
    ("arch", "sentence"),
    [
        ("i386", "not started: trusted programs need the amd64 kernel so far"),
        ("amd64", "not started: a 32-bit program cannot be trusted here"),
    ],
)
def test_what_cannot_be_trusted_is_refused_in_words(
    boot: Any, tree: Any, arch: str, sentence: str
) -> None:
    files = {f"{folder}/usystime": program("i386", "usystime") for folder in ("bin", "trusted")}
    result = boot(arch, "EPYC", "suite=usystime samples=10", module=tree(files))
    assert f"/trusted/usystime: {sentence}" in result.text
    assert result.outcome.value == "fail"
    assert result.results, "the ring-3 program did not run"


@pytest.mark.parametrize("fault", ["SIGSEGV-bad-stack", "SIGSEGV-stack-overflow"])
@pytest.mark.parametrize(
    ("cpu", "platform"), [("EPYC", "qemu-icount"), ("corei7_haswell_4770", "bochs")]
)
def test_stack_starvation_ends_the_program_alone(
    boot: Any, tree: Any, cpu: str, platform: str, fault: str
) -> None:
    """A push at CPL 0 without a stack: the frame of its #PF has a place by IST alone."""
    module = tree({f"trusted/{name}": program("amd64", name) for name in ("fault", "usystime")})
    words = f"suite=fault,usystime samples=10 only={fault}"
    result = boot("amd64", cpu, words, platform=platform, module=module)
    assert "/trusted/fault: killed by SIGSEGV: #PF" in result.text
    assert result.outcome.value == "fail"
    assert len(result.results) == 2, "the next program did not run"
