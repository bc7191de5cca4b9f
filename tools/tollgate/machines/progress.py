"""Progress of several boots: changing lines on a terminal, otherwise one line per event."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType

import rich.progress
from rich.console import Console


class Progress:
    """Shows the state of each of `names`.  Can be used from several threads."""

    def __init__(self, console: Console, names: Sequence[str]) -> None:
        self._console = console
        self._names = names
        self._records = [0] * len(names)
        self._lock = threading.Lock()
        self._bars = rich.progress.Progress(
            rich.progress.SpinnerColumn(finished_text=" "),
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.TextColumn("{task.fields[state]}", markup=False),
            rich.progress.TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._moves = console.is_terminal
        self._tasks = [
            self._bars.add_task(name, total=None, start=False, state="waits") for name in names
        ]

    def __enter__(self) -> Progress:
        if self._moves:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._moves:
            self._bars.stop()

    def start(self, number: int) -> None:
        """The boot has started."""
        self._bars.start_task(self._tasks[number])
        self._bars.update(self._tasks[number], state="boots")

    def advance(self, number: int) -> None:
        """A record has arrived."""
        self._records[number] += 1
        self._bars.update(self._tasks[number], state=f"{self._records[number]} records")

    def finish(self, number: int, state: str) -> None:
        """The boot has ended."""
        text = f"{self._records[number]} records, {state}"
        self._bars.update(self._tasks[number], state=text, total=1, completed=1)
        if not self._moves:
            with self._lock:
                self._console.print(f"{self._names[number]}: {text}", markup=False, soft_wrap=True)
