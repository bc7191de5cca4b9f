"""A few lines after every stop: the ring, changed registers, the next instruction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gdb
from vocabulary import machine, where
from vocabulary.machine import Word

ROW = 3
"""Registers per line."""
_before: dict[str, int] = {}
_on = [False]


def is_on() -> bool:
    """Whether it is shown after each stop."""
    return _on[0]


def set_on(on: bool) -> None:
    """Switch it on or off."""
    if on and not _on[0]:
        gdb.events.stop.connect(_stopped)
        _before.update(_registers())
    elif _on[0] and not on:
        gdb.events.stop.disconnect(_stopped)
    _on[0] = on


def _registers() -> dict[str, int]:
    names = ("sp", "flags", "cs", "ss")
    return machine.general_registers() | {name: machine.register(name) for name in names}


def lines() -> Iterator[str]:
    """The context; registers that changed since the last time are marked with *."""
    here, cs = machine.register("ip"), machine.register("cs")
    now = _registers()
    yield f"-- CPL {cs & 3}   {where.place(here)}   {machine.symbol_at(here)}"
    shown = [
        f"{'*' if _before.get(name, value) != value else ' '}"
        f"{machine.register_name(name)} {value:#x}"
        for name, value in now.items()
    ]
    for start in range(0, len(shown), ROW):
        yield "  " + " ".join(f"{text:24}" for text in shown[start : start + ROW]).rstrip()
    yield f"   {machine.instruction()}"
    _before.clear()
    _before.update(now)


def _stopped(event: Any) -> None:
    for line in lines():
        print(line)


def context(state: str = "") -> Iterator[str]:
    """context [on|off]: ring, registers (* = changed), next instruction; on: after every stop."""
    if state not in ("", "on", "off"):
        raise gdb.GdbError("context is on or off.")
    if state != "off":
        yield from lines()
    if state:
        set_on(state == "on")


WORDS = [Word(context)]
