"""Mutants by operators that are not ours: those of universalmutator, a package of PyPI.

    make test PART=universal SEED=1 N=300       the seed is the date unless it is given

The lines are drawn by the seed, one mutant of each: a third of them in the code of the host, a
third in the suites, a third in the kernel. A mutant that does not build, or builds the same, does
not count. It is tried with the tests that our own mutants of its file, of its folder and of the
neighbouring files name, that import its module or boot its suite, and with its folders' tests.
Each verdict is a line of build/universal.jsonl. A later run tries only new mutants and survivors.
A survivor that changes nothing is a line of same.txt, with the reason.
"""

import ast
import contextlib
import itertools
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from subprocess import check_output
from types import CodeType

from tollgate.machines.boot import BUILD
from tollgate.machines.child import LimitError
from tollgate.machines.cleanup import folder

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.mutants import run
from tests.mutants.operators import OPERATORS, ROOT, Operator

PARTS = {
    "host": ("tools/tollgate/records/*.py", "tools/tollgate/show/*.py"),
    "suites": ("user/suites/*.c", "user/lib/*.c"),
    "kernel": ("kernel/*.c", "kernel/*.asm"),
}
RULES = {".py": ("universal", "python"), ".c": ("universal", "c_like"), ".asm": ("universal",)}
RECORDS = BUILD / "universal.jsonl"
WORDS = run.HERE / "same.txt"
NEITHER = ("tests/suites/", "tests/core/", "tests/unix/", "tests/console/")
SETTLED = ("same", "no build", "caught")
SHORT = ("-m", "not long and not weekly")


def naming(file: str) -> list[str]:
    """The files of tests that import a module of the host, or boot a suite."""
    places: tuple[str, ...] = ("tests/*/",)
    says = rf"(?m)^from tollgate\b.*\b{Path(file).stem}\b"
    if file.startswith("user/suites/"):
        suite = Path(file).parts[2].removesuffix(".c")
        places, says = NEITHER, rf"""["'=]{suite}\b"""
    elif not file.endswith(".py"):
        return []
    says = rf"{says}|test_{Path(file).stem}\.py"
    tests = sorted(test for place in places for test in ROOT.glob(f"{place}test_*.py"))
    return [str(t.relative_to(ROOT)) for t in tests if re.search(says, f"{t}\n{t.read_text()}")]


def about(file: str) -> tuple[str, ...]:
    """The tests that mutants of a file name, then those of the folders of its name."""
    ours: list[run.Mutant | Operator] = [*run.read(run.TABLE.read_text()), *OPERATORS]
    named = [test for one in ours if file in one.files for test in one.tests]
    near = Path(file).parent
    beside = [t for one in ours if near in {Path(f).parent for f in one.files} for t in one.tests]
    own = [f"tests/{part}/" for part in Path(file).parts if (ROOT / "tests" / part).is_dir()]
    always = ["tests/command/"] if file.endswith(".py") else ["tests/suites/", "tests/unit/"]
    return (*SHORT, *dict.fromkeys([*named, *naming(file), *(own or NEITHER), *always, *beside]))


def draw(part: str, seed: str) -> Iterator[run.Made]:
    """The mutants of a part, at most one of each line."""
    from universalmutator.mutator import mutants_regexp

    chance = random.Random(f"{seed} {part}")
    listed = check_output(["git", "ls-files", *PARTS[part]], cwd=ROOT, text=True).split()
    texts = {file: (ROOT / file).read_text().splitlines(keepends=True) for file in listed}
    every = [(file, line) for file, text in texts.items() for line in range(1, len(text) + 1)]
    for file, line in chance.sample(every, len(every)):
        with contextlib.redirect_stdout(sys.stderr):
            made = mutants_regexp(texts[file], [*RULES[Path(file).suffix]], ignorePatterns=[])
        if found := [new for at, new, *_ in made if at == line]:
            new, lines = chance.choice(found), texts[file]
            what = f"{lines[line - 1].strip()} ==> {' '.join(new.split())}"
            text = "".join([*lines[: line - 1], new, *lines[line:]])
            edit = run.Edit(file, "".join(lines), text)
            yield run.Made(f"{file}:{line}: {what}", f"{file}: {what}", about(file), (), [edit])


def code(text: str) -> CodeType:
    """What Python runs of a file: without comments, docstrings, types and places."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in {"annotation", "returns"} & set(node._fields):
            setattr(node, name, ast.Constant(0))
        vars(node).update(dict.fromkeys(node._attributes, 1))
    return compile(ast.fix_missing_locations(tree), "", "exec", optimize=2)


def same(file: str, copy: run.Copy) -> bool:
    """Whether a file's mutant builds as the file does."""
    if file.endswith(".py"):
        return code((copy.tree / file).read_text()) == code((copy.pristine / file).read_text())

    def bare(made: Path) -> bytes:
        to = copy.pristine.parent / "bare"
        without = copy.run("strip", "-g", "-o", to, made)  # (refuses one that has no sections)
        return made.read_bytes() if without.returncode else to.read_bytes()

    for made in (copy.tree / run.KEPT).rglob("*.o"):
        was = copy.pristine / made.relative_to(copy.tree)
        if made.stat().st_mtime_ns != was.stat().st_mtime_ns and bare(made) != bare(was):
            return False
    return True


def judge(mutant: run.Made, copy: run.Copy) -> tuple[str, str]:
    """The verdict about a mutant, and the test that catches it."""
    try:
        run.make(mutant, copy)
        if same(mutant.files[0], copy):
            return "same", ""
        for _ in "twice":
            with contextlib.suppress(LimitError):
                told = run.catch(mutant, copy)
                one = re.findall(f"^{run.TEST}", told)
                again = one or copy.pytest(*mutant.tests).returncode
                copy.restore(mutant.files)
                without = copy.pytest(*(one or mutant.tests)).returncode
                return ("unclear" if without or not again else "caught"), told
        copy.restore(mutant.files)
        with contextlib.suppress(LimitError):
            copy.pytest(*mutant.tests)
            return "caught", "the tests do not end"
        return "unclear", "the tests do not end without it either"
    except run.NoBuildError as error:
        return "no build", str(error)
    except run.MutantError as error:
        return "SURVIVED", str(error)


def main(count: str = "", seed: str = "") -> int:
    """Print each verdict, and the score; 0 if all is clear and every survivor has a word."""
    run.LIMIT = 600
    Path("/proc/self/oom_score_adj").write_text("1000")  # some mutants collect without end
    lines = RECORDS.read_text().splitlines() if RECORDS.exists() else []
    known: dict[str, list[str]] = {
        name: [verdict, told]
        for name, verdict, told in map(json.loads, lines)
        if verdict in SETTLED
    }
    seed = seed or str(date.today())
    words = WORDS.read_text()
    score: Counter[tuple[str, str]] = Counter()
    with folder("tollgate-mutants-") as place, RECORDS.open("a", buffering=1) as records:
        copies = run.copied(place)
        for part in PARTS:
            drawn, left = draw(part, seed), int(count or 300) // len(PARTS)
            while batch := [*itertools.islice(drawn, left)]:
                fresh = run.each([m for m in batch if m.name not in known], copies, judge)
                for mutant in batch:
                    verdict, told = known.get(mutant.name) or next(fresh)
                    records.write(json.dumps([mutant.name, verdict, told]) + "\n")
                    if verdict == "SURVIVED" and f"{mutant.drops}: " in words:
                        verdict, told = "survived", words.partition(f"{mutant.drops}: ")[2]
                    score[part, verdict] += 1
                    left -= verdict not in SETTLED[:2]
                    said = told.partition("\n")[0][:200]
                    print(f"{part} {left} left: {mutant.name}: {verdict} {said}", flush=True)
    for (part, verdict), number in score.items():
        print(f"seed {seed}, {part}, {verdict}: {number}")
    return 1 if {"SURVIVED", "unclear"} & {verdict for _, verdict in score} else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
