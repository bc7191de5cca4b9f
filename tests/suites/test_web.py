"""A static web server in each ring: the cost of a request, and misbehaving clients."""

import tomllib
from collections.abc import Mapping
from typing import Any

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.outcome import Outcome
from tollgate.records import budgets, derived_budgets

ARCHES = pytest.mark.parametrize("arch", ["i386", "amd64"])
WORDS = "suite=web samples=5"
SIZES = ("0", "100", "1024", "10240", "102400")
SMALL = SIZES[:3]
"""Answers that take one write."""
CALLED = ("function", "file")
"""Servers that call the kernel's functions."""
REWRITTEN = ("i386", "amd64")
"""Kernels that turn a trusted program's system calls into function calls (server `call`)."""


def measured(boot: Any, arch: str) -> Mapping[str, Mapping[str, Any]]:
    result = boot(arch, "EPYC", WORDS, whole=True)
    assert result.outcome is Outcome.PASS, result.reason
    return {record["id"]: record for record in result.results if record["suite"] == "web"}


@pytest.mark.figures
@ARCHES
def test_requests_cost_what_their_budgets_say(boot: Any, arch: str) -> None:
    """Every client with every server, for every size, and with new connections."""
    found = measured(boot, arch)
    origins = {"i386": ("user", "trusted"), "amd64": ("user", "compat", "trusted")}[arch]
    servers = (*origins, *CALLED, *(["call"] if arch in REWRITTEN else []))
    assert set(found) == {
        f"{client}/{server}/{size}"
        for client in origins
        for server in servers
        for size in (*SIZES, "100-new")
    }
    result = boot(arch, "EPYC", WORDS, whole=True)
    assert budgets.differences(result, "web") == {}, "tests/budgets.toml"


@pytest.mark.figures
def test_a_request_is_short(boot: Any) -> None:
    """On amd64: 100 bytes in 8,000 instructions, 102,400 bytes in 45,000, both in ring 3."""
    found = measured(boot, "amd64")
    assert found["user/user/100"]["median"] <= 8000
    assert found["user/user/102400"]["median"] <= 45000


@pytest.mark.parametrize("arch", [pytest.param("i386", marks=pytest.mark.long), "amd64"])
def test_a_mixed_pair_costs_what_an_unmixed_one_does(boot: Any, arch: str) -> None:
    """Within a tenth it costs the same, for every size: the direction of a switch is irrelevant."""
    found = measured(boot, arch)
    for size in SIZES:
        alike = [found[f"{who}/{who}/{size}"]["median"] for who in ("user", "trusted")]
        for pair in ("user/trusted", "trusted/user"):
            mixed = found[f"{pair}/{size}"]["median"]
            assert min(alike) * 0.9 < mixed < max(alike) * 1.1, (pair, size)


@pytest.mark.figures
@ARCHES
def test_a_request_is_its_parts(boot: Any, arch: str) -> None:
    """The sum of client, server and kernel; entries and exits are part of the kernel's share."""
    for name, record in measured(boot, arch).items():
        if name.endswith("-new"):
            continue
        parts = [record[part] for part in ("client", "server", "kernel")]
        assert sum(parts) == record["median"], name
        assert 0 < record["entry"] < record["kernel"], name
        assert min(parts) > 0, name
        assert record["calls"] == (8 if record["bytes"] == 0 else 9), name
        _, server, size = name.split("/")
        twin = measured(boot, arch)[f"user/{server}/{size}"]
        assert abs(record["server"] - twin["server"]) < 60, "the server does the same for each"


WAY = {"i386": "int/standard", "amd64": "syscall/standard"}
"""The row of the toll whose way a request's calls use."""
WINDOWS = 17
"""The places that a request of 100 bytes passes where the kernel enables interrupts."""


@pytest.mark.figures
@ARCHES
def test_what_ring_0_takes_more_is_explained(boot: Any, arch: str) -> None:
    """The difference is exact: each call costs its toll, and each window the same.

    Larger answers are sent in parts, to a client that has slept meanwhile.
    """
    found = measured(boot, arch)
    toll = tomllib.loads((ROOT / "tests" / "budgets.toml").read_text())["toll"][arch]
    way = toll["trusted"][WAY[arch]][0] - toll["user"][WAY[arch]][0]
    left = {
        size: found[f"trusted/trusted/{size}"]["median"]
        - found[f"user/user/{size}"]["median"]
        - way * found[f"user/user/{size}"]["calls"]
        for size in SMALL
    }
    each, rest = divmod(left["100"], WINDOWS)
    assert rest == 0 and 3 <= each <= 8
    assert left == dict.fromkeys(SMALL, WINDOWS * each)


@ARCHES
def test_functions_are_shorter_than_calls(boot: Any, arch: str) -> None:
    """Calls by functions enter the kernel in fewer instructions, as the first document claims, but
    that is a small part of a request. Calls of the functions below them need even fewer.
    """
    found = measured(boot, arch)
    compiler = budgets.compiler_of(boot(arch, "EPYC", WORDS, whole=True).run)
    room = 1 if compiler == budgets.OURS else 1 + derived_budgets.ROOM / 100
    for size in SIZES:
        called, trusted = (found[f"trusted/{who}/{size}"] for who in ("function", "trusted"))
        assert called["entry"] < trusted["entry"], size
        assert 0 < trusted["median"] - called["median"] < 0.1 * trusted["median"], size
        assert found[f"trusted/file/{size}"]["median"] < called["median"] * room, size
