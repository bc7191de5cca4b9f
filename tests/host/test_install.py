"""`pip install`: the verbs that need no tree work from the package alone, the others say so."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tollgate.cli import ANYWHERE, make_parser
from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run
from tollgate.records import provenance
from tollgate.records.format import compact, save

from .pictures import drawn
from .sample import make_run
from .test_check import measured

LIMIT = 300.0


def taken() -> list[str]:
    """What setup.py takes along of the tree."""
    for node in ast.parse((ROOT / "setup.py").read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TAKEN":
            return list(ast.literal_eval(node.value))
    raise AssertionError("setup.py has no TAKEN")


@pytest.fixture(scope="session")
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
    sys.stdin = io.StringIO("Acme Book 3" + 20 * chr(10))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = main(line)
    said.append((code, out.getvalue(), error.getvalue()))
print(json.dumps(said))
"""


def each(packages: Path, place: Path, lines: list[list[str]]) -> list[tuple[int, str, str]]:
    """Exit status, output and errors of each command line; one process, which imports once."""
    place.mkdir(exist_ok=True)
    done = python(packages, place, "-c", EACH, json.dumps(lines))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [(code, out, error) for code, out, error in json.loads(done.stdout)]


def test_a_verb_that_needs_the_tree_says_so(packages: Path, tmp_path: Path) -> None:
    """Among them are all that boot, and none that ANYWHERE has not; whatever else was typed."""
    (verbs,) = (action for action in make_parser()._actions if action.metavar == "VERB")
    needs = [verb for verb in verbs.choices or () if verb not in ANYWHERE]
    assert {"bench", "run", "lesson", "grade", "book", "linux", "show"} <= set(needs)
    lines = [[verb, *words] for verb in needs for words in ([], ["leak"], ["--none"])]
    for (verb, *_), (code, out, error) in zip(lines, each(packages, tmp_path, lines), strict=True):
        assert (code, out) == (4, ""), verb
        assert error.startswith(f"tollgate: `tollgate {verb}` needs the source tree"), verb
        assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_document_lists_the_verbs_that_need_no_tree() -> None:
    text = (ROOT / "docs" / "source.md").read_text().partition("without the tree |")[2]
    rows = re.findall(r"^\| (`.*?) \|", text, re.M)
    assert {verb for row in rows for verb in re.findall(r"`(\w+)`", row)} == ANYWHERE


def files_of(folder: Path) -> set[Path]:
    """All but what Python itself keeps there."""
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


@pytest.mark.long
def test_the_others_work_on_a_file_of_results(packages: Path, tmp_path: Path) -> None:
    """Each of them; the package's own folder stays as it was.

    Charts are looked for in the user's cache, which has those that the tree has drawn."""
    (charts := BUILD / "charts").mkdir(exist_ok=True)
    (tmp_path / "alone" / ".cache" / "tollgate").mkdir(parents=True)
    (tmp_path / "alone" / ".cache" / "tollgate" / "charts").symlink_to(charts)
    save([make_run({"user/int/standard": 300})], tmp_path / "results.jsonl")
    (tmp_path / "silicon").mkdir()
    save([measured()], tmp_path / "silicon" / "results.jsonl")
    provenance.keep(tmp_path / "silicon", "tollgate capture")
    texts = [compact(record) for record in measured().lines()]
    for number, image in enumerate(drawn(texts, (240, 256))):
        image.save(tmp_path / f"{number}.png")
    photos = [f"../{number}.png" for number in range(number + 1)]
    file = "../results.jsonl"
    lines = [["report", file, "--out=report"], ["compare", file, file, "--out=compare"]]
    lines += [["check", "../silicon"], ["markdown", file], ["export", file, "--out=t.csv"]]
    lines += [["scan", *photos, "--out=scan"]]
    lines += [["capture", "/dev/none"], ["scan", file]]
    assert {verb for verb, *_ in lines} == ANYWHERE
    before = files_of(packages)
    alone = each(packages, tmp_path / "alone", lines)
    assert files_of(packages) == before
    made = ["report/report.html", "compare/compare.html", "scan/results.jsonl"]
    assert all((tmp_path / "alone" / name).is_file() for name in [*made, "t.csv"])
    assert "unexpected" not in "".join(error for _, _, error in alone)
    assert [code for code, _, _ in alone] == [0] * 6 + [4, 4]


def test_the_line_that_installs_an_extra_is_one_that_works(packages: Path, tmp_path: Path) -> None:
    """Without the tree there is no .venv and no `.`: the packages are named, as they are pinned."""
    (info := packages / "tollgate-0.1.0.dist-info").mkdir()
    extra = "Provides-Extra: data\nRequires-Dist: pandas==3.1.1; extra == 'data'\n"
    also = "Requires-Dist: pillow-heif==1; extra == 'phone'\nRequires-Dist: rich==15.0.0\n"
    (info / "METADATA").write_text(f"Name: tollgate\nVersion: 0.1.0\n{extra}{also}")
    say = "from tollgate import extra; print(extra.line('data'))"
    alone, within = (
        python(where, tmp_path, "-c", say).stdout for where in (packages, ROOT / "tools")
    )
    shutil.rmtree(info)
    assert alone == f"{shlex.quote(sys.executable)} -m pip install pandas==3.1.1\n"
    assert within == ".venv/bin/pip install -e '.[data]'\n"


@pytest.mark.long
@pytest.mark.limit(3 * LIMIT)
def test_pip_installs_it(tmp_path: Path) -> None:
    """By pip itself, in an environment of its own; it needs the network."""
    copy = tmp_path / "copy"
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "tools", "kernel"]
    listed += ["tests/budgets.toml", "user/console/codes/words"]
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
    (picture,) = drawn([compact(record) for record in make_run().lines()])
    picture.save(tmp_path / "code.png")
    done = run([scripts / "tollgate", "scan", "code.png", "--out=out"], LIMIT, cwd=tmp_path)
    assert done.returncode == 0 and "code 1 of 1" in done.stdout, done.stdout
    table: list[str | Path] = [
        scripts / "tollgate",
        "export",
        "out",
        "--format=parquet",
        "--out=table",
    ]
    done = run(table, LIMIT, cwd=tmp_path)
    (line,) = re.findall("`(.*)`", done.stderr)
    assert run(shlex.split(line), LIMIT).returncode == 0, line
    assert run(table, LIMIT, cwd=tmp_path).returncode == 0
    assert (tmp_path / "table").read_bytes().startswith(b"PAR1")
