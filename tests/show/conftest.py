"""Reports of sample records."""

from pathlib import Path
from typing import Any

import pytest

from .machines import default_bench, pentium_4
from .page import report


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
