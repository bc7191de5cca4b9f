"""The lesson `points`: eight measurement points, seven sections, and what is left over."""

from lesson import Lesson
from vocabulary import rows

ABOUT = {
    "place": (6, 1),
    "title": "eight points, seven sections, and the residue",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
    "live": "toll",
}
ROW = "user/int/standard"
CALL, ENTRY = "clean_user_int_standard_call", "clean_user_int_standard_entry"
SERVICE = "clean_user_getpid"


def places() -> dict[str, int]:
    """MP1 to MP8 of the row, in order."""
    halves = {"MP1": CALL, "MP8": CALL, "MP4": SERVICE, "MP5": SERVICE}
    names = [f"MP{number}" for number in range(1, 9)]
    return {name: rows.point(halves.get(name, ENTRY), name) for name in names}


def walk(lesson: Lesson) -> None:
    """Walk from point to point, counting instructions."""
    points = places()
    sections: list[int] = []

    def to(name: str) -> int:
        """Continue to a point; return the instructions executed."""
        start = lesson.instructions
        lesson.step_out(points[name])
        sections.append(lesson.instructions - start)
        return sections[-1]

    lesson.step(
        "Eight points",
        "docs/measuring.md; Schneider and Baumgartl, the measurement points",
        """A way there and back is cut in sections: MP1 before the user half's instruction, MP2
        the first that is possible in the kernel, MP3 in front of the service, MP4 and MP5 its
        first and last, MP6 behind it, MP7 in front of the return, MP8 behind the user half.""",
        "how many instructions are there from MP1 to MP2, the gate?",
        hint="""MP1 stands before the instruction of the user half, MP2 behind the gate. What lies
        between?""",
    )
    lesson.run_to(CALL)
    lesson.look(f"points {ROW}")
    lesson.answer(to("MP2"), "INT itself: one instruction, whatever it does inside.")
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "The way in",
        "kernel/core/entry/int.asm",
        "From MP2 to MP3: flags mended, a frame saved, the number compared.",
        "how many instructions are there from MP2 to MP3?",
        hint="""Count from MP2 to MP3: `make show ROW=user/int/standard` lists the instructions, and
        so does the end of the book's page.""",
    )
    lesson.answer(
        to("MP3"), "most of them are pushes: a full frame is what a system call promises."
    )

    lesson.step(
        "The service",
        "kernel/core/entry/service.asm",
        "MP3 to MP4 the CALL; MP4 to MP5 the routine; MP5 to MP6 its RET.",
        "how many instructions are there from MP3 to MP6?",
        hint="""Count the CALL, the instructions of getpid, and its RET. `x/4i clean_user_getpid`
        lists them.""",
    )
    lesson.answer(sum(to(name) for name in ("MP4", "MP5", "MP6")), "getpid: the smallest there is.")

    lesson.step(
        "The way out",
        "kernel/core/entry/int.asm",
        "MP6 to MP7, the result and the registers; MP7 to MP8, the return.",
        "how many instructions are there from MP6 to MP8?",
        hint="""Count from MP6 to MP8: `make show ROW=user/int/standard` lists the instructions, and
        so does the end of the book's page.""",
    )
    lesson.answer(sum(to(name) for name in ("MP7", "MP8")), "the pops mirror the pushes.")
    lesson.check("seven sections", len(sections), 7)

    lesson.step(
        "The residue",
        "docs/measuring.md",
        """The headline is taken without any probe in the kernel's half; the sections come from a
        second copy with time stamps. What the sections do not explain of the headline is the
        residue.""",
        "you have walked the clean copy: what must the residue be, if the probed one is as long?",
        hint="The residue is the total less the sum of its sections.",
    )
    lesson.answer(
        lesson.instructions - sum(sections), "0, or the two copies are not the same code."
    )
    lesson.check("the sections add up", sum(sections), lesson.instructions)

    lesson.end(
        "In instructions it is 0 exactly, and the run fails if not; in cycles it is printed.",
        """put a NOP behind MP2 in kernel/core/entry/int.asm: section 2-3 and the total say one
        more, and tests/budgets.toml fails by name.""",
        ROW,
    )
