"""`make editor`: commands for clangd, completion for shells, a manual page; and .vscode."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tollgate.boot import ARCHES, ROOT
from tollgate.cli import make_parser
from tollgate.completion import SHELLS, made, verbs
from tollgate.errors import UsageError
from tollgate.lessons import lessons

from .test_make import asked, make


@pytest.fixture(scope="module")
def commands() -> list[dict[str, Any]]:
    """The entries of compile_commands.json, of what `make editor` asks make for."""
    images = [f"build/{arch}/wisconsin.cpio" for arch in ARCHES]
    said = make("-Bn", "V=1", "all", "build/i386/core.elf", "build/amd64/core.elf", *images).stdout
    said += make("-Bnw", "-C", "tests/unit", "all", "others").stdout
    program = [sys.executable, str(ROOT / "tools" / "compile_commands.py")]
    done = subprocess.run(program, input=said, capture_output=True, text=True, check=True, cwd=ROOT)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_each_source_has_a_command_for_each_kernel_that_has_it(
    commands: list[dict[str, Any]],
) -> None:
    """And every other file of C at least one."""
    by_file: dict[str, list[str]] = {}
    for entry in commands:
        file = os.path.relpath(Path(entry["directory"], entry["file"]), ROOT)
        by_file.setdefault(file, []).append(entry["output"])
    listed = subprocess.run(["git", "ls-files", "*.c"], cwd=ROOT, capture_output=True, text=True)
    assert {name for name in listed.stdout.split() if (ROOT / name).exists()} <= by_file.keys()
    for file, outputs in by_file.items():
        if not file.startswith(("boot/", "kernel/", "user/", "exercises/")):
            continue
        widths = {output.split("/")[1] for output in outputs}
        only = re.search(r"/arch/(i386|amd64)/", file)
        assert widths <= {"i386", "amd64"}
        assert not only or widths == {only[1]}, file


EACH_KIND = {"kernel/config.c", "exercises/call/asks.c", "tests/linux/direct.c", "crc32.c"}
EACH_KIND |= {"tools/audit/screen.c", "user/libc/wisconsin/rows.c"}


def test_a_command_of_each_kind_is_accepted_by_the_compiler(
    commands: list[dict[str, Any]],
) -> None:
    tried = [entry for entry in commands if entry["file"] in EACH_KIND]
    assert len(tried) >= len(EACH_KIND) + 3, "for both kernels"
    for entry in tried:
        words = [*entry["arguments"][:-4], "-fsyntax-only", entry["file"]]
        words = [word for word in words if word not in ("-MMD", "-MP")]
        subprocess.run(words, check=True, cwd=entry["directory"])


def options() -> list[tuple[str, str]]:
    """Each verb with each of its options."""
    return [
        (verb, option)
        for verb, parser in verbs(make_parser()).items()
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    ]


@pytest.mark.parametrize("form", [*SHELLS, "man"])
def test_every_verb_and_option_is_there(form: str) -> None:
    text = made(make_parser(), form).replace("\\-", "-")
    assert len(options()) > 50
    for verb, option in options():
        assert verb in text and option in text


def test_another_shell_is_refused() -> None:
    with pytest.raises(UsageError, match="choose bash, zsh or man"):
        made(make_parser(), "fish")


def completed(script: Path, *words: str) -> set[str]:
    """What bash offers behind these words."""
    line = (
        f'. "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=999; '
    )
    line += '_shtab_tollgate; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", line, "bash", *words], capture_output=True, text=True)
    return set(done.stdout.split())


def test_bash_completes_verbs_options_values_and_names(tmp_path: Path) -> None:
    script = tmp_path / "tollgate.bash"
    script.write_text(made(make_parser(), "bash"))
    assert completed(script, "tollgate", "be") == {"bench"}
    assert completed(script, "tollgate", "bench", "--sa") == {"--samples"}
    assert completed(script, "tollgate", "bench", "--arch", "") >= {"i386", "amd64"}
    assert completed(script, "tollgate", "show", "--arch", "a") == {"amd64"}
    assert "kvm" in completed(script, "tollgate", "run", "--platform", "")
    assert completed(script, "tollgate", "lesson", "") >= {lesson.name for lesson in lessons()}


def test_the_scripts_are_read_without_a_complaint(tmp_path: Path) -> None:
    readers = {
        "zsh": ["zsh", "-n"],
        "bash": ["bash", "-n"],
        "man": ["groff", "-man", "-ww", "-Tascii"],
    }
    for form, command in readers.items():
        if shutil.which(command[0]):
            file = tmp_path / form
            file.write_text(made(make_parser(), form))
            done = subprocess.run([*command, file], capture_output=True, text=True, check=True)
            assert done.stderr == "", form


def test_the_tasks_of_vs_code_are_makes() -> None:
    tasks = json.loads((ROOT / ".vscode" / "tasks.json").read_text())["tasks"]
    assert len(tasks) > 5
    for task in tasks:
        assert task["command"] == "make"
        words = [re.sub(r"\$\{input:\w+\}", "int", word) for word in task["args"]]
        given = dict(word.split("=", 1) for word in words if "=" in word)
        goals = [word for word in words if "=" not in word and word != "-s"]
        assert set(goals) <= asked().takes().keys(), task
        assert not asked().sentence(goals, given), task


def test_what_is_checked_before_a_commit_is_what_lint_checks() -> None:
    """Whatever the commit changes: lint reads documents, assembly, scripts and its own settings."""
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.search(r"entry: make -s lint$", text, re.M)
    assert "repo: local" in text and "http" not in text
    assert "pass_filenames: false" in text and not re.search(r"\b(files|types|exclude)\w*:", text)
