"""QEMU: its command line for a boot, and the meaning of its exit status."""

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
"""isa-debug-exit's exit status for the guest's 0x10 to 0x13: (value << 1) | 1."""

DRIVE = "if=ide,index={index},format=raw,file={file},file.locking=off"
"""An IDE disk.  Machines may share an image, because none writes, so there is no locking."""

OWN: tuple[str, ...] = ()
"""More arguments for a headless boot of a kernel file: tests take another firmware, no screen."""

_TRIPLE_FAULT = "Triple fault"
_FIRST = "check_exception old: 0xffffffff"
_VECTOR = re.compile(r"v=([0-9a-f]{2}) e=([0-9a-f]{4}) .*?(?:CR2=([0-9a-f]+))?$", re.MULTILINE)
_QMP = "qmp.sock"


def machine_arguments(boot: Boot, platform: Platform, directory: Path) -> list[str]:
    """Arguments for the machine, its media and the guest's exit, without serial lines and monitors.

    Files get fixed names inside `directory`, where QEMU runs: `-initrd` splits names at commas, and
    with the tree's path in the command line two trees' runs would differ.  There are no other
    devices, because the firmware would look for a disk in each drive, which takes time.
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
    """Arguments that exit at a reset and log a triple fault, which QMP does not distinguish.

    With `exceptions` every earlier vector is logged, too.
    """
    return ["-no-reboot", "-d", "int,cpu_reset" if exceptions else "cpu_reset", "-D", log]


def plan(boot: Boot, platform: Platform, directory: Path) -> Plan:
    """The headless run of `boot`, with its files in `directory`.

    The serial line is a file: a slow reader cannot delay the guest, so repeated runs are bit-equal.
    """
    program = require(platform, emulator(platform, boot.arch, boot.cpu))
    boot = boot if boot.iso else replace(boot, extra=(*OWN, *boot.extra))
    command = [
        program,
        *watch_resets("emulator.log", boot.resets),
        *machine_arguments(boot, platform, directory),  # its `-d`, if any, takes precedence
        *("-display", "none", "-monitor", "none", "-serial", "file:serial.log"),
    ]
    if boot.qmp:
        command += ["-qmp", f"unix:{_QMP},server=on,wait=off"]
    return Plan(command, directory, ending)


def complaint(stderr: str) -> str:
    """The last message of QEMU that is not a warning; its first lines are often noise."""
    lines = [line for line in stderr.splitlines() if line.strip() and "warning:" not in line]
    return lines[-1].strip() if lines else "no message"


def chain(log: str) -> str:
    """The exceptions before a triple fault, in the manuals' words; "" without one."""
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
    """Send a QMP command to the machine in `directory` (its Boot has `qmp` set).

    Once, or once with each of these arguments, because a connection costs more than many commands.
    TollgateError if the machine has ended or refuses; returns the last `return` value.
    """
    import asyncio  # both imports are the slowest of our commands, and rarely needed

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
        # qemu.qmp asserts that a machine does not exit during the greeting; ours may.
        raise TollgateError(f"QMP {command} failed: {error}.") from None
