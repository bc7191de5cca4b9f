"""write(): its effect on a program's memory, and the arguments that it refuses."""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tollgate.machines.outcome import Outcome

from ..elf import (
    DATA,
    EBADF,
    EFAULT,
    EINVAL,
    IDS,
    KERNEL,
    MACHINES,
    PAGE,
    READ,
    ROOM,
    TOP,
    Segment,
    folders,
    pack,
    program,
)


def line_of(kind: str, **fields: Any) -> bytes:
    """A record as the kernel or a program writes it."""
    text = json.dumps({"v": 1, "type": kind} | fields, separators=(",", ":")).encode()
    return b"@" + text + b" *%08x\n" % zlib.crc32(text)


CHECK = line_of("check", name="good", ok=True, detail="")
END = line_of("end", records=2, failed=0)
RUN = line_of("run", arch="i386")
LONG = line_of("check", name="long", ok=True, detail="x" * 4096)
FULL = line_of("check", name="full", ok=True, detail="x" * (4096 - len(CHECK)))
DOTS = 0x20000000
"""Two pages of text, and nothing after them."""


@dataclass(frozen=True)
class Write:
    """One write(): of `text`, or of `size` bytes at an address; it must return `result`."""

    name: str
    result: int
    text: bytes = b""
    at: Callable[[int], int] | None = None
    size: int | None = None
    fd: int = 1


WRITES = [
    Write("text", 6, b"hello\n"),
    Write("text to standard error", 4, b"err\n", fd=2),
    Write("nothing", 0),
    Write("nothing from nowhere", 0, at=lambda bits: 0, size=0),
    Write("to standard input", -EBADF, b"lost\n", fd=0),
    Write("to 3", -EBADF, b"lost\n", fd=3),
    Write("to -1", -EBADF, b"lost\n", fd=-1),
    Write("to 3 from nowhere", -EBADF, at=lambda bits: 0, size=9, fd=3),
    Write("from 0", -EFAULT, at=lambda bits: 0, size=1),
    Write("from the kernel", -EFAULT, at=lambda bits: KERNEL[bits], size=16),
    Write("from the kernel's code", -EFAULT, at=lambda bits: KERNEL[bits] + 0x100000, size=16),
    Write("from the last byte", -EFAULT, at=lambda bits: 2**bits - 1, size=2),
    Write("from no canonical address", -EFAULT, at=lambda bits: 2 ** (bits - 1), size=8),
    Write("from nowhere", -EFAULT, at=lambda bits: DOTS + 2 * PAGE, size=8),
    Write("to the end of what is there", 8, at=lambda bits: DOTS + 2 * PAGE - 8, size=8),
    Write("over the end", -EFAULT, at=lambda bits: DOTS + 2 * PAGE - 8, size=9),
    Write("first part there, second not", PAGE, at=lambda bits: DOTS + 8, size=2 * PAGE),
    Write("the stack's last bytes", 4, at=lambda bits: 0, size=4),  # at: see write_program
    Write("over the stack's end", -EFAULT, at=lambda bits: 0, size=5),
    Write("all of memory", -EFAULT, at=lambda bits: DOTS, size=-1),
    Write("a record", len(CHECK), CHECK),
    Write("the kernel's run record", -EINVAL, RUN),
    Write("the kernel's end record", -EINVAL, END),
    Write("a record of no known type", -EINVAL, line_of("verdict", ok=True)),
    Write("a record cut short", -EINVAL, CHECK[:-1]),
    Write("the first half of a record", -EINVAL, CHECK[:30]),
    Write("the start of a record", 1, b"@"),
    Write("what may follow it", 6, b" home\n"),
    Write("a line that begins with it", 6, b"@home\n"),
    Write("a record that is too long", -EINVAL, LONG),
    Write("text behind the longest record", -EINVAL, FULL + b"text\n"),
    Write("an end record behind text", -EINVAL, b"text " + END),
    Write("an end record on the next line", -EINVAL, b"text\n" + END),
    Write("an end record behind a good one", -EINVAL, CHECK + END),
    Write("an end record behind half of a good one", -EINVAL, CHECK[:40] + END),
    Write("the start of a record behind text", 6, b"text @"),
    Write("and all of one", -EINVAL, b'text @{"v":1}\n'),
    Write("an @ in text", 18, b"mail you@home.org\n"),
    Write("an @ where the second part begins", PAGE + 6, b"-" * PAGE + b"@home\n"),
    Write("a record between two parts", PAGE, b"-" * (PAGE - 1) + b"@{home\n"),
]


def write_program(bits: int) -> bytes:
    """A program that makes every call of WRITES and shows what each returned."""
    texts = b"".join(w.text for w in WRITES)
    source, offset = "main:\n", 0
    for w in WRITES:
        at = DATA + 0x10000 + offset if w.at is None else w.at(bits)
        if "stack's" in w.name:
            at = TOP["amd64" if bits == 64 else "i386"] - 4
        size = len(w.text) if w.size is None else w.size
        offset += len(w.text)
        source += f" CALL WRITE, {w.fd}, {at:#x}, {size}\n mov [DATA], xax\n SHOW DATA, WORD\n"
    source += " CALL EXIT, 0, 0, 0\n"
    dots = b"." * (2 * PAGE)
    return program(bits, source, ROOM, Segment(DATA + 0x10000, texts), Segment(DOTS, dots, READ))


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_write_takes_what_it_may_and_names_what_it_may_not(
    boot: Any, tree: Any, arch: str, cpu: str
) -> None:
    module = pack(tree, arch, lambda bits: {"w": write_program(bits)})
    result = boot(arch, cpu, "suite=w", module=module)
    text = result.text.replace("\0", "")
    returned = [
        int.from_bytes(bytes.fromhex(line.rpartition("=")[2]), "little", signed=True)
        for line in text.splitlines()
        if "=" in line and not line.startswith("@{")
    ]
    names = [w.name for w in WRITES]
    for number in range(len(folders(arch))):
        mine = returned[number * len(names) : (number + 1) * len(names)]
        wrong = {
            w.name: (value, w.result)
            for w, value in zip(WRITES, mine, strict=True)
            if value != w.result
        }
        assert not wrong, "(returned, expected)"
    assert "hello" in text
    assert "err" in text
    assert "lost" not in text
    assert [c["name"] for c in result.checks] == ["good"] * len(folders(arch))
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems
