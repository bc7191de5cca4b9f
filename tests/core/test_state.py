"""FPU and segment state: each process keeps its own; a new program has none."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arch", "cpu", "platform"),
    [
        ("i386", "EPYC", "qemu-icount"),
        ("i386", "pentium", "qemu-icount"),  # no FXSAVE
        pytest.param("i386", "p3_katmai", "bochs", marks=pytest.mark.long),
        ("amd64", "EPYC", "qemu-icount"),
        pytest.param("amd64", "corei7_haswell_4770", "bochs", marks=pytest.mark.long),
    ],
)
def test_state_is_kept_per_process(suite: Any, arch: str, cpu: str, platform: str) -> None:
    result = suite(arch, cpu, platform, "state")
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass", result.reason
    assert len(result.checks) == 6 * (2 if arch == "i386" else 3)
