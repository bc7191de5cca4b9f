"""Requests to end: SIGTERM, SIGHUP, or a terminal that disappears without a signal.

A hang-up reaches the session's leader. If the leader is a make (`ssh -t HOST make bench`), it waits
for its children without passing the hang-up on. So we check ourselves.
"""

import os
import select
import signal
import threading
from collections.abc import Callable
from types import FrameType

LOOK = 1000
"""Milliseconds between two checks of the terminal; typed keys do not wake us."""


def heed(handler: Callable[[int, FrameType | None], object]) -> None:
    """Call `handler` at a request to end, or when the terminal disappears; nohup still works."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:  # no terminal
        return
    threading.Thread(target=_wait, args=(terminal,), daemon=True).start()


def _wait(terminal: int) -> None:
    poll = select.poll()
    poll.register(terminal, 0)
    while not poll.poll(LOOK):
        pass
    os.kill(os.getpid(), signal.SIGHUP)


def open_standard_files() -> None:
    """Cron and the like may have closed them: the next opened file would take their place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
