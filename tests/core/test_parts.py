"""Parts of an entry, and sets of them: the cost of each, its effect, and no change elsewhere."""

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tollgate.cli import main
from tollgate.errors import Exit
from tollgate.machines import row_path
from tollgate.machines.boot import BUILD, ROOT, Boot
from tollgate.machines.debug import session
from tollgate.machines.gdb_stub import Stub
from tollgate.records import budgets, kernel_tables, parts
from tollgate.show import listing

PLAIN = "user/syscall/standard"
GIVEN = {
    "swapgs": 2,
    "swapgs-fence": 1,
    "cr3": 8,
    "untrain": 6,
    "rsb": 82,
    "rsb-one": 3,
    "bhb": 112,
    "bhb-long": 324,
    "clamp": 3,
    "zero": 13,
    "retpoline": 4,
    "retpoline-lfence": 2,
    "return-thunk": 1,
    "return-safe": 3,
    "verw": 1,
}
"""The cost of each part, counted independently of this kernel; including the load of the table's
word before an indirect call, and saving RAX around the loops."""
ENTRY = ROOT / "kernel" / "core" / "entry"


@pytest.fixture
def toll(boot: Any) -> Any:
    """Every row with parts, on a processor that has SYSCALL for 32-bit programs."""
    return boot("amd64", "EPYC", "suite=toll samples=10 parts=all")


def costs(result: Any) -> dict[str, int]:
    return {r["id"]: r["median"] for r in result.results if r["suite"] == "toll"}


def test_each_part_costs_what_was_counted(toll: Any) -> None:
    assert toll.outcome.value == "pass"
    cost = costs(toll)
    assert {p: cost[f"{PLAIN}+{p}"] - cost[PLAIN] for p in GIVEN} == GIVEN
    assert set(parts.parts()) - set(GIVEN) == {
        s["id"].partition("+")[2] for s in toll.skips if "+" in s["id"]
    }
    assert cost[f"{PLAIN}@linux-tigerlake"] == 46 + 131
    assert cost[f"{PLAIN}@linux-skylake"] == 46 + 27
    reasons = {skip["id"]: skip["reason"] for skip in toll.skips}
    assert reasons[f"{PLAIN}+ibrs"] == "CPUID.07H:EDX.IBRS[bit 26] = 0"
    assert reasons[f"{PLAIN}+cr3-pcid"] == "CPUID.01H:ECX.PCID[bit 17] = 0"


@pytest.mark.parametrize("cpu", ["EPYC", "Skylake-Client"])
def test_each_set_is_the_sum_of_its_parts(boot: Any, cpu: str) -> None:
    """It holds for every way in, to the instruction; only the six pops of `zero` save one ADD."""
    result = boot("amd64", cpu, "suite=toll samples=10 parts=all")
    cost = costs(result)
    sets = [row for row in cost if "@" in row]
    assert len(sets) >= 2 * 6
    for row in sets:
        base, _, name = row.partition("@")
        found = parts.ends()[f"@{name}"]
        more = base.startswith("user/callgate") and "zero" in found
        assert cost[row] - cost[base] == sum(GIVEN[p] for p in found) + more, row
    assert budgets.differences(result, "toll") == {}, "tests/budgets.toml"


def test_a_later_program_pays_nothing_for_them(boot: Any) -> None:
    """Signals, and messages between programs with TLS, behind a toll with and without a set."""
    words = "suite=toll,faults,switch samples=10"
    pair = [boot("amd64", "EPYC", f"{words}{more}") for more in ("", " parts=linux-tigerlake")]
    plain, behind = [
        {r["id"]: r["median"] for r in result.results if re.search("/signal/|-tls$", r["id"])}
        for result in pair
    ]
    assert plain == behind
    assert {"ipc/pipe-tls", "signal/segv"} <= {name.partition("/")[2] for name in plain}


@pytest.mark.parametrize("copy", ["clean", "probed"])
@pytest.mark.parametrize("origin", ["user", "compat", "trusted"])
@pytest.mark.parametrize("name", ["int", "callgate", "sysenter", "syscall"])
def test_a_half_without_parts_has_no_byte_of_them(
    tmp_path: Path, name: str, origin: str, copy: str
) -> None:
    """Assembled from sources from which every macro for parts was removed."""
    built = BUILD / "amd64" / "entry" / f"{name}.{origin}.{copy}.o"
    if not built.exists():
        assert (name, origin) == ("sysenter", "trusted")
        return
    for file in [*ROOT.glob("kernel/core/**/*.inc"), ENTRY / f"{name}.asm"]:
        copy_of = tmp_path / file.relative_to(ROOT)
        copy_of.parent.mkdir(parents=True, exist_ok=True)
        copy_of.write_text(file.read_text() if file.name == "set.inc" else bare(file.read_text()))
    folders = [f"arch/amd64/{origin}", "arch/amd64", "arch", "entry"]
    places = [f"-I{tmp_path}/kernel/core/{folder}/" for folder in folders]
    source = tmp_path / "kernel" / "core" / "entry" / f"{name}.asm"
    defined = [f"-DORIGIN={origin}", f"-DCOPY={copy}", f"-I{BUILD}/amd64/", f"-I{ROOT}/kernel/"]
    made = tmp_path / "bare.o"
    subprocess.run(["nasm", "-f", "elf64", *defined, *places, source, "-o", made], check=True)
    assert code(made, tmp_path) == code(built, tmp_path)


def bare(text: str) -> str:
    """A source without the macros that are empty unless there is a set."""
    text = re.sub(r"(?m)^ +(PLACE|AWAY)\b.*\n", "", text)
    text = re.sub(r"(?m)(%define FRAME_FROM_INT) .*", r"\1", text)
    return re.sub(r"%ifdef PART_\w+\n.*\n%else\n(.*\n)%endif\n", r"\1", text)


def code(file: Path, folder: Path) -> bytes:
    """The kernel halves of an object."""
    out = folder / "code.bin"
    subprocess.run(["objcopy", "-O", "binary", "-j", ".entry", file, out], check=True)
    return out.read_bytes()


def test_each_part_acts(boot: Any) -> None:
    """The state in the service routine, and at the last instruction of the exit; GS's base after a
    switch during a call between the two SWAPGS, to a program with the set and to one without."""
    result = boot("amd64", "EPYC", "suite=parts parts=all")
    assert result.outcome.value == "pass", result.reason
    tried = {check["name"] for check in result.checks}
    assert tried >= {f"{PLAIN}+{part}" for part in GIVEN}
    assert len([check for check in result.checks if check["name"] == "gs"]) >= 4


PAGE = 4096
KERNEL_HALF = 1 << 63
KERNEL_GAP = 0xFFFFFFFF00000000


def kernel_pages(stub: Stub) -> tuple[set[int], set[int]]:
    """Pages in the kernel's half mapped by the table in CR3: the kernel's, and programs'."""
    found: tuple[set[int], set[int]] = (set(), set())
    for line in re.findall(
        "([0-9a-f]{16})-([0-9a-f]{16}) [0-9a-f]+ ([u-])", stub.monitor("info mem")
    ):
        start, end = int(line[0], 16), int(line[1], 16)
        if start >= KERNEL_HALF:
            found[line[2] == "u"].update(range(start, end, PAGE))
    return found


def test_the_programs_table_has_little_of_the_kernel() -> None:
    """Entry text, GDT, TSS, IDT, the pages of the stacks that frames are pushed to, the stamps."""
    kernel = row_path.Kernel("amd64")
    half = "clean_user_cr3_syscall_standard_entry"
    numbers = (BUILD / "amd64" / "const.inc").read_text()
    alias = int(numbers.partition("%define PROBE_ALIAS ")[2].split()[0], 16)
    at = kernel.symbols
    boot = Boot("amd64", cpu="EPYC", words=("suite=walk", "parts=cr3"))
    with session(boot, as_measured=True) as machine:
        stub = Stub(machine.socket, machine.pid, wide=True)

        def pages_at(point: str) -> tuple[set[int], set[int]]:
            stub.set_breaks([at[f"{half}.{point}"]])
            assert stub.go()
            stub.set_breaks([at[f"{half}.{point}"]], there=False)
            return kernel_pages(stub)

        def word(address: int) -> int:
            return int.from_bytes(stub.read(address, 8), "little")

        whole, programs = pages_at("MP3")
        few, same = pages_at("MP7")
        stacks = [word(at["cpu_stack"]), *(word(at["tss_main"] + 36 + 8 * i) for i in range(4))]
        assert same == programs and at["GATE_PAGE"] in same
        assert few == {
            *range(at["entry_start"], at["shown_text_end"], PAGE),
            *range(at["shown_data"], at["shown_data_end"], PAGE),
            *(stack - PAGE for stack in stacks),
            alias,
        }
        assert few < whole and len(few) * 50 < len(whole)
        for shown in ("entry_end", "gdt", "tss_main", "own", "cpu_user_sp"):
            assert at[shown] & -PAGE in few
        # An invalid stack while the program's table is loaded: #DF, with a message.
        stub.set_breaks([at[f"{half}.MP6"]])
        assert stub.go()
        while stub.read(stub.registers()["ip"] - 3, 3) != bytes((0x0F, 0x22, 0xD8)):  # mov cr3, rax
            stub.step()
        stub.load({"sp": KERNEL_GAP})
        stub.go()
        said = machine.serial.read_text("utf-8", "replace")
    assert "#DF, double fault" in said and f"{KERNEL_GAP:x}" in said


@pytest.mark.long
def test_ibrs_is_read_back_in_the_service(suite: Any) -> None:
    """QEMU's models have no IA32_SPEC_CTRL."""
    result = suite("amd64", "tigerlake", "bochs", "parts parts=all")
    assert result.outcome.value == "pass", result.reason
    told = [c["detail"] for c in result.checks if c["name"] == f"{PLAIN}+ibrs"]
    assert "IA32_SPEC_CTRL is 1 in the service, 0 behind it" in told


@pytest.mark.long
def test_each_table_has_a_number(suite: Any) -> None:
    """QEMU has no PCID: 4 instructions in, 12 out, and one more where the program's is flushed."""
    words = "toll,parts,contract,promises,sweep only=syscall/standard samples=10"
    result = suite("amd64", "tigerlake", "bochs", f"{words} parts=swapgs,cr3-pcid")
    assert result.outcome.value == "pass", result.reason
    row, cost = f"{PLAIN}+cr3-pcid", costs(result)
    assert cost[row] - cost[PLAIN] == 4 + 12
    told = [c["detail"] for c in result.checks if c["name"] in ("cr3", row)]
    assert "58 instructions, 59 where the program's table is flushed" in told
    assert any(re.match("CR3 is .*000 in the service, .*800 behind it", t) for t in told)


@pytest.mark.parametrize(
    ("cpu", "words"),
    [
        pytest.param("EPYC", "parts=linux-skylake,linux-zen2 only=/syscall/standard", id="sets"),
        pytest.param("EPYC", "parts=all only=standard", marks=pytest.mark.long, id="all"),
        pytest.param("Skylake-Client", "parts=all only=sysenter/standard", id="sysenter"),
    ],
)
def test_a_row_with_parts_keeps_what_the_plain_one_promises(
    boot: Any, cpu: str, words: str
) -> None:
    """EPYC has no SYSENTER in long mode; common parts are the same code."""
    result = boot("amd64", cpu, f"suite=contract,promises,sweep {words}")
    assert result.outcome.value == "pass", result.reason
    assert any(parts.around(check["name"]) for check in result.checks)


@pytest.fixture(scope="module")
def walked() -> row_path.Paths:
    return row_path.walk(Boot("amd64", cpu="EPYC", words=("parts=all", f"only={PLAIN}")))


def of(walked: row_path.Paths, part: str) -> list[str]:
    steps = walked.rows[f"{PLAIN}+{part}"]
    return [step.text.split(" <")[0] for step in steps if listing.part_of(step) == part]


def test_a_walk_sees_each_part_under_its_name(walked: row_path.Paths) -> None:
    """A walk shows as many instructions as a part costs; for `zero` one more (six pops, no ADD)."""
    found = {part: len(of(walked, part)) for part in GIVEN}
    more = ("zero", "retpoline", "retpoline-lfence", "return-thunk", "return-safe")
    assert found == {part: cost + (part in more) for part, cost in GIVEN.items()}
    for name, listed in parts.ends().items():
        if name.startswith("@"):
            steps = walked.rows[PLAIN + name]
            assert {listing.part_of(step) for step in steps} == {"", *listed}


def test_a_walk_sees_what_no_register_shows(walked: row_path.Paths) -> None:
    """32 targets on the return stack; no indirect call; the loop's rounds; the path of a return."""
    words = {part: Counter(text.split()[0] for text in of(walked, part)) for part in GIVEN}
    assert words["rsb"]["call"] == 32 and words["rsb-one"]["call"] == 1
    assert not [t for t in of(walked, "retpoline") if t.startswith("call") and "[" in t]
    assert of(walked, "retpoline")[-1].startswith("ret")
    assert [t.split()[0] for t in of(walked, "retpoline-lfence")] == ["mov", "lfence", "call"]
    assert words["bhb"]["sub"] == 5 * 5 + 5 and words["bhb-long"]["sub"] == 12 * 7 + 12
    assert [t.split()[0] for t in of(walked, "return-thunk")] == ["jmp", "ret"]
    assert [t.split()[0] for t in of(walked, "return-safe")] == ["jmp", "call", "lea", "ret"]
    order = [s.text.split()[0] for s in walked.rows[f"{PLAIN}@linux-tigerlake"]]
    assert order.index("swapgs") == order.index("syscall") + 1, "nothing comes before it"
    assert order.index("verw") < len(order) - order[::-1].index("swapgs"), "the exchange comes last"


@pytest.mark.long
def test_bochs_agrees_to_the_instruction(suite: Any, toll: Any) -> None:
    there = costs(suite("amd64", "ryzen", "bochs", "toll parts=all"))
    here = costs(toll)
    shared = [row for row in here if parts.around(row)]
    assert shared and {row: there[row] for row in shared} == {row: here[row] for row in shared}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (f"{PLAIN}+zeor", "zeor' around an entry; did you mean zero"),
        (f"{PLAIN}+verw+zeor", "no part 'zeor' around an entry; did you mean zero"),
        (f"{PLAIN}+verw+linux-tigerlake", "no part 'linux-tigerlake' around an entry; there are"),
        (f"{PLAIN}@linux-tiger", "linux-tiger' around an entry; did you mean linux-tigerlake"),
        (f"{PLAIN}+verw+verw", "verw+verw has verw twice"),
        (f"{PLAIN}+ibrs+retpoline", "retpoline and ibrs do the same, so no set has both"),
        (f"{PLAIN}+cr3+cr3-pcid", "cr3 and cr3-pcid do the same, so no set has both"),
        (f"{PLAIN}+swapgs+verw", "No row has swapgs+verw"),
    ],
)
def test_what_cannot_be_is_said_before_any_boot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], row: str, said: str
) -> None:
    monkeypatch.setattr("tollgate.show.listing.walk", lambda boot: pytest.fail("a boot"))
    monkeypatch.setattr("tollgate.bench.boot_all", lambda *_: pytest.fail("a boot"))
    for command in (
        ["show", row],
        ["bench", "--parts", parts.around(row)[1:], "--out", "/nowhere"],
    ):
        assert main(command) == Exit.USAGE
        assert said in re.sub("no (part or )?set '", "no part '", capsys.readouterr().err)


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_part_at_a_switch_is_listed_under_its_name(
    capsys: pytest.CaptureFixture[str], arch: str
) -> None:
    for part, last, count in (("rsb", "lfence", 9), ("ibpb", "wrmsr", 7)):
        assert main(["show", f"user/ipc/hand+{part}", f"--arch={arch}"]) == 0
        _, _, name, *rows = capsys.readouterr().out.splitlines()
        assert name == f"{part}:" and len(rows) == count and last in rows[-1]


def test_tables_that_do_not_agree_are_sentences(tmp_path: Path) -> None:
    """make's message for a part without a file, a file without a row, and a set out of order."""
    table = (ENTRY / "part.def").read_text()
    for wrong, said in (
        (table + 'PART(nothing, "nobody")\n', "there is no kernel/core/entry/part/nothing.inc"),
        (re.sub(r"PART\(clamp.*\n", "", table), "part/clamp.inc: no table names it"),
        (table + 'SET(late, verw swapgs, "")\n', "swapgs stands before verw"),
        (table + 'SET(both, ibrs retpoline, "")\n', "ibrs and retpoline cannot be in one set"),
    ):
        (tmp_path / "part.def").write_text(wrong)
        *command, _ = kernel_tables.command("check", "amd64")
        done = subprocess.run(
            [*command, tmp_path / "part.def"], capture_output=True, text=True, cwd=ROOT
        )
        assert done.returncode == 1 and said in done.stderr, said
