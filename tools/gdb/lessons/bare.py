"""The lesson `bare`: why a bare gate costs 2 here."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine, tables

ABOUT = {
    "place": (6, 3),
    "title": "why a bare gate costs 2 here, and what that says",
    "minutes": 8,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
    "live": "toll",
}
CALL, ENTRY = "clean_user_int_bare_call", "clean_user_int_bare_entry"


def walk(lesson: Lesson) -> None:
    """INT and IRET, with nothing between them."""
    word = machine.word()

    lesson.step(
        "The floor",
        "kernel/core/entry/int.asm, int_bare_entry",
        """The row `bare` has an entry of one instruction: the return. What it costs is what the
        gate costs.""",
        "how many instructions are there from MP1 to MP8?",
        hint="Count both directions: the instruction that enters, and the only one of the entry.",
    )
    lesson.run_to(CALL)
    sp, top = machine.register("sp"), machine.evaluate("cpu_stack")
    lesson.stepi(INT_FRAME)
    lesson.backtrace(ENTRY, "gate_call", "main")
    words = machine.read_words(machine.register("sp"), 5)
    entered = machine.register("sp")
    lesson.check("the entry", machine.register("ip"), machine.symbol(ENTRY))
    lesson.stepi()
    lesson.answer(lesson.instructions, "INT and IRET.")
    lesson.check("back in ring 3", machine.register("cs") & 3, 3)

    lesson.step(
        "What one of them does",
        'SDM 2A, INT n, "Operation"',
        """INT read a gate, descriptors, a TSS, checked them, and wrote five words. IRET read
        five words, two descriptors, and checked them.""",
        "how many bytes did INT write?",
        hint="It is five words: of 4 bytes each on i386, of 8 on amd64.",
    )
    lesson.answer(top - entered, f"five words of {word} bytes: and yet it is one instruction.")
    lesson.check("the stack pointer in them", words[3], sp)

    lesson.step(
        "The unit",
        "docs/measuring.md; README.md, What an instruction count is good for",
        """The emulator's counter counts instructions. The kernel finds that out by itself, with
        two loops of one length, of moves and of divisions: if both take the same, the counter
        counts instructions.""",
        "how many instructions has the loop of divisions more than the one of moves?",
        hint="""What does this emulator's counter count: work, or instructions?""",
    )
    lesson.answer(
        0, "none: the counter counts instructions. Where it counts cycles the two differ."
    )
    lesson.check("nothing more was walked", lesson.instructions, 2)

    lesson.step(
        "What it says",
        "docs/hardware.md",
        """Instructions measure the path: what software does around a gate. Which gate is faster
        they cannot say.""",
        "the row int/bare costs 2. What does callgate/bare cost?",
        hint="""A far CALL goes through the gate, a far RET comes back. Does the emulator count
        either as more than one instruction?""",
    )
    lesson.run_to("clean_user_callgate_bare_call")
    while tables.call_gate().offset != machine.symbol("clean_user_callgate_bare_entry"):
        lesson.run_to("clean_user_callgate_bare_call")
    start = lesson.instructions
    lesson.stepi()
    lesson.stepi()
    lesson.answer(
        lesson.instructions - start, "CALL and RET: as many, whatever silicon makes of it."
    )
    lesson.check("there and back", machine.register("cs") & 3, 3)

    lesson.end(
        "Two is the least that a way there and back can have.",
        """`make bench PLATFORM=qemu-tcg`: host ticks, noisy, which rank what the emulator does
        for each gate; and docs/hardware.md for the ISO on a machine of your own.""",
    )
