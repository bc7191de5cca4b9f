"""Our plugins of QEMU's (tools/audit), built for the QEMU that is to load them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tollgate.errors import TollgateError


def _try(program: str, library: Path) -> str:
    """What a QEMU says that is asked to load the plugin and nothing else."""
    command = [program, "-M", "none", "-display", "none", "-S", "-monitor", "stdio"]
    command += ["-plugin", f"{library},points=/dev/null,log=/dev/null,text=/dev/null"]
    done = subprocess.run(command, input="quit\n", capture_output=True, text=True, check=False)
    return done.stderr


def build_plugin(program: str, source: Path, folder: Path) -> Path:
    """The plugin for this QEMU, by the API's version that it asks for."""
    library = folder / f"{source.stem}.so"
    version = "1"
    for _ in range(2):
        subprocess.run(
            [
                "gcc",
                "-O2",
                "-shared",
                "-fPIC",
                f"-DPLUGIN_VERSION={version}",
                source,
                "-o",
                library,
            ],
            check=True,
        )
        said = _try(program, library)
        wanted = re.search(r"only a (?:minimum|maximum) version of (\d+)", said)
        if not wanted:
            break
        version = wanted[1]
    if "plugin" in said and "ould not load" in said:
        raise TollgateError(f"{program} does not load the plugin: {said.strip()}")
    return library
