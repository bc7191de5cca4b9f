"""QEMU: its command line for a boot, and what its exit means."""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

from tollgate.errors import TollgateError
from tollgate.machines.boot import Boot, built
from tollgate.machines.outcome import Outcome
from tollgate.machines.plan import EXCEPTIONS, Ending, Plan, link, words
from tollgate.machines.platforms import Platform, emulator, require, version
from tollgate.machines.qemu_plugin import reach_arguments

DEBUG_EXIT = "isa-debug-exit,iobase=0xf4,iosize=4"
ASKED = {33: Outcome.PASS, 35: Outcome.FAIL, 37: Outcome.PANIC, 39: Outcome.NOISY}
"""The exit status that isa-debug-exit makes of the guest's 0x10 to 0x13: (value << 1) | 1."""

DRIVE = "if=ide,index={index},format=raw,file={file},file.locking=off"
"""An IDE disk.  Several machines may have one image: nobody writes, so nobody is locked out."""

_TRIPLE_FAULT = "Triple fault"
_FIRST = "check_exception old: 0xffffffff"
_VECTOR = re.compile(r"v=([0-9a-f]{2}) e=([0-9a-f]{4}) .*?(?:CR2=([0-9a-f]+))?$", re.MULTILINE)
_QMP = "qmp.sock"


def machine_arguments(boot: Boot, platform: Platform, directory: Path) -> list[str]:
    """The machine, its media and the guest's exit, without a word about serial lines and monitors.

    Files get fixed names inside `directory`, where QEMU runs: `-initrd` splits names at commas, and
    a command line that held the tree's path would make two trees' runs differ.  There is no device
    that is not named here: the firmware would look for a disk in each drive, at our cost.
    """
    arguments = ["-M", "pc", "-m", str(boot.memory), "-cpu", boot.cpu, *platform.accelerator]
    arguments += ["-nodefaults", "-vga", "std", "-rtc", "base=2020-01-01,clock=vm"]
    arguments += ["-device", DEBUG_EXIT]
    if platform.family == "qemu":
        arguments += reach_arguments(boot.iso or boot.kernel_file())
    if boot.iso is not None:
        link(built(boot.iso), directory / "boot.iso")
        arguments += ["-cdrom", "boot.iso"]
    else:
        link(boot.kernel_file(), directory / "kernel.elf")
        link(boot.module_file(), directory / "initrd.cpio")
        program = emulator(platform, boot.arch, boot.cpu)
        line = " ".join(words(boot, version(program)))
        arguments += ["-kernel", "kernel.elf", "-initrd", "initrd.cpio", "-append", line]
    if boot.disk is not None:
        link(built(boot.disk), directory / "disk.img")
        arguments += ["-drive", DRIVE.format(index=0, file="disk.img")]
    return [*arguments, *boot.extra]


def watch_resets(log: str, exceptions: bool = False) -> list[str]:
    """Arguments that leave at a reset and note a triple fault: QMP gives both the same reason.

    With `exceptions` every vector that was taken before is noted, too.
    """
    return ["-no-reboot", "-d", "int,cpu_reset" if exceptions else "cpu_reset", "-D", log]


def plan(boot: Boot, platform: Platform, directory: Path) -> Plan:
    """The headless run of `boot`, with its files in `directory`.

    The serial line is a file: a slow reader cannot hold the guest up, so reruns are bit-equal.
    """
    program = require(platform, emulator(platform, boot.arch, boot.cpu))
    command = [
        program,
        *watch_resets("emulator.log", boot.resets),
        *machine_arguments(boot, platform, directory),  # its `-d`, if any, counts
        *("-display", "none", "-monitor", "none", "-serial", "file:serial.log"),
    ]
    if boot.qmp:
        command += ["-qmp", f"unix:{_QMP},server=on,wait=off"]
    return Plan(command, directory, ending)


def complaint(stderr: str) -> str:
    """The last message of QEMU's own that is not a warning; its first lines are often noise."""
    lines = [line for line in stderr.splitlines() if line.strip() and "warning:" not in line]
    return lines[-1].strip() if lines else "no message"


def chain(log: str) -> str:
    """The exceptions that led to a triple fault, in the manuals' words; "" when there was none."""
    before, fault, _ = log.partition(_TRIPLE_FAULT)
    if not fault:
        return ""
    links = []
    for vector, error, address in _VECTOR.findall(before[max(before.rfind(_FIRST), 0) :]):
        name = EXCEPTIONS.get(int(vector, 16), f"vector {int(vector, 16)}")
        where = f" cr2={int(address, 16):x}" if address else ""
        links.append(f"{name}({int(error, 16):x}){where}")
    return " -> ".join([*links, "triple fault"])


def ending(status: int, log: str, stderr: str) -> Ending:
    """The guest's end by QEMU's exit status (negative: a signal) and its logs."""
    return replace(_ending(status, log, stderr), chain=chain(log))


def _ending(status: int, log: str, stderr: str) -> Ending:
    triple_fault = _TRIPLE_FAULT in log
    if status in ASKED:
        return Ending(triple_fault, asked=ASKED[status])
    if status == 0:
        return Ending(triple_fault, left=True)
    if status < 0:
        name = signal.Signals(-status).name
        return Ending(triple_fault, complaint=f"QEMU was ended by {name}: {complaint(stderr)}")
    return Ending(triple_fault, complaint=f"QEMU left with status {status}: {complaint(stderr)}")


def qmp(directory: Path, command: str, *arguments: dict[str, Any]) -> object:
    """Send a QMP command to the machine that runs in `directory` (its Boot has `qmp` set).

    Once, or once with each of these arguments: one connection costs more than many commands.
    TollgateError when the machine is gone or refuses; the answer is the last `return` value.
    """
    import asyncio  # both take longer than all else that a command of ours imports, and few ask

    from qemu.qmp import QMPClient, QMPError

    async def talk() -> object:
        client = QMPClient("tollgate")
        await client.connect(str(directory / _QMP))
        try:
            answers = [await client.execute(command, each or None) for each in arguments or ({},)]
            return answers[-1]
        finally:
            await client.disconnect()

    try:
        return asyncio.run(talk())
    except (QMPError, OSError, EOFError, AssertionError) as error:
        # qemu.qmp asserts that a machine does not leave while it greets us; ours may.
        raise TollgateError(f"QMP {command} failed: {error}.") from None
