"""Files that a person names: each must end, for it is read whole."""

from __future__ import annotations

import stat
from pathlib import Path

from tollgate.errors import TollgateError

MOST = 256 << 20
"""Bytes: a hundred times the records of all suites on all processors."""


def regular(path: Path, most: int = MOST) -> Path:
    """The path; TollgateError for a pipe or device, and for more than `most` bytes.

    What is not there or cannot be read is its reader's to say.
    """
    try:
        about = path.stat()
    except OSError:
        return path
    if stat.S_ISDIR(about.st_mode):
        raise TollgateError(f"{path} is a folder.")
    if not stat.S_ISREG(about.st_mode):
        raise TollgateError(f"{path} is no regular file: copy its bytes into one first.")
    if about.st_size > most:
        raise TollgateError(
            f"{path} is too large: it has {about.st_size >> 20} MiB, and {most >> 20} are read."
        )
    return path
