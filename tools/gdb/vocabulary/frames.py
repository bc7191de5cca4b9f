"""Backtraces that name the entry stubs: to gdb itself they are `<signal handler called>`, because
the program's stack lies elsewhere (kernel/core/entry/cfi.inc)."""

from __future__ import annotations

from collections.abc import Iterator

from gdb.FrameDecorator import FrameDecorator

import gdb
from vocabulary import machine


class Entry(FrameDecorator):  # type: ignore[misc]
    """An entry stub, by its symbol."""

    def function(self) -> str:
        """As `ring` calls it."""
        return machine.symbol_at(self.inferior_frame().pc())

    def line(self) -> int:
        """Where its instruction stands, or the macro that has made it is used."""
        return int(self.inferior_frame().find_sal().line)


class Filter:
    """gdb's frame filter: every `bt` goes through it."""

    name = "tollgate"
    enabled = True
    priority = 100

    def filter(self, frames: Iterator[FrameDecorator]) -> Iterator[FrameDecorator]:
        """Name the stubs; all else is gdb's."""
        for frame in frames:
            stub = frame.inferior_frame().type() == gdb.SIGTRAMP_FRAME
            yield Entry(frame) if stub else frame


def register() -> None:
    """Make every backtrace go through it."""
    gdb.frame_filters[Filter.name] = Filter()
