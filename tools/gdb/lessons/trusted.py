"""The lesson `trusted`: the same program in ring 0."""

from lesson import Lesson
from vocabulary import machine, paging, where

ABOUT = {
    "place": (5, 1),
    "title": "the same program with another CS: what ring 0 changes, and what not",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/trusted/walk",
    "live": "shell",
}


def walk(lesson: Lesson) -> None:
    """INT 80h from CPL 0."""
    numbers, word, amd64 = machine.constants(), machine.word(), machine.arch() == "amd64"

    lesson.step(
        "Another CS",
        "docs/trusted.md",
        """/trusted/walk is the file that /bin/walk is. Its folder decides its CS, and with it the
        CPL. It lies at the same addresses, in page tables of its own.""",
        "what are the low two bits of its CS?",
        hint="What is below /trusted has the kernel's CS, and that has RPL 0.",
    )
    lesson.run_to("main")
    lesson.look("ring")
    lesson.answer(machine.register("cs") & 3, "ring 0: it may CLI, load CR3, write the kernel.")
    lesson.check("CS is the kernel's", machine.register("cs"), numbers["KERNEL_CS"])
    lesson.check(
        "the code lies in the program's half", machine.register("ip") < numbers["USER_TOP"], True
    )
    user = all(entry.user for entry in paging.walk(machine.register("ip")))
    lesson.check("SMEP must let it run: no user page", user, False)

    lesson.step(
        "INT without a change of privilege",
        'SDM 3A, "Stack Switching"; "Interrupt Stack Table"',
        """INT 80h from ring 0 stays in ring 0: there is no other stack to change to. """
        + (
            "So the gate of a trusted program names IST 7, which is its kernel stack."
            if amd64
            else "The processor pushes three words where ESP points, on the program's stack."
        ),
        "how many words does INT push?",
        hint="""Long mode always pushes the same five words. i386 leaves out SS and ESP where the
        ring stays.""",
    )
    lesson.run_to("clean_trusted_int_standard_call")
    sp = machine.register("sp")
    top = machine.evaluate("cpu_stack")
    lesson.backtrace("clean_trusted_int_standard_call", "gate_call", "main")
    names = ("ip", "cs", "flags", "sp", "ss")[: 5 if amd64 else 3]
    lesson.stepi(names)
    now = machine.register("sp")
    pushed = (top - now if amd64 else sp - now) // word
    lesson.answer(
        pushed,
        "long mode always pushes five." if amd64 else "SS and ESP only where the ring changes.",
    )
    lesson.check("whose stack", where.on_stack(now, top), amd64)
    lesson.check("the saved CS is ring 0's", machine.read_words(now, 2)[1] & 3, 0)
    lesson.backtrace("clean_trusted_int_standard_entry", "gate_call", "main")

    lesson.step(
        "The kernel's stack, by hand",
        "kernel/core/arch/*/trusted/origin.inc",
        """A service routine may need more stack than the program has. """
        + (
            "Here the IST entry has brought it."
            if amd64
            else "So the entry takes the top of the kernel's, and makes the five words itself."
        ),
        "whose stack holds the whole frame when the service is called?",
        ("kernel", "program"),
        hint="""The service is the same C function as from ring 3. Where does it find the frame
        then?""",
    )
    lesson.step_to("call")
    frame = {name: value for _, name, value in where.frame_fields(where.frame_address())}
    lesson.answer(
        "kernel" if where.on_stack(machine.register("sp"), top) else "program",
        "as from ring 3: C sees no difference.",
    )
    lesson.check("the frame's CS", frame["cs"] & 3, 0)
    lesson.check("the frame's SP", frame["sp"], sp)

    lesson.step(
        "Back",
        "kernel/core/entry/int.asm, FRAME_TO_IRET",
        """IRET to the same privilege"""
        + (
            " loads all five words in long mode."
            if amd64
            else """ pops three words. So they are put below the program's stack pointer first, and
        the stack is changed by hand in front of IRET."""
        ),
        "what is the CPL behind this IRET?",
        hint="In which ring was the program before INT?",
    )
    lesson.step_to("iretq", "iret", "iretd")
    lesson.stepi()
    lesson.answer(machine.register("cs") & 3, "0, as before: no ring has changed.")
    lesson.check("the stack pointer is back", machine.register("sp"), sp)
    lesson.check("CPL", machine.register("cs") & 3, 0)

    lesson.end(
        """The gate is the same, and in instructions costs the same. What ring 0 saves comes with
        the next lesson: no gate at all.""",
        """`cp /bin/ring /trusted/ring` in `make run`, and run both: CS differs, and in `make
        bench` the origin of the rows.""",
    )
