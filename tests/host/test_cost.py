"""What a run of the tests says of itself."""

from __future__ import annotations

from ..cost import Account, duration


def test_a_run_is_as_far_as_its_processor_time() -> None:
    account = Account({"long": 30.0, "short": 10.0})
    account.expect(["long", "short"])
    assert account.done == 0.0
    account.end("short", 10.0)
    assert account.done == 0.25
    account.end("long", 30.0)
    assert account.done == 1.0
    assert str(account).startswith("100%: 2 of 2 tests")


def test_a_test_that_nobody_knows_is_taken_for_a_usual_one() -> None:
    account = Account({"known": 4.0})
    account.expect(["known", "new"])
    account.end("known", 4.0)
    assert account.done == 0.5


def test_tests_that_cost_nothing_are_no_division_by_zero() -> None:
    account = Account({})
    account.expect(["a", "b"])
    account.end("a", 0.0)
    assert account.done == 0.0


def test_times_are_for_people() -> None:
    assert [duration(seconds) for seconds in (3.4, 60, 125)] == ["3 s", "1 min 00 s", "2 min 05 s"]
