"""One machine of a laboratory, by labgrid: booted, and its serial line copied to our output.

    python -m tollgate.machines.lab_place ENVIRONMENT PLACE FILE...

The files are given to the place's TFTP or HTTP server, if it has one, and an image (.iso) is
written to the stick that the machine boots, if a driver of the place can do that.  What the machine
says goes to standard output at once.  When standard input ends, the machine is switched off and its
place is given back.  Exit status 0, or 4 with a sentence on standard error.  labgrid's objects
belong to one thread, so each place has a process.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

CLIENT = Path(sys.executable).with_name("labgrid-client")
LISTEN = 0.2
"""Seconds between two looks whether it shall end."""


class PlaceError(Exception):
    """The place does not do what it should; the message says what."""


def _client(*words: str, token: str = "") -> str:
    environment = {**os.environ, **({"LG_TOKEN": token} if token else {})}
    done = subprocess.run(
        [CLIENT, *words], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise PlaceError(f"labgrid-client {words[0]}: {lines[-1] if lines else 'failed'}")
    return done.stdout


@contextlib.contextmanager
def reserved(place: str) -> Iterator[None]:
    """The place is ours: waited for in labgrid's queue, and given back."""
    said = _client("reserve", "--wait", "--shell", f"name={place}")
    token = said.partition("LG_TOKEN=")[2].split()[0]
    try:
        _client("-p", "+", "acquire", token=token)
        try:
            yield
        finally:
            _client("-p", place, "release")
    finally:
        _client("cancel-reservation", token)


def _staged(target: Any, files: Sequence[str]) -> None:
    from labgrid.driver.provider import BaseProviderDriver
    from labgrid.exceptions import NoDriverFoundError

    try:
        provider = target.get_driver(BaseProviderDriver)
    except NoDriverFoundError:
        return
    for file in files:
        provider.stage(file)


def _written(target: Any, images: Sequence[str]) -> None:
    """A multiplexer gives the stick to the server meanwhile, and then to the machine."""
    muxes = [driver for driver in target.drivers if hasattr(driver, "set_mode")]
    for writer in [driver for driver in target.drivers if hasattr(driver, "write_image")]:
        for driver in (*muxes, writer):
            target.activate(driver)
        for mux in muxes:
            mux.set_mode("host")
        for image in images:
            writer.write_image(image)
        for mux in muxes:
            mux.set_mode("dut")


def _copy(console: Any) -> None:
    """Until our input ends."""
    from pexpect import TIMEOUT

    out = sys.stdout.buffer
    out.write(b"\n")  # it is on
    out.flush()
    while not select.select([sys.stdin], [], [], 0)[0]:
        with contextlib.suppress(TIMEOUT):
            out.write(console.read(timeout=LISTEN))
            out.flush()


def serve(environment: str, place: str, files: Sequence[str]) -> None:
    """Boot the machine and copy what it says; PlaceError where it cannot be had."""
    from labgrid import Environment

    with reserved(place):
        target = Environment(environment).get_target(place)
        power = target.get_driver("PowerProtocol")
        console = target.get_driver("ConsoleProtocol")
        power.off()
        images = [file for file in files if file.endswith(".iso")]
        _staged(target, [file for file in files if file not in images])
        _written(target, images)
        try:
            power.on()
            _copy(console)
        finally:
            power.off()


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    environment, place, *files = arguments
    try:
        serve(environment, place, files)
    except subprocess.CalledProcessError as error:
        print(f"the command {' '.join(map(str, error.cmd))} failed", file=sys.stderr)
        return 4
    except Exception as error:  # labgrid and its drivers raise anything
        text = " ".join(str(error).split()) or type(error).__name__
        print(text, file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
