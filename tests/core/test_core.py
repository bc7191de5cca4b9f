"""The core alone (`make core`): it needs nothing outside of its includes. Also checked by symbol,
because a function declared below may be defined above."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tollgate.machines import core
from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.outcome import Outcome
from tollgate.records import budgets

# The most units of the core that all need each other; names above the core that it calls. Both must
# only decrease.
CIRCLE = 10
TABLES = {f"{copy}_{of}calls" for copy in ("clean", "probed") for of in ("", "compat_", "direct_")}
NAMES = TABLES | {"above", "missing_call", "process_page_fault", "site_frame", "work_do"}
HOOKS = 15  # functions of struct above


@pytest.mark.parametrize("arch", core.IMAGES)
def test_the_core_alone_prints_the_toll_table_of_the_whole_kernel(arch: str) -> None:
    result = core.boot(arch)
    assert result.outcome is Outcome.PASS, result.reason
    assert len(result.results) > 30
    assert not budgets.differences(result, "toll")


def symbols(units: Iterable[Path]) -> dict[str, tuple[set[str], set[str]]]:
    """By object: the symbols that it defines for others, and those that it needs."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    told = subprocess.run(["nm", "-Ag", *units], check=True, capture_output=True, text=True).stdout
    for unit, kind, name in re.findall(r"^(.+):[0-9a-f ]+ (\S) (\S+)$", told, re.MULTILINE):
        if kind not in "wWvV":
            found.setdefault(unit, (set(), set()))[kind == "U"].add(name)
    return found


def largest_circle(units: dict[str, tuple[set[str], set[str]]]) -> set[str]:
    arrows = {a: {b for b in units if b != a and units[b][0] & units[a][1]} for a in units}

    def reached(unit: str) -> set[str]:
        found: set[str] = set()
        ahead = [unit]
        while ahead:
            found |= (new := arrows[ahead.pop()] - found)
            ahead += new
        return found

    below = {unit: reached(unit) for unit in units}
    return max(({b for b in below[a] if a in below[b]} for a in units), key=len)


@pytest.mark.parametrize("arch", core.IMAGES)
def test_the_core_is_no_knot_and_calls_little_above_it(arch: str) -> None:
    folder = BUILD / arch
    entries = (folder / "entry").glob("site_standard*.o")
    units = symbols([*(folder / "kernel/core").rglob("*.o"), *entries])
    circle = largest_circle({unit: of for unit, of in units.items() if "/core/" in unit})
    assert len(circle) <= CIRCLE, sorted(circle)

    unix = symbols((folder / "kernel/unix").rglob("*.o"))
    above = set().union(*(has for has, _ in unix.values()))
    needed = set().union(*(needs for _, needs in units.values()))
    assert needed & above <= NAMES
    assert (ROOT / "kernel/core/above.h").read_text().count("(*") <= HOOKS
