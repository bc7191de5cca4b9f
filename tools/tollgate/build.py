"""The build behind `make bench` and its like: make's hundreds of lines as one that moves."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tollgate.errors import Exit, TollgateError
from tollgate.printable import plain

STEP = "  "
"""How the Makefile's line for one file begins: `  CC     build/...`."""


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


def build(command: Sequence[str], console: Console) -> Exit:
    """Run `command`, a make that prints a line a file, and show how far it is.

    On a terminal a bar, elsewhere a line when it begins and one when it ends; nothing when there
    is nothing to build.  What the compilers say passes through.  TollgateError when make fails.
    """
    total = _files_to_build(command)
    if total is None:
        return Exit.PASS
    started = time.monotonic()
    if total and not console.is_terminal:
        console.print(f"building {total} files ...", soft_wrap=True)
    with Progress(
        TextColumn("building"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
        disable=not (total and console.is_terminal),
    ) as progress:
        task = progress.add_task("", total=total)
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, close_fds=False
        ) as make:
            assert make.stdout is not None
            for line in make.stdout:
                if line.startswith(STEP):
                    progress.update(task, advance=1, description=line.split()[-1])
                else:
                    console.print(plain(line.rstrip()), soft_wrap=True)
    if make.returncode:
        raise TollgateError("The build failed; the compiler's own words stand above.")
    if total:
        seconds = time.monotonic() - started
        console.print(f"built {total} files in {seconds:.0f} s.", soft_wrap=True)
    return Exit.PASS
