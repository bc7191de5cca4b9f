"""`make editor`: commands for clangd; .vscode; what runs before a commit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ARCHES, ROOT

from ..host.test_make import EVERY, make, takes


@pytest.fixture(scope="session")
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


EACH_KIND = {"kernel/config.c", "exercises/call/asks.c", "tests/linux/direct.c", "json.c"}
EACH_KIND |= {"tools/audit/screen.c", "user/libc/wisconsin/rows.c"}


@pytest.mark.long
def test_a_command_of_each_kind_is_accepted_by_the_compiler(
    commands: list[dict[str, Any]],
) -> None:
    tried = [entry for entry in commands if entry["file"] in EACH_KIND]
    assert len(tried) >= len(EACH_KIND) + 3, "for both kernels"
    for entry in tried:
        words = [*entry["arguments"][:-4], "-fsyntax-only", entry["file"]]
        words = [word for word in words if word not in ("-MMD", "-MP")]
        subprocess.run(words, check=True, cwd=entry["directory"])


def test_the_tasks_of_vs_code_are_makes() -> None:
    tasks = json.loads((ROOT / ".vscode" / "tasks.json").read_text())["tasks"]
    assert len(tasks) > 5
    for task in tasks:
        assert task["command"] == "make"
        words = [re.sub(r"\$\{input:\w+\}", "int", word) for word in task["args"]]
        given = {word.partition("=")[0] for word in words if "=" in word}
        goals = [word for word in words if "=" not in word and word != "-s"]
        assert set(goals) <= takes().keys(), task
        assert given <= EVERY.union(*(takes()[goal] for goal in goals)), task


def test_what_is_checked_before_a_commit_is_what_lint_checks() -> None:
    """Whatever the commit changes: lint reads documents, assembly, scripts and its own settings."""
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.search(r"entry: make -s lint$", text, re.M)
    assert "repo: local" in text and "http" not in text
    assert "pass_filenames: false" in text and not re.search(r"\b(files|types|exclude)\w*:", text)
