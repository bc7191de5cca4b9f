"""How slow this host is at the moment, by a measured boot: used if /proc has no statistics.

The machine is QEMU's smallest: its firmware is a loop of known length, followed by the debug exit.
"""

import os
import subprocess
import time

from tollgate.machines.cleanup import folder

LOOPS = 20_000_000
REFERENCE = 0.12
"""Seconds that the boot takes on an idle host, which runs `make bench` in 9 s."""

FIRMWARE = (
    b"\x66\xb9"
    + LOOPS.to_bytes(4, "little")  # mov ecx, LOOPS
    + b"\x66\x49"  # dec ecx
    + b"\x75\xfc"  # jnz to the previous instruction
    + b"\xe6\xf4"  # out 0xf4, al
)
"""The code at the reset vector, 16 bytes below the end."""

COMMAND = (
    "qemu-system-x86_64 -nodefaults -display none -accel tcg -bios firmware "
    "-device isa-debug-exit,iobase=0xf4,iosize=4"
).split()


def slowness(processor: bool = False) -> float:
    """The slowdown of a boot compared with an idle host: at least 1; 1 without QEMU.

    In wall time; with `processor` in processor time, which excludes waiting for other processes.
    """
    with folder() as place:
        image = b"\xf4" * (65536 - 16) + FIRMWARE.ljust(16, b"\xf4")
        (place / "firmware").write_bytes(image)
        started = time.monotonic()
        try:
            boot = subprocess.Popen(
                COMMAND, cwd=place, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except OSError:
            return 1.0
        _, boot.returncode, used = os.wait4(boot.pid, 0)
        wall = time.monotonic() - started
    return max(1.0, (used.ru_utime + used.ru_stime if processor else wall) / REFERENCE)
