"""Which kernel a boot has run, and the boot's own name: two SHA-256.

A kernel holds the SHA-256 of what a loader puts into memory of it, in which those 64 digits are
zeros (arch.mk), and writes it into its run record beside the initrd's (tools/initrd.sh).  So a
kernel's file shows whether it is the one of a record, be it with symbols, stripped, or of 32 bits
for QEMU.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from tollgate.machines import cpio
from tollgate.machines.boot import ARCHES, ROOT
from tollgate.records.format import MachineRun

_DIGITS = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?=\0)")


def memory(path: Path) -> bytes:
    """The memory that a loader fills from an ELF file, from its lowest physical address on."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        parts = {
            part["p_paddr"]: part.data()
            for part in elf.iter_segments("PT_LOAD")
            if part["p_filesz"]
        }
    start = min(parts)
    image = bytearray(max(at + len(data) for at, data in parts.items()) - start)
    for at, data in parts.items():
        image[at - start : at - start + len(data)] = data
    return bytes(image)


def own_hash(image: bytes) -> str:
    """The SHA-256 that a kernel says of itself, if it is that of `image`; else an empty string."""
    for said in set(_DIGITS.findall(image)):
        if hashlib.sha256(image.replace(said, b"0" * 64)).hexdigest().encode() == said:
            return str(said.decode())
    return ""


@lru_cache
def kernel(path: Path) -> str:
    """The SHA-256 of a kernel's file as it says it; empty for what is none or has been changed."""
    try:
        return own_hash(memory(path))
    except (OSError, ValueError, ELFError):
        return ""


@lru_cache
def built() -> dict[str, Path]:
    """The kernels that this tree has built, whatever compiled them, by their SHA-256."""
    found = {kernel(path): path for a in ARCHES for path in ROOT.glob(f"build*/{a}/kernel.elf")}
    return {said: path for said, path in found.items() if said}


@lru_cache
def trees() -> dict[str, bytes]:
    """The initrds that this tree has built, by the SHA-256 that they say of themselves."""
    found = {}
    for path in ROOT.glob("build*/*/*.cpio"):
        files = cpio.read(path.read_bytes())
        if cpio.SUM in files:
            found[files[cpio.SUM].decode()] = b"".join(files.values())
    return found


def run_id(run: MachineRun) -> str:
    """A boot's name: the SHA-256 of its lines in results.jsonl.

    The run record among them has the kernel's, the initrd's and the command line.
    """
    return hashlib.sha256(b"".join(record.stored() for record in run.records)).hexdigest()
