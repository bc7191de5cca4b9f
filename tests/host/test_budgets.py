"""Budgets are equalities: what a boot is told that costs less, more, or the same elsewhere."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.boot import Boot, BootResult
from tollgate.budgets import FILE, figures, load, revised, wrong
from tollgate.outcome import Outcome
from tollgate.records import MachineRun
from tollgate.suites import BUDGETED

from .sample import as_run, make_plain, make_run_record

MakeResult = Callable[..., dict[str, Any]]
ROW = [46, 1, 21, 1, 2, 1, 19, 1]
BY_COMPILER = {"most": 800, "gcc 12": 711}


def with_sections(make_result: MakeResult, row: str, counted: list[int]) -> dict[str, Any]:
    result = make_result(row, counted[0])
    for section, median in zip(result["sections"], counted[1:], strict=True):
        section["median"] = median
    return result


def test_a_row_of_ours_is_equal_in_every_section(make_result: MakeResult) -> None:
    assert figures(with_sections(make_result, "user/int/standard", ROW)) == ROW
    assert wrong(with_sections(make_result, "x", ROW), ROW, "any 1") == ""
    for place in range(len(ROW)):
        for step in (-1, 1):
            other = [*ROW]
            other[place] += step
            told = wrong(with_sections(make_result, "x", other), ROW, "any 1")
            assert told == f"{other}, not {ROW}"
    moved = [46, 1, 20, 2, 2, 1, 19, 1]
    assert wrong(with_sections(make_result, "x", moved), ROW, "any 1")


@pytest.mark.parametrize(
    ("median", "compiler", "told"),
    [
        (711, "gcc 12", ""),
        (710, "gcc 12", "710, not 711 by gcc 12"),
        (712, "gcc 12", "712, not 711 by gcc 12"),
        (800, "gcc 14", ""),
        (1, "gcc 14", ""),
        (801, "gcc 14", "801, more than the 800 of any compiler"),
    ],
)
def test_a_path_through_c_carries_its_compiler(
    make_result: MakeResult, median: int, compiler: str, told: str
) -> None:
    result = make_result("user/starve/push", median, sections=[])
    assert wrong(result, BY_COMPILER, compiler) == told


def test_a_row_without_a_budget_is_named(make_result: MakeResult) -> None:
    assert wrong(make_result("x", 2), None, "gcc 12").endswith("no budget")


def boot_of(run: MachineRun) -> BootResult:
    return BootResult(
        Boot("amd64"), Outcome.PASS, "", "", [run], [], [], 0, 0.0, None, directory=Path()
    )


def test_the_file_is_written_anew_and_keeps_its_words(make_result: MakeResult) -> None:
    text = (
        "# words\n\n[ceiling.amd64]\nint = { standard = 56 }\n\n"
        '[toll.amd64.user] # more\n"int/standard" = [1] # why\n"int/gone" = [2]\n'
        '"sysenter/bare" = [4]\n\n[starve.amd64.user]\n"starve/push" = { most = 9, "gcc 11" = 8 }\n'
    )
    skip = {"v": 1, "type": "skip", "suite": "toll", "id": "user/sysenter/bare", "reason": "none"}
    rows = [make_result(f"user/{name}", 7) for name in ("int/standard", "int/new", "syscall/far")]
    starve = [
        make_plain("starve", f"{o}/starve/push", n) for o, n in (("user", 5), ("trusted", 100))
    ]
    run = as_run(make_run_record(), *rows, skip, *starve)
    after = revised(text, [boot_of(run)])
    ours = [7, 1, 0, 0, 0, 0, 0, 6]
    assert tomllib.loads(after) == {
        "ceiling": {"amd64": {"int": {"standard": 56}}},
        "toll": {
            "amd64": {
                "user": {
                    "int/standard": ours,
                    "sysenter/bare": [4],  # skipped by this machine, which says so
                    "int/new": ours,
                    "syscall/far": ours,
                }
            }
        },
        "starve": {
            "amd64": {
                "user": {"starve/push": {"most": 9, "gcc 11": 8, "gcc 12": 5}},
                "trusted": {"starve/push": {"most": 110, "gcc 12": 100}},
            }
        },
    }
    assert after.startswith("# words\n\n[ceiling.amd64]\nint = { standard = 56 }\n\n")
    assert "[toll.amd64.user] # more\n" in after and "] # why\n" in after
    assert revised(after, [boot_of(run)]) == after
    starve[0]["median"] = 6
    later = as_run(make_run_record(), *starve)
    changed = tomllib.loads(revised(after, [boot_of(later)]))["starve"]["amd64"]
    assert changed["user"]["starve/push"] == {"most": 9, "gcc 12": 6}, "gcc 11's is of other source"


def test_the_file_has_every_suite_and_both_kernels() -> None:
    for suite in BUDGETED:
        for arch in ("i386", "amd64"):
            for row, budget in load(suite, arch).items():
                whole = len(budget) == 8 if isinstance(budget, list) else "most" in budget
                assert whole, row
    assert FILE.is_file()
