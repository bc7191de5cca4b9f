"""What a boot says of the bytes that ran."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, KERNEL, ROOT
from tollgate.records import image


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_boot_names_the_bytes_that_ran(boot: Any, arch: str, tmp_path: Path) -> None:
    """The kernel's file and the initrd's say the same as the record; a changed byte shows."""
    result = boot(arch, "EPYC", "suite=toll samples=100")
    file = BUILD / arch / "kernel.elf"
    assert result.run["image"]["kernel"] == image.kernel(file) != ""
    if arch == "amd64":
        assert image.kernel(BUILD / KERNEL[arch]) == image.kernel(file), "QEMU's twin"
    changed = bytearray(file.read_bytes())
    changed[changed.index(b"there is no suite")] ^= 1
    (tmp_path / "kernel.elf").write_bytes(changed)
    assert image.kernel(tmp_path / "kernel.elf") == ""
    script = (ROOT / "tools" / "initrd.sh").read_text()
    command = re.search(r"#\s+cpio -id < ARCHIVE; (.+)", script)
    assert command
    archive = BUILD / arch / "initrd.cpio"
    unpack = f"cpio --quiet -id < {shlex.quote(str(archive))}; {command[1]}"
    (tmp_path / "files").mkdir()
    told = subprocess.run(
        unpack, shell=True, cwd=tmp_path / "files", capture_output=True, text=True, check=True
    )
    assert told.stdout.split()[0] == result.run["image"]["initrd"]
