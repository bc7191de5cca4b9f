"""Records of this version's kernel: each rule of expected.py is seen to fail and to pass.

The boots are made from the kernel's own tables and keep every rule.  A lie breaks its rule, perhaps
others, too.  A suspicious but true record breaks none.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tollgate.records import expected, image, recomputed
from tollgate.records.check import found, remarks
from tollgate.records.expected import ENTRIES, VERSION, WARM_UP

from .sample import (
    CLOCK,
    EPYC,
    as_run,
    ended,
    make_check,
    make_plain,
    make_result,
    make_run_record,
    state_of,
)

Objects = list[dict[str, Any]]

SKYLAKE = {
    "vendor": "GenuineIntel", "brand": "Intel Core Processor (Skylake)", "family": 6, "model": 94,
    "stepping": 3,
}  # fmt: skip
OF_INTEL = CLOCK | {"microcode": "0x1", "smis": 3}
INTEL: dict[str, Any] = {"cpu": SKYLAKE, "cpu_model": "Skylake-Client", "clock": OF_INTEL}
LINE = "suite={} only=it samples=1000 platform={} model={} emulator=qemu-7.2.22"
FIRST = "user/int/standard"
TOLL = {FIRST: ("int80", 41), "user/int/bare": ("int83", 2), "user/callgate/bare": ("cg4", 2)}
UD = {"user/ud/plain": ("#UD", 3)}
KERNEL = "0123456789abcdef" * 4
HERTZ = 2_000_000_000
OFFSET: dict[str, Any] = {
    "offset": 8, "platform": "bochs", "cpu_model": "any", "hypervisor": "",
    "tools": {"emulator": "bochs-3.1", "compiler": "gcc 12.2.0", "nasm": "2.16.01"},
    "cmdline": "suite=toll platform=bochs model=any emulator=bochs-3.1 only=it samples=1000",
}  # fmt: skip


def proof(rows: int, calls: int, n: int = 1000, extra: int = 0) -> str:
    """The detail of `control/entered` for this many rows, and this many with answers."""
    each = n + WARM_UP
    made = {
        "calls answered": calls * each,
        "stamped": rows * each,
        "fresh": (rows + 3 + extra) * each,
    }
    made["entered"] = rows * ENTRIES
    return ", ".join(f"{count} of {count} {word}" for word, count in made.items())


def ranks(suite: str, rows: list[str]) -> str:
    """The detail of `control/order` for these rows."""
    pairs = {"toll": ("standard", "bare"), "exceptions": ("move", "plain")}
    dear, cheap = pairs.get(suite, ("", ""))
    ways = {name.rpartition("/")[0] for name in rows}
    held = sum({f"{way}/{dear}", f"{way}/{cheap}"} <= {*rows} for way in ways)
    return f"{dear} above {cheap} in {held} of {held} mechanisms"


def boot(
    suite: str = "toll", rows: dict[str, tuple[str, int]] | None = None, **run: Any
) -> Objects:
    """A complete, honest boot of one suite: of the toll, or of rows with these labels and costs."""
    rows = rows or TOLL
    told: dict[str, Any] = {"platform": "qemu-icount", "cpu_model": "EPYC", "cpu": EPYC} | run
    told = {"cmdline": LINE.format(suite, told["platform"], told["cpu_model"])} | told
    head = make_run_record(
        **{"version": VERSION, "image": {"kernel": KERNEL, "initrd": KERNEL}} | told
    )
    head["state"] = state_of(head)
    probed = suite in expected.TABLED
    make = (
        make_result if probed else lambda name, cost, **said: make_plain(suite, name, cost) | said
    )
    made = [make(name, cost, suite=suite, label=label) for name, (label, cost) in rows.items()]
    first = [
        make_plain("control", "control/empty", 0) | {"label": "empty"},
        make_check("control/empty", "0 of 0"),
        make_plain("control", "control/loop", 2001) | {"label": "loop"},
        make_check("control/loop", "2001 of 2001"),
    ]
    calls = sum(not name.endswith("/bare") for name in rows) if suite == "toll" else 0
    last = [
        make_check("control/entered", proof(len(rows), calls)),
        make_check("control/order", ranks(suite, [*rows])),
    ]
    if told.get("unit", "instructions") == "instructions":
        made = [one for row in made for one in (row, make_check(row["id"], "residue 0, spread 0"))]
    parts = [*first, *made, *last] if probed else [r for r in made if r["type"] == "result"]
    smis: dict[str, Any] = {"smis": 3} if told.get("cpu") is SKYLAKE else {}
    return json.loads(json.dumps(ended([head, *parts], **smis)))  # type: ignore[no-any-return]


def plain(suite: str, name: str, cost: int, label: str = "", **run: Any) -> Objects:
    """A boot of a suite whose rows have no sections."""
    return boot(suite, {name: (label or suite, cost)}, **run)


def of(objects: Objects, name: str, kind: str = "result") -> dict[str, Any]:
    return next(o for o in objects if o["type"] == kind and name in (o.get("id"), o.get("name")))


def having(objects: Objects, name: str = FIRST, **fields: Any) -> Objects:
    """The boot with these fields of a row changed."""
    of(objects, name).update(fields)
    return objects


def said(objects: Objects, **fields: Any) -> Objects:
    """The boot with these fields of its run record changed."""
    objects[0].update(fields)
    return objects


def clocked(objects: Objects, **fields: Any) -> Objects:
    """The boot with these fields of its clock changed."""
    return said(objects, clock=objects[0]["clock"] | fields)


def stated(objects: Objects, **fields: Any) -> Objects:
    """The boot with these fields of its machine's state changed."""
    return said(objects, state=objects[0]["state"] | fields)


def asked(objects: Objects, old: str, new: str) -> Objects:
    """The boot with a word of its command line changed."""
    assert old in objects[0]["cmdline"]
    return said(objects, cmdline=objects[0]["cmdline"].replace(old, new))


def proved(objects: Objects, detail: str) -> Objects:
    """The boot with other counts in `control/entered`."""
    of(objects, "control/entered", "check")["detail"] = detail
    return objects


def adding(objects: Objects, *records: dict[str, Any]) -> Objects:
    """The boot with more records at its end."""
    objects[-1:-1] = records
    objects[-1]["records"] += len(records)
    return objects


def skip(name: str, reason: str = "why", suite: str = "toll") -> dict[str, Any]:
    return {"v": 1, "type": "skip", "suite": suite, "id": name, "reason": reason}


def ticks(**run: Any) -> Objects:
    """A boot with the host's counter: its first row has a spread."""
    clock = CLOCK | {"pit_hz": [HERTZ - 1, HERTZ, HERTZ + 1]}
    time: dict[str, Any] = {
        "unit": "host ticks",
        "tsc_hz": HERTZ,
        "quiet": HERTZ * 3600,
        "clock": clock,
    }
    rows = {name: (label, max(cost, 20)) for name, (label, cost) in TOLL.items()}
    own: dict[str, Any] = {"rows": rows, "deterministic": False, "platform": "qemu-tcg"}
    objects = boot(**own | time | run)
    for row in (each for each in objects if each["type"] == "result"):
        row.update(low=row["median"], high=row["median"])
    having(objects, "control/loop", min=2000, mean=2000.99, histogram=[[2000, 10], [2001, 990]])
    spread: dict[str, Any] = {"min": 40, "p90": 42, "p99": 42, "max": 42}
    return having(objects, histogram=[[40, 250], [41, 500], [42, 250]], **spread)


def wide(mean: float) -> Objects:
    """A boot with a row of 40 bins, each 4 wide: its mean is 118 at least, 121 at most."""
    figures: dict[str, Any] = {
        "min": 40,
        "median": 118,
        "p90": 183,
        "p99": 198,
        "max": 199,
        "mean": mean,
    }
    bins = [[40 + 4 * i, 25] for i in range(40)]
    noisy = {"v": 1, "type": "noisy", "suite": "toll", "id": FIRST}
    objects = having(ticks(), **figures, histogram=bins, residue=77, batch=118.0, low=118, high=118)
    place = objects.index(of(objects, FIRST)) + 1
    objects.insert(place, noisy | {"reason": "a tenth of its samples is half as long again"})
    objects[-1]["records"] += 1
    return objects


def with_samples(objects: Objects, n: int, words: str) -> Objects:
    """The boot with rows of this many samples, as requested by its words."""
    for row in objects:
        if row["type"] == "result":
            row.update(n=n, histogram=[[row["median"], n]])
    proved(objects, proof(len(TOLL), 1, n))
    return asked(objects, "samples=1000", words)


def lacking(objects: Objects, key: str) -> Objects:
    """The boot without a key."""
    return [{name: value for name, value in each.items() if name != key} for each in objects]


def noisy(objects: Objects, reason: str) -> Objects:
    """The boot with a noisy first row."""
    head = {"v": 1, "type": "noisy", "suite": "toll", "id": FIRST}
    return adding(objects, head | {"reason": reason})


def web(**fields: Any) -> Objects:
    """A boot with a row of the suite web."""
    return having(plain("web", "user/user/0", 9), "user/user/0", **fields)


def usystime(*without: str) -> Objects:
    """A boot in which all of usystime was requested."""
    budgets = expected.budget_of("usystime", "amd64")
    rows = {name: ("usystime", 1) for name in budgets if name not in without}
    return asked(boot("usystime", rows), "only=it ", "")


HONEST = {
    "of the toll": boot,
    "of exceptions": lambda: boot("exceptions", UD),
    "in host ticks": ticks,
    "all rows": usystime,
    "a row that was skipped": lambda: adding(
        usystime("trusted/usystime/read"), skip("trusted/usystime/read", suite="usystime")
    ),
    "wide bins": lambda: wide(119.5),
    "a label that no table has": lambda: plain("ladder", "user/read/null", 9, "any"),
    "a fault's label": lambda: plain("exceptions", "user/fault/zero-net", 9, "fault/zero"),
    "by SYSENTER as by call gate": lambda: plain(
        "vsyscall", "trusted/time/sysenter", 9, **INTEL
    ),
    "i386 without a fence": lambda: having(
        boot(rows={FIRST: TOLL[FIRST]}, arch="i386", fence="none"), probe=13
    ),
    "fewer samples of a suite's own": lambda: having(
        plain("spawn", "user/fork", 9), "user/fork", n=200, histogram=[[9, 200]]
    ),
    "as many samples as conditions": lambda: having(
        plain("around", "user/around/read", 9, "x"),
        "user/around/read", n=3, histogram=[[9, 3]], plain=9, condition="none",
    ),
    "fewer samples, as asked": lambda: with_samples(boot(), 200, "samples=200"),
    "without a fence, as asked": lambda: asked(
        having(boot(rows={FIRST: TOLL[FIRST]}, fence="none"), probe=13),
        "samples", "fence=none samples",
    ),
    "a counter with an offset": lambda: (
        proved(boot(rows={FIRST: TOLL[FIRST]}, **OFFSET), proof(1, 1, extra=1))
    ),
}  # fmt: skip
LIES: tuple[tuple[str, str, Callable[[], Objects]], ...] = (
    ("names", "no suite is called 'tool'", lambda: plain("tool", "user/int/standard", 9)),
    ("names", "no kernel for amd64 has this row in its suite toll", lambda: boot(
        rows={"user/int/slow": ("any", 9)})),
    ("names", "has this row in its suite toll", lambda: adding(boot(), skip("user/int/slow"))),
    ("names", "has this row in its suite control", lambda: adding(
        boot(), make_plain("control", "control/other", 1))),
    ("names", "no kernel for amd64 has this row in its suite usystime", lambda: plain(
        "usystime", "user/usystime/write", 9)),
    ("names", "its label is 'int80', not 'int81'", lambda: having(boot(), label="int81")),
    ("names", "its label is 'loop', not 'hoop'", lambda: having(
        boot(), "control/loop", label="hoop")),
    ("names", "its label is 'usystime', not 'x'", lambda: plain(
        "usystime", "user/usystime/read", 9, "x")),
    ("names", "its label is 'int80', not 'x'", lambda: plain("calls", "user/getpid/int80", 9, "x")),
    ("names", "its label is 'fault/zero', not 'x'", lambda: plain(
        "exceptions", "user/fault/zero", 9, "x")),
    ("line", "model is 'EPYC', by the command line 'Haswell'", lambda: asked(
        boot(), "EPYC", "Haswell")),
    ("line", "model is 'EPYC', by the command line ''", lambda: asked(boot(), " model=EPYC", "")),
    ("line", "fence is 'none', by the command line 'lfence'", lambda: having(said(
        boot(rows={FIRST: TOLL[FIRST]}), fence="none"), probe=13)),
    ("line", "asks for exceptions, not for this suite", lambda: asked(
        boot(), "toll", "exceptions")),
    ("whole", "the suite usystime has no user/usystime/getpid and 1 more", lambda: usystime(
        "user/usystime/getpid", "user/usystime/read")),
    ("samples", "n is 20001: a program has room for 20000", lambda: with_samples(
        boot(), 20001, "samples=20001")),
    ("samples", "n is 999: 1000 samples were asked for", lambda: with_samples(
        boot(), 999, "samples=1000")),
    ("mean", "median is 43, and no sample is", lambda: having(
        ticks(), median=43, low=43, high=43, p90=45, p99=45, max=45, mean=42.25, residue=2,
        histogram=[[40, 250], [42, 500], [45, 250]])),
    ("mean", "the mean is 41.02, of its samples 41.00", lambda: having(ticks(), mean=41.02)),
    ("bins", "the mean is 117.9, by its bins from 118.00 to 121.00", lambda: wide(117.9)),
    ("bins", "the mean is 121.1, by its bins from 118.00 to 121.00", lambda: wide(121.1)),
    ("probe", "its probe is 13, not 14", lambda: having(boot(), probe=13)),
    ("probe", "its probe is 15, not 14", lambda: having(ticks(), "user/int/bare", probe=15)),
    ("marks", "90, and user/int/standard, which contains it, 41; neither is said", lambda: ticks(
        rows={FIRST: ("int80", 41), "user/int/bare": ("int83", 90)})),
    ("marks", "it takes 20, less than 3/4 of a stamp, and it is not said", lambda: [
        {**each, "probe": 28} if "probe" in each else each for each in ticks()]),
    ("batch", "its batch is 42.0, not 41", lambda: having(boot(), batch=42.0)),
    ("batch", "its batch is -1.0", lambda: having(ticks(), batch=-1.0)),
    ("entries", "stamped: 9 calls, where 3 rows make 3300", lambda: proved(
        boot(), proof(3, 1).replace("3300", "9"))),
    ("entries", "fresh: 6601 calls, where 3 rows make 6600", lambda: proved(
        boot(), proof(3, 1).replace("6600", "6601"))),
    ("entries", "stamped: 3299 calls, where 3 rows make 3300", lambda: proved(
        ticks(), proof(3, 1).replace("3300", "3299"))),
    ("entries", "entered: 61, where 3 rows make 60", lambda: proved(
        boot(), proof(3, 1).replace("60 of 60 e", "61 of 61 e"))),
    ("quiet", "quiet is 7, which is no hour", lambda: said(boot(), quiet=7)),
    ("own", "at every place where only=align asks", lambda: asked(boot(), "only=it", "only=align")),
    ("own", "and only there", lambda: having(boot(), places=[41] * 64)),
    ("skips", "AuthenticAMD has no such way in amd64", lambda: boot(
        rows={"user/sysenter/bare": ("sep4", 4)})),
    ("skips", "GenuineIntel has no such way in amd64", lambda: boot(
        rows={"compat/syscall/bare": ("sys4", 4)}, **INTEL)),
    ("skips", "AuthenticAMD has this way in, and tried", lambda: adding(
        boot(), skip("compat/syscall/bare", "SYSRET, tried at the boot: #PF, page fault"))),
    ("state", "cpu.family is 25, by CPUID 23", lambda: said(
        boot(cpu_model="any"), cpu=EPYC | {"family": 25})),
    ("state", "cpu.model is 18, by CPUID 2", lambda: boot(
        cpu_model="any", cpu=EPYC | {"brand": "", "family": 5, "model": 18})),
    ("state", "cpu.brand is 'AMD EPYC', by CPUID 'AMD EPYC Processor'", lambda: said(
        boot(cpu_model="any"), cpu=EPYC | {"brand": "AMD EPYC"})),
    ("state", "clock.invariant is True, by CPUID False", lambda: said(
        boot(cpu_model="any"), clock=CLOCK | {"invariant": True})),
    ("state", "clock.turbo is 'on', by CPUID ''", lambda: said(
        boot(cpu_model="any"), clock=CLOCK | {"turbo": "on"})),
    ("state", "state.hwcr is False, by CPUID True", lambda: stated(boot(), hwcr="")),
    ("state", "state.de_cfg is True, by CPUID False", lambda: stated(boot(**INTEL), de_cfg="0x2")),
    ("state", "SMEP is not what this processor has", lambda: stated(boot(), cr4="0x100620")),
    ("state", "cr0 is 0x33: paging", lambda: stated(boot(), cr0="0x33")),
    ("state", "efer is 0x801, which is no mode", lambda: stated(boot(), efer="0x801")),
    ("state", "state.pat is no register: '0x0x'", lambda: stated(boot(), pat="0x0x")),
    ("state", "not rising numbers of 32 bits", lambda: stated(boot(), cpuid=[[0, 0, 1]])),
    ("fields", "where time is counted a median has an interval", lambda: lacking(
        lacking(ticks(), "low"), "high")),
    ("fields", "what its calls did has no client", lambda: web(calls=3)),
    ("fields", "a row of this suite has plain, and a", lambda: plain("around", "user/around/a", 9)),
    ("words", "line says only= twice", lambda: asked(boot(), "only=it", "only=it only=it")),
    ("counter", "nobody has insisted by unit=cycles", lambda: ticks(insisted=True)),
    ("counter", "retired=tsc is not said", lambda: clocked(ticks(), retired=recomputed.MADE_UP)),
    ("rate", "it does not say how long a program can be quiet", lambda: lacking(ticks(), "quiet")),
    ("rate", "its rate is 1 Hz, by the windows of the PIT 2000000000 Hz", lambda: clocked(
        said(ticks(), tsc_hz=1), by="the PIT")),
    ("rate", "its rate is 2000000000 Hz, and CPUID.15H says 5 Hz", lambda: clocked(
        ticks(cpu_model="any"), by="CPUID.15H", nominal_hz=5)),
    ("rate", "no kernel takes its rate by 'x'", lambda: clocked(ticks(), by="x")),
    ("tries", "core is there where the run record has such", lambda: having(ticks(), core=5)),
    ("tries", "core is 5, and nobody counts it", lambda: clocked(
        having(ticks(cpu_model="any"), core=5, reference=5, smis=0), smis=3)),
    ("tries", "5 system-management interrupts came while it", lambda: having(ticks(), smis=5)),
    ("tries", "nobody counts the instructions", lambda: having(ticks(), retired=41.0)),
    ("tries", "3 system-management interrupts at its begin, -1", lambda: clocked(
        ticks(cpu_model="any"), smis=3)),
    ("marks", "nothing is noisy that is not there", lambda: noisy(boot(), "of itself")),
    ("marks", "it is not so that its median's interval is wider", lambda: noisy(
        ticks(), "its median's interval is wider than a tenth")),
    ("marks", "no kernel calls a row noisy because 'why'", lambda: noisy(ticks(), "why")),
    ("marks", "its batch 1.0 does not bear out 41, and", lambda: having(ticks(), batch=1.0)),
    ("checks", "no program of these suites checks this", lambda: adding(
        boot(), make_check("any", "1"))),
    ("own", "client, server and kernel are 3, not 9", lambda: web(client=1, server=1, kernel=1)),
    ("own", "5 bytes are not what its id says", lambda: web(bytes=5)),
    ("own", "plain is 8, and 9 in another row of this path", lambda: adding(
        having(plain("around", "user/around/a", 9), "user/around/a", plain=9, condition="none"),
        make_plain("around", "user/pairs/a", 9) | {"plain": 8, "condition": "none"})),
    ("own", "only a row with parts around it is spared one", lambda: having(boot(), spared="x")),
    ("sequence", "it does not stand behind its row", lambda: noisy(ticks(), "why")),
    ("fields", "every kernel writes state.board", lambda: stated(ticks(), board=1)),
    ("fields", "every kernel writes state.cpuid", lambda: stated(ticks(), cpuid=0)),
    ("skips", "the reason is another vendor's", lambda: adding(
        boot(), skip("user/syscall/bare", "Intel: SYSCALL needs CPL 0"))),
)  # fmt: skip
SAID: tuple[tuple[str, Callable[[], Objects]], ...] = (
    ("", lambda: plain("ladder", "user/read/null", 9, platform="linux")),
    ("", ticks),
    ("", lambda: plain("usystime", "user/usystime/getpid", 9, cpu_model="Haswell", cpu=SKYLAKE)),
    ("", lambda: having(
        plain("usystime", "user/usystime/getpid", 9), "user/usystime/getpid",
        n=1, histogram=[[9, 1]])),
    ("it is of version 9: its tables are not looked at", lambda: said(boot(), version="9")),
    ("the kernel does not say its SHA-256", lambda: said(boot(), image={})),
    ("its kernel 0123456789ab is none that was built here", boot),
    ("the command line asks for suite=toll only=it samples=1000", boot),
    ("each sample read 8 instructions too many", lambda: boot(**OFFSET)),
    ("somebody insisted (unit=cycles)", lambda: said(ticks(), insisted=True)),
    ("it was read from 3 codes on a screen", lambda: said(boot(), scanned=3)),
    ("its initrd 0123456789ab was not built here", boot),
    ("skip: user/int/nowork: why", lambda: adding(boot(), skip("user/int/nowork"))),
    ("it costs [40, 1, 0, 0, 0, 0, 0, 39], not [41, ", lambda: boot(rows={FIRST: ("int80", 40)})),
    ("it costs [40, 1, 0, 0, 0, 0, 0, 39], not [41, ", lambda: boot(
        rows={FIRST: ("int80", 40)}, cpu_model="Haswell", cpu=SKYLAKE)),
    ("it costs [41, 1, 0, 0, 0, 0, 0, 40], not [41, ", lambda: boot(rows={FIRST: ("int80", 41)})),
    ("it costs 9, not 66 by gcc 12", lambda: plain("usystime", "user/usystime/getpid", 9)),
    ("it costs 999, more than the", lambda: plain(
        "usystime", "user/usystime/getpid", 999,
        tools={"emulator": "qemu-7.2.22", "compiler": "cc 1.0", "nasm": "2.16.01"})),
    ("1 of 1 rows retire as many instructions", lambda: having(boot(), retired=41.0)),
    ("LFENCE waits for nothing", lambda: stated(ticks(), de_cfg="0x0")),
    ("unreadable, though this processor has it: pat, de_cfg", lambda: stated(
        boot(), de_cfg="unreadable", pat="unreadable")),
    ("a call in a batch takes 120.0, alone 41", lambda: having(ticks(), batch=120.0)),
)  # fmt: skip
"""A remark's words, which belong to no rule; if empty, only the remark on the kernel is allowed."""


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST.keys())
def test_what_is_honest_breaks_no_rule(make: Callable[[], Objects]) -> None:
    assert found(as_run(*make())) == []


@pytest.mark.parametrize(("rule", "told", "make"), LIES)
def test_a_lie_breaks_its_rule(rule: str, told: str, make: Callable[[], Objects]) -> None:
    faults = found(as_run(*make()))
    assert [fault for fault in faults if fault.rule == rule and told in fault.text], faults


def test_a_unit_that_nobody_has_asked_for_is_a_fault_of_the_boot() -> None:
    run = as_run(*ticks(unit="cycles"))
    told = "beneath '' the kernel counts host ticks"
    assert list(recomputed.units(run)) == [(run.records[0], told)]


@pytest.mark.parametrize("make", [make for _, _, make in LIES])
def test_another_versions_boot_is_not_held_to_these_tables(make: Callable[[], Objects]) -> None:
    run = as_run(*said(make(), version="0.0.9"))
    assert found(run) == []
    assert "it is of version 0.0.9: its tables are not looked at" in [r.text for r in remarks(run)]


@pytest.mark.parametrize(("told", "make"), SAID)
def test_what_a_reader_should_know_is_a_remark(told: str, make: Callable[[], Objects]) -> None:
    texts = [remark.text for remark in remarks(as_run(*make()))]
    usual = ("none that was built here", "was not built here", "the command line asks for")
    other = [text for text in texts if not any(each in text for each in usual)]
    assert sum(told in text for text in texts) == 1 if told else other == []


def test_one_boot_twice_is_refused_where_a_clock_counts() -> None:
    run, other = as_run(*ticks()), as_run(*having(ticks(), mean=41.01))
    assert [fault.rule for fault in found(run, [other, run])] == ["twice"]
    assert found(run, [other]) == []
    assert found(as_run(*boot()), [as_run(*boot())]) == [], "true runs of one machine are the same"


FULL = [41, 1, 21, 1, 2, 1, 14, 1]
"""FIRST in tests/budgets.toml: the total and the sections."""


def budgeted(objects: Objects | None = None, name: str = FIRST, full: list[int] = FULL) -> Objects:
    """A boot of one row with the cost in its budget."""
    objects = objects or boot(rows={name: TOLL[name]})
    for part, cost in zip(of(objects, name)["sections"], full[1:], strict=True):
        part.update(min=cost, median=cost)
    return objects


def on_bochs() -> Objects:
    """A boot of a row whose first instruction Bochs counts, and QEMU does not."""
    line = OFFSET["cmdline"].replace("toll", "exceptions")
    objects = boot("exceptions", {"user/gp/plain": ("#GP", 4)}, **OFFSET | {"cmdline": line})
    proved(objects, proof(1, 0, extra=1))
    return budgeted(objects, "user/gp/plain", [4, 1, 0, 0, 0, 0, 2, 1])


@pytest.mark.parametrize(
    ("folder", "held", "objects", "told"),
    [
        ("amd64", b"gcc 12.2.0\0 2.16.01\0", budgeted(), []),
        ("amd64", b"gcc 12.2.0\0 2.16.01\0", on_bochs(), []),
        ("i386", b"gcc 12.2.0\0 2.16.01\0", budgeted(), ["compiler: its kernel is i386's"]),
        (
            "amd64",
            b"gcc 13.1.0\0 2.16.01\0",
            budgeted(),
            ["compiler: its kernel was not made with"],
        ),
        ("amd64", b"gcc 12.2.0\0 2.15\0", budgeted(), ["compiler: its kernel was not made with"]),
        ("amd64", b"gcc 12.2.0\0 2.16.01\0", boot(), ["budget: it costs [41, 1, 0, "]),
        (
            "amd64",
            b"gcc 12.2.0\0 2.16.01\0",
            said(budgeted(), version="9"),
            ["compiler: its kernel is of version"],
        ),
    ],
    ids=["as it is", "bochs", "folder", "compiler", "nasm", "cost", "version"],
)
def test_a_kernel_that_is_here_is_held_against_the_record(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    folder: str,
    held: bytes,
    objects: Objects,
    told: list[str],
) -> None:
    path = tmp_path / folder / "kernel.elf"
    path.parent.mkdir()
    path.write_bytes(held)
    monkeypatch.setattr(image, "built", lambda: {KERNEL: path})
    run = as_run(*objects)
    texts = [f"{fault.rule}: {fault.text}" for fault in found(run)]
    assert bool(texts) == bool(told)
    assert all(any(each in text for text in texts) for each in told)
    assert not any("none that was built" in str(remark) for remark in remarks(run))
