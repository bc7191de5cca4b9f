"""No call keeps interrupts off for more than 50,000 instructions, whatever it is asked to do."""

from __future__ import annotations

from typing import Any

import pytest

MOST = 50_000
WORKERS = ("execve", "fork", "munmap", "mprotect", "open", "getdents64", "exit_group", "read")


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_interrupts_are_never_off_for_long(boot: Any, suites: Any, arch: str) -> None:
    result = boot(arch, cmdline="suite=latency only=deeds", module=suites(arch, "latency"))
    assert result.outcome.value == "pass", result.reason
    for origin in ["user"] if arch == "i386" else ["user", "compat"]:
        found = {r["id"]: r["max"] for r in result.results if r["id"].startswith(f"{origin}/")}
        assert {f"{origin}/{name}/off" for name in WORKERS} <= found.keys()
        assert max(found.values()) <= MOST
