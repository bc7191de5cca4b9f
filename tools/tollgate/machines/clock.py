"""Time that a program could use: time withheld by the host does not count.

A guest is stuck if its emulator had time to continue and did not. Wall time does not show that:
beside others, under a quota or on a virtual host, an emulator gets only a part of it. The
scheduler's statistics in /proc show which part. Each look counts the larger of two times: the
processor time of all threads, and the wall time without a thread waiting for a processor. A
spinning guest uses the first, a halted guest has the second. A process that is stopped, frozen or
waiting for the disk gets only its processor time, until a look finds it running again.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tollgate.machines.proc import PROC, family, stat, text
from tollgate.machines.slowness import slowness

CGROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))

LOOK = 0.25
"""Seconds between two looks at the statistics."""
LOOK_MAX = 1.0
"""Seconds of sleep that a look counts at most: after a late look we were delayed, too."""
PACE = 10.0
"""Seconds of wall time for which a measured boot is valid, if /proc has no statistics."""


@dataclass
class _Thread:
    """A thread's statistics at the last look, in seconds.

    `owed` is queueing time still to be subtracted: it is reported when it is over.
    """

    used: float
    queued: float
    owed: float = 0.0


class Clock:
    """Seconds that the processes `pids` could have used; with `family`, their descendants too, from
    the first look on: to find them costs more than most waits.

    `held` says why the clock stands still, in a word that follows "is"; empty while it runs.
    """

    def __init__(
        self,
        *pids: int,
        family: bool = False,
        proc: Path = PROC,
        slow: Callable[[], float] = slowness,
    ) -> None:
        self.held = ""
        self._pids = pids
        self._family = family
        self._proc = proc
        self._slow = slow
        self._tells = (proc / "self" / "schedstat").exists()
        self._slowness = 0.0
        self._paced = 0.0
        self._threads: dict[str, _Thread] = {}
        self._seconds = 0.0
        self._looked = time.monotonic()
        self._steal = _steal(proc)
        self._look(0.0)

    def read(self) -> float:
        """The seconds since the start, at the last look, which is at most LOOK old."""
        now = time.monotonic()
        wall = now - self._looked
        if wall >= LOOK:
            self._looked = now
            self._seconds += self._look(wall)
        return self._seconds

    def _look(self, wall: float) -> float:
        """The part of the last `wall` seconds that could be used."""
        before, self._threads = self._threads, {}
        used = kept = 0.0
        states = set()
        for task in self._tasks(self._family and wall > 0):
            try:
                ran, queued = (int(word) / 1e9 for word in text(f"{task}/schedstat").split()[:2])
                states.add(stat(task)[0])
            except (OSError, ValueError, IndexError):
                continue
            last = before.get(task, _Thread(ran, queued))
            owed = last.owed + queued - last.queued
            taken = min(owed, wall)
            self._threads[task] = _Thread(ran, queued, owed - taken)
            used += ran - last.used
            kept = max(kept, taken)
        if not self._tells:
            return wall / self._pace()
        was, self.held = self.held, self._why_held(states, used)
        slept = 0.0 if self.held or was else (min(wall, LOOK_MAX) - kept) * (1 - self._stolen())
        return min(wall, max(used, slept))

    def _tasks(self, all_of_them: bool) -> Iterator[str]:
        for pid in family(self._pids, self._proc) if all_of_them else self._pids:
            try:
                yield from (task.path for task in os.scandir(self._proc / str(pid) / "task"))
            except OSError:
                continue

    def _why_held(self, states: set[str], used: float) -> str:
        if states <= {"T", "t"}:
            return "stopped"
        if not used and any(_frozen(pid, self._proc) for pid in self._pids):
            return "frozen"
        return "waiting for the disk or frozen" if "D" in states else ""

    def _stolen(self) -> float:
        """The part of the time since the last look that a hypervisor withheld from this host."""
        before, self._steal = self._steal, _steal(self._proc)
        whole = self._steal[1] - before[1]
        return (self._steal[0] - before[0]) / whole if whole > 0 else 0.0

    def _pace(self) -> float:
        now = time.monotonic()
        if not self._slowness or now - self._paced > PACE:
            self._slowness = self._slow()
            self._paced = time.monotonic()
        return self._slowness


def _steal(proc: Path) -> tuple[int, int]:
    """Ticks stolen from all processors of this host, and all ticks."""
    try:
        ticks = [int(word) for word in text(f"{proc}/stat").split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        return 0, 0
    return (ticks[7], sum(ticks)) if len(ticks) == 8 else (0, 0)


def _frozen(pid: int, proc: Path) -> bool:
    """Whether the control group of a process is frozen (version 2; 1 shows as state D)."""
    try:
        group = text(f"{proc}/{pid}/cgroup").rpartition("0::/")[2].strip()
    except OSError:
        return False
    events = [root / group / "cgroup.events" for root in CGROUPS]
    return any("frozen 1" in text(str(path)) for path in events if path.is_file())
