"""The lesson `control`: a measurement with a known answer, and how it catches a lie."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (6, 4),
    "title": "controls: a measurement whose answer is known, and how a lie is caught",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/bin/toll",
}
PAIR, LOOP = "probed_user_pair_call", "probed_user_loop_call"


def stamps() -> dict[str, int]:
    """MP1 and MP8 as the user half stored them."""
    numbers = machine.constants()
    page = numbers["PROBE_PAGE"]
    return {name: machine.read(page + numbers[f"STAMP_{name}"], 8) for name in ("MP1", "MP8")}


def between() -> int:
    """The time between the two stamps, in ticks."""
    seen = stamps()
    return seen["MP8"] - seen["MP1"]


def to_the_end(lesson: Lesson, half: str) -> None:
    """Run through a user half to its RET."""
    lesson.run_to(half)
    lesson.backtrace(half, "main")
    back = machine.read_words(machine.register("sp"), 1)[0]
    machine.run_to(back)


def walk(lesson: Lesson) -> None:
    """The empty pair, the loop, and a lie about it."""
    lesson.step(
        "Nothing",
        "kernel/core/entry/pair.asm",
        """Two stamps with nothing between them. What they differ by is the cost of a stamp: every
        figure has it taken off.""",
        "how many instructions lie between its two RDTSCs, the second included?",
        hint="""PROBE in kernel/core/entry/asm.inc is the stamp: count from behind one RDTSC to
        the next.""",
    )
    to_the_end(lesson, PAIR)
    stamp = between()
    lesson.answer(stamp, f"{stamp} instructions, from one RDTSC to the next.")
    lesson.check("more than none", stamp > 0, True)

    lesson.step(
        "A known length",
        "kernel/core/entry/pair.asm, loop_call; tests/budgets.toml",
        """A loop of LOOP_ROUNDS rounds of two instructions, and one in front: its length is
        known. The control is what the instrument makes of it, less the stamp.""",
        "what must the loop's control read?",
        hint="""LOOP_ROUNDS is 1000 (kernel/const.h). Multiply by the instructions of a round, and
        add the one in front.""",
    )
    to_the_end(lesson, LOOP)
    length = between() - stamp
    lesson.answer(length, "1,000 rounds of two, and one to begin with.")
    known = 2 * machine.constants()["LOOP_ROUNDS"] + 1
    lesson.check("the instrument reads its length", length, known)

    lesson.step(
        "A lie",
        "tests/mutants/; user/lib/measure.c",
        """An instrument that is wrong is wrong everywhere. We put the second stamp ten later, as
        a probe would that costs more at one place than at another.""",
        "what would the control of the loop read now?",
        hint="""The second stamp comes ten instructions late: add them to what the loop read in step
        2.""",
    )
    numbers = machine.constants()
    place = numbers["PROBE_PAGE"] + numbers["STAMP_MP8"]
    truth = machine.read(place, 8)
    machine.write(place, truth + 10, 8)
    lie = between() - stamp
    machine.write(place, truth, 8)
    lesson.answer(
        lie, "ten more: a control that is wrong fails the run, and no figure of it is believed."
    )
    lesson.check("and it is put right", between() - stamp, known)

    lesson.step(
        "Two controls",
        "docs/measuring.md",
        """The empty pair shows an offset; the loop shows a scale, or a counter that counts
        something else. Each catches what the other misses.""",
        "a counter counts every instruction twice. What does `control/empty` read?",
        hint="What does the empty pair read when nothing is wrong? Count that twice.",
    )
    lesson.answer(0, "twice nothing is nothing. The loop would read 4,002.")
    lesson.check("ring 3", machine.register("cs") & 3, 3)

    lesson.end(
        "Controls are measured in every run, before and as every row is.",
        """try a mutant: `make test PART=mutants N=measure-stamp-cost` breaks the stamp, and says
        which control caught it.""",
    )
