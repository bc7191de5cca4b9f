"""tests/reach.py: a boot's reached blocks are recorded, and the reasons fit the kernel."""

import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ARCHES, ROOT
from tollgate.machines.qemu_plugin import REACH
from tollgate.self import reach

from .. import reach as made


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[reach.Block]]:
    """The folder of a machine's recording, and the blocks."""
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


def test_a_line_is_reached_wherever_the_compiler_has_put_it() -> None:
    file = "kernel/unix/file/cut.c"
    line = (ROOT / file).read_text().splitlines().index('#include "errno.h"') + 1
    every = [reach.Block(arch, 0, name, file, file, line) for arch in ARCHES for name in "fg"]
    assert [*made.unnamed(every, {0})] == []
    assert made.share(every, {0}, "amd64", "kernel/unix") == 100
    said = f'unix/file/cut.c:f: #include "errno.h"  [i386:{line} amd64:{line}]'
    assert next(made.unnamed(every, set())) == said


def test_a_folder_below_the_goal_fails() -> None:
    every = [
        reach.Block(arch, line, "f", f"{folder}/{arch}.c", f"{folder}/{arch}.c", line)
        for folder in made.WATCHED
        for arch in ARCHES
        for line in range(100)
    ]
    assert made.too_few(every, {*range(400)} - {*range(5)}) == []
    (said,) = made.too_few(every, {*range(400)} - {*range(6)})
    assert said == "kernel/core, i386: 94.0 %, and the goal is 95 %"


def test_the_places_with_a_reason_are_the_kernels(folder: Any) -> None:
    there = {block.place for block in folder[1]} | {block.name for block in folder[1]}
    assert [place for place in made.reasons() if not fnmatch.filter(there, place)] == []
