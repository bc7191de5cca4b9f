"""The kernel waits at HLT, not between STI and HLT: an NMI or #DB there ends the wait."""

import re
from pathlib import Path

import pytest

from tollgate.machines.boot import KERNELS, SYMBOLS, Boot
from tollgate.machines.child import run
from tollgate.machines.debug import session

from ..teach.test_lessons import guest

SCRIPT = Path(__file__).parent / "waits.py"
WAITS = ("clean_trusted_selfint_call", "probed_trusted_selfint_call", "timer_wait")
WORDS = ("suite=signals,exceptions", "samples=1", "only=selfint")


@pytest.mark.parametrize("way", ["nmi", "debug"])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.patient
def test_what_comes_between_sti_and_hlt_ends_the_wait(arch: str, way: str) -> None:
    """After an NMI or #DB the interrupt comes before HLT, and no other may come."""
    with session(Boot(arch, cpu="EPYC", words=WORDS)) as started:
        command = [*started.gdb(None, headless=True), "-ex", f'set $waits = "{" ".join(WAITS)}"']
        command += ["-ex", f'set $way = "{way}"', "-x", str(SCRIPT)]
        said = started.run(command, 200).stdout
        ended = re.findall("^(.+) goes on at the instruction behind$", said, re.MULTILINE)
        assert sorted(ended) == sorted(WAITS), said[-2000:]
        end = guest(started).end
    assert end is not None
    assert end["failed"] == 0
    marked = {int(at, 16) for at in re.findall("^marked (.+)", said, re.MULTILINE)}
    assert marked == waits(arch)


def waits(arch: str) -> set[int]:
    """Every HLT after STI in the kernel and in the page that it shows to programs."""
    kernel = KERNELS / SYMBOLS[arch]
    listing = run(["objdump", "-d", "--no-show-raw-insn", str(kernel)], 60).stdout
    halts = re.findall(r"\tsti\s*\n(?:.*>:\n|\n)*\s*([0-9a-f]+):\thlt", listing)
    return {int(at, 16) for at in halts}
