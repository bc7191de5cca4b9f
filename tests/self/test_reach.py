"""`make reach`: the blocks that a boot reaches are seen, and the reasons fit the kernel."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.qemu_plugin import REACH, reach_arguments
from tollgate.self import reach

from .. import reach as made


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[reach.Block]]:
    """What a machine notes, and the blocks."""
    place = tmp_path_factory.mktemp("reach")
    return place, reach.prepare(place)


def test_a_boot_notes_the_blocks_that_it_reaches_and_no_others(
    folder: Any, boot: Any, suites: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, blocks = folder
    monkeypatch.setenv(REACH, str(place))
    boot(
        "amd64", "EPYC", "suite=usystime samples=2", module=suites("amd64", "usystime"), fresh=True
    )
    reached = {blocks[index].function for index in made.ones(place)}
    assert {"kernel_main", "sys_write", "sys_open"} <= reached
    assert not {"sys_rename", "panic"} & reached
    assert {blocks[index].arch for index in made.ones(place)} == {"amd64"}


def test_another_kernel_notes_nothing(tmp_path: Path, folder: Any) -> None:
    (tmp_path / "kernel").write_bytes(b"another")
    assert reach_arguments(tmp_path / "kernel") == []


def test_the_table_counts_who_reaches_a_block() -> None:
    every = [reach.Block("i386", at, "f", "kernel/unix/file/a.c", "a.c", at) for at in range(4)]
    line = made.table(every, {0, 1}, {1, 2}).splitlines()[-1]
    assert line.split() == ["kernel/unix/file", "i386", "4", "1", "1", "1", "1", "75.0", "%"]
    assert [*made.unnamed(every, {0, 1, 2})] == ["kernel/unix/file/a.c: f: i386:3"]


def test_the_functions_with_a_reason_are_the_kernels(folder: Any) -> None:
    functions = {block.name for block in folder[1]}
    assert [name for name in made.reasons() if not fnmatch.filter(functions, name)] == []
