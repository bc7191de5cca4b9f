"""The CPUID facts of emulated processors: the models that a sweep measures."""

from collections.abc import Mapping
from typing import Any

from tollgate.records.format import MachineRun

MODELS: Mapping[str, Mapping[str, tuple[str, str, int, int, int]]] = {
    "qemu": {
        "pentium": ("GenuineIntel", "", 5, 4, 3),
        "pentium2": ("GenuineIntel", "", 6, 5, 2),
        "pentium3": ("GenuineIntel", "", 6, 7, 3),
        "athlon": ("AuthenticAMD", "QEMU Virtual CPU version 2.5+", 6, 2, 3),
        "qemu32": ("GenuineIntel", "QEMU Virtual CPU version 2.5+", 6, 6, 3),
        "qemu64": ("AuthenticAMD", "QEMU Virtual CPU version 2.5+", 15, 107, 1),
        "phenom": ("AuthenticAMD", "AMD Phenom(tm) 9550 Quad-Core Processor", 16, 2, 3),
        "Opteron_G5": ("AuthenticAMD", "AMD Opteron 63xx class CPU", 21, 2, 0),
        "Haswell": ("GenuineIntel", "Intel Core Processor (Haswell)", 6, 60, 4),
        "Skylake-Client": ("GenuineIntel", "Intel Core Processor (Skylake)", 6, 94, 3),
        "EPYC": ("AuthenticAMD", "AMD EPYC Processor", 23, 1, 2),
    },
    "bochs": {
        "pentium_mmx": ("GenuineIntel", "", 5, 4, 3),
        "p2_klamath": ("GenuineIntel", "", 6, 3, 4),
        "p3_katmai": ("GenuineIntel", "", 6, 7, 3),
        "p4_willamette": ("GenuineIntel", "Intel(R) Pentium(R) 4 CPU 1.80GHz", 15, 1, 2),
        "athlon64_clawhammer": ("AuthenticAMD", "AMD Athlon(tm) 64 Processor 2800+", 15, 4, 8),
        "corei7_haswell_4770": (
            "GenuineIntel",
            "Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz",
            6,
            60,
            3,
        ),
        "ryzen": ("AuthenticAMD", "AMD Ryzen 7 1700 Eight-Core Processor          ", 23, 1, 1),
    },
}
"""Vendor, brand, family, model and stepping."""
TRIED = ("qemu-7.2.", "bochs-2.7")
"""The emulators from which these facts were read.  Others are not compared."""
CLOCK = {
    "nominal_hz": 0, "base_hz": 0, "apic_hz": 0, "core": "", "core_type": 0,
    "arch_capabilities": "", "spec_ctrl": "", "invariant": False, "turbo": "", "sleeps_deep": False,
    "smis": -1, "microcode": "",
}  # fmt: skip
OF_QEMU: Mapping[str, Mapping[str, Any]] = {
    "GenuineIntel": {"smis": 3, "microcode": "0x1"},
    "AuthenticAMD": {"microcode": "0x1000065"},
}
"""What QEMU's models from Intel's family 6 and AMD's family 16 on have. SMIs are the firmware's."""
OF_BOCHS: Mapping[str, Mapping[str, Any]] = {
    "corei7_haswell_4770": {"invariant": True, "turbo": "on", "sleeps_deep": True},
    "ryzen": {"invariant": True},
}


def said(run: MachineRun, path: str) -> Any:
    """A run record's value at a path such as `cpu.brand`."""
    outer, _, inner = path.partition(".")
    return run.run.get(outer, {}).get(inner) if inner else run.run.get(outer)


def facts(run: MachineRun) -> Mapping[str, Any]:
    """The expected facts of an emulated processor's run record, by paths; empty for others."""
    emulator, model = str(run.run["tools"].get("emulator", "")), str(run.run["cpu_model"])
    maker = str(run.run["platform"]).partition("-")[0]
    processor = MODELS.get(maker, {}).get(model)
    if processor is None or "clock" not in run.run:
        return {}
    counted: dict[str, Any] = {}
    if run.unit == "instructions":
        counted = {"by": "the PIT"} | ({} if "retired=" in run.run["cmdline"] else {"retired": ""})
    if not emulator.startswith(TRIED):  # whatever the emulator's version: the kernel's own work
        return {f"clock.{name}": value for name, value in counted.items()}
    vendor, _, family, *_ = processor
    clock = CLOCK | counted
    if maker == "bochs":
        clock |= OF_BOCHS.get(model, {})
    elif family >= (6 if vendor == "GenuineIntel" else 16):
        clock |= OF_QEMU[vendor]
    bios = str(said(run, "state.bios") or "SeaBIOS")
    if clock["smis"] != -1 and not bios.startswith("SeaBIOS"):
        del clock["smis"]  # another firmware raises others
    order = ("cpu.vendor", "cpu.brand", "cpu.family", "cpu.model", "cpu.stepping")
    found = {**dict(zip(order, processor, strict=True)), "firmware": "multiboot1"}
    return found | {f"clock.{name}": value for name, value in clock.items()}


def contradicts(run: MachineRun) -> list[str]:
    """Differences of a run record, in words."""
    return [
        f"{path} of {run.run['cpu_model']} is {value!r} there, not {said(run, path)!r}"
        for path, value in facts(run).items()
        if said(run, path) != value
    ]
