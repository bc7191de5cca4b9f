"""The sample records of tests/host."""

from ..host.conftest import make_result_fixture, make_run_fixture

__all__ = ["make_result_fixture", "make_run_fixture"]
