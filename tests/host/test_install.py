"""`pip install`: the verbs that need no tree work from the package alone, the others say so."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tollgate.boot import ROOT
from tollgate.child import run
from tollgate.cli import ANYWHERE, make_parser
from tollgate.completion import verbs
from tollgate.records import save

from .sample import make_run

LIMIT = 300.0


def taken() -> list[str]:
    """What setup.py takes along of the tree."""
    for node in ast.parse((ROOT / "setup.py").read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TAKEN":
            return list(ast.literal_eval(node.value))
    raise AssertionError("setup.py has no TAKEN")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages as pip leaves it: what pyproject.toml and setup.py name, and no more."""
    folder = tmp_path_factory.mktemp("packages")
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    for package in setuptools["packages"]:
        source = ROOT / setuptools["package-dir"][""] / package.replace(".", "/")
        to = folder / package.replace(".", "/")
        to.mkdir()
        for pattern in ("*.py", *setuptools["package-data"]["*"]):
            for file in source.glob(pattern):
                shutil.copy(file, to)
    for pattern in taken():
        found = list(ROOT.glob(pattern))
        assert found, pattern
        for file in found:
            to = folder / "tollgate" / "tree" / file.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
    return folder


def tollgate(packages: Path, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, somewhere else."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(packages), "HOME": str(place)}
    return run([sys.executable, "-P", "-m", "tollgate", *words], LIMIT, cwd=place, env=env)


ARGUMENTS = {"show": ["user/int/bare"], "grade": ["leak"], "build": ["make"]}


def test_a_verb_that_needs_the_tree_says_so(packages: Path, tmp_path: Path) -> None:
    """Among them are all that boot, and none that ANYWHERE has not."""
    needs = [verb for verb in verbs(make_parser()) if verb not in ANYWHERE]
    assert {"bench", "run", "lesson", "grade", "book", "linux", "show"} <= set(needs)
    for verb in needs:
        done = tollgate(packages, tmp_path, verb, *ARGUMENTS.get(verb, []))
        assert (done.returncode, done.stdout) == (4, ""), verb
        assert done.stderr.startswith(f"tollgate: `tollgate {verb}` needs the source tree"), verb
        assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_others_work_on_a_file_of_results(packages: Path, tmp_path: Path) -> None:
    """And say the same as in the tree."""
    file = tmp_path / "results.jsonl"
    save([make_run({"user/int/standard": 300})], file)
    trend = ["trend", "user/int/standard", str(file), "--out=trend"]
    lines = [["report", str(file), "--out=report"], ["compare", str(file), str(file)]]
    lines += [["check", str(file)], ["markdown", str(file)], trend, ["completion", "man"]]
    for line in lines:
        alone = tollgate(packages, tmp_path, *line)
        here = tollgate(ROOT / "tools", tmp_path, *line)
        assert (alone.returncode, alone.stdout, alone.stderr) == (
            here.returncode,
            here.stdout,
            here.stderr,
        ), line
        assert "unexpected" not in alone.stderr, line
    assert (tmp_path / "report" / "report.html").is_file()


def test_photos_and_a_cable_are_looked_for(packages: Path, tmp_path: Path) -> None:
    """Nothing is there; the sentence is about that, and nothing is left behind."""
    (tmp_path / "photo.png").write_bytes(b"no picture")
    for verb, words in (("scan", ["photo.png"]), ("capture", ["/dev/none"])):
        done = tollgate(packages, tmp_path, verb, *words)
        assert done.returncode != 0
        assert "source tree" not in done.stderr
        assert "unexpected" not in done.stderr
        assert done.stderr.startswith("tollgate: ")


@pytest.mark.long
@pytest.mark.limit(3 * LIMIT)
def test_pip_installs_it(tmp_path: Path) -> None:
    """By pip itself, in an environment of its own; it needs the network."""
    copy = tmp_path / "copy"
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "tools", "kernel", "tests/budgets.toml"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    for name in [*filter(None, names.split("\0")), "setup.py", "pyproject.toml"]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    python = tmp_path / "venv" / "bin" / "python"
    assert run([sys.executable, "-m", "venv", python.parents[1]], LIMIT).returncode == 0
    made = run([python, "-m", "pip", "install", "-q", copy], LIMIT, merge=True)
    if "No matching distribution" in made.stdout or "Connection" in made.stdout:
        pytest.skip("pip has no network here")
    assert made.returncode == 0, made.stdout[-2000:]
    done = run([python.parent / "tollgate", "lesson"], LIMIT, cwd=tmp_path)
    assert done.returncode == 4 and "needs the source tree" in done.stderr
    tree = next(tmp_path.glob("venv/lib/python*/site-packages/tollgate/tree"))
    assert (tree / "kernel" / "version.h").is_file()
    assert run([python.parent / "tollgate", "completion", "zsh"], LIMIT).returncode == 0
