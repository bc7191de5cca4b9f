"""Tollgate's host side: boots the kernels, reads their records, shows what a crossing costs.

`tollgate.load(path).frame()` is what a results file holds, as a table for pandas (docs/records.md).
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tollgate.show.export import Data

__version__ = "0.1.0"


def load(path: str | PathLike[str]) -> Data:
    """The results in a file or folder, whose `frame()` is a pandas.DataFrame.

    TollgateError, with one sentence, for what cannot be read.
    """
    from tollgate.show.export import load as read

    return read(Path(path))
