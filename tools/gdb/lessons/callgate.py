"""The lesson `callgate`: a far CALL through a gate of the GDT, and back by far RET."""

from lesson import Lesson
from vocabulary import machine, tables

ABOUT = {
    "place": (2, 2),
    "title": "a far CALL through a gate of the GDT, and back by far RET",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
ROW = "user/callgate/standard"
CALL = "clean_user_callgate_standard_call"


def walk(lesson: Lesson) -> None:
    """Walk from the user half to the user half."""
    numbers, word = machine.constants(), machine.word()
    watched = numbers["RFLAGS_IF"] | numbers["RFLAGS_DF"] | numbers["RFLAGS_AC"]

    lesson.step(
        "A gate that is called",
        'SDM 3A, "Call Gates", "Accessing a Code Segment Through a Call Gate"',
        """INT picks its gate by a vector. A far CALL picks one by a selector: the offset that the
        program gives is not looked at, the gate says where to go. The gate lies in the GDT among
        the segments, and its DPL says who may call.""",
        "what DPL must it have, so that programs may use it? (The word `gate` shows it.)",
        hint="A program has CPL 3, and its CPL must not be above the gate's DPL.",
    )
    lesson.run_to(CALL)
    lesson.look("ring", "gate")
    gate = tables.call_gate()
    lesson.answer(gate.dpl, "CPL and the selector's RPL must not be above it: 3 lets ring 3 in.")
    lesson.check("it is a call gate", gate.kind, "call gate")
    lesson.check("it leads to the kernel's code segment", gate.selector, numbers["KERNEL_CS"])
    entry = machine.symbol("clean_user_callgate_standard_entry")
    lesson.check("and to the armed kernel half", gate.offset, entry)
    lesson.backtrace(CALL, "gate_call", "main")

    lesson.step(
        "Flags, for an experiment",
        'SDM 3A, "Flag Usage By Exception- or Interrupt-Handler Procedure"',
        """An interrupt gate clears IF, TF, NT, RF and VM, and saves the flags. We set IF, DF and AC
        in ring 3, and look at what a call gate makes of them.""",
        "how many of the three flags will be clear after the CALL?",
        hint="""An interrupt gate saves the flags before it clears some. The next steps say which
        words a call gate saves.""",
    )
    quiet = machine.register("flags")
    machine.set_register("flags", quiet | watched)
    flags = machine.register("flags")
    lesson.answer(0, "a call gate neither saves nor changes a flag. The next step shows it.")
    lesson.check("IF, DF and AC are set", flags & watched, watched)

    stack = int(tables.task_state()["sp0"])
    lesson.step(
        "CALL",
        "SDM 2A, CALL",
        """The processor checks the gate, takes the stack of ring 0 from the TSS as INT does, and
        pushes what it overwrites.""",
        f"INT pushes five words. The stack is empty, at {stack:#x}: where will it be?",
        hint="""A CALL saves what it overwrites. Which of the five words of INT does it not
        overwrite?""",
    )
    sp, here = machine.register("sp"), machine.register("ip")
    behind = machine.behind()
    lesson.stepi(("ip", "cs", "sp", "ss"))
    lesson.answer(
        machine.register("sp"), f"four words of {word} bytes: IP, CS, SP, SS, and no flags."
    )
    words = machine.read_words(machine.register("sp"), 4)
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.check("word 0: IP behind the CALL", words[0], behind)
    lesson.check("word 1: CS of the program", words[1] & 0xFFFF, numbers["USER_CS"])
    lesson.check("word 2: its stack pointer", words[2], sp)
    lesson.check("IF, DF and AC are still the program's", machine.register("flags"), flags)
    lesson.check("it came from the user half", machine.symbol_at(here).split(",")[0], CALL)
    lesson.backtrace("clean_user_callgate_standard_entry", "gate_call", "main")

    lesson.step(
        "A clean word of flags",
        "kernel/core/arch/*/origin.inc, FRAME_FROM_FAR_CALL; kernel/core/entry/callgate.asm",
        """Ring 0 with the program's DF, AC and IF: an interrupt could come before there is a frame,
        a copy could run backwards. So the entry saves the flags by hand, between the four words, to
        make of them the five that INT leaves, and loads a clean word.""",
        "what is the value of that word, if only bit 1 of the flags is always set?",
        hint="The value of bit n alone is 2 to the power of n.",
    )
    lesson.step_to("popf", "popfq", "popfd")
    clean = machine.read_words(machine.register("sp"), 1)[0]
    lesson.stepi()
    lesson.answer(clean, "RFLAGS_FIXED: nothing set but the bit that cannot be cleared.")
    lesson.check("IF, DF and AC are clear", machine.register("flags") & watched, 0)
    saved = machine.read_words(stack - 3 * word, 1)[0]
    lesson.check("the program's flags lie in the frame", saved & watched, watched)

    lesson.step(
        "RETF",
        "SDM 2B, RET",
        """The same service, the same look for work; then the flags are loaded from the frame by
        POPF, which at CPL 0 may set IF, too, and far RET pops IP, CS, SP and SS. Between the two
        the kernel runs with the program's flags.""",
        "an interrupt comes before RETF. How many words of this stack lie above its frame?",
        hint="""The far RET is still to come: which words has it not yet popped?""",
    )
    lesson.step_to("retf", "retfq", "lret", "lretq", "lretd")
    lesson.answer(
        (machine.evaluate("cpu_stack") - machine.register("sp")) // machine.word(),
        """the stack is the kernel's still, so it may: it finds four words there, and its own below.
        Only a gate that keeps no stack at all, as SYSCALL, could not bear it.""",
    )
    lesson.check("the flags are the program's again", machine.register("flags") & watched, watched)
    lesson.check("CPL is still 0", machine.register("cs") & 3, 0)
    lesson.stepi()
    lesson.check("behind the CALL", machine.register("ip"), behind)
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    lesson.check("the stack pointer is back", machine.register("sp"), sp)
    machine.set_register("flags", quiet)

    lesson.end(
        """Compare with `int`: the gate does less, the software more. What INT does for the flags in
        its two instructions takes a handful here.""",
        """leave `push RFLAGS_FIXED; popfx` out of callgate_standard_entry
        (kernel/core/entry/callgate.asm): two instructions less. `make test
        TESTS=tests/core/test_contract.py` asks whose flags those are.""",
        ROW,
    )
