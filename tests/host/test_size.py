"""The size of each room is chosen: tests/size.toml has it."""

from __future__ import annotations

import tomllib

from .. import size

ROOM = 300
"""Lines by which a room may be smaller than its line: a table of what was once says nothing."""
ANEW = ".venv/bin/python -m tests.size writes the table; say in the commit what the lines buy"


def test_the_core_can_be_held_in_the_head() -> None:
    """A limit that only a new way in moves: what else does not fit belongs above the core."""
    assert 10_000 < size.core() <= size.core_most()


def test_no_room_is_larger_than_the_table_says() -> None:
    told = tomllib.loads(size.TABLE.read_text())
    now = size.rooms()
    assert told.keys() == now.keys(), ANEW
    larger = {name: (told[name], now[name]) for name in now if now[name] > told[name]}
    assert not larger, ANEW
    smaller = {name: (told[name], now[name]) for name in now if now[name] < told[name] - ROOM}
    assert not smaller, ANEW
