"""Reading a page and stripping it to its text: by a program in each ring, and by kernel code."""

import re
import zlib
from typing import Any

import pytest

from tollgate.machines.boot import ROOT
from tollgate.records import budgets
from tollgate.show.report import stripper

from ..unit.test_unit import built, output_of

ARCHES = pytest.mark.parametrize("arch", ["i386", "amd64"])
WORDS = "suite=html samples=20"
PAGE = ROOT / "user" / "pages" / "index.html"


def best(result: Any) -> dict[str, int]:
    return {r["id"]: r["min"] for r in result.results if r["suite"] == "html"}


@ARCHES
def test_all_find_the_same_text(boot: Any, arch: str) -> None:
    """The text of the first 1,000 bytes of a longer page, as found by the host."""
    result = boot(arch, "EPYC", WORDS)
    assert result.outcome.value == "pass", result.reason
    assert PAGE.stat().st_size > stripper.READ
    text = output_of(built("html"), "--text", PAGE, str(stripper.READ)).encode()
    said = re.findall(r"text: (\d+) bytes, crc32 ([0-9a-f]{8})", result.text)
    assert said == [(str(len(text)), f"{zlib.crc32(text):08x}")] * {"i386": 2, "amd64": 3}[arch]


@pytest.mark.figures
@ARCHES
def test_as_printed_the_best_read_is_of_nothing(boot: Any, arch: str) -> None:
    """Rewound it reads the bytes; both cost more from user space, and all runs are equal."""
    result = boot(arch, "EPYC", WORDS)
    assert budgets.differences(result, "html") == {}, "tests/budgets.toml"
    figures = best(result)
    for run in stripper.RUNS:
        for who in ("user", "kernel"):
            assert figures[f"{who}/printed/{run}"] == figures[f"{who}/printed/1"]
            assert figures[f"{who}/rewound/{run}"] == figures[f"{who}/rewound/1"]
            assert figures[f"{who}/printed/{run}"] + 100 < figures[f"{who}/rewound/{run}"]
        for way in ("printed", "rewound"):
            assert figures[f"kernel/{way}/{run}"] < figures[f"user/{way}/{run}"]
    longest = {r["id"]: r["max"] for r in result.results if r["suite"] == "html"}
    assert longest["user/printed/1"] > figures["user/printed/1"], "the first read has bytes"


@pytest.mark.figures
@ARCHES
def test_each_rung_is_lower_than_the_one_above(boot: Any, arch: str) -> None:
    figures = best(boot(arch, "EPYC", WORDS))
    rungs = [figures[f"{rung}/{stripper.READ}"] for rung, _ in stripper.RUNGS[1:]]
    assert rungs == sorted(rungs, reverse=True)
    assert figures["user/read/1000"] == figures["user/rewound/1"]
    assert figures["kernel/file_read/1000"] <= figures["kernel/rewound/1"]
    for who in ("user", "trusted", "kernel"):
        assert figures[f"{who}/parse/{stripper.READ}"] > 0
