"""What came of the mutants that operators make: docs/mutants.json, which `make mutants` writes."""

from __future__ import annotations

import json
from typing import Any

from tollgate.boot import ROOT

FILE = ROOT / "docs" / "mutants.json"


def load() -> dict[str, dict[str, Any]]:
    """By operator: what it does, in which folders, how many it made, and which of them survived."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def table() -> str:
    """In Markdown: a row for each operator, the score, and the survivors by name."""
    lines = ["| mistake | where | made | tried | caught |", "| --- | --- | --: | --: | --: |"]
    made = tried = survived = 0
    names: list[str] = []
    for name, one in load().items():
        lost, built = len(one["survived"]), one["tried"] - len(one["unbuilt"])
        made, tried, survived = made + one["made"], tried + built, survived + lost
        where = ", ".join(f"`{folder}`" for folder in one["files"])
        words = f"{one['drops']} (`{name}`)", where
        figures = map(str, (one["made"], built, built - lost))
        lines.append(f"| {' | '.join((*words, *figures))} |")
        names += [f"- `{name}`, `{place}`: {why}" for place, why in one["survived"].items()]
    caught = tried - survived
    score = (
        f"Of {made} mutants {tried} were tried, and {caught} caught: {caught * 100 / tried:.1f} %."
    )
    lines += ["", f"{score} {'Those that survive:' if names else 'None survives.'}"]
    return "\n".join([*lines, *([""] * bool(names)), *names]) + "\n"
