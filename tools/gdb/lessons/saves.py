"""The lesson `saves`: which registers a program gets back, and who preserved them."""

from lesson import Lesson
from vocabulary import machine, rows, where

ABOUT = {
    "place": (2, 6),
    "title": "who saves what: the ABI on both sides of the gate",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
MARKS = {"bx": 0xB1, "si": 0x51, "di": 0xD1, "dx": 0xD2}
"""Registers that a program may use freely, and our marks for them."""


def marked() -> dict[str, int]:
    """The values of these registers now."""
    return {name: machine.register(name) for name in MARKS}


def mark() -> dict[str, int]:
    """Set the marks; return the old values."""
    before = marked()
    for name, value in MARKS.items():
        machine.set_register(name, value)
    return before


def walk(lesson: Lesson) -> None:
    """The same marks through a full frame and through a short path."""
    amd64 = machine.arch() == "amd64"
    kept = ("rbx rbp r12-r15" if amd64 else "ebx ebp esi edi").upper()

    lesson.step(
        "Two contracts",
        'System V ABI, "Registers"; its AMD64 supplement, appendix A.2',
        f"""Between C functions {kept} belong to the caller: a function that uses one gives it back.
        All others but the stack pointer may be lost at a call. A system call promises more: every
        register comes back, but the result, and what the instruction itself takes. So the kernel
        half must save what C will not. We mark four registers in ring 3, DX with D2h, and put 27
        into DX inside the service.""",
        "after INT 80h, row `standard`, what does the program find in DX?",
        hint="The row `standard` gives back every register but the result.",
    )
    lesson.run_to("clean_user_int_standard_call")
    start = lesson.instructions
    before = mark()
    lesson.backtrace("clean_user_int_standard_call", "gate_call", "main")
    lesson.stepi()
    lesson.step_to("call")
    saved = {name: value for _, name, value in where.frame_fields(where.frame_address())}
    lesson.stepi()
    lesson.check("in the service", machine.register("ip"), machine.symbol("clean_user_getpid"))
    machine.set_register("dx", 27)
    lesson.step_out(rows.point("clean_user_int_standard_call", "MP8"))
    whole = lesson.instructions - start
    lesson.answer(
        machine.register("dx"),
        "its mark: SAVE_FRAME had pushed every register, and RESTORE_BUT popped what C may change.",
    )
    lesson.check("the frame had the marks", {name: saved[name] for name in MARKS}, MARKS)
    lesson.check("and the program has them back", marked(), MARKS)
    for name, value in before.items():
        machine.set_register(name, value)

    lesson.step(
        "The short cut",
        "kernel/core/entry/int.asm, int_service_entry",
        """The row `service` calls the routine straight away: no frame, no table. What C must keep
        is kept by the routine itself. The same marks, the same 27.""",
        "what does the program find in DX now?",
        hint="""DX is one of the registers that a C function may change, and this row saves none of
        them.""",
    )
    lesson.run_to("clean_user_int_service_call")
    before = mark()
    lesson.step_to("ret", "retq")
    machine.set_register("dx", 27)
    lesson.step_out(rows.point("clean_user_int_service_call", "MP8"))
    lesson.answer(
        machine.register("dx"),
        "27, the kernel's: nobody had saved DX, for a C function may change it.",
    )
    held = {name: machine.register(name) for name in ("bx",)}
    lesson.check("BX, which C keeps, is the program's", held, {"bx": MARKS["bx"]})
    for name, value in before.items():
        machine.set_register(name, value)

    lesson.step(
        "What that buys",
        "tests/budgets.toml",
        """A full frame costs a push for every register and a pop for those that C may change, the
        table a compare and an indirect call.""",
        "how many instructions more than `service` does the row `standard` take?",
        hint="""tests/budgets.toml has both rows, as toll, and so has the end of the book's page:
        subtract the one from the other.""",
    )
    lesson.run_to("clean_user_int_service_call")
    start = lesson.instructions
    lesson.step_out(rows.point("clean_user_int_service_call", "MP8"))
    short = lesson.instructions - start
    lesson.answer(
        whole - short,
        "registers, number, table, and the look for pending work: that is what is promised more.",
    )
    lesson.check("the short cut is as long as its row", short, 6)

    lesson.step(
        "What leaks",
        "user/checks/contract.c",
        """A register that the kernel does not restore holds what the kernel left there: an
        address, perhaps a secret. That is why a kernel for strangers clears what it does not
        restore, and why `service` is a row to measure by and no system call.""",
        "in which ring was the 27 put into DX, which the program has seen?",
        hint="""Which half has the MOV, the kernel's or the program's?""",
    )
    lesson.answer(0, "in ring 0, and ring 3 could read it.")
    lesson.check("the program runs on", machine.register("cs") & 3, 3)

    lesson.end(
        """`contract` asks of every row what a caller sees, and mutants drop one register each to
        show that it asks.""",
        """push and pop one register fewer in SAVE_FRAME, RESTORE_BUT and RESTORE_FRAME
        (kernel/core/arch/*/frame.inc): every standard row costs two less, and `make test
        TESTS=tests/core/test_contract.py` asks for it.""",
    )
