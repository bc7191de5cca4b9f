"""Our QEMU plugins (tools/audit), built for the QEMU that will load them."""

import hashlib
import os
import re
import subprocess
from pathlib import Path

from tollgate.errors import TollgateError

NAMES = "qemu_plugin_insn_disas"
"""The QEMU function by which a plugin recognises instructions."""
NO_NAMES = "Asm output not supported"


REACH = "TOLLGATE_REACH"
"""The variable with the folder of tests/reach.py (tollgate.self.reach)."""


class NoDisassemblerError(TollgateError):
    """This QEMU has no disassembler: Ubuntu's, unlike Debian's."""


def _try(program: str, library: Path) -> str:
    """The output of a QEMU that loads the plugin, runs nothing, and prints one instruction."""
    command = [program, "-M", "pc", "-icount", "0", "-display", "none", "-S", "-monitor", "stdio"]
    command += ["-plugin", f"{library},points=/dev/null,log=/dev/null,text=/dev/null"]
    asked = "xp /1i 0xfffffff0\nquit\n"
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def build_plugin(program: str, source: Path, folder: Path) -> Path:
    """The plugin for this QEMU, for the API version that it requires."""
    library = folder / f"{source.stem}.so"
    version = "1"
    for _ in range(2):
        flags = ["-O2", "-shared", "-fPIC", f"-DPLUGIN_VERSION={version}"]
        subprocess.run(["gcc", *flags, source, "-o", library], check=True)
        said = _try(program, library)
        wanted = re.search(r"only a (?:minimum|maximum) version of (\d+)", said)
        if not wanted:
            break
        version = wanted[1]
    if "plugin" in said and "ould not load" in said:
        raise TollgateError(f"{program} does not load the plugin: {said.strip()}")
    if NO_NAMES in said and NAMES in source.read_text(encoding="utf-8"):
        raise NoDisassemblerError(
            f"{program} cannot say which instruction it runs: it was built without a disassembler "
            "(Capstone), as Ubuntu's is. Debian's has one."
        )
    return library


def digest(file: Path) -> str:
    """A digest by which a machine detects whether it boots one of the examined kernels."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def reach_plugin(folder: Path, **more: str) -> list[str]:
    """QEMU's arguments for recording which of the folder's points a machine reaches."""
    given = {"points": folder / "points", "reached": folder / "reached", **more}
    words = "".join(f",{name}={value}" for name, value in given.items())
    return ["-plugin", f"{folder}/reach.so{words}"]


def reach_arguments(booted: Path) -> list[str]:
    """The same, if such a folder is set and this file is one of its kernels."""
    folder = Path(os.environ.get(REACH, ""))
    if not os.environ.get(REACH) or digest(booted) not in (folder / "files").read_text():
        return []
    return reach_plugin(folder)
