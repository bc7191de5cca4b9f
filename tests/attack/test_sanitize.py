"""A kernel with sanitizers (kernel/sanitize) runs programs and fuzzers, and reports nothing."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import KERNEL, ROOT

from ..conftest import SHADOW
from ..unix.test_linux import build

__all__ = ["build"]  # the fixture
pytestmark = [pytest.mark.long, pytest.mark.figures]

PROGRAMS = [
    ("i386", "processes,files,memory"),
    ("amd64", "processes,files,memory"),
    ("amd64", "promises only=/standard"),
]
"""The boots whose tests mutants name. `make test PART=sanitize` runs all other tests that boot."""


@pytest.fixture
def kernels(once: Any) -> Path:
    """The folder of the kernels, which are built once for all tests."""

    def make(_: Path) -> None:
        images = [f"build-sanitize/{name}" for name in KERNEL.values()]
        command = ["make", "-s", "-j2", "SANITIZE=1", *images]
        made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]

    once("sanitize", make)
    return ROOT / "build-sanitize"


@pytest.mark.parametrize(("arch", "words"), PROGRAMS)
def test_nothing_is_reported(boot: Any, kernels: Path, arch: str, words: str) -> None:
    words = f"samples=10 suite={words}"
    memory = 32 + SHADOW
    result = boot(arch, "EPYC", words, kernel=kernels / KERNEL[arch], memory=memory)
    assert "panic" not in result.text
    assert [f"{c['name']}: {c['detail']}" for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass"


def test_a_file_that_is_mapped_at_any_offset_shows_nothing_else(
    boot: Any, kernels: Path, tree: Any, build: Any
) -> None:
    """The program is trusted, so some of its pages exist twice (amd64's site.c)."""
    module = tree({"trusted/sites": build("sites", "glibc64")})
    result = boot("amd64", "EPYC", "suite=sites", kernel=kernels / KERNEL["amd64"], module=module)
    assert "panic" not in result.text
    assert "offsets: right" in result.text


@pytest.mark.limit(600)
@pytest.mark.parametrize("seed", [3, 4])
def test_a_crowd_finds_nothing(boot: Any, kernels: Path, suites: Any, seed: int) -> None:
    module = suites("amd64", "torture", folders=["bin"])
    words = f"suite=torture only=crowd/30/{seed}"
    machine = {"kernel": kernels / KERNEL["amd64"], "memory": 256, "timeout": 120.0}
    result = boot("amd64", "Skylake-Client", words, module=module, **machine)
    assert "panic" not in result.text
    assert result.outcome.value == "pass"
