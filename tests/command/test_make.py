"""make as a person uses it: an unknown word is refused, and a build shows its progress."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tollgate.cli import make_parser
from tollgate.machines.boot import BUILD, ROOT


def make(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("PLATFROM=kvm", "There is no variable PLATFROM; `make help ALL=1' lists them"),
        ("PART=zzz", "There is no part zzz; PART is short, long, "),
        ("suite=toll", "There is no variable suite; `make help ALL=1' lists them"),
        ("CC=tcc-that-is-not-there", "There is no compiler tcc-that-is-not-there;"),
    ],
)
def test_a_misspelt_word_is_refused(word: str, told: str) -> None:
    done = make(word, "help")
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Root may write anywhere but to a file system that is mounted for reading."""
    for name in ("Makefile", "arch.mk"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    tmp_path.chmod(0o555)
    mount = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path}"
    command = ["make", "-C", str(tmp_path), "bench"]
    if os.geteuid() == 0:
        apart = ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"]
        if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
            pytest.skip("this root may not mount")
        command = [*apart, *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Nothing can be written to this folder; make needs a copy of its own" in done.stderr


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        (["run", "FREEZE=0", "CMDLINE=suite=a 'b c' $d"], r"--cmdline='suite=a '\''b c'\'' $d' "),
        (["run", "FREEZE=1"], "--freeze"),
        (["linux", "MINIMAL=1"], "--samples='' --minimal"),
        (["grade", "X=leak;ls", "TREE=a b"], "--tree='a b' "),
        (["grade", "X=leak;ls"], "'leak;ls'"),
    ],
)
def test_a_value_reaches_the_verb_as_it_was_typed(words: list[str], runs: str) -> None:
    *_, line = make("-n", *words).stdout.replace("\\\n", "").splitlines()
    assert f"{runs.strip()} " in f"{line} "
    assert ("--freeze" in line) == ("FREEZE=1" in words)


MOST = 20
"""Targets for people, and `help`; verbs without a build are typed as verbs."""
EVERY = {"CC", "V", "JOBS", "BUILD", "SANITIZE"}
"""Variables of the build, allowed with every target."""


def takes() -> dict[str, set[str]]:
    """Each target in the help, with the variables in its paragraph."""
    found: dict[str, set[str]] = {}
    target = "all"
    for line in re.findall(r"^#[:-] (.*)$", (ROOT / "Makefile").read_text(), re.M):
        if begins := re.match(r" *make( [a-z-]+)? ", line):
            target = (begins[1] or "all").strip()
        found.setdefault(target, set()).update(re.findall(r"\b([A-Z]+)=", line))
    return found


def recipes() -> dict[str, tuple[list[str], str]]:
    """Each target for people: its prerequisites and its recipe, as written."""
    source = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    for name in ("CHOICE", "MEASURE", "OF_SUITE", "PYTEST", "OWN_JOBS", "MAKE_IT"):
        found = re.search(rf"^{name} *= (.*)", source, re.M)
        assert found, name
        source = source.replace(f"$({name})", found[1])
    parts = "; ".join(re.findall(r"^RUN_[a-z]+ *= (.*)", source, re.M))
    source = source.replace("$(RUN_$(or $(PART),short))", f"{parts} $(or $(PART),short)")
    rules = re.findall(r"^([a-z -]+):(?!=)(.*)\n((?:\t.*\n)*)", source, re.M)
    return {name: (needs.split(), text) for names, needs, text in rules for name in names.split()}


def used(rules: dict[str, tuple[list[str], str]], target: str) -> set[str]:
    """Variables for people in a recipe and its prerequisites (SUITE: for builds)."""
    needs, text = rules.get(target, ([], ""))
    own: set[str] = set(re.findall(r"[(,]([A-Z]+)\)", text)) & EVERY.union(*takes().values())
    return own.union(*(used(rules, need) for need in needs if need != "built"))


def test_help_names_the_variables_that_a_target_takes_and_no_others() -> None:
    known, rules = takes(), recipes()
    assert {name: each - EVERY for name, each in known.items()} == {
        name: used(rules, name) - EVERY for name in known
    }
    assert MOST - 5 < len(known) <= MOST
    assert known["run"] >= {"ARCH", "ADD", "CMDLINE"}


def test_a_word_that_a_recipe_gives_to_make_is_accepted() -> None:
    recipes = re.findall(r"^.*\$\(MAKE\) .*", (ROOT / "Makefile").read_text(), re.M)
    given = {word for line in recipes for word in re.findall(r" ([A-Z]+=\w+)", line)}
    assert given
    assert make(*given, "help").returncode == 0, given


def test_help_is_one_screen_in_three_groups_and_all_of_it_when_asked() -> None:
    lines, whole = (make("help", *more).stdout.splitlines() for more in ([], ["ALL=1"]))
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert [line for line in lines if line[0] != " "][:3] == ["use", "learn", "develop"]
    assert set(lines) < set(whole)
    targets = {match[1] for line in whole if (match := re.match("  make ([a-z-]+)  ?", line))}
    assert targets | {"all", "help"} == set(takes())


def test_a_target_of_a_verbs_name_calls_that_verb() -> None:
    """There is one front door; the other targets are only make's, or need no build."""
    actions = make_parser()._subparsers._group_actions  # type: ignore[union-attr]
    verbs, rules = set(actions[0].choices or ()), recipes()
    both = verbs & rules.keys()
    assert both >= {"bench", "run", "show", "linux", "lesson", "grade", "book", "gdb"}
    for name in both:
        assert re.search(r"\$\(TOLLGATE\) \$@", rules[name][1]), name


DOCUMENTS = ("*.md", "docs/*.md", "exercises/*/*.md", "tools/gdb/*.md")


def test_every_make_line_of_the_documents_is_accepted() -> None:
    lines = {
        (file.name, line)
        for pattern in DOCUMENTS
        for file in ROOT.glob(pattern)
        for line in re.findall(
            r"(?:`|^ {4})make ([a-z][a-z-]*(?: [A-Z]+=[^`\n#]*))", file.read_text(), re.M
        )
    }
    assert len(lines) > 20
    for file, line in lines:
        target, *words = shlex.split(line)
        given = {word.partition("=")[0] for word in words if "=" in word}
        assert given <= EVERY | takes()[target], (file, line)


class Makefile:
    """A Makefile for three files, one of which may fail."""

    def __init__(self, folder: Path, broken: bool = False) -> None:
        self.path = folder / "Makefile"
        rule = "echo oops >&2; false" if broken else "touch b"
        self.path.write_text(
            "all: a b c\n"
            'a c:\n\t@echo "  CC     $@"\n\t@touch $@\n'
            f'b:\n\t@echo "  CC     $@"\n\t@{rule}\n'
        )
        self.command = ["make", "-s", "-C", str(folder), "all"]


def built(tree: Makefile, setup: str = "true") -> subprocess.CompletedProcess[str]:
    """The build of this tree in parallel to a setup, as make starts it: without Python packages."""
    command = ["python3", "-S", "-m", "tollgate.build", setup, *tree.command]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_build_is_two_lines_where_nothing_moves(tmp_path: Path) -> None:
    done = built(Makefile(tmp_path))
    first, last = done.stdout.splitlines()
    assert first == "building 3 files ..."
    assert re.fullmatch(r"built 3 files in \d+ s\.", last)
    assert (tmp_path / "c").exists() and done.returncode == 0
    again = built(Makefile(tmp_path), "echo 'the setup is there'")
    assert (again.returncode, again.stdout) == (0, "the setup is there\n")


def test_a_build_or_a_setup_that_fails_says_so(tmp_path: Path) -> None:
    done = built(Makefile(tmp_path, broken=True))
    assert done.returncode == 4
    assert "oops" in done.stderr and "make: the build failed" in done.stderr
    done = built(Makefile(tmp_path), "echo 'setup: no room' >&2; exit 4")
    assert (done.returncode, done.stderr) == (4, "setup: no room\n")


def test_a_make_that_was_given_jobs_is_quiet() -> None:
    assert make("-j4", "-n", "built").stderr == ""


def test_a_bench_boots_what_the_compiler_that_was_named_has_built() -> None:
    assert make("-pn", "CC=clang", "help").stdout.count(f"TOLLGATE_BUILD := {ROOT}/build-clang\n")
    assert make("-pn", "help").stdout.count(f"TOLLGATE_BUILD := {ROOT}/build\n")


def test_a_change_of_the_makefile_makes_again_what_its_commands_make(tmp_path: Path) -> None:
    """A product depends on a file with its commands; this shows which of these files change, and
    when.
    """
    text = (ROOT / "Makefile").read_text()
    other, kept = tmp_path / "Makefile", tmp_path / "build" / "i386" / "recipes"

    def changed(old: str, new: str) -> set[str]:
        assert old in text
        before = {file.name: file.read_text() for file in kept.glob("*")}
        other.write_text(text.replace(old, new))
        assert make("-f", str(other), f"BUILD={tmp_path}/build", "help").returncode == 0
        return {file.name for file in kept.glob("*") if file.read_text() != before.get(file.name)}

    assert changed("", "") >= {"cc_kernel", "cc_user", "nasm_entry", "rows_def", "link_kernel"}
    assert changed(".PHONY: all\n", "# A comment.\n.PHONY: all\n") == set()
    compilers = {f"cc_{of}" for of in ("alone", "kernel", "libc", "user", "vdso")}
    assert changed("-Wshadow", "-Wno-shadow") == compilers
    rules = make("-pn", "-f", str(other), f"BUILD={tmp_path}/build", "help").stdout
    for target in ("%.o", "user/%.o", "entry/%.o", "kernel.elf", "bin/%"):
        (needs,) = re.findall(rf"^{tmp_path}/build/i386/{re.escape(target)}: (.* .*)", rules, re.M)[
            :1
        ]
        assert "/recipes/" in needs, target


def test_a_program_without_a_source_is_not_packed() -> None:
    former = BUILD / "i386" / "bin" / "gone"
    former.touch()
    try:
        build = os.path.relpath(BUILD, ROOT)
        told = make("-n", "-W", "tools/initrd.sh", f"{build}/i386/initrd.cpio", f"BUILD={build}")
        packing = next(line for line in told.stdout.splitlines() if line.startswith("rm -f"))
        assert packing.split() == ["rm", "-f", os.path.relpath(former, ROOT)]
    finally:
        former.unlink()
