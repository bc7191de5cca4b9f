"""The lesson `redzone`: 128 bytes below the stack pointer. amd64."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine, tables

ABOUT = {
    "place": (5, 4),
    "title": "the red zone: 128 bytes that a gate of the same privilege would write over",
    "minutes": 8,
    "kernels": ("amd64",),
    "program": "/trusted/walk",
}
RED_ZONE = 128
UD = 6


def zone(sp: int) -> list[int]:
    """The words of the red zone, from the lowest address up."""
    return machine.read_words(sp - RED_ZONE, RED_ZONE // 8)


def walk(lesson: Lesson) -> None:
    """#UD in ring 0, by a plain gate and by one with an IST stack."""
    mark = 0x5A5A5A5A5A5A5A5A

    lesson.step(
        "Below the stack pointer",
        'System V ABI, AMD64 supplement, "The Stack Frame"',
        """A 64-bit function may keep data in the 128 bytes below RSP without moving it: signal
        handlers leave them alone. We fill them with 5A.""",
        "UD2 in ring 3: how many of the 128 does its gate change?",
        hint="From ring 3 every gate into ring 0 brings another stack.",
    )
    lesson.run_to("clean_trusted_ud_call")
    sp = machine.register("sp")
    lesson.answer(0, "the privilege changes, and with it the stack. But this program is in ring 0.")
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.check("the gate names no IST stack", tables.idt_gate(UD).ist, 0)
    lesson.backtrace("gate_call", "main")

    lesson.step(
        "A plain gate in ring 0",
        'SDM 3A, "Stack Switching in IA-32e Mode"',
        """No change of privilege, no IST: the processor aligns RSP down to 16 and pushes five words
        there.""",
        "how many of the 16 words of the red zone change?",
        hint="""Count the words that the processor pushes for #UD. What RSP skips to be aligned
        stays as it is.""",
    )
    for slot in range(RED_ZONE // 8):
        machine.write(sp - RED_ZONE + 8 * slot, mark, 8)
    lesson.stepi(INT_FRAME)
    changed = sum(value != mark for value in zone(sp))
    lesson.answer(changed, "the interrupt stack frame, right where the data was.")
    lesson.check("five words", changed, 5)
    lesson.check("RSP lies in the zone", sp - RED_ZONE < machine.register("sp") < sp, True)

    lesson.step(
        "With an IST stack",
        'SDM 3A, "Interrupt Stack Table"',
        "The same UD2 through a gate that names an IST stack.",
        "how many words change now?",
        hint="Where does the frame lie if the gate names an IST stack?",
    )
    while not tables.idt_gate(UD).ist:
        lesson.run_to("clean_trusted_ud_call")
    sp = machine.register("sp")
    for slot in range(RED_ZONE // 8):
        machine.write(sp - RED_ZONE + 8 * slot, mark, 8)
    machine.stepi()
    changed = sum(value != mark for value in zone(sp))
    lesson.answer(changed, "none: the frame is on the IST stack, whatever RSP was.")
    lesson.check("none", changed, 0)
    lesson.backtrace("clean_trusted_ud_here_entry", "gate_call", "main")

    lesson.step(
        "So every vector has one",
        "kernel/core/arch/amd64/descriptor.c",
        """A program in ring 0 that is compiled as any other needs it of every gate, interrupts
        too. A compiler can be told to use no red zone: -mno-red-zone.""",
        "how many bytes below its stack pointer may a function of the kernel use?",
        hint="""Interrupts of the kernel may come on the kernel's own stack. What would they write
        over?""",
    )
    lesson.answer(0, "with -mno-red-zone its interrupts may come on its own stack.")
    lesson.check("the timer's gate names one", tables.idt_gate(32).ist != 0, True)

    lesson.end(
        "`make bench SUITE=starve` prints both: bytes changed through plain gates, and with IST.",
        """change ROUNDS in user/suites/starve/protection.c, and see when the plain gates' count
        is no longer whole: it takes an interrupt at the right place.""",
    )
