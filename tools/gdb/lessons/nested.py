"""The lesson `nested`: two exceptions on one IST stack. amd64."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (3, 3),
    "title": "two exceptions on one IST stack: the second frame over the first",
    "minutes": 10,
    "kernels": ("amd64",),
    "program": "/bin/starve",
    "words": ("only=reentry",),
}


def frame() -> list[int]:
    """The five words at the stack pointer."""
    return machine.read_words(machine.register("sp"), 5)


def walk(lesson: Lesson) -> None:
    """A handler that stays on its IST stack, and one that leaves it, each interrupted by itself."""
    lesson.step(
        "The first",
        'SDM 3A, "Interrupt Stack Table"',
        """The program executes UD2. This handler, armed for the experiment, stays on the IST
        stack and will execute a UD2 of its own. Its frame: five words at RSP.""",
        "from which ring did the first exception come? (See the low bits of the saved CS.)",
        hint="The first UD2 is the program's. What is a program's CPL?",
    )
    lesson.run_to("reentry_stay")
    first, at = frame(), machine.register("sp")
    lesson.look("stacks")
    lesson.answer(first[1] & 3, "the program's UD2, in ring 3.")
    lesson.check("we are in ring 0", machine.register("cs") & 3, 0)
    lesson.backtrace("reentry_stay", "reenter", "main")

    lesson.step(
        "The second",
        "kernel/toll/amd64/reentry.asm",
        "The handler's own UD2. The processor loads RSP from the TSS again.",
        "at which address does the second frame lie?",
        hint="""The processor takes RSP from the TSS again: `p/x $rsp` prints where the first frame
        lies.""",
    )
    lesson.run_to("inner")
    second = frame()
    lesson.answer(machine.register("sp"), "the same: an IST stack always begins at the same place.")
    lesson.check("the same stack pointer", machine.register("sp"), at)
    lesson.check("it came from ring 0", second[1] & 3, 0)
    lesson.check("the first frame's IP is gone", second[0] != first[0], True)
    lesson.look("stacks")

    lesson.step(
        "What is lost",
        "user/suites/starve/protection.c",
        """A return by the first frame now goes to where the second came from: into the
        kernel, with the kernel's stack pointer. The program's IP, stack and flags are nowhere any
        more.""",
        "how many of the five words of the first frame have changed?",
        hint="""Go through IP, CS, flags, RSP and SS: which differ between the program's UD2 and the
        handler's?""",
    )
    changed = sum(a != b for a, b in zip(first, second, strict=True))
    lesson.answer(changed, "all that tell ring 3 from ring 0, and the two places in the code.")
    lesson.check("IP, CS, SP and SS are others", changed >= 4, True)

    lesson.step(
        "A handler that leaves",
        "kernel/core/arch/amd64/ist.inc, IST_MOVE",
        """The same again, with a handler that copies its frame to another stack before it does
        anything else. Then its own UD2 comes.""",
        "how many words of the first frame has the second one changed?",
        hint="This handler has copied its frame elsewhere before the second one came.",
    )
    lesson.run_to("reentry_move")
    outer = frame()
    while True:
        lesson.stepi()
        sp = machine.register("sp")
        if machine.instruction() == "ud2":
            break
    moved = machine.read_words(sp, 5)
    lesson.run_to("inner")
    still = machine.read_words(sp, 5)
    lesson.answer(
        sum(a != b for a, b in zip(moved, still, strict=True)),
        "the first frame is on the process's stack, out of its way.",
    )
    lesson.check("the moved frame is the program's", moved, outer)
    lesson.check("and stays so", still, moved)

    lesson.end(
        """NMI, #DB and machine checks may come on the first instruction of SYSCALL and must have
        an IST stack: so they leave it when they come from a program, and from the kernel nothing
        may nest.""",
        """`make bench SUITE=starve` prints both as `IST re-entry`: the words that change are 5
        and 0.""",
    )
