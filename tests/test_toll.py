"""The toll table: every row works or names what it lacks, within its budget, twice the same."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

BUDGETS = tomllib.loads((Path(__file__).parent / "budgets.toml").read_text())
MACHINES = [("i386", "EPYC"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")]
IDS = [f"{arch}-{cpu}" for arch, cpu in MACHINES]


def budgets(arch: str) -> dict[str, int]:
    """What tests/budgets.toml says of each row."""
    return {
        f"{origin}/{mechanism}/{variant}": figure
        for origin, mechanisms in BUDGETS[arch].items()
        for mechanism, figures in mechanisms.items()
        for variant, figure in figures.items()
    }


def toll_results(result: Any) -> dict[str, dict[str, Any]]:
    return {r["id"]: r for r in result.results if r["suite"] == "toll"}


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_rows_stay_within_their_budgets(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=toll samples=100")
    assert result.outcome.value == "pass"
    rows = toll_results(result)
    allowed = budgets(arch)
    here = rows.keys() | {s["id"] for s in result.skips}
    assert not here - allowed.keys(), "these rows have no figure in tests/budgets.toml"
    assert not allowed.keys() - here, "tests/budgets.toml has rows that this kernel has not"
    over = {i: r["median"] for i, r in rows.items() if r["median"] > allowed[i]}
    assert not over, f"more instructions than tests/budgets.toml allows: {over}"


def test_budgets_stay_below_their_ceilings() -> None:
    promised = {arch: [BUDGETS[arch]["user"]] for arch in ("i386", "amd64")}
    promised["trusted"] = [BUDGETS[arch]["trusted"] for arch in ("i386", "amd64")]
    for name, ceilings in BUDGETS["ceiling"].items():
        for mechanism, ceiling in ceilings.items():
            for rows in (origin[mechanism] for origin in promised[name]):
                for variant, most in ceiling.items():
                    assert rows[variant] <= most, (name, mechanism, variant)
                assert rows["bare"] == (4 if mechanism == "sysenter" else 2), (name, mechanism)


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_sections_add_up_to_the_clean_total(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=toll samples=100")
    for row_id, row in toll_results(result).items():
        assert row["residue"] == 0, row_id
        assert row["median"] == sum(s["median"] for s in row["sections"]), row_id
        assert row["min"] == row["max"], row_id
        assert row["batch"] == row["median"], row_id


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_two_runs_are_byte_identical(boot: Any, arch: str, cpu: str) -> None:
    first, second = (boot(arch, cpu, "suite=toll,usystime samples=50").text for _ in range(2))
    assert first == second


@pytest.mark.parametrize("fence", ["none", "lfence", "rdtscp", "cpuid"])
def test_the_fence_is_calibrated_away(boot: Any, fence: str) -> None:
    plain = toll_results(boot("amd64", "EPYC", "suite=toll samples=10"))
    fenced = boot("amd64", "EPYC", f"suite=toll samples=10 fence={fence}")
    assert fenced.run["fence"] == fence
    for row_id, row in toll_results(fenced).items():
        assert (row["median"], row["residue"]) == (plain[row_id]["median"], 0), row_id


@pytest.mark.parametrize(
    ("arch", "cpu", "row", "reason"),
    [
        ("i386", "pentium", "user/sysenter/standard", "CPUID.01H:EDX.SEP[bit 11] = 0"),
        ("i386", "EPYC,-sep", "user/sysenter/bare", "CPUID.01H:EDX.SEP[bit 11] = 0"),
        ("i386", "Haswell", "user/syscall/standard", "Intel: SYSCALL is #UD outside 64-bit mode"),
        ("i386", "Haswell", "trusted/syscall/bare", "Intel: SYSCALL is #UD outside 64-bit mode"),
        ("i386", "athlon", "user/syscall/standard", "CPUID.80000001H:EDX.SYSCALL[bit 11] = 0"),
        ("amd64", "EPYC", "user/sysenter/standard", "AMD: SYSENTER is #UD in long mode"),
        ("amd64", "EPYC", "compat/sysenter/bare", "AMD: SYSENTER is #UD in long mode"),
        ("amd64", "Haswell", "compat/syscall/standard", "Intel: SYSCALL is #UD outside 64-bit"),
        ("amd64", "Haswell,-sep", "user/sysenter/standard", "CPUID.01H:EDX.SEP[bit 11] = 0"),
    ],
)
def test_a_missing_mechanism_is_named(
    boot: Any, arch: str, cpu: str, row: str, reason: str
) -> None:
    result = boot(arch, cpu, f"suite=toll samples=10 only={row}")
    assert result.outcome.value == "pass"
    assert [s["id"] for s in result.skips] == [row]
    assert result.skips[0]["reason"].startswith(reason)
    assert not toll_results(result)


def test_host_ticks_are_not_called_cycles(boot: Any) -> None:
    result = boot("amd64", "EPYC", "suite=toll samples=200", platform="qemu-tcg")
    assert result.run["unit"] == "host ticks"
    assert result.run["readable"] and not result.run["deterministic"]
    # A busy host may move a control: then the run says so itself, and must not be read.
    moved = [c["name"] for c in result.checks if not c["ok"]]
    assert all(name.startswith("control/") for name in moved), moved
    assert result.outcome.value == ("fail" if moved else "pass")


@pytest.mark.parametrize(
    ("arch", "qemu", "bochs"),
    [
        ("i386", "pentium3", "p3_katmai"),
        ("i386", "phenom", "athlon64_clawhammer"),
        ("amd64", "Haswell", "corei7_haswell_4770"),
        ("amd64", "phenom", "ryzen"),
    ],
)
def test_qemu_and_bochs_agree_to_the_instruction(
    boot: Any, arch: str, qemu: str, bochs: str
) -> None:
    here = toll_results(boot(arch, qemu, "suite=toll samples=20"))
    there = boot(arch, bochs, "suite=toll samples=20", platform="bochs")
    assert there.outcome.value == "pass"
    rows = toll_results(there)
    shared = here.keys() & rows.keys()
    assert {"user/int/standard", "user/callgate/standard", "trusted/call/bare"} <= shared
    keys = ("median", "min", "max", "batch", "sections", "residue")
    for row in shared:
        assert [rows[row][k] for k in keys] == [here[row][k] for k in keys], row
