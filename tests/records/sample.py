"""Sample records: complete boots that keep every rule."""

import struct
from itertools import pairwise
from typing import Any

from tollgate.records.format import MachineRun, Record

POINTS = [f"MP{number}" for number in range(1, 9)]


PLACES = {  # unit -> platform, hypervisor, emulator
    "instructions": ("qemu-icount", "TCGTCGTCGTCG", "qemu-7.2.22"),
    "host ticks": ("qemu-tcg", "TCGTCGTCGTCG", "qemu-7.2.22"),
    "cycles": ("hardware", "", ""),
}


CLOCK = {
    "by": "the PIT", "nominal_hz": 0, "base_hz": 0, "apic_hz": 0, "rtc_hz": 0, "pit_hz": [],
    "invariant": False, "core": "", "turbo": "", "sleeps_deep": False, "smis": -1, "retired": "",
    "core_type": 0, "microcode": "0x1000065", "arch_capabilities": "", "spec_ctrl": "",
}  # fmt: skip
EPYC = {
    "vendor": "AuthenticAMD", "brand": "AMD EPYC Processor",
    "family": 23, "model": 1, "stepping": 2,
}  # fmt: skip


def state_of(run: dict[str, Any]) -> dict[str, Any]:
    """The state of a run record's machine, with the CPUID leaves that its identity is from."""
    cpu, long = run["cpu"], run["arch"] == "amd64"
    amd = cpu["vendor"] == "AuthenticAMD"
    vendor = struct.unpack("<3I", cpu["vendor"].encode())
    brand = struct.unpack("<12I", cpu["brand"].encode().ljust(48, b"\0"))
    family, model = min(cpu["family"], 15), cpu["model"]
    first = (cpu["family"] - family) << 20 | model >> 4 << 16 | family << 8 | (model & 15) << 4
    leaves = [
        [0, 0, 1, vendor[0], vendor[2], vendor[1]],
        [1, 0, first | cpu["stepping"], 0, bool(run["hypervisor"]) << 31, 1 << 24 | 1 << 16],
        [0x80000000, 0, 0x80000004, 0, 0, 0],
        [0x80000001, 0, 0, 0, 0, 1 << 20 | 1 << 11],
        *([0x80000002 + n, 0, *brand[4 * n : 4 * n + 4]] for n in range(3)),
    ]
    return {
        "cr0": "0x80010033", "cr4": "0x620" if long else "0x600", "xcr0": "",
        "efer": "0xd01" if long else "0x0",
        "pat": "0x7040600070406",
        "de_cfg": "0x2" * amd, "hwcr": "0x0" * amd, "bios": "", "system": "", "board": "",
        "cpuid": leaves,
    }  # fmt: skip


def as_run(*objects: dict[str, Any]) -> MachineRun:
    """A boot that sent these objects."""
    return MachineRun([Record(data["type"], data) for data in objects])


def without(run: MachineRun, kind: str) -> MachineRun:
    """The boot without records of one type."""
    return MachineRun([record for record in run.records if record.type != kind])


def inserted(run: MachineRun, *objects: dict[str, Any]) -> MachineRun:
    """The boot with these objects before its last check, counted in its end record."""
    place = max(i for i, record in enumerate(run.records) if record.type != "end")
    run.records[place:place] = [Record(data["type"], data) for data in objects]
    if run.end is not None:
        run.end["records"] = run.arrived
    return run


def make_run_record(**changed: Any) -> dict[str, Any]:
    """A `run` record like the kernel's."""
    unit = changed.get("unit", "instructions")
    platform, hypervisor, emulator = PLACES.get(unit, ("hardware", "", ""))
    return {
        "v": 1,
        "type": "run",
        "arch": "amd64",
        "platform": platform,
        "cpu_model": "EPYC",
        "unit": unit,
        "deterministic": unit == "instructions",
        "firmware": "multiboot1",
        "cpu": dict(EPYC),
        "image": {"kernel": 64 * "0", "initrd": ""},
        "hypervisor": hypervisor,
        "cmdline": "",
        "fence": "lfence",
        "version": "0.1.0",
        "tools": {"emulator": emulator, "compiler": "gcc 12.2.0", "nasm": "2.16.01"},
        "tsc_hz": 0,
        "clock": dict(CLOCK),
        "quiet": 0,
        "readable": True,
    } | changed


def make_plain(suite: str, identity: str, median: float, n: int = 1000) -> dict[str, Any]:
    """A `result` record whose samples are all equal, without sections."""
    figures = dict.fromkeys(("min", "median", "p90", "p99", "max"), median)
    head = {"v": 1, "type": "result", "suite": suite, "id": identity, "label": "int80", "n": n}
    tries = {"disturbed": 0, "repeated": 0}
    return {**head, **figures, "mean": float(median), "histogram": [[median, n]], **tries}


def make_result(identity: str, median: float, **changed: Any) -> dict[str, Any]:
    """A `result` record with its seven sections: everything in the first and the last."""
    parts = [1, 0, 0, 0, 0, 0, median - 1]
    return {
        **make_plain("toll", identity, median),
        "batch": float(median),
        "sections": [
            {"from": start, "to": end, "min": part, "median": part}
            for (start, end), part in zip(pairwise(POINTS), parts, strict=True)
        ],
        "probe": 14,
        "residue": 0,
    } | changed


def make_check(name: str, detail: str) -> dict[str, Any]:
    """A `check` record that passes."""
    return {"v": 1, "type": "check", "name": name, "ok": True, "detail": detail}


def controlled(rows: list[dict[str, Any]], calls: int = 1100) -> list[dict[str, Any]]:
    """A measuring program's records: its controls, `rows`, and the counts of its calls."""
    entered = (
        f"{calls} of {calls} calls answered, 1100 of 1100 stamped, 1100 of 1100 fresh, "
        f"{calls} of {calls} entered"
    )
    return [
        make_plain("control", "control/empty", 0),
        make_check("control/empty", "0 of 0"),
        make_plain("control", "control/loop", 2001),
        make_check("control/loop", "2001 of 2001"),
        *rows,
        make_check("control/entered", entered),
        make_check("control/order", "first row above last in 1 of 1 mechanisms"),
    ]


def ended(objects: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
    """The objects of a boot and its end record."""
    return [*objects, {"v": 1, "type": "end", "records": len(objects), "failed": 0, **more}]


def make_run(medians: dict[str, float] | None = None, **changed: Any) -> MachineRun:
    """A complete boot: results with these medians, a skip, the controls and an end."""
    rows = [make_result(*row) for row in (medians or {"user/int/standard": 46}).items()]
    reason = "CPUID.01H:EDX.SEP[bit 11] = 0"
    for variant in ("standard", "bare"):
        skip = {"v": 1, "type": "skip", "suite": "toll", "id": f"user/sysenter/{variant}"}
        rows.append(skip | {"reason": reason})
    return as_run(*ended([make_run_record(**changed), *controlled(rows)]))
