"""The logs of failed tests stay until another run has one that fails."""

from __future__ import annotations

from pathlib import Path

from tests import logs


def there(kept: Path) -> list[str]:
    return sorted(path.name for path in kept.iterdir() if path.is_dir())


def test_the_first_failure_of_a_run_replaces_what_an_earlier_run_left(tmp_path: Path) -> None:
    kept = tmp_path / "build" / "test-logs"
    logs.keep(kept, "1", "tests/a.py::one", "it broke", [])
    logs.keep(kept, "1", "tests/a.py::two[x/y]", "", [])
    assert there(kept) == ["tests_a.py_one", "tests_a.py_two_x_y_"]
    assert (kept / "tests_a.py_one" / "report.txt").read_text() == "it broke"
    logs.keep(kept, "2", "tests/a.py::three", "", [])
    assert there(kept) == ["tests_a.py_three"]
