"""Sample records for the tests of the host's side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.records.format import MachineRun

from .machines import default_bench, pentium_4
from .page import report
from .sample import make_result, make_run


@pytest.fixture(name="make_run")
def make_run_fixture() -> Callable[..., MachineRun]:
    """A callable that makes a complete boot: make_run(medians, **fields of the run record)."""
    return make_run


@pytest.fixture(name="make_result")
def make_result_fixture() -> Callable[..., dict[str, Any]]:
    """A callable that makes a result record."""
    return make_result


@pytest.fixture(scope="session")
def bench(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of the three machines of `make bench`."""
    return report(tmp_path_factory.mktemp("bench"), *default_bench())


@pytest.fixture(scope="session")
def mixed_folder(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report of two units: the three machines, and a Pentium 4."""
    folder = tmp_path_factory.mktemp("mixed")
    report(folder, *default_bench(), pentium_4())
    return folder


@pytest.fixture(scope="session")
def mixed(mixed_folder: Path) -> str:
    """That report."""
    return (mixed_folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def silicon(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of just a Pentium 4."""
    return report(tmp_path_factory.mktemp("silicon"), pentium_4())
