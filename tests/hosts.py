"""The clocked and patient tests on slow or disturbed hosts: `make test PART=hostile`.

Each condition of HOSTS runs them --rounds times, with --seed for random choices; --only selects
some. pytest's output is in build/hosts-NAME.txt. A condition that is not possible here prints why,
and counts as failed.
"""

import argparse
import contextlib
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tollgate.errors import TollgateError
from tollgate.machines.child import Child
from tollgate.machines.cleanup import folder
from tollgate.machines.proc import PROC, family

CGROUP = Path("/sys/fs/cgroup")
PERIOD = 100_000
"""Microseconds."""
QUOTA = 40
"""Percent of all processor time."""
NEARLY_FULL = """
"$@" --rounds=1 || exit
peak=$(cat "$0"/memory.max_usage_in_bytes "$0"/memory.peak 2>/dev/null)
for name in memory.limit_in_bytes memory.max; do
        [ ! -e "$0"/$name ] || echo $((peak * 21 / 20)) > "$0"/$name
done
echo "at most $peak bytes in one round; now a twentieth more is there"
"""
"""Limits memory, cached files too, by what a first round of the tests takes."""
STOPS = (0.005, 0.3)
"""Seconds for which an emulator stops and runs, at random between these limits."""
LOOP = ["/bin/sh", "-c", "while :; do :; done"]

Host = Callable[[random.Random], contextlib.AbstractContextManager[list[str]]]
"""While it is open the host disturbs programs started with these words in front."""


@contextlib.contextmanager
def loops(chance: random.Random) -> Iterator[list[str]]:
    """A busy loop for each processor, with the tests' nice value."""
    rivals = [Child(LOOP) for _ in range(os.cpu_count() or 1)]
    try:
        yield []
    finally:
        for rival in rivals:
            rival.close()


def emulators() -> list[int]:
    """Emulators among this process's descendants."""
    found = []
    for pid in family([os.getpid()]):
        with contextlib.suppress(OSError):
            if (PROC / str(pid) / "comm").read_text().startswith(("qemu-system", "bochs")):
                found.append(pid)
    return found


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@contextlib.contextmanager
def stops(chance: random.Random) -> Iterator[list[str]]:
    """Stop each emulator repeatedly at random."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(chance.uniform(*STOPS)):
            pids = emulators()
            send(pids, signal.SIGSTOP)
            time.sleep(chance.uniform(*STOPS))
            send(pids, signal.SIGCONT)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield []
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def one_core(chance: random.Random) -> Iterator[list[str]]:
    """One processor for everything."""
    yield ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]


@contextlib.contextmanager
def within(
    controller: str, limits: dict[str, int], unified: dict[str, str], first: str = ""
) -> Iterator[list[str]]:
    """A control group of version 1 or 2 with these limits; `first` runs in it, with it as $0."""
    old = (CGROUP / controller).is_dir()
    group = (CGROUP / controller if old else CGROUP) / f"tollgate-{os.getpid()}"
    try:
        group.mkdir()
        for name, value in limits.items() if old else unified.items():
            (group / name).write_text(str(value))
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        raise TollgateError(f"{error.filename}: {error.strerror}") from None
    try:
        yield ["sh", "-c", f'echo $$ > "$0"/cgroup.procs || exit; {first}\nexec "$@"', str(group)]
    finally:
        group.rmdir()


def quota(chance: random.Random) -> contextlib.AbstractContextManager[list[str]]:
    """QUOTA percent of the processors."""
    part = PERIOD * (os.cpu_count() or 1) * QUOTA // 100
    return within("cpu", {"cpu.cfs_quota_us": part}, {"cpu.max": f"{part} {PERIOD}"})


def memory(chance: random.Random) -> contextlib.AbstractContextManager[list[str]]:
    """Hardly more memory than the tests need."""
    return within("memory", {}, {}, NEARLY_FULL)


@contextlib.contextmanager
def mounted(command: str) -> Iterator[list[str]]:
    """Mount on /tmp for the tests alone, by `command`; $0 is a folder for it."""
    with folder("tollgate-hosts-") as place:
        command = f'set -e; {command}; shift; exec "$@"'
        inside = ["unshare", "--mount", "sh", "-c", command, str(place), "sh"]
        probe = subprocess.run([*inside, "true"], capture_output=True, text=True, check=False)
        if probe.returncode:
            raise TollgateError(probe.stderr.strip())
        yield inside


def tmpfs(chance: random.Random) -> contextlib.AbstractContextManager[list[str]]:
    """/tmp in memory."""
    return mounted("mount -t tmpfs -o mode=1777 tmpfs /tmp")


def ext4(chance: random.Random) -> contextlib.AbstractContextManager[list[str]]:
    """/tmp on ext4 in a file."""
    return mounted(
        'test -e "$0"/disk || { truncate -s 6G "$0"/disk; /sbin/mkfs.ext4 -q "$0"/disk; }; '
        'mount -o loop "$0"/disk /tmp; chmod 1777 /tmp'
    )


def overlayfs(chance: random.Random) -> contextlib.AbstractContextManager[list[str]]:
    """/tmp as in a container."""
    return mounted(
        'cd "$0"; mkdir -p lower upper work; chmod 1777 lower upper; '
        "mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay /tmp; "
        "cd - > /dev/null"
    )


HOSTS: dict[str, Host] = {
    "loops": loops,
    "stops": stops,
    "core": one_core,
    "quota": quota,
    "memory": memory,
    "tmpfs": tmpfs,
    "ext4": ext4,
    "overlayfs": overlayfs,
}


def used() -> float:
    """Processor time of ended children, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def one(name: str, seed: int, words: list[str]) -> bool:
    """Whether the tests pass on that host; prints figures."""
    start, before = time.monotonic(), used()
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "--tb=short", *words]
    log = Path("build") / f"hosts-{name}.txt"
    try:
        with HOSTS[name](random.Random(f"{seed} {name}")) as front, log.open("wb") as out:
            status = subprocess.run([*front, *command], stdout=out, check=False).returncode
        said = log.read_text("utf-8", "replace")
    except TollgateError as error:
        print(f"{name}: this host cannot be made here: {error}", flush=True)
        return False
    counts = " ".join(re.findall(r"\d+ (?:passed|failed|skipped|errors?)\b", said.splitlines()[-1]))
    wall, spent = time.monotonic() - start, used() - before
    print(
        f"{name}: {counts or said[-2000:]}; {wall:.0f} s, {spent:.0f} s of the processor",
        flush=True,
    )
    if status:
        print(said, flush=True)
    return not status


def main() -> int:
    """Returns 0 if all tests pass everywhere."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(HOSTS))
    options, words = parser.parse_known_args()
    print(f"{options.rounds} rounds, seed {options.seed}", flush=True)
    words = [f"--rounds={options.rounds}", *words]
    good = [one(name, options.seed, words) for name in options.only.split(",")]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
