"""Every stack that a gate can use: its end, its guard page, and what is on it."""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from vocabulary import machine, paging, tables
from vocabulary.machine import Word

TASKS = {"double fault": "TSS_DF_SELECTOR", "NMI": "TSS_NMI_SELECTOR", "#DB": "TSS_DB_SELECTOR"}
IST = {
    1: "#DF",
    2: "NMI",
    3: "#DB",
    4: "#MC",
    5: "#GP and most faults",
    6: "the rest",
    7: "INT 80h to 83h at CPL 0",
}


def tops() -> Iterator[tuple[str, int]]:
    """Each stack's purpose and end: the address above its first word."""
    state = tables.task_state()
    yield "ring 0, from TSS.sp0", int(state["sp0"])
    if machine.arch() == "amd64":
        for number in range(1, 8):
            top = int(state["ist"][number - 1])
            if top:
                yield f"IST {number}: {IST[number]}", top
        return
    base, _ = machine.table_register("GDT")
    for name, selector in TASKS.items():
        low = machine.read(base + (machine.constants()[selector] & ~7), 8)
        at = tables.decode.base(low)
        task = gdb.Value(at).cast(gdb.lookup_type("struct tss").pointer()).dereference()
        yield f"the {name} task", int(task["sp"])


def guard(top: int) -> str:
    """A description of the memory below a kernel stack."""
    lowest = top - machine.constants()["STACK_SIZE"]
    below = lowest - machine.PAGE
    if not paging.walk(lowest)[-1].present:
        return f"nothing mapped at {lowest:#x}"
    mapped = paging.walk(below)[-1].present
    return f"{'MAPPED below' if mapped else 'guard page'} at {below:#x}"


def stacks() -> Iterator[str]:
    """stacks: where the stacks of ring 0 end, their guard pages, and which one is in use.

    A gate to ring 0 takes sp0; on amd64 a gate may name an IST stack instead; on i386 a task gate
    brings a task with a stack of its own. SDM 3A, "Interrupt Stack Table", "Task Gates".
    """
    sp = machine.register("sp")
    size = machine.constants()["STACK_SIZE"]
    seen = False
    for name, top in tops():
        used = top - size <= sp <= top
        seen |= used
        mark = f"   <- sp {sp:#x}, {top - sp} bytes used" if used else ""
        yield f"  {top:#x}  {name:27}  {guard(top)}{mark}"
    if not seen:
        yield f"  {sp:#x}  the stack pointer is on none of them: a program's, or the boot's"


WORDS = [Word(stacks)]
