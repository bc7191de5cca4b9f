"""tools/setup.sh: nothing to do is quick and silent; a wrong word is said."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
    done = run("build")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_wrong_word_is_said() -> None:
    done = run("everything")
    assert done.returncode == 2
    assert done.stderr == "usage: tools/setup.sh [build|all|long|browser]\n"


def test_an_ordinary_user_gets_the_line_to_type(tmp_path: Path) -> None:
    for name, text in (("dpkg-query", ""), ("id", "echo 1000")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    done = run("build", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 4
    assert "sudo apt-get install -y --no-install-recommends nasm gcc binutils make" in done.stderr


def without(folder: Path, *names: str) -> str:
    """A PATH on which these commands are not."""
    folder.mkdir()
    places = [place for place in os.environ["PATH"].split(":") if "ccache" not in place]
    for place in places:  # ccache looks for the compiler behind itself
        for file in Path(place).iterdir() if Path(place).is_dir() else ():
            if file.name not in names and not (folder / file.name).is_symlink():
                (folder / file.name).symlink_to(file)
    return str(folder)


def test_a_system_without_apt_gets_the_list_with_what_each_is_for(tmp_path: Path) -> None:
    done = run("build", PATH=without(tmp_path / "bin", "dpkg-query", "apt-get", "nasm", "xorriso"))
    assert done.returncode == 4
    assert "this system has no apt-get" in done.stderr
    lines = [line.split() for line in done.stderr.splitlines() if line.startswith("    ")]
    assert [line[0] for line in lines] == ["nasm", "xorriso"]
    assert lines[0][2:] == "assembles the entry code".split()


def test_a_system_without_apt_that_has_all_is_served(tmp_path: Path) -> None:
    done = run("build", PATH=without(tmp_path / "bin", "dpkg-query", "apt-get"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_32_bit_library_is_that_of_the_gcc_that_is_there(tmp_path: Path) -> None:
    path = without(tmp_path / "bin", "gcc", "dpkg-query", "id")
    for name, text in (("gcc", "echo 14"), ("dpkg-query", ""), ("id", "echo 1000")):
        file = Path(path) / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    done = run("all", PATH=path)
    assert done.returncode == 4
    assert " lib32gcc-14-dev " in done.stderr


FETCH = ROOT / "tools" / "fetch.sh"


def fetch(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """tools/fetch.sh in an environment."""
    return subprocess.run(
        [str(FETCH), *arguments],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_archive_is_unpacked_from_where_it_is_kept(tmp_path: Path) -> None:
    done = fetch(str(tmp_path / "to"), PATH=without(tmp_path / "bin", "apt-get"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(file.name for file in (tmp_path / "to").iterdir()) == [
        "qrcodegen.c",
        "qrcodegen.h",
    ]


def test_an_archive_that_is_not_the_pinned_one_is_not_taken(tmp_path: Path) -> None:
    kept = tmp_path / "cache" / "tollgate" / "qr-code-generator_1.8.0.orig.tar.gz"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"another")
    cache = str(tmp_path / "cache")
    path = without(tmp_path / "a", "apt-get")
    done = fetch(str(tmp_path / "to"), XDG_CACHE_HOME=cache, PATH=path)
    assert done.returncode == 4
    assert "this system has no apt to fetch it; by hand, put" in done.stderr
    for name, text in (("apt-get", "echo \"'file:///none/x_1.deb' x_1.deb\""), ("id", "echo 1000")):
        (tmp_path / "a" / name).unlink(missing_ok=True)
        (tmp_path / "a" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "a" / name).chmod(0o755)
    done = fetch(str(tmp_path / "to"), XDG_CACHE_HOME=cache, PATH=path)
    assert done.returncode == 4
    assert "apt could not fetch file:///none/qr-code-generator_1.8.0.orig.tar.gz" in done.stderr
    assert not (tmp_path / "to").exists()


PIP = {
    "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]": "as behind a proxy",
    "ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407": "refuses",
    "NewConnectionError: [Errno -3] Temporary failure in name resolution": "without a network",
    "ERROR: No space left on device": "ERROR: No space left on device What pip said",
}


EACH = {
    "all": "the packages: ",
    "long": "the packages of the extra data (pandas,pyarrow): ",
}


@pytest.mark.parametrize(
    ("said", "what"), [*((said, "all") for said in PIP), (next(iter(PIP)), "long")]
)
def test_what_stops_pip_is_named_in_a_sentence(tmp_path: Path, said: str, what: str) -> None:
    """Not pip's sixty lines, which are kept; nothing counts as installed."""
    tree(tmp_path)
    path = Path(without(tmp_path / "bin", "python3", "dpkg-query", "apt-get"))
    python = "mkdir -p .venv/bin && printf '#!/bin/sh\\necho warning; cat said; exit 1' >"
    python += " .venv/bin/python && chmod +x .venv/bin/python"
    (path / "python3").write_text(f"#!/bin/sh\n{python}\n")
    (path / "python3").chmod(0o755)
    for name in ("chromium", "pdftotext", "virt-qemu-run"):  # of the group `long`
        if not (path / name).exists():
            (path / name).symlink_to("/bin/true")
    (tmp_path / "said").write_text(f"{said}\n" * 20)
    if what == "long":
        subprocess.run(python, shell=True, cwd=tmp_path, check=True)
    done = script(tmp_path, what, PATH=str(path))
    assert done.returncode == 4
    (line, *more) = done.stderr.splitlines()
    assert line.startswith(f"setup: pip could not install {EACH[what]}")
    assert PIP[said] in done.stderr
    assert len(more) <= 2
    assert (tmp_path / ".venv" / "pip.log").read_text().count(said) == 20
    assert not (tmp_path / ".venv" / "tollgate.stamp").exists()


def tree(folder: Path) -> None:
    """What setup.sh needs of the tree."""
    (folder / "tools").mkdir()
    for name in ("setup.sh", "packages", "fetch.sh"):
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    (folder / "pyproject.toml").write_text("[project]\n")


def script(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Its own setup.sh, that is."""
    return subprocess.run(
        [folder / "tools" / "setup.sh", *arguments],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
