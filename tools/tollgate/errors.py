"""Errors that end a command, with a sentence for the person and an exit code."""

from enum import IntEnum
from pathlib import Path


class Exit(IntEnum):
    """Exit codes of every command; 1 is Python's own, so a bug never looks like a verdict."""

    PASS = 0
    USAGE = 2
    FAIL = 3
    ERROR = 4
    RESET = 5
    HANG = 6
    SILENT = 7
    PANIC = 8
    NOISY = 9
    UNLIKE = 10


class TollgateError(Exception):
    """One sentence about an error and its remedy; `code` is the process's exit code."""

    def __init__(self, message: str, code: Exit = Exit.ERROR) -> None:
        super().__init__(message)
        self.code = code


def reason(error: OSError) -> str:
    """Why a file cannot be written: a folder such as /proc says that a new one is not there."""
    there = isinstance(error, FileNotFoundError) and Path(error.filename).parent.is_dir()
    return "its folder takes no new files" if there else str(error.strerror)


def install(extra: str) -> str:
    """The command that installs an extra of pyproject.toml (phone), pinned."""
    return f".venv/bin/pip install -e '.[{extra}]'"


class UsageError(TollgateError):
    """The command line names something that does not exist."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.USAGE)
