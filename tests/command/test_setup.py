"""tools/setup.sh: nothing to do is quick and silent; a wrong word is reported."""

import os
import shutil
import subprocess
from pathlib import Path

from tollgate.machines.boot import ROOT

SETUP = ROOT / "tools" / "setup.sh"
FETCH = ROOT / "tools" / "fetch.sh"


def run(
    *arguments: str, script: Path = SETUP, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [script, *arguments],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_to_do_is_silent() -> None:
    done = run("first", "compile", "run")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_wrong_word_is_said() -> None:
    done = run("everything")
    assert done.returncode == 2
    assert done.stderr == (
        "usage: tools/setup.sh [first] GROUP..., of the groups"
        " compile run iso bochs gdb libc lint test long weekly browser\n"
    )


def test_an_ordinary_user_gets_the_line_to_type(tmp_path: Path) -> None:
    given(tmp_path, dpkg_query="", id="echo 1000")
    for first in (["first"], []):  # all of it, before a build begins
        done = run(*first, "compile", "run", PATH=f"{tmp_path}:{os.environ['PATH']}")
        assert done.returncode == 4
        (line,) = done.stderr.splitlines()
        assert "sudo apt-get install -y --no-install-recommends nasm gcc binutils make" in line
        assert " qemu-system-x86" in line and " bochs" not in line and " clang" not in line


NEEDED = """awk basename bash cat cp curl cut date dirname chmod env find gcc grep gzip head id
ld ls mkdir mktemp mv nasm printf python3 rm sed sh sha256sum sort tail tar touch tr uniq wc
apt-cache apt-get dpkg-query""".split()
"""Only the commands that the scripts call: linking all of /usr/bin would take a second."""


def without(folder: Path, *names: str) -> str:
    """A PATH without these commands, but with the others that the scripts call."""
    folder.mkdir()
    for name in NEEDED:
        place = shutil.which(name)
        if place and "ccache" in place:  # it would find itself as the compiler
            place = shutil.which(name, path="/usr/bin:/bin")
        if place and name not in names:
            (folder / name).symlink_to(place)
    return str(folder)


def given(folder: Path, **commands: str) -> None:
    """Our own commands on such a PATH, and their scripts."""
    for name, text in commands.items():
        file = folder / name.replace("_", "-")
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)


HIDDEN = ("dpkg-query", "apt-get")


def test_a_system_without_apt_is_told_once_what_to_install(tmp_path: Path) -> None:
    done = run("compile", "iso", PATH=without(tmp_path / "a", *HIDDEN, "nasm"))
    assert done.returncode == 4
    assert done.stderr == (
        "setup: this system has no apt-get: install what tools/packages names, and start again\n"
    )
    done = run("first", "compile", "run", PATH=without(tmp_path / "b", *HIDDEN))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_32_bit_library_is_that_of_the_gcc_that_is_there(tmp_path: Path) -> None:
    path = without(tmp_path / "bin")
    given(Path(path), gcc="echo 14", dpkg_query="", id="echo 1000", apt_get="")
    done = run("libc", PATH=path)
    assert done.returncode == 4
    assert " lib32gcc-14-dev " in done.stderr


def test_the_archive_is_unpacked_from_where_it_is_kept(tmp_path: Path) -> None:
    done = run(str(tmp_path / "to"), script=FETCH, PATH=without(tmp_path / "bin", "apt-get"))
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
    done = run(str(tmp_path / "to"), script=FETCH, XDG_CACHE_HOME=cache, PATH=path)
    assert done.returncode == 4
    assert "this system has no apt to fetch it; by hand, put" in done.stderr
    given(tmp_path / "a", apt_get="echo \"'file:///none/x_1.deb' x_1.deb\"", id="echo 1000")
    done = run(str(tmp_path / "to"), script=FETCH, XDG_CACHE_HOME=cache, PATH=path)
    assert done.returncode == 4
    assert "apt could not fetch file:///none/qr-code-generator_1.8.0.orig.tar.gz" in done.stderr
    done = run(str(tmp_path / "to"), script=FETCH, XDG_CACHE_HOME="/dev/null", PATH=path)
    assert "/dev/null/tollgate cannot be made; set XDG_CACHE_HOME to a folder" in done.stderr
    assert not (tmp_path / "to").exists()


PIP = {
    "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]": "as behind a proxy",
    "ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407": "refuses",
    "NewConnectionError: [Errno -3] Temporary failure in name resolution": "without a network",
    "ERROR: No space left on device": "there is no room on the disk; make room and start again",
    "ERROR: something else": "ERROR: something else What pip said",
}


def python_of(path: Path, version: str = "3.11") -> None:
    """A python3 of a given version, whose pip prints the file `said` and exits as `status` says."""
    pip = "#!/bin/sh\\ncat said; exit $(cat status)"
    venv = f"mkdir -p .venv/bin && printf '{pip}' >.venv/bin/python && chmod +x .venv/bin/python"
    given(path, python3=f"case $1 in -c) echo {version}; exit 0;; esac\n{venv}")


def test_what_stops_pip_is_named_in_a_sentence(tmp_path: Path) -> None:
    """A log keeps pip's sixty lines. Nothing counts as installed, so a second try may succeed."""
    script = tree(tmp_path)
    path = Path(without(tmp_path / "bin", *HIDDEN))
    python_of(path)
    (tmp_path / "status").write_text("1")
    for said, sentence in PIP.items():
        (tmp_path / "said").write_text(f"{said}\n" * 20)
        done = run("run", script=script, PATH=str(path))
        assert done.returncode == 4
        (line, *more) = done.stderr.splitlines()
        assert line.startswith("setup: pip could not install the packages: ")
        assert sentence in done.stderr
        assert len(more) <= 2
        assert (tmp_path / ".venv" / "pip.log").read_text().count(said) == 20
        assert not (tmp_path / ".venv" / "tollgate.stamp").exists()
    (tmp_path / "status").write_text("0")
    assert run("run", script=script, PATH=str(path)).returncode == 0


def test_an_environment_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """As on a full disk. The next try begins anew."""
    script = tree(tmp_path)
    path = Path(without(tmp_path / "bin", *HIDDEN))
    given(path, python3="case $1 in -c) echo 3.11; exit 0;; esac\nmkdir .venv; exit 1")
    done = run("run", script=script, PATH=str(path))
    assert done.returncode == 4
    assert "python3 -m venv failed: the Debian package python3-venv or room on" in done.stderr
    python_of(path)
    (tmp_path / "said").write_text("")
    (tmp_path / "status").write_text("0")
    assert run("run", script=script, PATH=str(path)).returncode == 0


def test_an_environment_is_kept_while_it_fits(tmp_path: Path) -> None:
    """Each extra is added once; another Python makes another environment."""
    script = tree(tmp_path)
    path = Path(without(tmp_path / "bin", *HIDDEN))
    (tmp_path / "said").write_text("")
    (tmp_path / "status").write_text("0")
    told = []
    for version, groups in (
        ("3.11", "run"),
        ("3.11", "test"),
        ("3.11", "run test"),
        ("3.13", "run"),
    ):
        python_of(path, version)
        told.append(run(*groups.split(), script=script, PATH=str(path)).stdout.splitlines())
    filled, added = (
        "setup: filling .venv with",
        "setup: adding the Python packages of the extra test",
    )
    assert [line.startswith(what) for (line,), what in zip(
        (told[0], told[1], told[3]), (filled, added, filled), strict=True
    )] == [True] * 3  # fmt: skip
    assert told[2] == []


def test_what_a_build_takes_is_there_before_it_begins(tmp_path: Path) -> None:
    """Emulators and Python packages are installed in parallel; the build itself makes the image."""
    path = Path(without(tmp_path / "bin"))
    asked = f'case $1 in install) echo "$*" >{tmp_path}/asked;; esac'
    given(path, dpkg_query="", id="echo 0", apt_get=asked)
    for groups, image in (("compile run", False), ("bochs compile iso libc run test", True)):
        assert run("first", *groups.split(), PATH=str(path)).returncode == 0
        packages = (tmp_path / "asked").read_text().split()
        assert "gcc" in packages and "qemu-system-x86" not in packages and "bochs" not in packages
        assert ("grub-common" in packages, "libsqlite3-dev" in packages) == (image, image)


APT = {
    "E: Could not get lock /var/lib/dpkg/lock. It is held by process 71 (unattended-upgr)": (
        "another process has apt's lock (held by process 71 (unattended-upgr)); start again"
    ),
    "E: Failed to fetch http://x/y  Temporary failure resolving 'x'": "no mirror of apt's can be",
    "E: You don't have enough free space in /var/cache/apt/.": "there is no room on the disk",
    "E: dpkg was interrupted, you must manually run it": "an installation was interrupted before",
    "E: Unable to locate package nasm": "E: Unable to locate package nasm",
}


def test_what_stops_apt_is_named_in_a_sentence(tmp_path: Path) -> None:
    """The command to type follows the sentence."""
    path = Path(without(tmp_path / "bin"))
    given(path, dpkg_query="", id="echo 0")
    for said, sentence in APT.items():
        given(path, apt_get=f'case $1 in install) echo "{said}" >&2; exit 100;; esac')
        done = run("first", "compile", PATH=str(path))
        assert done.returncode == 4
        why, line = done.stderr.splitlines()
        assert sentence in why
        assert line.startswith("By hand: apt-get install -y")
    given(path, apt_get='echo "E: Unable to locate package nasm" >&2; exit 100')
    assert "no mirror of apt's can be reached" in run("first", "compile", PATH=str(path)).stderr


def tree(folder: Path) -> Path:
    """The part of the tree that setup.sh needs, with a copy of it."""
    (folder / "tools").mkdir()
    for name in ("setup.sh", "packages", "fetch.sh"):
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    (folder / "pyproject.toml").write_text("[project]\n")
    return folder / "tools" / "setup.sh"
