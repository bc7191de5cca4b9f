"""The lesson `swapgs`: a kernel that uses GS, and a half that forgets to exchange it. amd64."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine

ABOUT = {
    "place": (3, 12),
    "title": "SWAPGS: two bases, a half that forgets, and what an NMI finds",
    "minutes": 12,
    "kernels": ("amd64",),
    "program": "/bin/walk",
}
ENTRY = "clean_user_syscall_standard_entry"
PROGRAM, KERNEL = 0x7000, 0xFFFF888000000000
"""Bases of our choice: this kernel leaves GS to its programs."""
SWAPGS = (0x0F, 0x01, 0xF8)


def base() -> int:
    return machine.evaluate("$gs_base")


def other() -> int:
    return machine.evaluate("$k_gs_base")


def put_in(now: int, kept: int) -> None:
    machine.gdb.execute(f"set $gs_base = {now:#x}")
    machine.gdb.execute(f"set $k_gs_base = {kept:#x}")


def swap(lesson: Lesson) -> None:
    """Execute a SWAPGS written over the current code, which is then restored."""
    here = machine.register("ip")
    code = [machine.read(here + at, 1) for at in range(len(SWAPGS))]
    for at, byte in enumerate(SWAPGS):
        machine.write(here + at, byte, 1)
    lesson.stepi()
    for at, byte in enumerate(code):
        machine.write(here + at, byte, 1)
    machine.set_register("ip", here)


def walk(lesson: Lesson) -> None:
    """Walk at the first instruction of SYSCALL's kernel half."""
    lesson.step(
        "Two bases",
        "SDM 2B, SWAPGS; AMD APM 3, SWAPGS",
        f"""A kernel with several processors finds its own data behind GS: the base of GS is an
        address of it. The program has a base of its own, so a second one lies in the MSR
        IA32_KERNEL_GS_BASE, and SWAPGS exchanges the two. This kernel does without; we put in
        {PROGRAM:#x} for a program's and {KERNEL:#x} for a kernel's, and lend SYSCALL's half a
        SWAPGS.""",
        "what is the base of GS behind SWAPGS?",
        hint="Which of the two is in force in ring 3, and which lies in the MSR?",
    )
    lesson.run_to(ENTRY)
    before, saved = machine.general_registers(), (base(), other())
    put_in(PROGRAM, KERNEL)
    swap(lesson)
    lesson.answer(base(), "it was in the MSR, where the program's is now.")
    lesson.check("the MSR has the program's", other(), PROGRAM)
    lesson.check("no general register has changed", machine.general_registers(), before)

    lesson.step(
        "A half that forgets",
        "Linux, arch/x86/entry/entry_64.S, SWAPGS",
        """SWAPGS does not say which is which: it exchanges. Suppose a half forgets it on its way
        out: the program goes on with the kernel's base, which it can use for reads and writes no
        better than any address of the kernel's. Then it makes its next call, whose half does not
        forget.""",
        "what is the base of GS in the kernel then?",
        hint="The kernel's base is in force in ring 3 now. What does one SWAPGS make of that?",
    )
    swap(lesson)
    lesson.answer(base(), "the program's: the kernel's data are wherever the program wishes.")
    lesson.check("the kernel's has gone to the MSR", other(), KERNEL)

    lesson.step(
        "What an NMI finds",
        'SDM 3A, "Nonmaskable Interrupt (NMI)"; Linux, entry_64.S, paranoid_entry',
        """An NMI comes on the first instruction of a half, before its SWAPGS. Handlers decide by
        the CS in their frame: from ring 3 they exchange, from ring 0 they do not, for then the
        kernel's base is in force already.""",
        "which ring does the CS in the NMI's frame name?",
        hint="The half has begun, and the base is the program's still.",
    )
    machine.monitor("nmi")
    here = machine.register("ip")
    lesson.run_to("vector_2")
    frame = dict(zip(INT_FRAME, machine.read_words(machine.register("sp"), 5), strict=True))
    lesson.look("ring", "stacks")
    lesson.answer(frame["cs"] & 3, "so the handler does not exchange, and should.")
    lesson.check("it has interrupted the half", frame["ip"], here)
    lesson.check("the base of GS is the program's", base(), PROGRAM)

    lesson.step(
        "Asking the base itself",
        "Linux, entry_64.S, paranoid_entry; Linux, Documentation/arch/x86/entry_64.rst",
        """Vectors that may come at any instruction cannot go by CS. Linux reads the base with RDMSR
        and looks at its highest bit: addresses of the kernel's half have it set.""",
        "what is bit 63 of the base now?",
        hint="`p/x $gs_base` prints it.",
    )
    lesson.answer(base() >> 63, "so SWAPGS is needed here, whatever CS says.")
    swap(lesson)
    lesson.check("behind it the bit is set", base() >> 63, 1)
    put_in(*saved)
    machine.run_to(here)
    lesson.check("the entry goes on with its registers", machine.general_registers(), before)

    lesson.end(
        """The bit is no proof once a program may write any base by WRGSBASE: then Linux keeps the
        old base in a register and puts in its own, without asking.""",
        """`make show ROW=user/syscall/standard+swapgs` has two instructions more. Leave out the
        second SWAPGS, in kernel/core/entry/part/swapgs.inc, and say which of the tests notices.""",
    )
