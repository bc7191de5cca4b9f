"""The lesson `directcall`: a system call without a gate."""

from lesson import Lesson
from vocabulary import machine, rows, where

ABOUT = {
    "place": (5, 2),
    "title": "a system call that is a CALL",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/trusted/walk",
}
ROW = "trusted/call/standard"
CALL = "clean_trusted_call_standard_call"
ENTRY = "clean_trusted_call_standard_entry"


def walk(lesson: Lesson) -> None:
    """CALL [cpu_direct], and RET."""
    numbers, word, amd64 = machine.constants(), machine.word(), machine.arch() == "amd64"
    watched = numbers["RFLAGS_DF"] | numbers["RFLAGS_ID"]

    lesson.step(
        "A pointer in place of a gate",
        "kernel/core/entry/call.asm",
        """The program runs in ring 0, in page tables that hold the kernel: it can jump there.
        cpu_direct is a pointer of the kernel's, to the kernel half that is armed.""",
        "where does cpu_direct lead? (an address; it is a variable of the kernel's)",
        hint="""`p/x cpu_direct` prints the pointer; `table user/` and `table trusted/` say which
        row is armed.""",
    )
    lesson.run_to(CALL)
    direct = machine.evaluate("cpu_direct")
    lesson.answer(direct, "to the kernel half of the row that the program has armed.")
    lesson.check("that is", direct, machine.symbol(ENTRY))
    lesson.backtrace(CALL, "gate_call", "main")

    lesson.step(
        "CALL",
        "SDM 2A, CALL",
        """It pushes the return address, on the program's stack, and jumps. Nothing is checked,
        nothing is switched. We set DF and ID first, two flags.""",
        "how many of the two does CALL change?",
        hint="SDM 2A says under CALL which flags are affected, unless the task is switched.",
    )
    quiet, sp = machine.register("flags"), machine.register("sp")
    machine.set_register("flags", quiet | watched)
    flags = machine.register("flags")
    behind = machine.behind()
    lesson.stepi(("ip",))
    lesson.answer(bin((machine.register("flags") ^ flags) & watched).count("1"), "no flag at all.")
    lesson.check("one word lower", machine.register("sp"), sp - word)
    lesson.check("the return address", machine.read_words(sp - word, 1)[0], behind)
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "No frame",
        "kernel/core/entry/call.asm, direct.inc",
        """The entry is C's callee. What C keeps the service routine itself keeps; so only the
        registers are saved that the system-call ABI promises beyond that. No struct frame is
        made.""",
        "how many instructions are there from the entry to the CALL of the service?",
        hint="""Count from MP2 to MP3: `make show ROW=trusted/call/standard` lists the instructions,
        and so does the end of the book's page.""",
    )
    start = lesson.instructions
    lesson.step_to("call")
    count = lesson.instructions - start
    lesson.answer(count, "against some twenty with a full frame.")
    lesson.check(
        "on the kernel's stack",
        where.on_stack(machine.register("sp"), machine.evaluate("cpu_stack")),
        True,
    )
    lesson.check("DF is clear for C", machine.register("flags") & numbers["RFLAGS_DF"], 0)

    lesson.step(
        "RET",
        "SDM 2B, RET",
        """The service has answered; is work pending? If so the frame that INT would have made is
        made now, and the way out is IRET's. Else the registers, the program's stack, and RET.""",
        "what is DF after RET?",
        hint="""On amd64 the ABI wants DF clear when a function returns; on i386 this call stands
        for INT 80h, which keeps all flags.""",
    )
    lesson.step_out(rows.point(CALL, "MP8"))
    lesson.answer(
        int(bool(machine.register("flags") & numbers["RFLAGS_DF"])),
        "the ABI of a call says that DF is clear: CLD stays done."
        if amd64
        else "POPF brought it: programs call this in place of INT 80h, which keeps all flags.",
    )
    lesson.check("the stack pointer is back", machine.register("sp"), sp)
    lesson.check("CPL is 0, as ever", machine.register("cs") & 3, 0)
    machine.set_register("flags", quiet)

    lesson.end(
        """The same service for fewer instructions, and no gate. What the gate gave besides is
        gone: nothing checks, and nothing protects.""",
        """leave DIRECT_STACK out, as the row `samestack` does, and see what the kernel's own stack
        costs.""",
        ROW,
    )
