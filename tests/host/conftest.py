"""Sample records for the tests of the host's side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tollgate.records import MachineRun

from .sample import make_result, make_run


@pytest.fixture(name="make_run")
def make_run_fixture() -> Callable[..., MachineRun]:
    """A callable that makes a whole boot: make_run(medians, **fields of the run record)."""
    return make_run


@pytest.fixture(name="make_result")
def make_result_fixture() -> Callable[..., dict[str, Any]]:
    """A callable that makes a result record."""
    return make_result
