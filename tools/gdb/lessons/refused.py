"""The lesson `refused`: three attempts that ring 3 is refused."""

from lesson import Lesson
from vocabulary import machine, paging, tables, why

ABOUT = {
    "place": (1, 3),
    "title": "three ways to be refused: an instruction, a gate, a page",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/refused",
}


def taken(lesson: Lesson, vector: int) -> int:
    """Run the machine into this exception; return the error code pushed."""
    lesson.run_to(f"vector_{vector}")
    return machine.read_words(machine.register("sp"), 1)[0]


def walk(lesson: Lesson) -> None:
    """CLI, INT 0Eh, and a read of kernel memory."""
    numbers, word = machine.constants(), machine.word()

    lesson.step(
        "An instruction",
        'SDM 2A, CLI; SDM 1, "I/O Privilege Level"',
        """The processor compares CPL with IOPL, a field of the flags, before it lets CLI clear IF.
        Programs have IOPL 0.""",
        "ring 3 executes CLI. Which vector does the processor take? (#UD is 6, #GP 13, #PF 14)",
        hint="The instruction is valid, and touches no memory. What is left of the three?",
    )
    lesson.run_to("privileged")
    lesson.look("ring")
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    error = taken(lesson, numbers["VECTOR_GP"])
    lesson.answer(why.taken()[-1].vector, "#GP, general protection, and no selector is at fault.")
    lesson.look("why")
    lesson.check("the error code is 0", error, 0)
    frame = machine.read_words(machine.register("sp") + word, 5)
    lesson.check("it came from CPL 3", frame[1] & 3, 3)
    lesson.check("IP is at CLI", machine.read(frame[0], 1), 0xFA)
    lesson.backtrace("vector_13", "privileged", "guarded_call", "main")

    lesson.step(
        "A gate",
        'SDM 3A, "Protection of Exception- and Interrupt-Handler Procedures", "Error Code"',
        """INT 0Eh asks for the page fault's gate, whose DPL is 0. The error code of the #GP says
        which gate: its index in bits 15 to 3, and bit 1 set, for the IDT.""",
        "what is the error code?",
        hint="""Multiply the vector, 14, by 8, and set bit 1. (QEMU before version 8 multiplies by
        16 in long mode.)""",
    )
    lesson.run_to("software")
    error = taken(lesson, numbers["VECTOR_GP"])
    lesson.look("why", "idt 14")
    lesson.answer(
        error,
        "the vector times 16, and 2: a processor says times 8, QEMU in long mode twice that."
        if why.doubled()
        else "14 times 8, and 2.",
    )
    lesson.check("the gate's DPL is 0", tables.idt_gate(numbers["VECTOR_PF"]).dpl, 0)
    lesson.check("in words", "the IDT, vector 0xe" in why.selector_words(error), True)

    lesson.step(
        "A page",
        'SDM 3A, "Page-Fault Exceptions", "Determination of Access Rights"',
        """The kernel is mapped in every program's page tables, but U/S is clear. Bits of the error
        code: 0, the page is there and forbids it; 1, a write; 2, in ring 3.""",
        "the program reads a byte of the kernel. What is the error code?",
        hint="""Bit 0 has the value 1, bit 1 the value 2, bit 2 the value 4. Add those that apply to
        this read.""",
    )
    lesson.run_to("supervisor")
    error = taken(lesson, numbers["VECTOR_PF"])
    lesson.look("why")
    lesson.answer(error, "the page is there, it was a read, in ring 3: bits 0 and 2.")
    target = numbers["KERNEL_BASE"] + 0x101000
    lesson.check("CR2 is the address", machine.register("cr2"), target)
    entries = paging.walk(target)
    lesson.check("the page is there", entries[-1].present, True)
    lesson.check("but not for users", all(entry.user for entry in entries), False)

    lesson.step(
        "And then",
        "kernel/core/trap/dispatch.c, fault.c",
        """To the program each is a signal: here one that it handles, so it goes on. Had it no
        handler, the kernel would end it, and say of what.""",
        "the signal's si_addr holds the address that was read. Whose choice was that address?",
        ("program", "kernel"),
        hint="si_addr holds an address. Which instruction computed it?",
    )
    lesson.run_to("on_refusal")
    lesson.answer(
        "program",
        """it does: si_addr is the program's own guess. What the kernel does not tell is whether
        something is mapped there.""",
    )
    lesson.check("the handler runs in ring 3", machine.register("cs") & 3, 3)

    lesson.end(
        """Three checks, three places: the flags, the gate, the page. All that a program may not
        do is refused by one of them.""",
        """`make show ROW=user/gp/plain` has what a refusal costs when the handler only goes on;
        `make bench SUITE=faults` what it costs as a signal.""",
    )
