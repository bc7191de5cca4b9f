"""Record locks work as on Linux: random scripts of three processes, also run on this host."""

import random
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.child import run

from .test_linux import Build, answers, build

__all__ = ["build"]

STEPS = 400


def script_of(seed: int) -> str:
    """Process, action, type, first byte, length (0: to the end); few bytes, so locks conflict."""
    lots = random.Random(seed)
    return "".join(
        f"{lots.randrange(3)} {lots.choice('ssssggofcx')} {lots.randrange(3)} {lots.randrange(25)} "
        f"{lots.randint(-3, 12)}\n"
        for _ in range(STEPS)
    )


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))]
)
@pytest.mark.parametrize(
    ("arch", "libc", "folder"),
    [
        ("amd64", "glibc64", "bin"),
        pytest.param("amd64", "glibc64", "trusted", marks=pytest.mark.long),
        pytest.param("amd64", "glibc32", "compat", marks=pytest.mark.long),
        *(
            pytest.param("i386", "glibc32", folder, marks=pytest.mark.long)
            for folder in ("bin", "trusted")
        ),
    ],
)
def test_locks_are_linuxs(
    boot: Any, tree: Any, build: Build, tmp_path: Path, arch: str, libc: str, folder: str, seed: int
) -> None:
    program, script = build("locking", libc), script_of(seed)
    here = tmp_path / "locking"
    here.write_bytes(program)
    here.chmod(0o755)
    (tmp_path / "script").write_text(script)
    expected = answers(run([here], 60, cwd=tmp_path).stdout).splitlines()
    assert len(expected) == STEPS
    module = tree({f"{folder}/locking": program, "script": script.encode(), "tmp/.here": b""})
    result = boot(arch, "EPYC", "suite=locking", module=module)
    assert answers(result.text.replace("\r", "")).splitlines() == expected
    assert result.outcome.value == "pass", result.reason
