"""Record locks are Linux's: random scripts of three processes are answered alike by this host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tollgate.machines.boot import BUILD
from tollgate.machines.child import run

from .test_linux import COMPILERS, Build, answers, build

__all__ = ["build"]

STEPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from("ssssggofcx"),
        st.integers(0, 2),
        st.integers(0, 24),
        st.integers(-3, 12),
    ),
    min_size=400,
    max_size=400,
)
"""Few bytes, so that locks meet: which process, what, type, first byte, length (0: to the end)."""


def script_of(steps: list[tuple[int, str, int, int, int]]) -> str:
    return "".join(f"{who} {act} {kind} {at} {size}\n" for who, act, kind, at, size in steps)


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
@settings(
    max_examples=3,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(steps=STEPS)
def test_locks_are_linuxs(
    boot: Any,
    tree: Any,
    build: Build,
    tmp_path: Path,
    arch: str,
    libc: str,
    folder: str,
    steps: list[tuple[int, str, int, int, int]],
) -> None:
    program, script = build("locking", libc), script_of(steps)
    here = tmp_path / "locking"
    here.write_bytes(program)
    here.chmod(0o755)
    (tmp_path / "script").write_text(script)
    expected = answers(run([here], 60, cwd=tmp_path).stdout).splitlines()
    assert len(expected) == len(steps)
    module = tree({f"{folder}/locking": program, "script": script.encode(), "tmp/.here": b""})
    result = boot(arch, "EPYC", "suite=locking", module=module)
    assert answers(result.text.replace("\r", "")).splitlines() == expected
    assert result.outcome.value == "pass", result.reason


@pytest.mark.parametrize(
    ("arch", "folder"),
    [
        ("amd64", "bin"),
        ("amd64", "trusted"),
        pytest.param("amd64", "compat", marks=pytest.mark.long),
        pytest.param("i386", "bin", marks=pytest.mark.long),
        pytest.param("i386", "trusted", marks=pytest.mark.long),
    ],
)
def test_a_database_in_a_file_is_the_hosts(
    boot: Any, tree: Any, tmp_path: Path, arch: str, folder: str
) -> None:
    width = "i386" if folder == "compat" else arch
    library = BUILD / width / "libsqlite3.a"
    if not library.exists():
        pytest.skip("`make test` fetches SQLite")
    program = tmp_path / "database"
    source = Path(__file__).parent / "linux" / "database.c"
    compiler = COMPILERS["glibc64" if width == "amd64" else "glibc32"]
    run([*compiler, "-O1", source, "-o", program, library, "-lm"], 60)
    expected = answers(run([program], 60, cwd=tmp_path).stdout)
    assert expected.endswith("= ok\n")
    files = {f"{folder}/database": program.read_bytes(), "tmp/.here": b""}
    result = boot(arch, "EPYC", "suite=database", module=tree(files))
    assert answers(result.text.replace("\r", "")) == expected
    assert result.outcome.value == "pass", result.reason
