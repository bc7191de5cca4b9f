"""The lesson `nmi_iret`: an IRET inside an NMI's handler opens the next one too early. amd64."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine, tables

ABOUT = {
    "place": (3, 11),
    "title": "an IRET inside an NMI opens the next one too early",
    "minutes": 12,
    "kernels": ("amd64",),
    "program": "/bin/walk",
}
ENTRY = "clean_user_syscall_standard_entry"
IRET = "clean_user_int_bare_entry"
"""Just an IRETQ."""


def walk(lesson: Lesson) -> None:
    """Three NMIs: one after the previous one's IRET, and one after an early IRET."""
    numbers = machine.constants()

    lesson.step(
        "Blocked",
        'SDM 3A, "Handling Multiple NMIs"',
        """An NMI has come on the first instruction of SYSCALL's kernel half, and its handler is
        about to begin. We press the button again. A processor lets no NMI in while one is handled:
        it waits, and comes behind the next IRET. Nobody asks whose IRET that is.""",
        "how many of the five words of the first frame has the second NMI changed?",
        hint="The second NMI comes after the handler's IRET. Is the first frame still in use then?",
    )
    lesson.run_to(ENTRY)
    before, here = machine.general_registers(), machine.register("ip")
    machine.monitor("nmi")
    lesson.run_to("vector_2")
    place = machine.register("sp")
    first = machine.read_words(place, 5)
    machine.monitor("nmi")
    lesson.run_to("vector_2")
    second = machine.read_words(place, 5)
    lesson.answer(
        sum(a != b for a, b in zip(first, second, strict=True)),
        "both have interrupted the same instruction, one behind the other.",
    )
    top = int(tables.task_state()["ist"][numbers["IST_NMI"] - 1])
    lesson.check("the frame is at the end of IST 2, as the first was", place, top - 40)
    lesson.check("its stack pointer", machine.register("sp"), place)
    lesson.check("its IP is the entry's first instruction", second[0], here)

    lesson.step(
        "An exception inside",
        'SDM 3A, "Handling Multiple NMIs"; SDM 2A, IRET/IRETD/IRETQ',
        """A handler that touches a page which is not there, or meets a breakpoint, takes an
        exception, whose handler leaves by IRET. We press the button a third time, and lend the
        handler such an IRET: five words, and IRETQ, back to its own next instruction.""",
        "where does the IP that lies in the frame lead to now?",
        ("handler", "entry", "program"),
        hint="Which code is interrupted by the NMI that has waited?",
    )
    lesson.stepi()
    back, sp = machine.register("ip"), machine.register("sp")
    words = (back, numbers["KERNEL_CS"], machine.register("flags"), sp, machine.register("ss"))
    for at, value in enumerate(words):
        machine.write(sp - 40 + 8 * at, value, 8)
    machine.monitor("nmi")
    machine.set_register("sp", sp - 40)
    machine.set_register("ip", machine.symbol(IRET))
    lesson.run_to("vector_2")
    third = dict(zip(INT_FRAME, machine.read_words(place, 5), strict=True))
    lesson.look("ring", "stacks")
    lesson.answer(
        "handler" if third["ip"] == back else "entry",
        "IST 2 begins at its end again: this frame lies over the one that the handler needs.",
    )
    lesson.check("at the same address", machine.register("sp"), place)
    lesson.check("the entry's IP is lost", here in machine.read_words(place, 5), False)
    lesson.check("the frame has the handler's stack pointer", third["sp"], sp)

    lesson.step(
        "What becomes of it",
        "kernel/core/arch/amd64/vectors.asm, trap_stay",
        """The third handler returns into the second, and that one's IRET finds the third's frame:
        it goes back to itself, for ever. So this kernel's NMI handler takes no exception: it reads
        and writes what is always mapped, and counts.""",
        "how many IRETs has the handler of one NMI here?",
        hint="Its own, at its end. Is there another on its way?",
    )
    lesson.answer(1, "so no other can open the door.")
    for at, value in enumerate(second):
        machine.write(place + 8 * at, value, 8)
    machine.run_to(here)
    lesson.check("with the frame put back the entry goes on", machine.register("ip"), here)
    lesson.check("and has its registers", machine.general_registers(), before)

    lesson.step(
        "What Linux does",
        "Linux, arch/x86/entry/entry_64.S, asm_exc_nmi",
        """Linux lets an NMI handler take exceptions. It keeps a word `NMI executing` on the IST
        stack, and copies of the frame below it. A nested NMI sees the word, changes the copy that
        IRET will use so that it leads to the handler once more, and leaves.""",
        "in how many places does the frame lie then, the processor's own among them?",
        hint="""What the processor writes, what IRET uses, and one to make that from once it is
        changed.""",
    )
    lesson.answer(3, "the original, the one for IRET, and the outermost, from which that is made.")

    lesson.end(
        """Any IRET opens the door: that rule is older than handlers that may fault. Intel's FRED
        has two returns of its own, ERETS and ERETU, and a bit in their frame says whether NMIs may
        come.""",
        """write INT3 into the NMI's handler (kernel/core/trap/dispatch.c), boot, and press twice:
        the `nmi` command of QEMU's monitor. Then give #BP's handler no IRET.""",
    )
