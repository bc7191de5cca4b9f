"""gdb's `watch`, refused for memory that the processor itself writes: QEMU 7.2 aborts there."""

from __future__ import annotations

import gdb
from vocabulary import machine, stacks, tables

TYPES = {"watch": gdb.WP_WRITE, "rwatch": gdb.WP_READ, "awatch": gdb.WP_ACCESS}


def refusal(address: int) -> str:
    """Why this address must not be watched; "" if it may."""
    try:
        size = machine.constants()["STACK_SIZE"]
        for name, top in stacks.tops():
            if top - size <= address < top:
                return f"a gate pushes there (the stack of {name})"
        if machine.constants()["WINDOW_BASE"] <= address < machine.evaluate("window_next"):
            return "a gate pushes there (a kernel stack)"
        selector, base = machine.task_register()
    except (gdb.error, gdb.GdbError):
        return ""
    state = tables.task_state()
    if base <= address < base + state.type.sizeof:
        return f"a task switch writes there (the TSS at {selector:#x})"
    for table in ("GDT", "IDT"):
        start, limit = machine.table_register(table)
        if start <= address <= start + limit:
            return f"the processor marks descriptors there (the {table})"
    return ""


class Watch(gdb.Command):
    """watch EXPRESSION: stop when it changes. Not where the processor itself writes.

    QEMU 7.2 aborts when a gate pushes onto a word that is watched; a breakpoint at the entry, or
    `stepi`, shows the same.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_EXPRESSION)
        self._kind = TYPES[name]
        self._name = name

    def invoke(self, argument: str, from_tty: bool) -> None:
        expression = argument.removeprefix("-l").removeprefix("ocation").strip()
        if not expression:
            raise gdb.GdbError(f"{self._name} wants an expression, such as cpu_work.")
        value = gdb.parse_and_eval(expression)
        wrong = refusal(int(value.address)) if value.address is not None else ""
        if wrong:
            raise gdb.GdbError(
                f"{wrong}: QEMU would abort. Break at the entry, or stepi, to see it change."
            )
        # The address that was checked, not one that the expression may mean later.
        place = expression
        if value.address is not None:
            place = f"{{{value.type}}} {int(value.address):#x}"
        gdb.Breakpoint(place, gdb.BP_WATCHPOINT, self._kind)


class _Words:
    """Like a Word: it has a name, and registers itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def register(self) -> None:
        """Replace gdb's own command."""
        Watch(self.name)


WORDS = [_Words(name) for name in TYPES]
