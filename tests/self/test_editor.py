"""What editors and git find in a clone: .vscode, and what runs before a commit."""

from __future__ import annotations

import json
import re

from tollgate.machines.boot import ROOT

from ..host.test_make import EVERY, takes


def test_the_tasks_of_vs_code_are_makes() -> None:
    tasks = json.loads((ROOT / ".vscode" / "tasks.json").read_text())["tasks"]
    assert len(tasks) > 5
    for task in [task for task in tasks if task["command"] != "bear"]:
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
