"""The lesson `ist`: the same exception without and with an interrupt stack table entry. amd64."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine, tables, where

ABOUT = {
    "place": (3, 2),
    "title": "the same exception without and with an IST stack",
    "minutes": 10,
    "kernels": ("amd64",),
    "program": "/bin/walk",
}
ENTRY = "clean_user_ud_here_entry"
UD = 6


def walk(lesson: Lesson) -> None:
    """#UD by a plain gate, by one with an IST stack, and off that stack."""
    lesson.run_to("clean_user_ud_call")
    lesson.step(
        "A plain gate",
        'SDM 3A, "Stack Switching in IA-32e Mode"',
        """Without an IST entry in the gate the processor takes a new stack only where the privilege
        changes: RSP0 of the TSS. From ring 0 it would go on where RSP points.""",
        "UD2 is in ring 3. What is RSP in the handler? (`tss`: sp0 less five words)",
        hint="`tss` shows sp0. Five words have 40 bytes, 28h.",
    )
    lesson.look("idt 6", "tss")
    lesson.check("the gate names no IST stack", tables.idt_gate(UD).ist, 0)
    top = int(tables.task_state()["sp0"])
    lesson.stepi(INT_FRAME)
    lesson.answer(machine.register("sp"), "on the process's kernel stack.")
    lesson.check("five words below sp0", machine.register("sp"), top - 40)
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "With a stack of its own",
        'SDM 3A, "Interrupt Stack Table"',
        """A gate may name one of seven stacks of the TSS. The processor then changes to it
        whatever the privilege, whatever RSP was: also from ring 0. So an exception finds its
        place even where the stack is bad.""",
        "which of the seven does the frame lie on?",
        hint="""IST_TRAP in kernel/core/arch/amd64/layout.h is for all exceptions that have none
        of their own.""",
    )
    while not tables.idt_gate(UD).ist:
        lesson.run_to("clean_user_ud_call")
    number = tables.idt_gate(UD).ist
    own = int(tables.task_state()["ist"][number - 1])
    lesson.look("idt 6", "stacks")
    machine.stepi()
    lesson.answer(
        number,
        f"IST {number} ends at {own:#x}: the frame lies there, and not on the process's stack.",
    )
    lesson.check("five words below the IST stack's end", machine.register("sp"), own - 40)
    lesson.check("the same code runs", machine.register("ip"), machine.symbol(ENTRY))
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "The price",
        'SDM 3A, "Interrupt Stack Table"',
        """An IST stack always begins at the same place. If the same vector comes again while its
        handler is there, the second frame is written over the first: the lesson `nested` shows it.
        So this kernel's handlers leave the IST stack at once. (Programs at CPL 3 need none: their
        IDT names one for NMI, #DB, #MC and #DF alone.)""",
        "a second #UD comes right here. How far below the first frame does its own lie?",
        hint="Where does the processor take RSP from when a gate names an IST stack?",
    )
    lesson.answer(0, "at the same address: RSP is loaded from the TSS, not continued.")
    lesson.check("the TSS still says the same", int(tables.task_state()["ist"][number - 1]), own)

    lesson.step(
        "Off the stack",
        "kernel/core/arch/amd64/ist.inc, IST_MOVE",
        """The row `move`: the handler asks whose code was interrupted, takes the process's kernel
        stack, and copies its frame there.""",
        "how many bytes of the IST stack are in use at the measurement point MP3?",
        hint="MP3 lies behind IST_MOVE, which has changed stacks.",
    )
    lesson.run_to("clean_user_ud_move_entry")
    on_ist = machine.register("sp")
    start = lesson.instructions
    lesson.step_out(machine.symbol("clean_user_ud_move_entry.MP3"))
    sp = machine.register("sp")
    lesson.answer(0, "on the process's: the IST stack is free for the next one.")
    lesson.check("it was on the IST stack", on_ist, own - 40)
    lesson.check("it is on the process's", where.on_stack(sp, machine.evaluate("cpu_stack")), True)
    lesson.check("that took instructions", lesson.instructions - start > 10, True)
    lesson.backtrace("clean_user_ud_move_entry", "gate_call", "main")

    lesson.end(
        """`make bench SUITE=exceptions` has all three: in instructions an IST stack costs nothing,
        and leaving it costs the copy.""",
        """compare `make show ROW=user/ud/ist` with ROW=user/ud/move: each instruction of IST_MOVE
        is there. Which of them would you leave out?""",
    )
