"""`tollgate check` against forgers: twenty kinds of lies about five boots, each lie careful.

A forger writes the right CRC and counts his records.  What he has changed is refused, or named in a
remark beside the figures.  The boots are real, but for the processor's: nobody here has one, so it
is made of a real boot, with a spread, of a machine that could be.
"""

from __future__ import annotations

import copy
import random
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, KERNEL, ROOT
from tollgate.records import image
from tollgate.records.check import found, remarks
from tollgate.records.expected import RULES, compiled, figures
from tollgate.records.format import MachineRun, Record

from .conftest import UNTOLD

Objects = list[dict[str, Any]]
Forger = Callable[[Objects, random.Random], None]

RYZEN = {"vendor": "AuthenticAMD", "family": 23, "model": 113, "stepping": 0}
BRAND = "AMD Ryzen 7 3700X 8-Core Processor             "
HERTZ = 3_593_000_000
TSC = {"by": "the PIT", "nominal_hz": 0, "invariant": True, "turbo": "on", "sleeps_deep": True}
COUNTED = "IA32_APERF and IA32_MPERF"


def rows(found_in: Objects, sections: bool = True) -> Objects:
    """The results that are no control's."""
    return [
        o
        for o in found_in
        if o["type"] == "result" and o["suite"] != "control" and ("sections" in o or not sections)
    ]


def of(found_in: Objects, kind: str, name: str) -> Objects:
    """The records of a type with this id or name."""
    return [o for o in found_in if o["type"] == kind and name in (o.get("id"), o.get("name"))]


def take(found_in: Objects, gone: dict[str, Any]) -> None:
    """One record less, and the end record says so."""
    del found_in[next(i for i, o in enumerate(found_in) if o is gone)]
    found_in[-1]["records"] -= 1


def shifted(row: dict[str, Any], by: int) -> None:
    """All figures of a row moved by as much, the sections with them."""
    for key in ("min", "median", "p90", "p99", "max", "mean", "batch"):
        row[key] += by
    row["histogram"] = [[value + by, count] for value, count in row["histogram"]]
    part = max(row["sections"], key=lambda one: one["median"])
    part["median"] += by
    part["min"] += by


def resampled(row: dict[str, Any], samples: list[int]) -> None:
    """The statistics of a row as the kernel makes them of these samples."""
    samples.sort()
    n = len(samples)
    bins: dict[int, int] = {}
    width = 1
    while len({(s - samples[0]) // width for s in samples}) > 64:
        width *= 2
    for sample in samples:
        edge = sample - (sample - samples[0]) % width
        bins[edge] = bins.get(edge, 0) + 1
    rank = {p: samples[-(-n * p // 100) - 1] for p in (50, 90, 99)}
    row.update(n=n, min=samples[0], median=rank[50], p90=rank[90], p99=rank[99], max=samples[-1])
    row.update(mean=int(sum(samples) * 100 / n) / 100, histogram=[[e, c] for e, c in bins.items()])


def spread(o: dict[str, Any], rng: random.Random, base: int, width: int) -> None:
    """A row with samples of a clock's, its sections with it."""
    resampled(o, [base + rng.randrange(width) for _ in range(o["n"])])
    if "sections" in o:
        o |= {"batch": float(o["median"]), "residue": 0}
        rest = o["median"]
        for part in o["sections"][:-1]:
            part.update(min=rest // 9, median=rest // 9)
            rest -= rest // 9
        o["sections"][-1].update(min=rest - 3, median=rest)


def on_clock(boot: Objects) -> Objects:
    """The boot as a busy host's clock could have told it."""
    rng = random.Random(1)
    made = copy.deepcopy(boot)
    for o in made:
        if o["type"] == "result":
            spread(o, rng, o["median"], 12 if o["suite"] == "control" else 400)
    return made


def on_processor(boot: Objects) -> Objects:
    """The boot as a processor could have told it: its rows in cycles, each with a spread."""
    rng = random.Random(1)
    made = copy.deepcopy(boot)
    made[0] |= {
        "platform": "hardware", "cpu_model": "", "unit": "cycles", "deterministic": False,
        "firmware": "multiboot2 uefi", "hypervisor": "", "tsc_hz": HERTZ,
        "quiet": 3600 * HERTZ,
        "cpu": {**RYZEN, "brand": BRAND}, "cmdline": "suite=toll samples=100",
        "tools": {**made[0]["tools"], "emulator": ""},
        "clock": {**TSC, "core": COUNTED, "smis": -1},
    }  # fmt: skip
    for o in made:
        if o["type"] != "result":
            continue
        base = {"control/empty": 0, "control/loop": 1800}.get(o["id"], 80 + 4 * o["median"])
        spread(o, rng, base, 4 if o["suite"] == "control" else 12)
        taken = 4 * o["n"] * max(o["median"], 1)
        o |= {"core": taken, "reference": taken}
        if "sections" in o:
            o["probe"] = 36
    return made


# --- what forgers do ---------------------------------------------------------------------------


def lowered(o: Objects, rng: random.Random) -> None:
    row = rng.choice([r for r in rows(o) if r["median"] > 30])
    shifted(row, -(row["median"] // 5))


def batch(o: Objects, rng: random.Random) -> None:
    row = rng.choice([r for r in rows(o) if r["median"] > 40])
    row["batch"] = 12.34


def mean(o: Objects, rng: random.Random) -> None:
    row = max(rows(o), key=lambda one: (len(one["histogram"]), rng.random()))
    row["mean"] += max(0.02, round((row["max"] - row["mean"]) / 2, 2))


def quantile(o: Objects, rng: random.Random) -> None:
    row = rng.choice(rows(o))
    row["max"] = row["max"] + 1


def to_processor(o: Objects, rng: random.Random) -> None:
    """An emulator's boot becomes a processor's in every label; a processor's gets another brand."""
    if o[0]["unit"] == "cycles":
        o[0]["cpu"] = {**o[0]["cpu"], "brand": "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz"}
        return
    line = re.sub(r"(platform|model|emulator)=\S+ ?", "", o[0]["cmdline"])
    o[0] |= {"platform": "hardware", "unit": "cycles", "deterministic": False, "hypervisor": ""}
    o[0] |= {"cpu_model": "", "cmdline": line, "tsc_hz": HERTZ, "firmware": "multiboot2 uefi"}
    o[0] |= {"cpu": {**RYZEN, "brand": BRAND}, "tools": {**o[0]["tools"], "emulator": ""}}
    o[0]["clock"] = {**TSC, "core": rng.choice(["", COUNTED]), "smis": -1}


def to_kvm(o: Objects, rng: random.Random) -> None:
    line = re.sub(r"(platform|model|emulator)=\S+ ?", "", o[0]["cmdline"])
    o[0] |= {"platform": "kvm", "unit": "cycles", "deterministic": False, "cpu_model": "host"}
    o[0] |= {"cmdline": f"platform=kvm model=host emulator=qemu-7.2.22 {line}", "tsc_hz": HERTZ}
    o[0] |= {"hypervisor": "" if o[0]["firmware"] != "multiboot1" else "KVMKVMKVM"}
    o[0]["cpu"] = {**RYZEN, "brand": BRAND}
    o[0]["tools"] = {**o[0]["tools"], "emulator": "qemu-7.2.22"}


def to_bochs(o: Objects, rng: random.Random) -> None:
    """In every label, and as a model of Bochs' whose processor is another's."""
    line = re.sub(r"(platform|model|emulator)=\S+ ?", "", o[0]["cmdline"])
    o[0] |= {"platform": "bochs", "unit": "instructions", "deterministic": True}
    o[0] |= {"cpu_model": "ryzen", "hypervisor": "", "tsc_hz": 0}
    o[0] |= {"cmdline": f"platform=bochs model=ryzen emulator=bochs-2.7 {line}"}
    o[0]["tools"] = {**o[0]["tools"], "emulator": "bochs-2.7"}


def labels(o: Objects, rng: random.Random) -> None:
    one, other = rng.sample(rows(o), 2)
    while one["label"] == other["label"]:
        one, other = rng.sample(rows(o), 2)
    one["label"], other["label"] = other["label"], one["label"]


def ids(o: Objects, rng: random.Random) -> None:
    one, other = rng.sample([r for r in rows(o) if "standard" in r["id"]], 2)
    while one["label"] == other["label"]:
        other = rng.choice(rows(o))
    one["id"], other["id"] = other["id"], one["id"]


def skip(o: Objects, rng: random.Random) -> None:
    take(o, next(x for x in o if x["type"] == "skip"))


def row_lost(o: Objects, rng: random.Random) -> None:
    take(o, rng.choice(rows(o)))


def many(o: Objects, rng: random.Random) -> None:
    for row in rows(o):
        scale = 1_000_000 // row["n"]
        row["histogram"] = [[value, count * scale] for value, count in row["histogram"]]
        row["n"] *= scale


def more(o: Objects, rng: random.Random) -> None:
    """Ten times as many samples, within what a program has room for."""
    for row in rows(o):
        row["histogram"] = [[value, count * 10] for value, count in row["histogram"]]
        row["n"] *= 10


def compiler(o: Objects, rng: random.Random) -> None:
    name = rng.choice(["gcc 14.2.0", "clang 14.0.6", "gcc 12.2.1"])
    o[0]["tools"] = {**o[0]["tools"], "compiler": name}


def fence(o: Objects, rng: random.Random) -> None:
    o[0]["fence"] = "cpuid"
    o[0]["cmdline"] += rng.choice(["", " fence=rdtscp"])


def probe(o: Objects, rng: random.Random) -> None:
    rng.choice(rows(o))["probe"] = 3


def entered(o: Objects, rng: random.Random) -> None:
    for check in of(o, "check", "control/entered"):
        words = ("calls answered", "stamped", "fresh", "entered")
        check["detail"] = ", ".join(f"1 of 1 {word}" for word in words)


def foreign(o: Objects, rng: random.Random) -> None:
    row = rng.choice(rows(o))
    row["id"] = row["id"].rpartition("/")[0] + "/" + rng.choice(["fast", "standard2"])


def loop(o: Objects, rng: random.Random) -> None:
    for control in of(o, "result", "control/loop"):
        for key in ("min", "median", "p90", "p99", "max"):
            control[key] = 2001 if o[0]["unit"] != "instructions" else 2000
        control.update(mean=float(control["max"]), histogram=[[control["max"], control["n"]]])


def vendor(o: Objects, rng: random.Random) -> None:
    other = {"AuthenticAMD": "GenuineIntel", "GenuineIntel": "AuthenticAMD"}
    o[0]["cpu"] = {**o[0]["cpu"], "vendor": other[o[0]["cpu"]["vendor"]], "brand": ""}


def arch(o: Objects, rng: random.Random) -> None:
    o[0]["arch"] = "i386"


def bound(o: Objects, rng: random.Random) -> None:
    o[0]["quiet"] += 1


RELABELLED = (to_processor, to_kvm, to_bochs)
KINDS: tuple[Forger, ...] = (
    lowered, batch, mean, quantile, to_processor, to_kvm, to_bochs, labels, ids, skip, row_lost,
    many, more, compiler, fence, probe, entered, foreign, loop, vendor, arch, bound,
)  # fmt: skip
TWICE = "the same boot twice"
BOOTS = ("icount AMD", "icount Intel", "another's kernel", "host ticks", "processor")
PASS_AS_TRUE = {
    # What a clock has read, nobody can read again: a figure of a clock that is moved with all that
    # hangs on it looks like any other.
    ("lowered", "host ticks"), ("lowered", "processor"),
    # Where samples spread so far that a bin is wider than 1, a greatest one that is 1 more is still
    # in the last bin.
    ("quantile", "host ticks"),
}  # fmt: skip


def as_run(objects: Objects) -> MachineRun:
    return MachineRun([Record(o["type"], o) for o in copy.deepcopy(objects)])


@pytest.fixture
def boots(boot: Any) -> dict[str, Objects]:
    """Five boots, as their records' objects."""

    def told(cpu: str, words: str, **options: Any) -> Objects:
        result = boot("amd64", cpu, words, **options)
        return copy.deepcopy([record.data for record in result.machine_run.records])

    amd = told("EPYC", "suite=toll samples=100")
    others = copy.deepcopy(amd)
    others[0]["image"] = {**others[0]["image"], "kernel": "0123456789abcdef" * 4}
    made = (
        amd,
        told("Skylake-Client", "suite=toll samples=100"),
        others,
        on_clock(told("EPYC", "suite=toll samples=200", platform="qemu-tcg", extra=UNTOLD)),
        on_processor(amd),
    )
    return dict(zip(BOOTS, made, strict=True))


def test_a_forgery_is_refused_or_named_and_the_truth_is_not(boots: dict[str, Objects]) -> None:
    usual = {}
    for name, objects in boots.items():
        run = as_run(objects)
        assert found(run) == [], f"{name}: the truth is refused"
        usual[name] = {str(remark) for remark in remarks(run)}
    assert any("none that was built here" in text for text in usual["another's kernel"])
    assert not any("none that was built here" in text for text in usual["icount AMD"])
    tried, through, unnamed, fired = 0, set(), [], set()
    for number, kind in enumerate(KINDS):
        for name, objects in boots.items():
            forged = copy.deepcopy(objects)
            kind(forged, random.Random(number))
            assert forged != objects
            run = as_run(forged)
            tried += 1
            faults = found(run)
            refused = bool(faults)
            fired |= {fault.rule for fault in faults}
            if kind in RELABELLED and not refused:
                unnamed.append((kind.__name__, name))
            told = {str(remark) for remark in remarks(run)}
            theirs = kind is compiler and name == "another's kernel"
            if not refused and told <= usual[name] and not theirs:
                through.add((kind.__name__, name))
    assert unnamed == [], "a relabelled platform is not refused"
    assert through <= PASS_AS_TRUE
    assert tried >= 100 and len(through) * 20 <= tried
    assert fired >= {rule.id for rule in RULES}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_a_boot_names_the_bytes_that_ran(boot: Any, arch: str, tmp_path: Path) -> None:
    """The kernel's file and the initrd's say the same as the record; a changed byte shows."""
    result = boot(arch, "EPYC", "suite=toll samples=100")
    file = BUILD / arch / "kernel.elf"
    assert result.run["image"]["kernel"] == image.kernel(file) != ""
    if arch == "amd64":
        assert image.kernel(BUILD / KERNEL[arch]) == image.kernel(file), "QEMU's twin"
    changed = bytearray(file.read_bytes())
    changed[changed.index(b"there is no suite")] ^= 1
    (tmp_path / "kernel.elf").write_bytes(changed)
    assert image.kernel(tmp_path / "kernel.elf") == ""
    script = (ROOT / "tools" / "initrd.sh").read_text()
    command = re.search(r"#\s+cpio -id < ARCHIVE; (.+)", script)
    assert command
    archive = BUILD / arch / "initrd.cpio"
    unpack = f"cpio --quiet -id < {shlex.quote(str(archive))}; {command[1]}"
    (tmp_path / "files").mkdir()
    told = subprocess.run(
        unpack, shell=True, cwd=tmp_path / "files", capture_output=True, text=True, check=True
    )
    assert told.stdout.split()[0] == result.run["image"]["initrd"]


def test_one_boot_twice_is_refused_where_a_clock_counts(boots: dict[str, Objects]) -> None:
    for name in ("host ticks", "processor"):
        run = as_run(boots[name])
        assert {fault.rule for fault in found(run, [run])} >= {"twice"}
    run = as_run(boots["icount AMD"])
    assert found(run, [run]) == [], "two true runs of one machine are the same, to the byte"


def test_a_kernel_that_is_here_is_known(boots: dict[str, Objects]) -> None:
    """Its figures are the budgets', and its compiler is the one that made it."""
    objects = boots["icount AMD"]
    run = as_run(objects)
    assert [*compiled(run), *figures(run)] == []
    row = next(o for o in objects if o.get("id") == "user/int/standard")
    shifted(row, -1)
    (fault,) = found(as_run(objects))
    assert fault.rule == "budget"
    assert fault.text.startswith("it costs [40, 1, 20, ")
    objects[0]["image"]["kernel"] = "f" * 64
    assert found(as_run(objects)) == []
    assert any("it costs [40, " in str(remark) for remark in remarks(as_run(objects)))
