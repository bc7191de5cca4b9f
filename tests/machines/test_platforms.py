"""The table of platforms, and the resulting command lines."""

from dataclasses import replace
from pathlib import Path

import pytest

from tollgate import sweep
from tollgate.bench import Choice, machines
from tollgate.errors import TollgateError, UsageError
from tollgate.machines import bochs, plan, platforms, qemu
from tollgate.machines.boot import Boot
from tollgate.machines.emulator import resolve

KERNEL = b"\x7fELF"


@pytest.fixture
def boot(tmp_path: Path) -> Boot:
    """A boot of an existing kernel and initrd."""
    kernel, module = tmp_path / "k.elf", tmp_path / "t,1.cpio"
    for path in (kernel, module):
        path.write_bytes(KERNEL)
    return Boot("amd64", cpu="Skylake-Client", kernel=kernel, module=module)


def test_each_platform_has_its_true_unit() -> None:
    assert {name: platform.unit for name, platform in platforms.PLATFORMS.items()} == {
        "qemu-icount": "instructions",
        "qemu-tcg": "host ticks",
        "bochs": "instructions",
        "kvm": "cycles",
    }


def test_a_platform_may_name_its_processor() -> None:
    boot, platform = resolve(Boot("i386", platform="bochs:p2_klamath"))
    assert (boot.platform, boot.cpu, platform.family) == ("bochs", "p2_klamath", "bochs")
    assert boot.limit == platform.limit
    assert platforms.find("")[0].name == "qemu-icount"


@pytest.mark.parametrize(
    ("arch", "cpu", "program"),
    [
        ("amd64", "EPYC", "qemu-system-x86_64"),
        ("i386", "EPYC", "qemu-system-x86_64"),
        ("i386", "pentium3,-sep", "qemu-system-i386"),
    ],
)
def test_the_emulator_is_as_wide_as_the_processor(arch: str, cpu: str, program: str) -> None:
    assert platforms.emulator(platforms.PLATFORMS["qemu-icount"], arch, cpu) == program


def test_kvm_needs_one_of_the_two_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platforms, "SYS_MODULE", tmp_path)
    (tmp_path / "kvm").mkdir()
    with pytest.raises(TollgateError, match="Neither kvm_intel nor kvm_amd is loaded"):
        platforms.require(platforms.PLATFORMS["kvm"], "qemu-system-x86_64")
    (tmp_path / "kvm_amd").mkdir()
    assert platforms.kvm_loaded()


def test_a_missing_emulator_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(platforms, "FOLDERS", ())
    with pytest.raises(TollgateError, match="bochs-bin is not installed; `make setup`"):
        platforms.require(platforms.PLATFORMS["bochs"], "bochs-bin")


def test_an_emulator_out_of_path_is_not_called_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bochs-bin").write_text("")
    (tmp_path / "bochs-bin").chmod(0o755)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(platforms, "FOLDERS", (str(tmp_path),))
    with pytest.raises(TollgateError, match=f"bochs-bin is in {tmp_path}, which is not in PATH"):
        platforms.require(platforms.PLATFORMS["bochs"], "bochs-bin")


def test_qemu_gets_the_documented_command_line(
    boot: Boot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qemu, "OWN", ())
    directory = tmp_path / "boot"
    directory.mkdir()
    boot, platform = resolve(replace(boot, cpu="", words=("suite=toll",)))
    command = " ".join(qemu.plan(boot, platform, directory).command[1:])
    version = platforms.version("qemu-system-x86_64")
    assert command == (
        "-no-reboot -d cpu_reset -D emulator.log "
        "-M pc -m 64 -cpu Skylake-Client -accel tcg -icount shift=0,sleep=off "
        "-nodefaults -vga std -rtc base=2020-01-01,clock=vm "
        "-device isa-debug-exit,iobase=0xf4,iosize=4 "
        "-kernel kernel.elf -initrd initrd.cpio "
        f"-append platform=qemu-icount model=Skylake-Client emulator={version} suite=toll "
        "-display none -monitor none -serial file:serial.log"
    )
    assert (directory / "kernel.elf").read_bytes() == KERNEL


def test_labels_can_be_left_out(boot: Boot) -> None:
    bare = replace(boot, words=("nonsense",), labels=False)
    assert plan.words(bare, "qemu-7.2.22") == ["nonsense"]


def test_bochs_refuses_what_it_cannot_do(boot: Boot, tmp_path: Path) -> None:
    boot, platform = resolve(replace(boot, platform="bochs", extra=("-s",)))
    with pytest.raises(TollgateError, match="use a QEMU platform"):
        bochs.plan(boot, platform, tmp_path)


def test_words_survive_grubs_shell() -> None:
    assert bochs.quote("a=$b;'c'") == "'a=$b;'\\''c'\\'''"


def test_an_unknown_processor_gets_its_nearest_names() -> None:
    platform = platforms.PLATFORMS["qemu-icount"]
    with pytest.raises(UsageError, match="knows no processor 'Haswel'; did you mean Haswell"):
        platforms.check_cpu(platform, "amd64", "Haswel")
    platforms.check_cpu(platform, "amd64", "Haswell,-sep")
    with pytest.raises(UsageError, match="pentium has no long mode"):
        platforms.check_cpu(platform, "amd64", "pentium")


def pairs(boots: list[Boot]) -> list[tuple[str, str, str]]:
    return [(boot.platform, boot.arch, boot.cpu) for boot in boots]


def test_the_bench_boots_its_three_machines() -> None:
    assert pairs(machines(Choice())) == [
        ("qemu-icount", "i386", "EPYC"),
        ("qemu-icount", "amd64", "Skylake-Client"),
        ("qemu-icount", "amd64", "EPYC"),
    ]
    assert pairs(machines(Choice(arch="i386"))) == [("qemu-icount", "i386", "EPYC")]


def test_the_bench_boots_both_kernels_on_a_named_processor() -> None:
    assert pairs(machines(Choice(cpu="Haswell"))) == [
        ("qemu-icount", "i386", "Haswell"),
        ("qemu-icount", "amd64", "Haswell"),
    ]
    assert pairs(machines(Choice(platform="bochs:p2_klamath"))) == [("bochs", "i386", "p2_klamath")]


def test_wishes_become_words() -> None:
    choice = Choice(suite="toll", samples="5", fence="cpuid", arch="i386")
    assert machines(choice)[0].words == ("suite=toll", "samples=5", "fence=cpuid")


def test_a_bench_without_a_suite_has_one_set_around_the_entry() -> None:
    said = {"": "parts=linux-tigerlake", "verw": "parts=verw", "none": None}
    asked = [(Choice(parts=parts), word) for parts, word in said.items()]
    for choice, word in [*asked, (Choice(suite="toll"), None)]:
        for boot in machines(choice):
            found = next((each for each in boot.words if each.startswith("parts=")), None)
            assert found == (word if boot.arch == "amd64" else None)


@pytest.mark.parametrize(
    "choice",
    [
        Choice(arch="arm"),
        Choice(platform="vmware"),
        Choice(cpu="nonsense"),
        Choice(cpu="pentium", arch="amd64"),
        Choice(samples="0"),
        Choice(samples="20001"),
        Choice(samples="9" * 5000),
        Choice(samples="many"),
        Choice(samples="\N{SUPERSCRIPT TWO}"),
        Choice(fence="mfence"),
        Choice(align="64"),
        Choice(suite="a b"),
    ],
)
def test_bad_wishes_are_refused(choice: Choice) -> None:
    with pytest.raises(UsageError):
        machines(choice)


def test_the_sweep_is_every_processor_on_every_kernel_it_runs() -> None:
    found = pairs(sweep.machines(Choice()))
    assert ("bochs", "i386", "p4_willamette") in found
    assert ("bochs", "amd64", "p4_willamette") not in found
    assert ("bochs", "amd64", "athlon64_clawhammer") in found
    assert ("qemu-icount", "i386", "athlon") in found
    assert ("qemu-icount", "amd64", "phenom") in found
    assert len(found) == len(set(found))
    assert {p for p, _, _ in pairs(sweep.machines(Choice(platform="bochs")))} == {"bochs"}
    assert pairs(sweep.machines(Choice(cpu="athlon"))) == [("qemu-icount", "i386", "athlon")]


def test_a_sweep_of_nothing_names_the_processors() -> None:
    with pytest.raises(UsageError, match=r"its processors are .*pentium_mmx"):
        sweep.machines(Choice(cpu="i960"))
