"""tools/setup.sh: nothing to do is quick and silent; a wrong word is said."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tollgate.boot import ROOT

SETUP = ROOT / "tools" / "setup.sh"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SETUP), *arguments],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_to_do_is_silent() -> None:
    started = time.monotonic()
    done = run("build")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - started < 2


def test_a_wrong_word_is_said() -> None:
    done = run("everything")
    assert done.returncode == 2
    assert done.stderr == "usage: tools/setup.sh [build|all]\n"


def test_an_ordinary_user_gets_the_line_to_type(tmp_path: Path) -> None:
    for name, text in (("dpkg-query", ""), ("id", "echo 1000")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    done = run("build", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 4
    assert "sudo apt-get install -y --no-install-recommends nasm gcc make" in done.stderr
