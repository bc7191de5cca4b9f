"""The lesson `returns`: IRET, far RET, SYSEXIT, SYSRET, and what each restores."""

from lesson import Lesson
from vocabulary import machine, rows, where

ABOUT = {
    "place": (2, 5),
    "title": "four ways out: what each of them restores, and what it takes from where",
    "minutes": 12,
    "kernels": ("amd64",),
    "program": "/bin/walk",
}
ID = 0x200000  # a flag without effect: used as a mark
ROUND_TRIP = {
    "int": ("iret", "iretq"),
    "callgate": ("retf", "retfq", "lret", "lretq"),
    "sysenter": ("sysexit", "sysexitq"),
    "syscall": ("sysret", "sysretq"),
}
ABOUT_EACH = {
    "int": (
        "IRET",
        "SDM 2A, IRET/IRETD/IRETQ",
        """The row `bare` has nothing between the gate and its return. In ring 0 we set the flag ID,
        which does nothing, as a mark: does the return bring the program's flags back, or does the
        mark stay?""",
        0,
        "IRET loads the flags from the stack, where INT has saved them without the mark.",
        "INT has saved a word of flags. Does IRET load it?",
    ),
    "callgate": (
        "Far RET",
        "SDM 2B, RET",
        "IP, CS, SP and SS are on the stack. The same mark, in front of far RET.",
        1,
        "a call gate has saved no flags, so far RET has none to load.",
        "Four words lie on the stack. Is the word of flags among them?",
    ),
    "sysenter": (
        "SYSEXIT",
        "SDM 2B, SYSEXIT",
        """IP comes from RDX, SP from RCX, CS and SS from SYSENTER_CS. No memory is read. The same
        mark.""",
        1,
        "SYSEXIT changes no flag: the kernel must load the program's before.",
        "Which of what SYSEXIT loads could hold flags?",
    ),
    "syscall": (
        "SYSRET",
        "SDM 2B, SYSRET",
        "RIP comes from RCX, CS and SS from STAR. RSP is left as it is. The same mark.",
        0,
        "SYSRET loads the flags from R11, where SYSCALL has put them, but for RF and VM.",
        "SYSCALL has put the flags into R11. Does SYSRET use it?",
    ),
}


def walk(lesson: Lesson) -> None:
    """Four bare rows, one after the other."""
    for mechanism, mnemonics in ROUND_TRIP.items():
        title, manual, story, expected, because, hint = ABOUT_EACH[mechanism]
        call = f"clean_user_{mechanism}_bare_call"
        lesson.step(title, manual, story, "what is ID, the mark, behind it?", hint=hint)
        lesson.run_to(f"clean_user_{mechanism}_bare_entry")
        lesson.backtrace(f"clean_user_{mechanism}_bare_entry", "gate_call", "main")
        flags = machine.register("flags")
        lesson.step_to(*mnemonics, "rex.W")
        machine.set_register("flags", flags | ID)
        lesson.check("CPL is 0", machine.register("cs") & 3, 0)
        lesson.stepi()
        stays = int(bool(machine.register("flags") & ID))
        lesson.answer(stays, because)
        lesson.check("as the manual says", stays, expected)
        lesson.check("CPL is 3", machine.register("cs") & 3, 3)
        lesson.check("in the gate page", where.place(machine.register("ip")), "gate page")
        machine.set_register("flags", machine.register("flags") & ~ID)
        lesson.step_out(rows.point(call, "MP8"))

    lesson.end(
        """IRET restores five words, far RET four, SYSRET two registers and two constants, SYSEXIT
        two registers, two constants and no flag. What a return does not restore the kernel must
        have restored before, while it still runs on it.""",
        """the rows `bare` all cost 2, SYSENTER's 4: run `make bench PLATFORM=qemu-tcg` and see
        that their host ticks differ. Instructions measure the path; what the gate itself costs,
        silicon says.""",
    )
