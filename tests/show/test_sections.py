"""The bars of a report: they contain all parts of a row."""

from collections.abc import Callable
from typing import Any

from tollgate.show.report.model import read_row
from tollgate.show.report.sections import SECTIONS, six


def test_six_bars_are_seven_sections(make_result: Callable[..., dict[str, Any]]) -> None:
    """Each section is in one bar, the service's in its call's: powers of two identify them."""
    result = make_result("user/int/standard", 127)
    for place, section in enumerate(result["sections"]):
        section["median"] = 1 << place
    bars = six(read_row(result))
    assert len(bars) == len(SECTIONS)
    assert sum(bars) == 127
    assert bars == (1, 2, 4 + 8, 16, 32, 64)


def test_a_row_without_sections_has_no_bars(make_result: Callable[..., dict[str, Any]]) -> None:
    assert six(read_row(make_result("user/int/standard", 46, sections=[]))) == ()
