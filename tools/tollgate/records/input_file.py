"""Files named by a person: regular ones, up to a size. Others are refused with a sentence."""

import os
import stat
from pathlib import Path

from tollgate.errors import UsageError


def _read(descriptor: int, path: Path, most: int) -> bytes:
    about = os.fstat(descriptor)
    if stat.S_ISDIR(about.st_mode):
        raise UsageError(f"{path} is a folder.")
    if not stat.S_ISREG(about.st_mode):
        raise UsageError(f"{path} is no regular file: only those are read.")
    data = b""
    if about.st_size <= most:
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    if max(about.st_size, len(data)) > most:
        raise UsageError(f"{path} is too large: {most >> 20} MiB in all can be read.")
    return data


def read(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes; UsageError for anything else."""
    try:
        # (A FIFO would wait for its other end.)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return _read(descriptor, path, most)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
