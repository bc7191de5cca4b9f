"""The core alone (`make core`): what it includes is all that it needs."""

from __future__ import annotations

import pytest

from tollgate import budgets, core
from tollgate.outcome import Outcome


@pytest.mark.parametrize("arch", core.IMAGES)
def test_the_core_alone_prints_the_toll_table_of_the_whole_kernel(arch: str) -> None:
    result = core.boot(arch)
    assert result.outcome is Outcome.PASS, result.reason
    assert len(result.results) > 30
    assert not budgets.differences(result, "toll")
