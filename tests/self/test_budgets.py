"""Budgets are exact: the result for a boot that costs less, more, or the same elsewhere."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.outcome import Outcome
from tollgate.records.budgets import FILE, figures, written, wrong
from tollgate.records.derived_budgets import MOST, Budget, Rows, derive
from tollgate.records.format import MachineRun
from tollgate.records.parts import parts
from tollgate.self.budgets import revised

from ..records.sample import as_run, make_plain, make_run_record

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
        (199, "gcc 14", "199, less than a quarter of the 800 of any compiler"),
        (200, "gcc 14", ""),
        (801, "gcc 14", "801, more than the 800 of any compiler"),
    ],
)
def test_a_path_through_c_carries_its_compiler(
    make_result: MakeResult, median: int, compiler: str, told: str
) -> None:
    result = make_result("user/starve/push", median, sections=[])
    assert wrong(result, BY_COMPILER, compiler) == told


@pytest.mark.parametrize(("median", "right"), [(7, True), (0, False)])
def test_a_short_row_may_be_much_shorter_by_another_compiler(
    make_result: MakeResult, median: int, right: bool
) -> None:
    """gcc 14 reads an empty pipe in 7 instructions, where others take up to 29."""
    told = wrong(make_result("x", median, sections=[]), {"most": 29, "gcc 12": 26}, "gcc 14")
    assert (not told) == right


def test_a_row_without_a_budget_is_named(make_result: MakeResult) -> None:
    assert wrong(make_result("x", 2), None, "gcc 12").endswith("no budget")


def boot_of(run: MachineRun) -> BootResult:
    return BootResult(
        Boot("amd64"), Outcome.PASS, "", "", [run], [], [], 0, 0.0, None, directory=Path()
    )


def test_the_file_is_written_anew_and_keeps_its_words(make_result: MakeResult) -> None:
    text = (
        "# words\n\n"
        '[toll.amd64.user] # more\n"int/standard" = [1] # why\n"int/gone" = [2]\n'
        '"sysenter/bare" = [4]\n\n[starve.amd64.user]\n"starve/push" = { most = 9 }\n'
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
        "toll": {
            "amd64": {
                "user": {
                    "int/standard": ours,
                    "sysenter/bare": [4],  # this machine reports it as skipped
                    "int/new": ours,
                    "syscall/far": ours,
                }
            }
        },
        "starve": {
            "amd64": {
                "user": {"starve/push": {"most": 9, "gcc 12": 5}},
                "trusted": {"starve/push": {"most": 110, "gcc 12": 100}},
            }
        },
    }
    assert after.startswith("# words\n\n[toll.amd64.user] # more\n") and "] # why\n" in after
    assert revised(after, [boot_of(run)]) == after


def test_another_compiler_raises_bounds_alone() -> None:
    """A row keeps gcc 12's figure, even if a rule's bound would hold for the other compiler's."""
    table = "[ladder.amd64.kernel]\n"
    figures = {"sys_read/null": 32, "sys_read/pipe": 54, "cached/null": 5, "cached/pipe": 28}
    for row, figure in figures.items():
        table += f'"{row}"'.ljust(15) + f' = {{ most = 60, "gcc 12" = {figure} }}\n'
    run = make_run_record()
    run["tools"]["compiler"] = "gcc 14.2.0"

    def measured(more: int) -> str:
        rows = [make_plain("ladder", f"kernel/{row}", n + more) for row, n in figures.items()]
        return revised(table, [boot_of(as_run(run, *rows))])

    assert measured(-1) == table
    assert measured(46) == table.replace("most = 60", "most = 85", 1).replace(
        'pipe" = { most = 60, "gcc 12" = 54', 'pipe" = { most = 110, "gcc 12" = 54'
    ).replace('pipe"   = { most = 60', 'pipe"   = { most = 81')


def followed(text: str, arch: str) -> tuple[Rows, list[tuple[str, str, Budget, Budget]]]:
    """The file's rows, and both figures of rows that follow from others: the file's and the derived
    one.
    """
    rows = written(text, arch)
    own = written(text, arch)
    both: list[tuple[str, str, Budget, Budget]] = []

    def say(suite: str, row: str, follows: Budget) -> Budget:
        if row not in own.get(suite, {}):
            return follows
        both.append((suite, row, own[suite][row], follows))
        return own[suite][row]

    derive(rows, arch, say)
    return own, both


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_row_that_follows_from_others_is_not_in_the_file(arch: str) -> None:
    """A row is exempt if its rule is wrong with a compiler that was measured."""
    _, both = followed(FILE.read_text(), arch)
    for suite, row, said, follows in both:
        if isinstance(said, dict) and isinstance(follows, dict):
            common = (said.keys() & follows.keys()) - {MOST}
            assert any(said[by] != follows[by] for by in common), (
                f"{suite} {row}: run make docs PART=budgets"
            )
        else:
            assert said != follows, f"{suite} {row}: run make docs PART=budgets"
    assert len(both) < 10, "a rule with so many exceptions is none"


def test_what_follows_from_others_is_not_written(make_result: MakeResult) -> None:
    """It is written as soon as its cost differs; rows that were not measured stay unchanged."""
    text = '[ladder.amd64.kernel]\n"cached/null" = { most = 9, "gcc 12" = 5 } # why\n'
    counts = {"sys_read/null": 32, "sys_read/pipe": 54, "cached/null": 5, "cached/pipe": 27}
    rows = {row: make_plain("ladder", f"kernel/{row}", n) for row, n in counts.items()}
    same = make_plain("files", "kernel/sys_read/null", counts["sys_read/null"])
    boot = boot_of(as_run(make_run_record(), *rows.values(), same))
    after = revised(text, [boot])
    assert "[files." not in after, "a table without a row"
    assert set(tomllib.loads(after)["ladder"]["amd64"]["kernel"]) == set(counts) - {"cached/pipe"}
    rows["cached/pipe"]["median"] += 1
    boot = boot_of(as_run(make_run_record(), *rows.values()))
    other = tomllib.loads(revised(after, [boot]))["ladder"]["amd64"]["kernel"]
    assert other["cached/pipe"]["gcc 12"] == 28
    rows["cached/pipe"]["median"] -= 1
    boot = boot_of(as_run(make_run_record(), *rows.values()))
    assert revised(revised(after, [boot]), [boot]) == after
    assert "# why" in after


def test_a_way_in_that_no_part_stands_around_has_no_budget_of_a_set() -> None:
    """The table of mechanisms decides which ways in have sets, not the file of budgets."""
    plain: Budget = [46, 1, 26, 1, 2, 1, 14, 1]
    with_part = {f"user/syscall/standard+{name}": plain for name in parts()}
    gates = {f"user/{gate}/standard": plain for gate in ("int", "novel", "syscall")}
    rows: Rows = {"toll": {**gates, **with_part}}
    derive(rows, "amd64", lambda _suite, _row, budget: budget)
    of = {row.split("/")[1] for row in rows["toll"] if "@" in row}
    assert of == {"int", "syscall"}
