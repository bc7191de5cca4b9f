"""Backtraces with names for the entry stubs. gdb calls them `<signal handler called>`, because the
program's stack is elsewhere (kernel/core/entry/cfi.inc)."""

from __future__ import annotations

from collections.abc import Iterator

from gdb.FrameDecorator import FrameDecorator

import gdb
from vocabulary import machine


class Entry(FrameDecorator):  # type: ignore[misc]
    """An entry stub, by its symbol."""

    def function(self) -> str:
        """The name that `ring` uses."""
        return machine.symbol_at(self.inferior_frame().pc())

    def line(self) -> int:
        """The line of its instruction, or of the use of the macro that made it."""
        return int(self.inferior_frame().find_sal().line)


class Filter:
    """gdb's frame filter, used by every `bt`."""

    name = "tollgate"
    enabled = True
    priority = 100

    def filter(self, frames: Iterator[FrameDecorator]) -> Iterator[FrameDecorator]:
        """Name the stubs; leave all other frames to gdb."""
        for frame in frames:
            stub = frame.inferior_frame().type() == gdb.SIGTRAMP_FRAME
            yield Entry(frame) if stub else frame


def register() -> None:
    """Apply it to every backtrace."""
    gdb.frame_filters[Filter.name] = Filter()
