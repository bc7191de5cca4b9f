"""The lesson `compat`: a 32-bit program under the 64-bit kernel."""

from lesson import INT_FRAME, Lesson
from vocabulary import decode, machine

ABOUT = {
    "place": (2, 7),
    "title": "a 32-bit program under the 64-bit kernel: one CS apart",
    "minutes": 12,
    "kernels": ("amd64",),
    "program": "/compat/walk",
}
ROW = "compat/int/standard"
CALL = "clean_compat_int_standard_call"
ENTRY = "clean_compat_int_standard_entry"


def long_mode(selector: int) -> bool:
    """Whether a code segment is 64-bit: L in its descriptor."""
    base, _ = machine.table_register("GDT")
    return bool(decode.bits(machine.read(base + (selector & ~7), 8), 53, 53))


def walk(lesson: Lesson) -> None:
    """Walk from the user half to the user half."""
    numbers = machine.constants()

    lesson.step(
        "The same processor, another CS",
        'SDM 3A, "Segmentation in IA-32e Mode", "Code-Segment Descriptor in 64-bit Mode"',
        """Nothing is switched to run a 32-bit program but CS. The bit L of its descriptor says how
        the bytes are read: 1, as 64-bit code; 0, with D = 1, as 32-bit code. The page tables, the
        IDT, the TSS and long mode stay. (gdb disassembles with 64-bit eyes: do not trust what it
        shows here.)""",
        "what is L in the descriptor of this program's CS, 0 or 1?",
        hint="L = 1 means 64-bit code. What is this program?",
    )
    lesson.run_to(CALL)
    cs = machine.register("cs")
    lesson.answer(int(long_mode(cs)), "compatibility mode. The kernel's CS has it set.")
    lesson.look("gdt")
    lesson.check("CS is the one for 32-bit programs", cs, numbers["USER_CS32"])
    lesson.check("the kernel's is 64-bit", long_mode(numbers["KERNEL_CS"]), True)
    lesson.check("the user half lies below 4 GiB", machine.register("ip") >> 32, 0)

    lesson.step(
        "INT 80h",
        'SDM 3A, "64-Bit Mode IDT", "64-Bit Mode Stack Frame"',
        """The gate is a 64-bit one, as all are in long mode: 64-bit code, a 64-bit stack, and five
        words of 64 bits each, whoever has called.""",
        "how many bytes does INT push?",
        hint="Multiply: five words of 64 bits.",
    )
    machine.set_register("bx", 0x1234)
    machine.set_register("bp", 6)
    sp = machine.register("sp")
    top = machine.evaluate("cpu_stack")
    lesson.stepi(INT_FRAME)
    lesson.answer(top - machine.register("sp"), "five times eight, though its own words have 4.")
    words = machine.read_words(machine.register("sp"), 5)
    lesson.check("CS is the kernel's, 64-bit", long_mode(machine.register("cs")), True)
    lesson.check("its own entry, for 32-bit callers", machine.register("ip"), machine.symbol(ENTRY))
    lesson.check("the saved CS is the program's", words[1], numbers["USER_CS32"])
    lesson.check("the saved stack pointer has 32 bits", words[3] >> 32, 0)
    lesson.check("and is the program's", words[3], sp)

    lesson.step(
        "Other registers, another table",
        "kernel/core/arch/amd64/compat/abi.inc, DISPATCH",
        """Linux's 32-bit calls take EBX, ECX, EDX, ESI, EDI, EBP, and have other numbers. C wants
        RDI, RSI, RDX, RCX, R8, R9. The entry moves all six, 32 bits wide: that clears the upper
        halves, which compatibility mode cannot set but the processor need not clear.""",
        "we have put 1234h into EBX. What is RDI before the call of the service?",
        hint="""EBX holds the first argument of a 32-bit call, RDI the first argument of a C
        function.""",
    )
    lesson.step_to("call")
    lesson.backtrace(ENTRY, CALL)  # gdb treats the code as 64-bit, and goes no further
    lesson.answer(machine.register("di"), "the first argument, out of EBX.")
    lesson.check("the sixth, out of EBP", machine.register("r9"), 6)
    table = int(machine.gdb.parse_and_eval("(unsigned long)&clean_compat_calls"))
    lesson.check("it calls through the i386 table", f"{table & 0xFFFFFFFF:x}" in called(), True)

    lesson.step(
        "IRETQ to 32 bits",
        "SDM 2A, IRET/IRETD/IRETQ",
        """The way back is the 64-bit kernel's own: IRETQ loads CS, and with it L. No entry for
        32-bit programs needs a 32-bit return.""",
        "what is CS after IRETQ?",
        hint="""IRETQ takes CS from the frame, where INT has saved the program's. `gdt` lists the
        selectors; add the RPL, 3.""",
    )
    lesson.step_to("iretq", "iret")
    lesson.stepi()
    lesson.answer(machine.register("cs"), "from the frame: 32-bit code again.")
    lesson.check("not 64-bit", long_mode(machine.register("cs")), False)
    lesson.check("the stack pointer is back", machine.register("sp"), sp)

    lesson.end(
        """Five instructions more than for a 64-bit program: the arguments. That is the whole
        price of the second ABI, on this way in.""",
        """leave `mov edx, edx` out of DISPATCH in kernel/core/arch/amd64/compat/abi.inc: one
        instruction less, and the upper half of an argument is whatever it was.""",
        ROW,
    )


def called() -> str:
    """The next CALL, with its displacement shown as an address."""
    text = machine.instruction()
    number = text.rpartition("-0x")[2].rstrip("]") if "-0x" in text else ""
    return f"{(-int(number, 16)) & 0xFFFFFFFF:x}" if number else text
