"""compile_commands.py - make's commands on standard input, as the JSON that clangd and others read.

    make -Bn V=1 all | tools/compile_commands.py > compile_commands.json

A file that is compiled for both kernels has a command of each.
"""

import json
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path


def commands(lines: Iterable[str]) -> list[dict[str, object]]:
    """An entry for each command that compiles a file of C."""
    here, found = str(Path.cwd()), []
    for line in lines:
        if " -c " not in line or ".c " not in line:
            continue
        words = shlex.split(line)
        file = next(word for word in words if word.endswith(".c"))
        found.append({"directory": here, "arguments": words, "file": file, "output": words[-1]})
    return found


if __name__ == "__main__":
    json.dump(commands(sys.stdin), sys.stdout, indent=1)
    print()
