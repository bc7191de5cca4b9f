"""The lesson `tables`: GDT, IDT and TSS of the running kernel."""

from lesson import Lesson
from vocabulary import decode, machine, paging, tables

ABOUT = {
    "place": (1, 2),
    "title": "GDT, IDT and TSS, read from the machine that uses them",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}


def descriptor(selector: int) -> int:
    """The lower eight bytes of a GDT entry."""
    base, _ = machine.table_register("GDT")
    return machine.read(base + (selector & ~7), 8)


def walk(lesson: Lesson) -> None:
    """Three tables while a program runs."""
    numbers, amd64 = machine.constants(), machine.arch() == "amd64"

    lesson.run_to("main")
    lesson.step(
        "A selector",
        'SDM 3A, "Segment Selectors"',
        """CS holds a selector: an index times 8, bit 2 for the table (0, the GDT), and two bits of
        privilege. The program is about to make its first call.""",
        "which entry of the GDT does CS name now? (CS is in `info registers`)",
        hint="Divide CS by 8, and drop the remainder.",
    )
    cs = machine.register("cs")
    lesson.answer(cs >> 3, f"{cs:#x} is {cs >> 3} times 8, and {cs & 7}.")
    lesson.look("gdt")
    lesson.check("it is the program's", cs, numbers["USER_CS"])
    lesson.check("bit 2 says GDT", cs & 4, 0)
    lesson.backtrace("main")

    lesson.step(
        "A descriptor",
        'SDM 3A, "Segment Descriptors"',
        """Eight bytes: base, limit, type, DPL, and in long mode L. DPL is what CPL is compared
        with. CPL itself is in the low two bits of CS.""",
        "what is the DPL of the kernel's code segment?",
        hint="""`gdt` shows the DPL of each segment. A program cannot load this one into CS by
        itself.""",
    )
    kernel, user = descriptor(numbers["KERNEL_CS"]), descriptor(cs)
    lesson.answer(decode.bits(kernel, 46, 45), "ring 3 comes there only by the kernel's ways in.")
    lesson.look(f"gdt {numbers['KERNEL_CS']:#x}", f"gdt {cs:#x}")
    lesson.check("the program's has DPL 3", decode.bits(user, 46, 45), 3)
    lesson.check("both are code", (kernel >> 43 & 1, user >> 43 & 1), (1, 1))
    if amd64:
        lesson.check("the program's is 64-bit", decode.bits(user, 53, 53), 1)

    lesson.step(
        "The IDT",
        'SDM 3A, "IDT Descriptors"',
        """One gate for each of 256 vectors. Without an argument the word `idt` lists those that a
        program may use by INT n: the gates with DPL 3.""",
        "which DPL has the gate of vector 3? (`idt 3`)",
        hint="`idt 3` shows the gate's DPL. INT from ring 3 needs a DPL of 3.",
    )
    lesson.look("idt", "idt 3", "idt 13")
    lesson.answer(
        tables.idt_gate(3).dpl, "so a program may use it: a debugger's breakpoint is a byte, INT3."
    )
    lesson.check("vector 80h, too", tables.idt_gate(0x80).dpl, 3)
    lesson.check("vector 13, #GP, not", tables.idt_gate(13).dpl, 0)
    _, limit = machine.table_register("IDT")
    lesson.check("the table has 256 gates", (limit + 1) // (16 if amd64 else 8), 256)

    lesson.step(
        "The TSS",
        'SDM 3A, "Task-State Segment (TSS)", "Task Management in 64-bit Mode"',
        """TR names it. A gate takes the stack pointer for ring 0 from it, or in long mode one of
        seven IST stacks. The kernel writes sp0 at every switch of threads.""",
        "what will the stack pointer start from when the next gate leads to ring 0? (`tss`)",
        hint="`tss` shows it as sp0.",
    )
    state = tables.task_state()
    lesson.look("tss", "stacks")
    lesson.answer(int(state["sp0"]), "sp0, the top of this thread's kernel stack.")
    lesson.check("cpu_stack says the same", machine.evaluate("cpu_stack"), int(state["sp0"]))
    selector, _ = machine.task_register()
    lesson.check("TR is the kernel's", selector, numbers["TSS_SELECTOR"])
    busy = decode.bits(descriptor(selector), 43, 40)
    lesson.check("the processor has marked it busy", busy, 11)

    lesson.step(
        "Whether programs may write them",
        'SDM 3A, "Determination of Access Rights"',
        """If a program could write the GDT it would be the kernel. All three tables lie in
        pages that ring 3 can neither write nor read.""",
        "how many entries of the walk to the IDT forbid ring 3? (`pages ADDRESS`)",
        hint="""`idt` prints the base of the table. `pages` with that address ends in what the page
        allows.""",
    )
    base, _ = machine.table_register("IDT")
    entries = paging.walk(base)
    lesson.look(f"pages {base:#x}")
    lesson.answer(
        sum(not entry.user for entry in entries),
        "one is enough: a page is the program's only if every level says so.",
    )
    lesson.check("ring 3 cannot read it", all(entry.user for entry in entries), False)

    lesson.end(
        """Every way into ring 0 that the next lessons walk goes through one of these tables, or, as
        SYSENTER and SYSCALL, past them.""",
        """give vector 14's gate DPL 3 (dpl_of() in kernel/core/arch/*/descriptor.c): no row
        costs more or less. Say what a program can now feign; `make test
        TESTS=tests/attack/test_attack.py`.""",
    )
