"""The tests on a host that others want too: `python -m tests.loaded [--quota=PERCENT] PYTEST...`.

Beside two busy loops for each processor, all under `nice -n 19`, so that each has an equal part
however this host groups what it schedules; or, with a quota, with that part of the processors
only, where control groups can be made here.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tollgate.child import Child

CGROUP = Path("/sys/fs/cgroup")
PERIOD = 100_000
"""Microseconds."""
LOOP = ["/bin/sh", "-c", "while :; do :; done"]


@contextlib.contextmanager
def beside_loops(number: int) -> Iterator[None]:
    """With that many programs that only take time, for the rest of this process as nice as they."""
    os.nice(19)
    loops = [Child(LOOP) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.close()


@contextlib.contextmanager
def with_part(percent: int) -> Iterator[None]:
    """With that part of all processors for this process and what it starts."""
    quota = PERIOD * (os.cpu_count() or 1) * percent // 100
    old = (CGROUP / "cpu").is_dir()
    root = CGROUP / "cpu" if old else CGROUP
    group = root / f"tollgate-{os.getpid()}"
    try:
        group.mkdir()
        limit, value = ("cpu.cfs_quota_us", f"{quota}") if old else ("cpu.max", f"{quota} {PERIOD}")
        (group / limit).write_text(value)
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        sys.exit(f"no quota can be set here: {error.filename}: {error.strerror}")
    try:
        yield
    finally:
        (root / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


def main() -> int:
    """Run pytest with the words given, and return its status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quota", default="", metavar="PERCENT")
    options, words = parser.parse_known_args()
    number = 2 * (os.cpu_count() or 1)
    with with_part(int(options.quota)) if options.quota else beside_loops(number):
        return subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
