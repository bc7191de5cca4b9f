"""Processes in /proc: their states and relations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")


def stat(process: Path) -> list[str]:
    """The words of a stat file from the third on: state, parent, group, session and so on."""
    return (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def family(pids: Iterable[int], proc: Path = PROC) -> set[int]:
    """The living processes among these, their descendants, and all in a session that one leads.

    A zombie is not living.
    """
    there: dict[int, tuple[int, int]] = {}
    dead = set()
    for process in proc.iterdir():
        if process.name.isdigit():
            try:
                state, parent, _, session = stat(process)[:4]
            except (OSError, ValueError):
                continue
            there[int(process.name)] = (int(parent), int(session))
            if state in "ZX":
                dead.add(int(process.name))
    found = set(pids)
    while more := {
        pid
        for pid, (parent, session) in there.items()
        if pid not in found and (parent in found or session in found)
    }:
        found |= more
    return found & there.keys() - dead
