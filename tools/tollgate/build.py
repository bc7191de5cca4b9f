"""python3 -m tollgate.build SETUP MAKE...: a build beside a setup, make's lines as one that moves.

SETUP is a line of the shell, which installs what the build itself does not need.  This runs before
anything is installed: Python's standard library is all that it takes.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

STEP = "  "
"""How the Makefile's line for one file begins: `  CC     build/...`."""
WIDTH = 79


def _files_to_build(command: Sequence[str]) -> int | None:
    """How many of the Makefile's lines the build will print; None when everything is built."""
    dry = subprocess.run(
        [*command, "-n"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        close_fds=False,  # make's job server is behind two of them
        check=False,
    )
    if not dry.returncode and not dry.stdout.strip():
        return None
    return dry.stdout.count(f'\necho "{STEP}') + dry.stdout.startswith(f'echo "{STEP}')


def build(command: Sequence[str]) -> int:
    """Run `command`, a make that prints a line a file, and show how far it is; 0, or make's status.

    On a terminal one line, elsewhere one when it begins and one when it ends; nothing when there
    is nothing to build.  What the compilers say passes through.
    """
    total = _files_to_build(command)
    if total is None:
        return 0
    started, done, moves = time.monotonic(), 0, sys.stdout.isatty()
    if total and not moves:
        print(f"building {total} files ...", flush=True)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, close_fds=False
    ) as make:
        assert make.stdout is not None
        for line in make.stdout:
            if not line.startswith(STEP):
                print(line, end="", flush=True)
                continue
            done += 1
            if moves:
                text = f"building {done} of {total}: {line.split()[-1]}"
                print(f"\r{text[:WIDTH]:{WIDTH}}\r", end="", flush=True)
    if moves:
        print(" " * WIDTH, end="\r")
    if make.returncode:
        print("make: the build failed; the compiler's own words stand above.", file=sys.stderr)
    elif total:
        print(f"built {total} files in {time.monotonic() - started:.0f} s.", flush=True)
    return make.returncode


def main(setup: str, *command: str) -> int:
    """Both, side by side; 4 where either fails."""
    with subprocess.Popen(setup, shell=True, stdin=subprocess.DEVNULL, close_fds=False) as beside:
        built = build(command)
    return 4 if built or beside.returncode else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
