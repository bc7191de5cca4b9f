"""The container file: its steps are run, by a container tool or in a plain chroot."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.child import run

from .test_debian import DEBIAN_13, LIMIT, inside, system

FILE = ROOT / "Containerfile"
ALLOWED = re.compile(
    r"apt-get update -q && apt-get install -y -q --no-install-recommends [a-z -]+"
    r"|tools/setup\.sh [a-z ]+|make -s all|make -s browser"
    r"|git config --system --add safe.directory /tollgate"
)
"""Steps that fetch Debian packages, with pinned versions, or that fetch nothing."""
LESSON = ".venv/bin/tollgate lesson bare --headless"


def steps() -> list[tuple[str, str]]:
    """Each instruction of the file and its arguments."""
    lines = [line for line in FILE.read_text().splitlines() if line and line[0] != "#"]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_an_editors_container_is_the_same_one() -> None:
    """The clone is where the image has the tree, and is built when the container is created."""
    made = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert (ROOT / ".devcontainer" / made["build"]["dockerfile"]).resolve() == FILE
    assert ("WORKDIR", made["workspaceFolder"]) in steps()
    assert f"target={made['workspaceFolder']}," in made["workspaceMount"]
    assert ("RUN", made["postCreateCommand"]) in steps()


def test_nothing_is_fetched_but_packages() -> None:
    """No ADD of an address, no curl; pip only in setup.sh, which installs pinned versions."""
    assert {word for word, _ in steps()} <= {"ARG", "FROM", "ENV", "RUN", "COPY", "WORKDIR", "CMD"}
    for word, rest in steps():
        assert word != "RUN" or ALLOWED.fullmatch(rest), rest
        assert word != "COPY" or rest == ". /tollgate"
    assert ("ARG", "BASE=debian:12-slim") in steps()


def tool() -> str:
    """A working container tool; "" = none."""
    for name in ("podman", "docker"):
        path = shutil.which(name)
        if path and not subprocess.run([path, "info"], capture_output=True, check=False).returncode:
            return path
    return ""


@pytest.mark.long
@pytest.mark.weekly
@pytest.mark.limit(3 * LIMIT)
def test_a_student_finds_a_lesson_in_the_container(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    assert run(["git", "clone", "-q", ROOT, tree], LIMIT).returncode == 0
    if program := tool():
        image = f"tollgate-test-{os.getpid()}"
        built = run([program, "build", "-t", image, "-f", FILE, tree], LIMIT, merge=True)
        assert built.returncode == 0, built.stdout[-3000:]
        done = run([program, "run", "--rm", image, "sh", "-c", LESSON], LIMIT, merge=True)
        run([program, "rmi", image], LIMIT)
    else:
        done = by_hand(tmp_path / "root", tree)
    assert done.returncode == 0, done.stdout[-3000:]
    assert re.search(r"^ok \d+ - ", done.stdout, re.M)
    assert "not ok" not in done.stdout


def by_hand(root: Path, tree: Path) -> subprocess.CompletedProcess[str]:
    """The steps of the file in a fresh Debian 12, then a lesson."""
    system(root, replace(DEBIAN_13, suite="bookworm"))
    shutil.copytree(tree, root / "tollgate", symlinks=True)
    place, script = "/", ["export DEBIAN_FRONTEND=noninteractive"]
    for word, rest in [*steps(), ("RUN", LESSON)]:
        if word == "WORKDIR":
            place = rest
        elif word == "RUN":
            script.append(f"chroot \"$1\" sh -ec 'cd {place} && {rest}' </dev/null")
    return inside(root, "\n".join(script))
