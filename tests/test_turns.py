"""The thread that is switched to executes; one that is ready waits for the turns of the others."""

from __future__ import annotations

from typing import Any

import pytest

ORIGINS = {"i386": ["/bin", "/trusted"], "amd64": ["/bin", "/compat", "/trusted"]}
SLOW = ["-icount", "shift=5,sleep=off"]
"""31 million instructions a second: the timer's shortest shot is over before a switch is."""


def judge(result: Any, arch: str) -> None:
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    assert failed == []
    assert result.outcome.value == "pass"
    tried = [f"{origin}/turns" for origin in ORIGINS[arch]]
    assert [c["name"] for c in result.checks] == len(tried) * tried


@pytest.mark.parametrize(
    ("arch", "machine"),
    [
        pytest.param("i386", [], id="i386-fast"),
        pytest.param("i386", SLOW, id="i386-slow"),
        pytest.param("amd64", [], id="amd64-fast", marks=pytest.mark.long),
        pytest.param("amd64", SLOW, id="amd64-slow"),
    ],
)
def test_nobody_starves_beside_a_thread_that_sleeps_shortly(
    boot: Any, arch: str, machine: list[str]
) -> None:
    """Each origin beside each: the victim's sleeps of 2 ms end within the turns of the others."""
    judge(boot(arch, "EPYC", "suite=turns", extra=machine), arch)


@pytest.mark.long
@pytest.mark.parametrize(("arch", "model"), [("i386", "ryzen"), ("amd64", "corei7_haswell_4770")])
def test_nobody_starves_in_bochs(boot: Any, arch: str, model: str) -> None:
    judge(boot(arch, model, "suite=turns", platform="bochs"), arch)


@pytest.mark.parametrize(
    ("arch", "folders"),
    [
        pytest.param("amd64", ("bin",), id="amd64"),
        *(
            pytest.param(arch, (), id=f"{arch}-all", marks=pytest.mark.long)
            for arch in ("amd64", "i386")
        ),
    ],
)
def test_others_have_their_turns_beside_calls_on_much_memory(
    boot: Any, suites: Any, arch: str, folders: tuple[str, ...]
) -> None:
    """A tick is 312,500 instructions there: 64 MiB are given back in some 2.5 million."""
    folders = folders or tuple(origin[1:] for origin in ORIGINS[arch])
    module = suites(arch, "large", folders=folders)
    result = boot(arch, "EPYC", "suite=large", memory=256, extra=SLOW, module=module)
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    assert failed == []
    assert len(result.checks) == 12 * len(folders)


@pytest.mark.limit(600)
@pytest.mark.parametrize("times", [2, pytest.param(34, marks=pytest.mark.long)])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_one_kill_ends_everybody(boot: Any, arch: str, times: int) -> None:
    """SIGKILL marks all threads of a process at once: none of them forks another one behind it."""
    result = boot(arch, "EPYC", f"suite=survivors samples={times}")
    failed = [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]]
    assert failed == []
    assert result.outcome.value == "pass"
    assert len(result.checks) == len(ORIGINS[arch])
