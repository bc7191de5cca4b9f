"""Shows that the tests notice errors: each mutant makes Tollgate measure, or promise, something
else, and a test must fail.

    make test PART=mutants                    all of table.txt, and all that operators.py makes
    make test PART=mutants N=callgate,report  those whose names hold one of these words
    run.py '' COUNT SEED            so many, chosen by the seed

A run of all that the operators make writes its score into docs/results.md.

Each mutant is made in a copy of the tree that has the build in it, so make builds only what hangs
on it; then the copy is as it was.  A mutant is caught by a test that passes without it and fails
with it twice.  A mutant of the table whose lines are not there any more, one that does not build
and one that survives are failures; of operators.py's, those that do not build are left out.
"""

import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tollgate.machines import child
from tollgate.machines.cleanup import folder
from tollgate.machines.signals import heed
from tollgate.self import documents
from tollgate.teach.grade import environment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))
from tests.mutants.operators import Place, places  # noqa: E402

WORKERS = 2
LIMIT = 3600.0
"""Seconds that a build or a run of tests may use."""
KEPT = "build"
DISK = ROOT / KEPT / "disk.img"
TARGETS = {
    "i386": ("build/i386/kernel.elf", "build/i386/core.elf", "build/i386/initrd.cpio"),
    "amd64": (
        *("build/amd64/kernel.elf", "build/amd64/kernel32.elf", "build/amd64/core32.elf"),
        "build/amd64/initrd.cpio",
    ),
}
"""The files that a kernel's tests boot."""
MADE = ("lists", "qrcodegen", "codes.words", "codes.words.c", "hostile.def")
BUILT = ("kernel/", "user/", "boot/", "linker.ld", "arch.mk", "Makefile", "tools/initrd.sh")
"""The parts of the tree that they are made of."""
HOSTS = ("tests/self/", "tests/unit/")
"""Tests that boot nothing, and build their own needs."""
RESULTS = ROOT / "docs" / "results.md"
TABLE = HERE / "table.txt"
UNEXPLAINED = "not explained"
TEST = r"\S+?::\w+(?:\[.*?\](?=: | - |$))?"
"""A test's name, as it begins what is said of it: its parameters may have spaces and colons."""
T = TypeVar("T")
M = TypeVar("M", bound="Mutant")


@dataclass
class Edit:
    """Lines of a file, and their replacement."""

    file: str
    old: str = ""
    new: str = ""


@dataclass
class Mutant:
    """A mistake in table.txt: its name, what it drops, and the tests that must see it."""

    name: str
    drops: str
    tests: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    """Tests that do not see it, which shows what the others test."""
    edits: list[Edit] = field(default_factory=list)
    place: Place | None = None
    """Where operators.py has made it."""

    @property
    def files(self) -> list[str]:
        """The files that it changes."""
        return [edit.file for edit in self.edits]

    def apply(self, tree: Path) -> None:
        """Make the mistake; MutantError if the code has changed."""
        for edit in self.edits:
            path = tree / edit.file
            text = f"\n{path.read_text()}" if path.exists() else ""
            if text.count(f"\n{edit.old}") != 1:
                raise MutantError(
                    f"{TABLE.name}: {self.name} does not apply any more: {edit.file} must have its "
                    "lines once."
                )
            path.write_text(text.replace(f"\n{edit.old}", f"\n{edit.new}")[1:])


class Made(Mutant):
    """A mutant that operators make: some do not build."""


def of_place(place: Place) -> Made:
    """An operator's mutant."""
    edit = Edit(place.file, *place.texts())
    operator = place.operator
    return Made(place.name, operator.drops, operator.tests, edits=[edit], place=place)


class MutantError(Exception):
    """A sentence about an invalid mutant."""


class NoBuildError(MutantError):
    """It does not build."""


def read(table: str) -> list[Mutant]:
    """The mutants of a table; MutantError for one that names no test or changes nothing."""
    found: list[Mutant] = []
    for line in table.splitlines():
        if line.startswith("#"):
            continue
        if line[:1] in ("", " ", "-", "+"):
            edit, kind = found[-1].edits[-1], line[:1]
            edit.old += f"{line[1:]}\n" if kind != "+" else ""
            edit.new += f"{line[1:]}\n" if kind != "-" else ""
        elif ": " in line:
            name, _, drops = line.partition(": ")
            found.append(Mutant(name, drops))
        else:
            file, *tests = line.split(", ")
            found[-1].edits.append(Edit(file))
            found[-1].tests += tuple(test for test in tests if test[0] != "!")
            found[-1].unseen += tuple(test[1:] for test in tests if test[0] == "!")
    for each in found:
        if not each.tests or any(edit.old == edit.new for edit in each.edits):
            raise MutantError(f"{TABLE.name}: {each.name} names no test, or changes nothing.")
    return found


class Copy:
    """A copy of the tree and its build, and its state before a mutant."""

    def __init__(self, folder: Path) -> None:
        self.pristine, self.tree = folder / "pristine", folder / "tree"
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (self.pristine / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.pristine / name)
        for part in (*TARGETS, *MADE):
            _copy(ROOT / KEPT / part, self.pristine / KEPT / part)
        if DISK.exists():
            shutil.copy2(DISK, self.pristine / KEPT)
        for command in ("init -q", "add ."):  # (some tests ask for the tracked files)
            subprocess.run(["git", *command.split()], cwd=self.pristine, check=True)
        _date(self.pristine, ROOT)
        _copy(self.pristine, self.tree)

    def restore(self, changed: Sequence[str]) -> None:
        """Restore the tree, including the files' times, after these have changed."""
        if not built(changed):
            for name in changed:  # (Python's caches of the others stay valid)
                shutil.copy2(self.pristine / name, self.tree / name)
                for made in (self.tree / name).parent.glob(f"__pycache__/{Path(name).stem}.*"):
                    made.unlink()
            return
        for path in sorted(self.tree.rglob("*"), reverse=True):
            was = self.pristine / path.relative_to(self.tree)
            if path.is_symlink() or not path.is_file() or path.parent.name == "__pycache__":
                continue
            if not was.exists():
                path.unlink()
            elif _stamp(path) != _stamp(was):
                shutil.copy2(was, path)
        for was in self.pristine.rglob("*"):
            path = self.tree / was.relative_to(self.pristine)
            if was.is_file() and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(was, path)
        _date(self.tree, self.pristine)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command in the tree, with its own tools and build."""
        env = environment(self.tree) | {"COLUMNS": "400", "NO_COLOR": "1"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # each mutant would compile all tests
        return child.run([str(word) for word in command], LIMIT, cwd=self.tree, env=env, merge=True)

    def pytest(self, *tests: str, stop: bool = True) -> subprocess.CompletedProcess[str]:
        """Run tests in the tree."""
        quiet = ["-q", "-vv", "-rf", "--no-header", "--tb=no"]
        without = ["-p", "no:cacheprovider", "-p", "no:xdist"]
        options = [*quiet, *without, *(["-x"] if stop else [])]
        return self.run(sys.executable, "-m", "pytest", *options, *tests)


def _copy(old: Path, new: Path) -> None:
    """Copy a file or a folder as it is; a file of the disk has 5 GB of holes."""
    new.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", "--sparse=always", str(old), str(new)], check=True)


def _date(tree: Path, like: Path) -> None:
    """Give each folder the times of another tree, because some products list a folder's names."""
    for place in tree.rglob("*"):
        was = like / place.relative_to(tree)
        if place.is_dir() and was.is_dir():
            shutil.copystat(was, place)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def built(files: Sequence[str]) -> bool:
    """Whether something must be rebuilt when these have changed."""
    return any(name.startswith(BUILT) for name in files)


def targets(files: Sequence[str], tests: Sequence[str]) -> list[str]:
    """The files to build for these tests when these sources have changed.

    A test that names a kernel boots that one; one without a name may boot either.
    """
    boots = [test for test in tests if not test.startswith(HOSTS)]
    named = [arch for arch in TARGETS if any(arch in test for test in boots)]
    if any(not any(arch in test for arch in TARGETS) for test in boots):
        named = list(TARGETS)
    return [made for arch in named for made in TARGETS[arch]] if built(files) else []


def make(mutant: Mutant, copy: Copy) -> None:
    """Make a mutant in a copy, and build it; NoBuildError if it does not build."""
    mutant.apply(copy.tree)
    for name in mutant.files:
        if name.endswith(".py"):
            try:
                compile((copy.tree / name).read_text(), name, "exec")
            except SyntaxError as error:
                raise NoBuildError(f"{mutant.name} does not build: {error}.") from error
    if wanted := targets(mutant.files, mutant.tests):
        made = copy.run("make", "-s", *wanted)
        if made.returncode:
            last = made.stdout.strip().splitlines()[-3:]
            raise NoBuildError(f"{mutant.name} does not build: {' / '.join(last)}.")


def catch(mutant: Mutant, copy: Copy) -> str:
    """The test that caught a mutant that is made, and how; MutantError without one."""
    ran = copy.pytest(*mutant.tests)
    if ran.returncode == 0:
        raise MutantError(f"{mutant.name} SURVIVED {', '.join(mutant.tests)}: it {mutant.drops}.")
    failed = re.search(rf"(?m)^FAILED ({TEST})(?: - (.*))?$", ran.stdout)
    broken = re.compile(r"\b\d+ errors? in ")
    if isinstance(mutant, Made) and not failed and broken.search(ran.stdout):
        if not broken.search(copy.pytest(*mutant.tests).stdout):
            raise MutantError(f"{mutant.name}: its tests could not begin, and then could.")
        return "the tests, which cannot even begin"
    if "does not build" in ran.stdout:
        raise NoBuildError(f"{mutant.name} does not build.")
    if ran.returncode != 1 or not failed:
        last = ran.stdout.strip().splitlines()[-1:]
        raise MutantError(f"{mutant.name}: the tests did not run: {' '.join(last)}.")
    if copy.pytest(failed[1]).returncode != 1:
        raise MutantError(f"{mutant.name}: {failed[1]} failed with it, and then did not.")
    if mutant.unseen and copy.pytest(*mutant.unseen, "-m", "not long").returncode:
        raise MutantError(f"{mutant.name}: tests that should not see it do.")
    return f"{failed[1]}: {(failed[2] or '').strip()[:140]}"


def main(words: str = "", count: str = "", seed: str = "1") -> int:
    """Try the mutants; 0 if every one was caught."""
    mutants = [*read(TABLE.read_text()), *map(of_place, places())]
    wanted = words.split(",")
    mutants = [mutant for mutant in mutants if any(word in mutant.name for word in wanted)]
    if count:
        mutants = random.Random(int(seed)).sample(mutants, int(count))
    if not mutants:
        print(f"mutants: none has {words!r} in its name.", file=sys.stderr)
        return 2
    heed(signal.default_int_handler)
    with folder("tollgate-mutants-") as place:
        return try_all(mutants, place)


def score(made: int, unbuilt: int, survived: Sequence[Place]) -> str:
    """The result in Markdown: how many are caught, and the survivors' names."""
    names = [
        f"- `{place.operator.name}`, `{place.where}`: {place.survives or UNEXPLAINED}"
        for place in survived
    ]
    tried = made - unbuilt
    caught = tried - len(names)
    said = (
        f"Of {made} mutants {tried} were tried, and {caught} caught: {caught * 100 / tried:.1f} %."
    )
    said += " Those that survive:" if names else " None survives."
    return "\n".join([said, *([""] * bool(names)), *names]) + "\n"


def copied(place: Path) -> queue.Queue[Copy]:
    """A copy for each worker."""
    copies: queue.Queue[Copy] = queue.Queue()
    for number in range(WORKERS):
        copies.put(Copy(place / str(number)))
    return copies


def each(
    mutants: Sequence[M], copies: queue.Queue[Copy], judge: Callable[[M, Copy], T]
) -> Iterator[T]:
    """What `judge` says of each mutant, which has a copy to itself."""

    def one(mutant: M) -> T:
        copy = copies.get()
        try:
            return judge(mutant, copy)
        finally:
            copy.restore(mutant.files)
            copies.put(copy)

    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        yield from pool.map(one, mutants)


def try_all(mutants: Sequence[Mutant], where: Path) -> int:
    """Try them, each worker in a copy of its own, a line for each as it ends; 1 if one survives."""
    copies = copied(where)
    first = copies.get()
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    print(
        f"{len(mutants)} mutants, {len(tests)} tests; first the tests without a mutant", flush=True
    )
    ran = first.pytest(*tests, stop=False)
    first.restore(list(BUILT))
    copies.put(first)
    if ran.returncode:
        print("mutants: these fail without any mutant:\n" + ran.stdout, file=sys.stderr)
        return 1
    survived = unknown = unbuilt = 0
    made: list[Place] = []
    left: list[Place] = []

    def one(mutant: Mutant, copy: Copy) -> tuple[Mutant, str, bool]:
        try:
            make(mutant, copy)
            return mutant, catch(mutant, copy), True
        except NoBuildError as error:
            return mutant, str(error), isinstance(mutant, Made)
        except MutantError as error:
            return mutant, str(error), False

    for number, (mutant, told, good) in enumerate(each(mutants, copies, one), start=1):
        survived += not good
        unbuilt += good and "does not build" in told
        place = mutant.place
        made += [place] if place else []
        left += [place] if place and not good else []
        unknown += not good and not (place and place.survives)
        verdict = "caught by" if good else "known:" if place and place.survives else "NOT CAUGHT:"
        print(f"[{number:2}/{len(mutants)}] {mutant.name}: {verdict} {told}", flush=True)
    if set(made) == set(places()):
        documents.put(RESULTS, "mutants", score(len(made), unbuilt, left))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime
    tried = len(mutants) - unbuilt
    print(f"{tried - survived} of {tried} caught; {spent:.0f} s of processor time")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
