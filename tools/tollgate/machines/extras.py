"""A Python package that only some verbs need: what installs it, with the tree and without."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata

from tollgate.machines.boot import TREE


def line(name: str) -> str:
    """The command that installs an extra of pyproject.toml (data, lab, phone), at its pins."""
    if TREE:
        return f".venv/bin/pip install -e '.[{name}]'"
    try:
        wanted = metadata.requires("tollgate") or []
    except metadata.PackageNotFoundError:
        wanted = []
    own = re.compile(rf"\s*;\s*extra\s*==\s*[\"']{name}[\"']$")
    pins = [own.sub("", one) for one in wanted if own.search(one)]
    return f"{shlex.quote(sys.executable)} -m pip install {' '.join(pins)}"
