"""No call keeps interrupts off for more than 50,000 instructions, whatever it is asked to do."""

from __future__ import annotations

from typing import Any

import pytest

MOST = 50_000
WORKERS = ("execve", "fork", "munmap", "mprotect", "open", "getdents64", "exit_group", "read")


@pytest.mark.parametrize(
    ("arch", "origin"),
    [
        ("amd64", "user"),
        pytest.param("amd64", "compat", marks=pytest.mark.long),
        pytest.param("i386", "user", marks=pytest.mark.long),
    ],
)
def test_interrupts_are_never_off_for_long(boot: Any, suites: Any, arch: str, origin: str) -> None:
    folder = {"user": "bin", "compat": "compat"}[origin]
    module = suites(arch, "latency", folders=(folder,))
    result = boot(arch, cmdline="suite=latency only=deeds", module=module)
    assert result.outcome.value == "pass", result.reason
    found = {r["id"]: r["max"] for r in result.results if r["id"].startswith(f"{origin}/")}
    assert {f"{origin}/{name}/off" for name in WORKERS} <= found.keys()
    assert max(found.values()) <= MOST
