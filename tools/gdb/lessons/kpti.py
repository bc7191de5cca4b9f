"""The lesson `kpti`: two page tables for one program, and what the exchange costs. amd64."""

import re

from lesson import STEPS_MAX, Lesson
from vocabulary import machine, paging, rows

ABOUT = {
    "place": (3, 13),
    "title": "two CR3s for one program, what each maps, and what it costs",
    "minutes": 15,
    "kernels": ("amd64",),
    "program": "/bin/walk",
    "words": ("parts=cr3",),
}
CALL = "clean_user_syscall_standard_call"
ENTRY = "clean_user_cr3_syscall_standard_entry"
ROW = "user/syscall/standard+cr3"
HIDDEN = "memory_fault"
"""A function of the kernel that no entry needs before it has loaded CR3."""


def is_mapped(address: int) -> bool:
    return paging.walk(address)[-1].present


def pages() -> int:
    """The number of pages in the kernel's half that the current table maps for ring 0 alone."""
    found = re.findall(r"(?m)^(f\w+)-(\w+) \w+ -", machine.monitor("info mem"))
    return sum(int(end, 16) - int(start, 16) for start, end in found) // machine.PAGE


def until_cr3(lesson: Lesson) -> None:
    """Step until CR3 has changed."""
    before = machine.register("cr3")
    for _ in range(STEPS_MAX):
        lesson.stepi()
        if machine.register("cr3") != before:
            return


def count(address: int) -> int:
    """The number of instructions from here to an address."""
    for steps in range(STEPS_MAX):
        if machine.register("ip") == address:
            return steps
        machine.stepi()
    return STEPS_MAX


def walk(lesson: Lesson) -> None:
    """The second call of the row, because the first one comes on the full table; then an NMI."""
    lesson.step(
        "A table without a kernel",
        "Lipp et al., Meltdown, CVE-2017-5754; Linux, Documentation/arch/x86/pti.rst",
        f"""On some processors a program's read of a kernel page leaves a trace in the cache before
        the fault comes, from which the program learns what was there (Meltdown). It cannot read
        what no table maps. So a program gets a page table of its own, with almost nothing of the
        kernel. Its SYSCALL is next; {HIDDEN}() is text of the kernel.""",
        f"at which level, from 4 (PML4E) to 1 (PTE), does the walk to {HIDDEN} end?",
        hint="""The entries, which must stay, lie in the same 2 MB as the rest of the text. Which
        table has an entry for each 4 KB?""",
    )
    back = rows.point(CALL, "MP8")
    lesson.run_to(CALL)
    plain = count(back)
    lesson.run_to(ENTRY)
    lesson.run_to(CALL)
    own = machine.register("cr3")
    lesson.look(f"pages {HIDDEN}")
    lesson.answer(paging.walk(machine.symbol(HIDDEN))[-1].level, "the last: it is not present.")
    lesson.check("the program's own code is mapped", is_mapped(machine.register("ip")), True)

    lesson.step(
        "What must stay",
        'SDM 3A, "64-Bit Mode Stack Frame"; Linux, pti.rst, "Page Table Management"',
        """SYSCALL changes no CR3: ring 0 begins on the program's table. So do gates: the processor
        itself reads the IDT, the GDT and the TSS, and pushes a frame, before the first instruction
        of a handler. What it needs for that must be in both tables.""",
        "which of these is not in the program's table?",
        ("IDT", "TSS", "stack", "table of calls"),
        hint="Which of them is read by instructions of the kernel alone, later?",
    )
    lesson.stepi()
    places = {
        "IDT": machine.table_register("IDT")[0],
        "TSS": machine.task_register()[1],
        "stack": machine.evaluate("cpu_stack") - machine.word(),
        "table of calls": machine.symbol("clean_calls"),
    }
    missing = [name for name, at in places.items() if not is_mapped(at)]
    few = pages()
    lesson.look("ring", "pages &clean_calls")
    lesson.answer(" and ".join(missing), "the entry reads it behind its MOV to CR3.")
    lesson.check("this is ring 0", machine.register("cs") & 3, 0)
    lesson.check("CR3 is the program's", machine.register("cr3"), own)
    lesson.check("the GDT is there, too", is_mapped(machine.table_register("GDT")[0]), True)

    lesson.step(
        "The way in",
        "kernel/core/entry/part/cr3.inc; kernel/core/arch/amd64/isolation.c",
        """The entry has saved its frame on a stack that both tables map. Now it needs the full
        table, and may read no memory to find it: so the two roots are neighbours, and the entry
        clears one bit of CR3.""",
        "by how much is CR3 less behind the MOV?",
        hint="A root is one page of 4 KB. The full table's is the first of the two.",
    )
    until_cr3(lesson)
    lesson.look(f"pages {HIDDEN}")
    lesson.answer(own - machine.register("cr3"), "one page: bit 12 of CR3 chooses.")
    lesson.check(f"{HIDDEN}() is mapped", is_mapped(machine.symbol(HIDDEN)), True)
    lesson.check("the program's pages are, too: its data are copied", is_mapped(back), True)
    lesson.check("the program's table has less than a fiftieth", few * 50 < pages(), True)

    lesson.step(
        "The way out, and the bill",
        'part/cr3.inc; SDM 3A, "Operations that Invalidate TLBs and Paging-Structure Caches"',
        """In: CR3 to a register, AND, and back. Out: no register is free any more, so one is pushed
        and popped around CR3 to a register, OR, and back.""",
        "how many instructions more has this row than the one without the part?",
        hint="Count both: three in, and out there are two more.",
    )
    until_cr3(lesson)
    lesson.step_out(back)
    lesson.answer(lesson.instructions - plain, "the two rows are alike else.")
    lesson.check("CR3 is the program's again", machine.register("cr3"), own)
    lesson.check("this is ring 3", machine.register("cs") & 3, 3)

    lesson.step(
        "An NMI on the program's table",
        "kernel/core/arch/amd64/isolation.asm",
        """The handlers of this kernel know nothing of it. While a program runs on its own table
        each gate of the IDT leads to a stub, which is mapped in both tables, loads the full one,
        and jumps to the handler. The stub keeps flags and registers.""",
        "how many instructions does the stub take?",
        hint="`x/2i isolation_stubs` and `x/11i isolation_enter` list it.",
    )
    before = machine.general_registers()
    machine.monitor("nmi")
    lesson.run_to("isolation_enter")
    entered = machine.register("cr3")
    took = 2 + count(machine.symbol("vector_2"))
    lesson.answer(took, "PUSH and JMP, which each vector has for itself, and what all share.")
    lesson.check("it came on the program's table", entered, own)
    lesson.check("the handler has the full one", own - machine.register("cr3"), machine.PAGE)
    lesson.check("and the program's registers", machine.general_registers(), before)

    lesson.end(
        """Instructions are not the whole bill: a MOV to CR3 forgets translations, and each way has
        one. With CR4.PCIDE and bit 63 of the new value each table keeps its own, under a number.
        Linux does that where the processor has PCID; this row does not.""",
        """leave out the line of show_needed() in kernel/core/arch/amd64/isolation.c that shows the
        IST stacks, and press this lesson's NMI. Say what is delivered instead, and what then.""",
        ROW,
    )
