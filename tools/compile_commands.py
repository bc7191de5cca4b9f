"""compile_commands.py - make's commands on standard input, as the JSON that clangd and others read.

    make -Bn V=1 all | tools/compile_commands.py > compile_commands.json

A file that is compiled for both kernels has a command of each.  What no make compiles, exercises
and programs for Linux, has the command that its tests have.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

OTHERS: dict[str, str | list[str]] = {
    "exercises/": "user/checks/",
    "kernel/sanitize/": "kernel/lib/",
    "tests/linux/": ["gcc", "-O1", "-pthread", "-Wall", "-Wextra", "-idirafter", "kernel"],
    "tools/audit/": ["gcc", "-O2", "-shared", "-fPIC", "-DPLUGIN_VERSION=1"],
}
"""By folder: a command, or the folder into whose place a file comes (exercises/*/grade.py,
Makefile, tests/test_linux.py, tools/tollgate/machines/qemu_plugin.py)."""
Entry = dict[str, Any]


def entry(directory: str, file: str, words: list[str], output: str) -> Entry:
    """A command as the format has it: `words` without the file and without what it makes."""
    arguments = [*words, "-c", file, "-o", output]
    return {"directory": directory, "arguments": arguments, "file": file, "output": output}


def commands(lines: Iterable[str]) -> list[Entry]:
    """An entry for each command that compiles C, unless another folder has compiled that file."""
    here, found = str(Path.cwd()), list[Entry]()
    known: set[Path] = set()
    for line in lines:
        if inside := re.match(r"make\S*: Entering directory '(.*)'", line):
            here, known = inside[1], {place(each) for each in found}
        if " -c " not in line or ".c " not in line:
            continue
        words = shlex.split(line)
        file = next(word for word in words if word.endswith(".c"))
        made = entry(here, file, words[: words.index("-c")], words[-1])
        if place(made) not in known:
            found.append(made)
    return found


def place(made: Entry) -> Path:
    """The file that a command compiles."""
    return Path(str(made["directory"]), str(made["file"])).resolve()


def given(grader: Path) -> list[str]:
    """The names that a grader gives its program, or make a sanitizer, without anyone's value."""
    if not grader.is_file():
        return ["-DSHADOW=0"]
    return [f"-D{name}=0" for name in re.findall(r'"([A-Z]+)": ', grader.read_text("utf-8"))]


def others(found: list[Entry], files: Iterable[str]) -> list[Entry]:
    """Entries of the files that no command is for."""
    here, more = str(Path.cwd()), list[Entry]()
    for file in files:
        for folder, like in OTHERS.items():
            if not file.startswith(folder):
                continue
            if isinstance(like, list):
                more.append(entry(here, file, like, f"{file}.o"))
                continue
            first = next(each["file"] for each in found if each["file"].startswith(like))
            for each in (each for each in found if each["file"] == first):
                words = [*each["arguments"][:-4], *given(Path(file).with_name("grade.py"))]
                output = each["output"].replace(first.removesuffix(".c"), file[:-2])
                more.append(entry(here, file, words, output))
    return more


def main() -> None:
    """Print the list."""
    found = commands(sys.stdin)
    listed = ["git", "ls-files", "-co", "--exclude-standard", "*.c"]
    files = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    json.dump(found + others(found, files), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
