"""The machine's state in a run record: registers, the firmware's names, CPUID (kernel/dev/state.c).

What another field says of the processor must be what CPUID says; a control register has no bit
that CPUID does not have.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.records.format import MachineRun

REGISTERS = ("cr0", "cr4", "xcr0", "efer", "pat", "de_cfg", "hwcr")
NAMES = ("bios", "system", "board")
UNREADABLE = "unreadable"
WORDS = 6
"""Numbers of a leaf: leaf, subleaf, EAX, EBX, ECX, EDX."""
EAX, EBX, ECX, EDX = range(4)
CR0 = 0x80010001
"""PG, WP and PE: every kernel of ours sets them."""
CR4_BITS = {5: "PAE", 9: "OSFXSR", 11: "UMIP", 20: "SMEP", 21: "SMAP"}

Leaves = Mapping[tuple[int, int], tuple[int, ...]]


def leaves(run: MachineRun) -> Leaves:
    """CPUID's registers by leaf and subleaf; empty without a state, or with a damaged one."""
    held = run.run.get("state", {}).get("cpuid", [])
    if not isinstance(held, list) or any(
        not isinstance(leaf, list) or len(leaf) != WORDS for leaf in held
    ):
        return {}
    return {(leaf[0], leaf[1]): tuple(leaf[2:]) for leaf in held}


def bit(held: Leaves, leaf: int, register: int, number: int) -> int:
    """A bit of CPUID; 0 if the leaf is not there."""
    return held.get((leaf, 0), (0,) * 4)[register] >> number & 1


def text(*words: int) -> str:
    """Registers as text."""
    data = b"".join(word.to_bytes(4, "little") for word in words)
    return data.partition(b"\0")[0].decode("latin-1").lstrip(" ")


def is_amd(run: MachineRun) -> bool:
    """Whether AMD's registers are there (families 0Fh and above)."""
    return run.run["cpu"]["vendor"] in ("AuthenticAMD", "HygonGenuine")


def serialising(run: MachineRun) -> bool:
    """Whether LFENCE waits for earlier instructions: on AMD by DE_CFG or CPUID."""
    said, family = run.run["state"]["de_cfg"], run.run["cpu"]["family"]
    if not is_amd(run) or family in (0x0F, 0x11) or bit(leaves(run), 0x80000021, EAX, 2):
        return True
    return said not in ("", UNREADABLE) and bool(int(said, 16) >> 1 & 1)


def by_cpuid(run: MachineRun, held: Leaves) -> Iterator[tuple[str, Any, Any]]:
    """Fields of a run record: the name, the value, and what CPUID says."""
    said, first = run.run, held.get((1, 0), (0,) * 4)[EAX]
    cpu, clock, state = said["cpu"], said["clock"], said["state"]
    _, bx, cx, dx = held.get((0, 0), (0,) * 4)
    yield "cpu.vendor", cpu["vendor"], text(bx, dx, cx)
    brand = [word for leaf in range(3) for word in held.get((0x80000002 + leaf, 0), (0,) * 4)]
    yield "cpu.brand", cpu["brand"], text(*brand)
    family = first >> 8 & 15
    model = first >> 4 & 15 | (first >> 12 & 0xF0 if family in (6, 15) else 0)
    yield "cpu.family", cpu["family"], family + (first >> 20 & 255 if family == 15 else 0)
    yield "cpu.model", cpu["model"], model
    yield "cpu.stepping", cpu["stepping"], first & 15
    yield "hypervisor", bool(said["hypervisor"]), bool(bit(held, 1, ECX, 31))
    yield "clock.invariant", clock["invariant"], bool(bit(held, 0x80000007, EDX, 8))
    yield "clock.sleeps_deep", clock["sleeps_deep"], held.get((5, 0), (0,) * 4)[EDX] > 255
    yield "clock.core_type", clock["core_type"], held.get((0x1A, 0), (0,) * 4)[EAX] >> 24
    if is_amd(run) and bit(held, 0x80000007, EDX, 9):
        off = state["hwcr"] not in ("", UNREADABLE) and int(state["hwcr"], 16) >> 25 & 1
        yield "clock.turbo", clock["turbo"], "off" if off else "on"
    elif clock["turbo"] != "off":
        yield "clock.turbo", clock["turbo"], "on" if bit(held, 6, EAX, 1) else ""
    yield "clock.arch_capabilities", bool(clock["arch_capabilities"]), bool(bit(held, 7, EDX, 29))
    named = {
        "cr0": 1,
        "cr4": 1,
        "xcr0": bit(held, 1, ECX, 26) and held.get((0xD, 1), (0,))[EAX],
        "efer": bit(held, 0x80000001, EDX, 11) | bit(held, 0x80000001, EDX, 20),
        "pat": bit(held, 1, EDX, 16),
        "de_cfg": is_amd(run) and cpu["family"] >= 0x10 and cpu["family"] != 0x11,
        "hwcr": is_amd(run) and cpu["family"] >= 0x0F,
    }
    for name, there in named.items():
        yield f"state.{name}", bool(state[name]), bool(there)


def by_bits(run: MachineRun, held: Leaves) -> Iterator[str]:
    """Bits of control registers that contradict the architecture or CPUID."""
    state = run.run["state"]
    cr0, cr4, xcr0, efer = (
        int(state[name], 16) if state[name] not in ("", UNREADABLE) else 0
        for name in ("cr0", "cr4", "xcr0", "efer")
    )
    amd64 = run.run["arch"] == "amd64"
    if cr0 & CR0 != CR0:
        yield f"cr0 is {cr0:#x}: paging, protection and write protection are always on"
    wanted = {
        5: int(amd64),
        9: bit(held, 1, EDX, 24),
        11: bit(held, 7, ECX, 2),
        20: bit(held, 7, EBX, 7),
        21: bit(held, 7, EBX, 20),
    }
    for number, there in wanted.items():
        if cr4 >> number & 1 != there:
            yield f"cr4 is {cr4:#x}: {CR4_BITS[number]} is not what this processor has"
    known = held.get((0xD, 0), (0,) * 4)
    if xcr0 & ~(known[EAX] | known[EDX] << 32):
        yield f"xcr0 is {xcr0:#x}, and CPUID has only {known[EAX]:#x}"
    if bool(efer & 0x500) != amd64 or efer >> 11 & 1 > bit(held, 0x80000001, EDX, 20):
        yield f"efer is {efer:#x}, which is no mode of {run.run['arch']} on this processor"


def contradictions(run: MachineRun) -> Iterator[str]:
    """What in the state contradicts another field, in words."""
    state, held = run.run["state"], leaves(run)
    numbers = [word for leaf in state["cpuid"] for word in (leaf if type(leaf) is list else [""])]
    order = [tuple(leaf[:2]) for leaf in state["cpuid"]] if held else []
    whole = all(type(word) is int and 0 <= word < 1 << 32 for word in numbers)
    if not whole or not held or order != sorted({*order}):
        yield "its CPUID leaves are not rising numbers of 32 bits, six a leaf"
        return
    for name in REGISTERS:
        if not re.fullmatch(f"(0x(0|[1-9a-f][0-9a-f]{{0,15}})|{UNREADABLE})?", state[name]):
            yield f"state.{name} is no register: {state[name]!r}"
            return
    for name, value, wanted in by_cpuid(run, held):
        if value != wanted:
            yield f"{name} is {value!r}, by CPUID {wanted!r}"
    yield from by_bits(run, held)


def remarks(run: MachineRun) -> Iterator[str]:
    """What a reader of the figures should know of the state."""
    if "state" not in run.run:
        return  # the core alone
    timed = run.unit != "instructions" and run.run["fence"] in ("lfence", "both")
    if timed and not serialising(run):
        yield "LFENCE waits for nothing by DE_CFG[1] and CPUID.80000021H:EAX[2] of this AMD"
    lost = [name for name in REGISTERS if run.run["state"][name] == UNREADABLE]
    if lost:
        yield f"unreadable, though this processor has it: {', '.join(lost)}"


def traits(run: MachineRun) -> dict[str, str]:
    """Each part of the state by a name, for a comparison of two machines."""
    state = run.run.get("state", {})
    parts = {name: str(state.get(name, "")) for name in (*REGISTERS, *NAMES)}
    for (leaf, sub), words in leaves(run).items():
        parts[f"CPUID.{leaf:X}H.{sub}"] = " ".join(f"{word:x}" for word in words)
    return parts
