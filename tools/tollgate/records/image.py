"""A boot's kernel, and the boot's own name: two SHA-256.

A kernel contains the SHA-256 of its loaded image, in which those 64 digits count as zeros
(arch.mk), and writes it into its run record with the initrd's (tools/initrd.sh).  So a kernel's
file can be compared with a record, whether it has symbols, is stripped, or is QEMU's 32-bit copy.
"""

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
    """The memory image that a loader makes of an ELF file, from its lowest physical address on."""
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
    """The SHA-256 that a kernel states, if it is that of `image`; else an empty string."""
    for said in set(_DIGITS.findall(image)):
        if hashlib.sha256(image.replace(said, b"0" * 64)).hexdigest().encode() == said:
            return str(said.decode())
    return ""


@lru_cache
def kernel(path: Path) -> str:
    """The SHA-256 stated by a kernel's file; empty if it is not a kernel or was changed."""
    try:
        return own_hash(memory(path))
    except (OSError, ValueError, ELFError):
        return ""


@lru_cache
def built() -> dict[str, Path]:
    """The kernels that this tree has built, with any compiler, by their SHA-256."""
    found = {kernel(path): path for a in ARCHES for path in ROOT.glob(f"build*/{a}/kernel.elf")}
    return {said: path for said, path in found.items() if said}


@lru_cache
def trees() -> dict[str, bytes]:
    """The initrds that this tree has built, by the SHA-256 that they state."""
    found = {}
    for path in ROOT.glob("build*/*/*.cpio"):
        files = cpio.read(path.read_bytes())
        if cpio.SUM in files:
            found[files[cpio.SUM].decode()] = b"".join(files.values())
    return found


def run_id(run: MachineRun) -> str:
    """A boot's name: the SHA-256 of its lines in results.jsonl.

    Its run record includes the kernel's, the initrd's and the command line.
    """
    return hashlib.sha256(b"".join(record.stored() for record in run.records)).hexdigest()
