"""The toll table: every row works or names what it lacks, costs its budget, twice the same."""

from collections import Counter
from typing import Any

import pytest

from tollgate.machines import qemu
from tollgate.machines.bochs import is_exact, one_by_one
from tollgate.machines.platforms import BOCHS, version
from tollgate.records import budgets
from tollgate.records.check import found
from tollgate.records.expected import ENTRIES, WARM_UP

CEILINGS = {
    "i386": {
        "int": {"standard": 48, "service": 12},
        "callgate": {"standard": 60, "service": 16},
        "sysenter": {"standard": 66, "service": 16},
        "syscall": {"standard": 60, "service": 14},
    },
    "amd64": {
        "int": {"standard": 56, "service": 12},
        "callgate": {"standard": 66, "service": 16},
        "sysenter": {"standard": 66, "service": 16},
        "syscall": {"standard": 56, "service": 14},
    },
    "trusted": {"call": {"standard": 30, "service": 6}},  # rows of both kernels
}
"""The promised bound of each row of the toll."""
MACHINES = [("i386", "EPYC"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")]
IDS = [f"{arch}-{cpu}" for arch, cpu in MACHINES]
CONTROLS = ("control/empty", "control/loop", "control/entered", "control/order")


def toll_results(result: Any) -> dict[str, dict[str, Any]]:
    return {r["id"]: r for r in result.results if r["suite"] == "toll"}


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_rows_cost_what_their_budgets_say(boot: Any, arch: str, cpu: str) -> None:
    """Total and sections, to the instruction: fewer is an error, too."""
    result = boot(arch, cpu, "suite=toll samples=100")
    assert result.outcome.value == "pass"
    assert budgets.differences(result, "toll") == {}, "tests/budgets.toml"
    check_controls(result)


def check_controls(result: Any) -> None:
    """Each program has run every control, and each control has counted every sample."""
    rows = toll_results(result)
    programs = {row.partition("/")[0] for row in rows}
    made = Counter(check["name"] for check in result.checks)
    assert set(made) == {*CONTROLS, *rows}, "every row is held to exact figures"
    assert {made[control] for control in CONTROLS} == {len(programs)}
    read = [(r["id"], r["min"], r["max"]) for r in result.results if r["suite"] == "control"]
    assert Counter(read) == {
        ("control/empty", 0, 0): len(programs),
        ("control/loop", 2001, 2001): len(programs),
    }
    for control, wanted in zip(CONTROLS, details(rows, programs), strict=True):
        told = [check["detail"] for check in result.checks if check["name"] == control]
        assert sorted(told) == sorted(wanted), control


def details(rows: dict[str, dict[str, Any]], programs: set[str]) -> list[list[str]]:
    """The details of the four controls, program by program."""
    entered, order = [], []
    for program in programs:
        own = [row for row in rows if row.startswith(f"{program}/")]
        calls = rows[own[0]]["n"] + WARM_UP
        counts = {
            "calls answered": calls * sum(not row.endswith("/bare") for row in own),
            "stamped": calls * len(own),
            "fresh": calls * (len(own) + 3),  # the calibration and two controls
            "entered": ENTRIES * len(own),
        }
        entered.append(", ".join(f"{n} of {n} {word}" for word, n in counts.items()))
        variants = Counter(row.rpartition("/")[0] for row in own)
        ways = sum(n > 1 and f"{way}/standard" in own for way, n in variants.items())
        order.append(f"standard above bare in {ways} of {ways} mechanisms")
    return [["0 of 0"] * len(programs), ["2001 of 2001"] * len(programs), entered, order]


def test_budgets_stay_below_their_ceilings() -> None:
    for name, ceilings in CEILINGS.items():
        for arch in ("i386", "amd64") if name == "trusted" else (name,):
            rows = budgets.load("toll", arch)
            origin = "trusted" if name == "trusted" else "user"
            for mechanism, ceiling in ceilings.items():
                total = {
                    v: budgets.highest(rows[f"{origin}/{mechanism}/{v}"])
                    for v in (*ceiling, "bare")
                }
                for variant, most in ceiling.items():
                    assert total[variant] <= most, (arch, mechanism, variant)
                assert total["bare"] == (4 if mechanism == "sysenter" else 2), (arch, mechanism)


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
    words = "suite=toll samples=100"
    first, second = (boot(arch, cpu, words, fresh=fresh).text for fresh in (False, True))
    assert first == second


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_the_state_of_the_machine_is_in_the_record(
    boot: Any, monkeypatch: pytest.MonkeyPatch, arch: str, cpu: str
) -> None:
    """Registers, CPUID, and the firmware's names, of which one is this test's."""
    monkeypatch.setattr(qemu, "OWN", ())  # the machine of our commands
    own = ("-smbios", "type=2,manufacturer=Ours,product=A board,version=7")
    result = boot(arch, cpu, "suite=toll samples=20 only=user/int/bare", extra=own)
    held = result.run["state"]
    assert (held["board"], held["bios"].partition(";")[0]) == ("Ours; A board; 7", "SeaBIOS")
    amd = result.run["cpu"]["vendor"] == "AuthenticAMD"
    assert bool(held["hwcr"]) == bool(held["de_cfg"]) == amd, "AMD's registers"
    assert int(held["cr4"], 16) >> 20 & 1 == 1, "SMEP"
    assert {leaf for leaf, *_ in held["cpuid"]} >= {0, 1, 0x80000000} and len(held["cpuid"]) > 10
    assert not found(result.machine_run)


@pytest.mark.parametrize("fence", ["none", "lfence", "both", "rdtscp", "cpuid"])
def test_the_fence_is_calibrated_away(boot: Any, fence: str) -> None:
    plain = toll_results(boot("amd64", "EPYC", "suite=toll samples=100"))
    fenced = boot("amd64", "EPYC", f"suite=toll samples=100 fence={fence}")
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


@pytest.mark.parametrize(
    ("arch", "qemu", "bochs"),
    [
        pytest.param("i386", "pentium3", "p3_katmai", marks=pytest.mark.long),
        pytest.param("i386", "phenom", "athlon64_clawhammer", marks=pytest.mark.long),
        ("amd64", "Haswell", "corei7_haswell_4770"),
        pytest.param("amd64", "phenom", "ryzen", marks=pytest.mark.long),
    ],
)
def test_qemu_and_bochs_agree_to_the_instruction(
    boot: Any, suite: Any, arch: str, qemu: str, bochs: str
) -> None:
    here = boot(arch, qemu, "suite=toll samples=5")
    there = suite(arch, bochs, "bochs", "toll")
    if is_exact(BOCHS):
        assert there.outcome.value == "pass"
        agree(here, there, "median", "min", "max", "batch", "sections", "residue")
    else:
        agree(here, there, "batch")


def agree(here: Any, there: Any, *keys: str) -> None:
    """Two machines have the same figures in the rows that both have."""
    one, other = toll_results(here), toll_results(there)
    shared = one.keys() & other.keys()
    assert {"user/int/standard", "user/callgate/standard", "trusted/call/bare"} <= shared
    for row in shared:
        assert [one[row][k] for k in keys] == [other[row][k] for k in keys], row


@pytest.mark.long
def test_a_bochs_that_counts_chains_is_refused_but_its_batches_agree(
    boot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counting in a Bochs without the option that COUNTING names."""
    if not one_by_one(BOCHS):
        pytest.skip(f"{version(BOCHS)} counts one by one without an option")
    here = boot("amd64", "phenom", "suite=toll samples=5")
    monkeypatch.setattr("tollgate.machines.bochs.one_by_one", lambda program: ())
    there = boot("amd64", "ryzen", "suite=toll samples=5", platform="bochs", fresh=True)
    assert there.outcome.value == "fail"
    assert there.run["offset"] == 6, "the loops agree on it ..."
    broken = {c["name"]: c["detail"] for c in there.checks if not c["ok"]}
    assert "control/loop" not in broken
    assert broken["user/int/standard"].startswith("residue "), "... and the sections do not"
    agree(here, there, "batch")
