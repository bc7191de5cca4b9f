"""python3 -m tollgate.build SETUP MAKE...: a build beside a setup, as one changing line.

SETUP is a shell command that installs things which the build does not need.  This runs before
anything is installed, so it uses only Python's standard library.
"""

import subprocess
import sys
import time
from collections.abc import Sequence

STEP = "  "
"""How the Makefile's line for one file begins: `  CC     build/...`."""
WIDTH = 79


def _files_to_build(command: Sequence[str]) -> int | None:
    """The number of such lines that the build will print; None if everything is built."""
    dry = subprocess.run(
        [*command, "-n"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        close_fds=False,  # two of them are make's job server
        check=False,
    )
    if not dry.returncode and not dry.stdout.strip():
        return None
    return dry.stdout.count(f'\necho "{STEP}') + dry.stdout.startswith(f'echo "{STEP}')


def build(command: Sequence[str]) -> int:
    """Run `command`, a make that prints a line per file; show progress; return make's status.

    On a terminal one line, elsewhere one at the start and one at the end; nothing if there is
    nothing to build.  Compilers' messages are passed on.
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
    """Run both in parallel; 4 if either fails."""
    with subprocess.Popen(setup, shell=True, stdin=subprocess.DEVNULL, close_fds=False) as beside:
        built = build(command)
    return 4 if built or beside.returncode else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
