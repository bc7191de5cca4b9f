"""No call keeps interrupts off for more than 50,000 instructions, whatever it is asked to do."""

from __future__ import annotations

from typing import Any

import pytest

MOST = 50_000
WORKERS = (
    "execve",
    "fork",
    "munmap",
    "mprotect",
    "mremap",
    "open",
    "getdents64",
    "exit_group",
    "read",
)


PLACES = [("amd64", "user"), ("amd64", "compat"), ("i386", "user")]
FOLDER = {"user": "bin", "compat": "compat"}


def longest(result: Any, origin: str) -> dict[str, int]:
    assert result.outcome.value == "pass", result.reason
    return {r["id"]: r["max"] for r in result.results if r["id"].startswith(f"{origin}/")}


@pytest.mark.parametrize(
    ("arch", "origin"), [PLACES[0], *(pytest.param(*p, marks=pytest.mark.long) for p in PLACES[1:])]
)
def test_interrupts_are_never_off_for_long(boot: Any, suites: Any, arch: str, origin: str) -> None:
    module = suites(arch, "latency", folders=(FOLDER[origin],))
    found = longest(boot(arch, cmdline="suite=latency only=deeds", module=module), origin)
    assert {f"{origin}/{name}/off" for name in WORKERS} <= found.keys()
    assert max(found.values()) <= MOST


@pytest.mark.long
@pytest.mark.parametrize(("arch", "origin"), PLACES)
def test_attacks_and_chaos_keep_them_off_no_longer(
    boot: Any, suites: Any, arch: str, origin: str
) -> None:
    module = suites(arch, "latency", "attack", "torture", folders=(FOLDER[origin],))
    result = boot(arch, cmdline="suite=latency", module=module)
    found = longest(result, origin)
    assert {"attack", "torture"} <= {c["name"] for c in result.checks}
    assert f"{origin}/rt_sigreturn/off" in found
    assert max(found.values()) <= MOST
