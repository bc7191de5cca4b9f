"""Programs give back all that they take: as many frames and objects of the heap are in use after
any number of rounds as before them."""

from __future__ import annotations

from typing import Any

import pytest

from tollgate.machines.boot import BUILD

HOUR = 3600.0
FOLDERS = {
    "i386": {"bin": "i386", "trusted": "i386"},
    "amd64": {"bin": "amd64", "compat": "i386", "trusted": "amd64"},
}
KINDS = 64
"""Of rounds: each is a check (user/checks/leaks)."""


@pytest.mark.limit(2 * HOUR)
@pytest.mark.parametrize(
    ("rounds", "origins"),
    [(4, ("bin", "compat", "trusted")), pytest.param(200, ("bin",), marks=pytest.mark.long)],
)
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_nothing_is_lost(
    boot: Any, tree: Any, arch: str, rounds: int, origins: tuple[str, ...]
) -> None:
    files = {
        f"{folder}/leaks": (BUILD / width / "bin" / "leaks").read_bytes()
        for folder, width in FOLDERS[arch].items()
        if folder in origins
    }
    words = f"suite=leaks samples={rounds}"
    result = boot(arch, cmdline=words, module=tree(files), memory=32, deadline=HOUR)
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert len(result.checks) == KINDS * len(files)
    assert result.outcome.value == "pass", result.reason


BOUNDS = 14
"""Rows of the table of docs/limits.md that a program can reach."""


@pytest.mark.parametrize("arch", ["amd64", pytest.param("i386", marks=pytest.mark.long)])
def test_every_bound_is_reached_says_so_and_gives_all_back(
    boot: Any, suites: Any, arch: str
) -> None:
    result = boot(arch, cmdline="suite=bounds", module=suites(arch, "bounds", folders=("bin",)))
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert len(result.checks) == BOUNDS
    assert result.text.count("killed: out of memory") == 2
