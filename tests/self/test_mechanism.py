"""docs/mechanism.md, followed like a newcomer: its examples, in a copy of the tree.

The page's blocks are applied unchanged: new files, or diffs whose context must occur once.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.teach.edits import patched
from tollgate.teach.grade import environment

from ..teach.test_exercises import clone_of, commit

PAGE = ROOT / "docs" / "mechanism.md"
BLOCK = re.compile(r"^```(nasm|diff) (\S+)\n(.*?)^```$", re.M | re.S)
TREE = "LICENSE Makefile arch.mk linker.ld pyproject.toml boot kernel user tools".split()


def blocks() -> Iterator[tuple[str, Path, str]]:
    """The blocks of the page: kind, file and text of each."""
    for kind, path, text in BLOCK.findall(PAGE.read_text()):
        yield kind, Path(path), text


def apply(tree: Path, kind: str, path: Path, text: str) -> None:
    """Apply one block of the page to a copy of the tree."""
    target = tree / path
    if kind == "nasm":
        assert not target.exists(), f"{path} is there already"
        target.write_text(text)
    else:
        target.write_text(patched(target.read_text(), text, str(path)))


def copy_of_tree(to: Path) -> Path:
    """Sources, tests and the build: times are kept, so that only changes are built again."""
    for name in TREE:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, to / name)
    shutil.copytree(ROOT / "tests", to / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for arch in ("i386", "amd64"):
        shutil.copytree(BUILD / arch, to / "build" / arch)
    return to


def run(tree: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=tree,
        env=environment(tree) | {"TMPDIR": "/tmp"},  # a socket's path has at most 107 bytes
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def tried(tree: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """The copy's own tests, with its own kernels."""
    return run(tree, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


@pytest.mark.long
def test_the_pages_examples_are_built_and_measured(tmp_path: Path) -> None:
    tree = copy_of_tree(tmp_path)
    for kind, path, text in blocks():
        apply(tree, kind, path, text)
    made = run(tree, "make", "-s", "-j2", "all")
    assert made.returncode == 0, made.stdout[-3000:]
    costs = "tests/suites/test_toll.py::test_rows_cost_what_their_budgets_say"
    contract = "tests/core/test_contract.py::"
    done = tried(
        tree,
        costs,
        f"{contract}test_registers_flags_segments_fpu_and_arguments",
        f"{contract}test_an_exception_or_interrupt_at_any_instruction_of_any_entry",
        f"{contract}test_every_way_to_die_is_the_programs_alone",
        "tests/attack/test_attack.py::test_every_attack_of_64_bits_ends_right_and_alone",
        "-k",
        "EPYC or Skylake or phenom",
    )
    assert done.returncode == 0, done.stdout[-6000:]
    budgets = tree / "tests" / "budgets.toml"
    lines = [li for li in budgets.read_text().splitlines() if not li.startswith('"int/lean"')]
    budgets.write_text("\n".join(lines) + "\n")
    done = tried(tree, f"{costs}[i386-EPYC]")
    assert done.returncode == 1 and "trusted/int/lean" in done.stdout, done.stdout[-3000:]
    assert "no budget" in done.stdout, done.stdout[-3000:]


OTHERS = {0x84: 0xA4, 0x88: 0xA8, 0x89: 0xA9, 0x8A: 0xAA, 0x8B: 0xAB}
"""Replacements of the page's vectors."""


def by_other_names(path: Path, text: str) -> tuple[Path, str]:
    """A block of the page, as by another contributor: other vectors, names and labels."""
    for vector, other in OTHERS.items():
        text = text.replace(f"{vector:#x}", f"{other:#x}").replace(
            f"int{vector:x}", f"int{other:x}"
        )
    names = {r"inttrap": "trapgate", r"(?<![a-z])lean": "clear"}
    for old, new in names.items():
        text = re.sub(old, new, text)
        path = Path(re.sub(old, new, str(path)))
    return path, text


@pytest.mark.long
@pytest.mark.weekly
@pytest.mark.limit(3600)
def test_all_tests_pass_with_the_pages_examples(tmp_path: Path) -> None:
    """`make test` in a clone with the examples, under other names and vectors than the page's."""
    tree = clone_of(tmp_path / "clone")
    for kind, path, text in blocks():
        apply(tree, kind, *by_other_names(path, text))
    done = run(tree, "make", "-s", "docs", "PART=budgets")
    assert done.returncode == 0, done.stdout[-3000:]
    commit(tree)
    done = run(tree, "make", "test", *shlex.split(os.environ.get("MECHANISM_TESTS", "")))
    assert done.returncode == 0, done.stdout[-6000:]


Spoil = Callable[[Path], None]


def without(path: str, pattern: str) -> Spoil:
    """A change that removes the matching lines from a file of the tree."""

    def spoil(tree: Path) -> None:
        file = tree / path
        kept, count = re.subn(rf"^.*{pattern}.*\n", "", file.read_text(), flags=re.M)
        assert count, f"{path} has nothing like {pattern}"
        file.write_text(kept)

    return spoil


def with_words(path: str, old: str, new: str) -> Spoil:
    def spoil(tree: Path) -> None:
        file = tree / path
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))

    return spoil


def without_file(path: str) -> Spoil:
    return lambda tree: (tree / path).unlink()


ENTRY = "kernel/core/entry/entry.def"
MECHANISM = "kernel/core/entry/mechanism.def"
FILES = {
    "the mechanism's file": (
        without_file("kernel/core/entry/inttrap.asm"),
        "there is no kernel/core/entry/inttrap.asm",
    ),
    "the file of a variant that not all have": (
        without_file("kernel/core/entry/syscall_lazy.asm"),
        "there is no kernel/core/entry/syscall_lazy.asm",
    ),
}
FORGOTTEN = {
    "the mechanism's row": (
        without(MECHANISM, r"MECHANISM\(inttrap"),
        "there is no MECHANISM(inttrap, ...)",
    ),
    "the mechanism's lines": (without(ENTRY, r"ROW\(inttrap"), "inttrap has no row"),
    "the function": (
        without("kernel/core/entry/select.c", "void arm_inttrap"),
        "inttrap is armed by arm_inttrap(), and kernel/core/entry/select.c has no such function",
    ),
    "a kernel half": (
        without("kernel/core/entry/inttrap.asm", "KERNEL inttrap_nowork"),
        "no kernel half for it: KERNEL inttrap_nowork_entry",
    ),
    "a user half": (
        without("kernel/core/entry/int.asm", "USER int_lean"),
        "no user half for it: USER int_lean_call",
    ),
    "the variant's row": (without(MECHANISM, r"VARIANT\(lean"), "there is no VARIANT(lean, ...)"),
    "the variant's lines": (
        without(ENTRY, r"ROW\(int, lean"),
        "`KERNEL int_lean_entry` belongs to no row",
    ),
    "another vector": (
        with_words(ENTRY, "VECTOR(0x84)", "VECTOR(0x83)"),
        "vector 0x83 is that of int/lean",
    ),
    "another vector, that has a name": (
        with_words(ENTRY, "VECTOR(0x84)", "VECTOR(0x80)"),
        "vector 0x80 is that of int/standard",
    ),
    "another vector, in other digits": (
        with_words(ENTRY, "VECTOR(0x84)", "VECTOR(131)"),
        "vector 0x83 is that of int/lean",
    ),
    "a vector that there is not": (
        with_words(ENTRY, "VECTOR(0x84)", "VECTOR(0x184)"),
        "vector 0x184 is out of range: that of an INT lies from 128 to 255",
    ),
    "the vector of an exception": (
        with_words(ENTRY, "VECTOR(0x84)", "VECTOR(VECTOR_PF)"),
        "vector VECTOR_PF is out of range",
    ),
    "a vector without a number": (
        with_words(ENTRY, "VECTOR(0x84)", "VECTOR(VECTOR_LEAN)"),
        "`VECTOR_LEAN` is no number, and kernel/const.h has no such vector",
    ),
    "the vector": (
        with_words(ENTRY, ", VECTOR(0x84)", ""),
        "int/lean has no VECTOR(n), and its user half makes INT VECTOR_int_lean",
    ),
    "another row's vector in a user half": (
        with_words("kernel/core/entry/int.asm", "VECTOR_int_lean", "VECTOR_int_bare"),
        "the user half of int/lean makes INT VECTOR_int_bare: its own is VECTOR_int_lean",
    ),
    "a user half that knows its number": (
        with_words("kernel/core/entry/int.asm", "VECTOR_int_lean", "0x84"),
        "the user half of int/lean makes INT 0x84: its own is VECTOR_int_lean",
    ),
    "what a variant answers": (
        with_words(MECHANISM, "VARIANT(lean, service)", "VARIANT(lean, servise)"),
        "lean answers `servise`: it is one of nothing service calls",
    ),
    "what arms it": (
        with_words(MECHANISM, "arm_inttrap, ", ""),
        "MECHANISM(inttrap, ...) lacks a column: they are name, origins, armed by, manual",
    ),
    "who has a variant": (
        with_words(ENTRY, " ONLY(amd64/user)", ""),
        "syscall/lazy has no ONLY(...), so all origins of syscall have it",
    ),
    "a kernel by its name": (
        with_words(ENTRY, "ONLY(amd64/user)", "ONLY(amd46/user)"),
        "there is no kernel `amd46`: they are i386 amd64",
    ),
    "a word of the last column": (
        with_words(MECHANISM, "VARIANT(bare, nothing, QUIET)", "VARIANT(bare, nothing, QUITE)"),
        "`QUITE` is no word of this column: they are NEEDS",
    ),
    "a register": (
        with_words(ENTRY, '"cg1", CLOBBERS_64(CX | R11)', '"cg1", CLOBBERS_64(ECX | R11)'),
        "`ECX` is no register or flag of TOLL_CHANGES",
    ),
    "a bit of CPUID": (
        with_words(MECHANISM, "NEEDS(SEP)", "NEEDS(SYSENTER)"),
        "`SYSENTER` is no bit of kernel/core/cpu/features.def",
    ),
    "a row that is there": (
        with_words(ENTRY, "ROW(int, lean,", "ROW(int, bare,"),
        "int/bare is there twice",
    ),
    "a variant that is there": (
        with_words(MECHANISM, "VARIANT(lean, service)", "VARIANT(bare, service)"),
        "bare is there twice",
    ),
    "an exception's kernel halves": (
        without("kernel/core/entry/exception.asm", "HALVES gp"),
        "exception.asm has no kernel halves for it: HALVES gp, VECTOR_GP",
    ),
    "an exception's vector": (
        with_words(
            "kernel/core/entry/exception.asm", "HALVES gp, VECTOR_GP", "HALVES gp, VECTOR_PF"
        ),
        "exception.asm has no kernel halves for it: HALVES gp, VECTOR_GP",
    ),
    "an exception's way back": (
        without("kernel/core/entry/exception.asm", "define FIX_UP_gp"),
        "does not say what its way back needs: %define FIX_UP_gp",
    ),
    "a mechanism's kernel by its name": (
        with_words(MECHANISM, "MECHANISM(inttrap, user", "MECHANISM(inttrap, i368/user"),
        "there is no kernel `i368`: they are i386 amd64",
    ),
    "an origin by its name": (
        with_words(MECHANISM, "MECHANISM(inttrap, user compat", "MECHANISM(inttrap, user compact"),
        "there is no origin `compact`",
    ),
}


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's examples in a minimal tree, enough for the check of the tables."""
    tree = tmp_path_factory.mktemp("examples")
    for name in ("Makefile", "arch.mk"):
        shutil.copy2(ROOT / name, tree / name)
    shutil.copytree(ROOT / "kernel", tree / "kernel")
    shutil.copytree(ROOT / "tools", tree / "tools", ignore=shutil.ignore_patterns("*egg-info"))
    for kind, path, text in blocks():
        if (tree / path).parent.exists():
            apply(tree, kind, path, text)
    return tree


def test_the_pages_examples_agree(examples: Path) -> None:
    for arch in ("i386", "amd64"):
        checked = run(examples, "make", "-s", f"build/{arch}/rows.checked")
        assert checked.returncode == 0, checked.stdout


def test_a_mechanism_may_be_one_kernels(examples: Path, tmp_path: Path) -> None:
    """The other has none of its rows, and no file of it."""
    tree = spoilt(
        examples,
        tmp_path,
        with_words(MECHANISM, "MECHANISM(inttrap, user compat", "MECHANISM(inttrap, i386/user"),
    )
    for arch, here in (("i386", 1), ("amd64", 0)):
        made = run(
            tree, "make", "-s", *(f"build/{arch}/rows.{what}" for what in ("def", "checked"))
        )
        assert made.returncode == 0, made.stdout
        rows = (tree / "build" / arch / "rows.def").read_text()
        assert f"HERE(inttrap, {here})" in rows
        assert rows.count("ROW(toll, user, inttrap,") == 4 * here


def spoilt(examples: Path, to: Path, spoil: Spoil) -> Path:
    tree = to / "tree"
    shutil.copytree(examples, tree)
    spoil(tree)
    return tree


@pytest.mark.parametrize("piece", FILES)
def test_a_forgotten_file_is_told_before_anything_is_compiled(
    examples: Path, tmp_path: Path, piece: str
) -> None:
    spoil, sentence = FILES[piece]
    checked = run(spoilt(examples, tmp_path, spoil), "make", "-s", "build/amd64/kernel.elf")
    assert checked.returncode, f"{piece}: nobody missed it"
    assert sentence in checked.stdout, checked.stdout
    assert "error:" not in checked.stdout


def test_what_is_forgotten_is_told(examples: Path) -> None:
    told = run(examples, "make", "-n", "-W", "tools/rows.awk", "build/amd64/rows.checked").stdout
    check = next(line for line in told.splitlines() if "want=check" in line)
    was = {
        file: file.read_text()
        for file in (examples / "kernel/core/entry").iterdir()
        if file.is_file()
    }
    for piece, (spoil, sentence) in FORGOTTEN.items():
        spoil(examples)
        checked = run(examples, "sh", "-c", check)
        assert checked.returncode, f"{piece}: nobody missed it"
        assert sentence in checked.stdout, checked.stdout
        for file, text in was.items():
            file.write_text(text)
