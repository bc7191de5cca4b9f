"""`pip install`: the verbs that need no tree work from the package alone, the others say so."""

from __future__ import annotations

import ast
import json
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


def python(packages: Path, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python somewhere else, with these packages first."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(packages), "HOME": str(place)}
    return run([sys.executable, "-P", *words], LIMIT, cwd=place, env=env)


EACH = """
import contextlib, io, json, sys
from tollgate.cli import main
said = []
for line in json.loads(sys.argv[1]):
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = main(line)
    said.append((code, out.getvalue(), error.getvalue()))
print(json.dumps(said))
"""


def each(packages: Path, place: Path, lines: list[list[str]]) -> list[tuple[int, str, str]]:
    """Exit status, output and errors of each command line; one process, which imports once."""
    done = python(packages, place, "-c", EACH, json.dumps(lines))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [(code, out, error) for code, out, error in json.loads(done.stdout)]


ARGUMENTS = {"show": ["user/int/bare"], "grade": ["leak"], "build": ["make"]}


def test_a_verb_that_needs_the_tree_says_so(packages: Path, tmp_path: Path) -> None:
    """Among them are all that boot, and none that ANYWHERE has not."""
    needs = [verb for verb in verbs(make_parser()) if verb not in ANYWHERE]
    assert {"bench", "run", "lesson", "grade", "book", "linux", "show"} <= set(needs)
    lines = [[verb, *ARGUMENTS.get(verb, [])] for verb in needs]
    for verb, (code, out, error) in zip(needs, each(packages, tmp_path, lines), strict=True):
        assert (code, out) == (4, ""), verb
        assert error.startswith(f"tollgate: `tollgate {verb}` needs the source tree"), verb
        assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_others_work_on_a_file_of_results(packages: Path, tmp_path: Path) -> None:
    """And say the same as in the tree."""
    file = tmp_path / "results.jsonl"
    save([make_run({"user/int/standard": 300})], file)
    trend = ["trend", "user/int/standard", str(file), "--out=trend"]
    lines = [["report", str(file), "--out=report"], ["compare", str(file), str(file)]]
    lines += [["check", str(file)], ["markdown", str(file)], trend, ["completion", "man"]]
    alone = each(packages, tmp_path, lines)
    assert (tmp_path / "report" / "report.html").is_file()
    assert "unexpected" not in "".join(error for _, _, error in alone)
    for line, a, b in zip(lines, alone, each(ROOT / "tools", tmp_path, lines), strict=True):
        assert a == b, line


def test_photos_and_a_cable_are_looked_for(packages: Path, tmp_path: Path) -> None:
    """Nothing is there; the sentence is about that, and nothing is left behind."""
    (tmp_path / "photo.png").write_bytes(b"no picture")
    for verb, words in (("scan", ["photo.png"]), ("capture", ["/dev/none"])):
        done = python(packages, tmp_path, "-m", "tollgate", verb, *words)
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
    scripts = tmp_path / "venv" / "bin"
    assert run([sys.executable, "-m", "venv", scripts.parent], LIMIT).returncode == 0
    made = run([scripts / "pip", "install", "-q", copy], LIMIT, merge=True)
    if "No matching distribution" in made.stdout or "Connection" in made.stdout:
        pytest.skip("pip has no network here")
    assert made.returncode == 0, made.stdout[-2000:]
    done = run([scripts / "tollgate", "lesson"], LIMIT, cwd=tmp_path)
    assert done.returncode == 4 and "needs the source tree" in done.stderr
    tree = next(tmp_path.glob("venv/lib/python*/site-packages/tollgate/tree"))
    assert (tree / "kernel" / "version.h").is_file()
    assert run([scripts / "tollgate", "completion", "zsh"], LIMIT).returncode == 0
