"""The lesson `errorcode`: what an exception leaves on the stack, and where IP points."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (3, 1),
    "title": "faults and traps: which IP is saved, and who pushes an error code",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
ERROR_FRAME = ("error", "ip", "cs", "flags", "sp", "ss")


def walk(lesson: Lesson) -> None:
    """#UD, #BP, #GP and #PF through plain interrupt gates."""
    numbers, word = machine.constants(), machine.word()
    top = machine.evaluate("cpu_stack")

    lesson.step(
        "A fault",
        'SDM 3A, "Exception Classifications", "Invalid Opcode Exception"',
        """UD2 is an instruction that is always invalid. #UD is a fault: the processor puts itself
        back in front of the instruction, so that a handler may mend something and try again.""",
        "how many bytes behind UD2 is the IP that the processor saves?",
        hint="After a fault the instruction is executed again. Which address does that need?",
    )
    lesson.run_to("clean_user_ud_call")
    here = machine.register("ip")
    top = machine.evaluate("cpu_stack")
    lesson.stepi(ERROR_FRAME[1:])
    words = machine.read_words(machine.register("sp"), 5)
    lesson.answer(words[0] - here, "a fault saves its own address.")
    lesson.check("vector 6's gate leads here", machine.register("ip"), entry("ud"))
    lesson.check("five words", top - machine.register("sp"), 5 * word)
    lesson.backtrace("clean_user_ud_here_entry", "gate_call", "main")

    lesson.step(
        "A trap",
        'SDM 3A, "Breakpoint Exception"',
        """INT3, one byte, is what debuggers write over instructions. #BP is a trap: the instruction
        has been done.""",
        "how many bytes after INT3's own address is the saved IP?",
        hint="A trap saves the address behind its instruction. INT3 is the byte CC.",
    )
    lesson.run_to("clean_user_bp_call")
    here = machine.register("ip")
    lesson.stepi(ERROR_FRAME[1:])
    words = machine.read_words(machine.register("sp"), 5)
    lesson.answer(words[0] - here, "CC is one byte long, and IP is behind it.")
    lesson.check("the gate's DPL is 3, but this is no INT n", words[1] & 3, 3)

    lesson.step(
        "An error code",
        'SDM 3A, "Error Code", "General Protection Exception"',
        """#GP has a sixth word: the index of the selector that it is about, or 0. The program jumps
        far, to a null selector; we write another one over it, that of the program's data segment,
        which is no code.""",
        f"the selector is {numbers['USER_DS']:#x}, RPL 3. Which error code, if its lowest two "
        "bits mean something else there?",
        hint="Take the selector, with its lowest two bits cleared.",
    )
    lesson.run_to("clean_user_gp_call")
    target = machine.symbol("clean_user_gp_call.nowhere") + 4
    machine.write(target, numbers["USER_DS"], 2)
    lesson.stepi(ERROR_FRAME)
    error = machine.read_words(machine.register("sp"), 1)[0]
    machine.write(target, 0, 2)
    lesson.answer(error, "index and table, with the RPL's bits free for EXT and IDT: both 0.")
    lesson.look("why")
    lesson.check("six words", machine.evaluate("cpu_stack") - machine.register("sp"), 6 * word)
    lesson.check("the entry is #GP's", machine.register("ip"), entry("gp"))

    lesson.step(
        "The way back",
        "kernel/core/entry/halves.inc, exception.asm",
        """IRET wants five words with IP on top. So the handler drops the error code; and because a
        fault has saved its own address, it adds the length of the instruction, or the program would
        fault for ever.""",
        "what would IRET take for IP if the error code were still on the stack?",
        ("code", "CS", "flags"),
        hint="IRET pops IP first. What lies at the stack pointer while the error code is there?",
    )
    lesson.step_to("iretq", "iret", "iretd")
    lesson.answer("code", "it pops IP first, and the error code lies on top.")
    lesson.check(
        "five words again", machine.evaluate("cpu_stack") - machine.register("sp"), 5 * word
    )
    lesson.stepi()
    behind = machine.symbol("clean_user_gp_call.behind")
    lesson.check("behind the jump that failed", machine.register("ip"), behind)

    lesson.step(
        "A page fault",
        'SDM 3A, "Page-Fault Exceptions"',
        """#PF pushes an error code of its own kind, and CR2 has the address. The program reads at
        0, where nothing is ever mapped. Bit 0: the page was there; 1: a write; 2: ring 3.""",
        "what is the error code?",
        hint="Nothing is mapped at 0, so bit 0 is clear. Was it a write? Was it in ring 3?",
    )
    lesson.run_to("clean_user_pf_call")
    lesson.stepi(ERROR_FRAME)
    lesson.answer(machine.read_words(machine.register("sp"), 1)[0], "no page, a read, in ring 3.")
    lesson.check("CR2 is 0", machine.register("cr2"), 0)
    lesson.check("the entry is #PF's", machine.register("ip"), entry("pf"))

    lesson.end(
        """Vectors 8, 10 to 14, 17 and 21 push an error code, 29 and 30 of AMD's processors, too;
        all others do not. A kernel that gets it wrong once loses the stack by a word each time.""",
        """take bit 13 out of ERROR_CODES in kernel/core/entry/cfi.inc: #GP's halves then drop no
        error code. Say first where IRET goes; then `make bench SUITE=exceptions`.""",
    )


def entry(name: str) -> int:
    """The kernel half of an exception, on the gate's stack."""
    return machine.symbol(f"clean_user_{name}_here_entry")
