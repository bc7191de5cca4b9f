"""The lesson `site`: a compiled SYSCALL, and the call that replaced it."""

from lesson import Lesson
from vocabulary import machine, where

ABOUT = {
    "place": (5, 3),
    "title": "a program that nobody has recompiled, and a call in place of its SYSCALL",
    "minutes": 12,
    "kernels": ("amd64",),
    "program": "/trusted/unmodified",
}
SITE = "unmodified"
STUB = "site_stubs"
RED_ZONE = 128
"""Bytes below the stack pointer that belong to a program (System V ABI)."""


def walk(lesson: Lesson) -> None:
    """JMP through a slot, a stub, the service, and the return."""
    lesson.step(
        "Seven bytes",
        "docs/trusted.md, Unmodified programs",
        """The program was compiled for Linux: `mov $39,%eax` has five bytes, B8 27 00 00 00, and
        `syscall` two, 0F 05. It lies under /trusted, and execve() has written over the first
        five: JMP through memory is FF 24 25 and an address of four bytes.""",
        "counted from 0, at which of the seven bytes does a SYSCALL still begin?",
        hint="""Write the seven bytes in a line: FF 24 25, the four of the address, lowest first.
        SYSCALL is 0F 05.""",
    )
    lesson.run_to(SITE)
    site = machine.register("ip")
    code = [machine.read(site + i, 1) for i in range(7)]
    lesson.answer(5, "the upper half of the jump's address is 050F, in memory 0F 05.")
    lesson.check("JMP through memory", code[:3], [0xFF, 0x24, 0x25])
    lesson.check("and still a SYSCALL", code[5:], [0x0F, 0x05])
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)

    lesson.step(
        "A slot, and the code behind it",
        "kernel/core/entry/site.h",
        """The address leads into an area of the program's memory that only the kernel writes
        ([sites] in /proc/PID/maps). There is a record for each site: where its stub lies, the
        number of the call, and where the program goes on.""",
        "which number does the record hold?",
        hint="The MOV loaded this number: 27h, in B8 27 00 00 00.",
    )
    slot = code[3] | code[4] << 8 | 0x050F0000
    stub, number, back = machine.read_words(slot, 3)
    lesson.answer(number, "getpid's: the MOV that had it is gone.")
    lesson.check("the first stub of the kernel's", stub, machine.symbol(STUB))
    lesson.check("and on behind the seven bytes", back, site + len(code))

    lesson.step(
        "JMP",
        "SDM 2A, JMP",
        """A CALL would have fitted as well, and would have been shorter on the way back. But the
        function may keep something below the stack pointer, in its red zone: SYSCALL writes
        nothing there.""",
        "how many bytes does JMP write on the program's stack?",
        hint="A CALL pushes a return address. What does a JMP push?",
    )
    sp, first = machine.register("sp"), lesson.instructions
    below = machine.read_words(sp - RED_ZONE, RED_ZONE // machine.word())
    lesson.stepi()
    lesson.answer(sp - machine.register("sp"), "so nobody knows from the stack where we came from.")
    lesson.check("in the stub", machine.register("ip"), stub)

    lesson.step(
        "A stub for each site",
        "kernel/core/entry/site_standard.asm",
        """That is why each site has a stub of its own: its instructions say which record is
        theirs. It goes to the kernel's stack, keeps the program's stack pointer there, and
        takes the number from the record.""",
        "how many instructions are there in the stub before its CALL?",
        hint="""kernel/core/entry/site_standard.asm has the stub: count the instructions from its
        beginning to its CALL.""",
    )
    start = lesson.instructions
    lesson.step_to("call")
    lesson.answer(lesson.instructions - start, "and CALL pushes on the kernel's stack.")
    lesson.check("the number", machine.register("ax"), number)
    lesson.check(
        "on the kernel's stack",
        where.on_stack(machine.register("sp"), machine.evaluate("cpu_stack")),
        True,
    )
    lesson.check(
        "the red zone is as it was",
        machine.read_words(sp - RED_ZONE, RED_ZONE // machine.word()),
        below,
    )

    lesson.step(
        "The work of call/standard, and back",
        "kernel/core/entry/site_standard.asm",
        """Registers, service, the look for pending work, registers. The stub then takes the
        program's stack pointer from the kernel's stack and jumps through the record.""",
        "from the JMP to behind it, how many instructions is that in all?",
        hint="""`make show ROW=trusted/site/standard` lists the instructions of the row; so does the
        end of the book's page.""",
    )
    lesson.step_out(back)
    lesson.answer(lesson.instructions - first, "trusted/syscall/standard is the way by SYSCALL.")
    lesson.check("the stack pointer is back", machine.register("sp"), sp)

    lesson.end(
        """The program has made its system call, and has not been changed where it counts: a jump
        to the SYSCALL still makes it.""",
        """Boot with `direct=off` and compare. Then read in docs/trusted.md what is not proved:
        the kernel has looked for seven bytes, not for two instructions.""",
        "trusted/site/standard",
    )
