"""A program ends in the same way in ring 3 and in ring 0, and as on Linux unless a clock decides: a
hundred small ones, a line of tests/linux/programs.txt each.
"""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ..unix.test_linux import ASKED, COMPILERS, SOURCES, Build, build
from ..unix.test_strangers import here, there

__all__ = ["build"]

pytestmark = [pytest.mark.long, pytest.mark.limit(900.0)]
BODIES = (SOURCES / "programs.txt").read_text().splitlines()
MODES = {"amd64": ("user", "trusted", "glibc64"), "i386": ("user32", "trusted32", "glibc32")}
WAITS = re.compile(r"interrupt\(|sleep|timed|alarm|itimer|clock|time")
"""Programs that read the clock or race with a signal: they do not run on this host."""
MAIN = '#include "programs.h"\nint main(int argc, char **argv)\n{\n%s\nreturn 0;\n}\n'


def compile_all(folder: Path, libc: str) -> list[bytes]:
    """The compiled programs, in the order of the lines."""

    def one(number: int) -> bytes:
        source, out = folder / f"{number}.c", folder / f"program{number}"
        source.write_text(MAIN % BODIES[number])
        options = ["-s", "-O1", *ASKED, "-w", "-pthread", f"-I{SOURCES}"]
        subprocess.run([*COMPILERS[libc], *options, source, "-o", out], check=True)
        return out.read_bytes()

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, range(len(BODIES))))


@pytest.mark.parametrize("arch", MODES)
def test_a_hundred_programs_end_alike(
    boot: Any, tree: Any, build: Build, tmp_path: Path, arch: str
) -> None:
    user, trusted, libc = MODES[arch]
    programs = compile_all(tmp_path, libc)
    runner = build("ends", libc)
    names = [f"program{number}" for number in range(len(BODIES))]
    quiet = [n for n, body in enumerate(BODIES) if not WAITS.search(body)]
    found = here(tmp_path, runner, ["-", *(str(tmp_path / names[n]) for n in quiet)])
    linux = dict(zip(quiet, (found[n] for n in sorted(found)), strict=True))
    assert len(BODIES) >= 100 and len(linux) >= 70
    ended = []
    for mode, folder in ((user, "bin"), (trusted, "trusted")):
        files = {f"{folder}/{name}": data for name, data in zip(names, programs, strict=True)}
        files[f"{folder}/ends"] = runner
        files["commands"] = "\n".join(["-", *(f"/{folder}/{name}" for name in names), ""]).encode()
        ours = there(boot, tree, mode, files, 512)
        ended.append([ours[n] for n in sorted(ours)])
        assert len(ended[-1]) == len(BODIES)
        assert [n for n, end in linux.items() if end != ended[-1][n]] == []
    assert [n for n, end in enumerate(ended[0]) if end != ended[1][n]] == []
