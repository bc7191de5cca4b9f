"""The lesson `fences`: the parts of a time stamp, and what orders it."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (6, 2),
    "title": "a time stamp: RDTSC, the fence in front of it, and what it may not touch",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/bin/toll",
}
ENTRY = "probed_user_int_standard_entry"


def walk(lesson: Lesson) -> None:
    """The stamp at MP2 of the probed copy."""
    numbers = machine.constants()

    lesson.step(
        "A stamp",
        "kernel/core/entry/asm.inc, PROBE",
        """In the probed copy a measurement point is a time stamp: four registers are put by,
        RDTSC reads the counter, two stores keep it, the registers come back.""",
        "by how many bytes does the stamp move the stack pointer?",
        hint="SYSCALL leaves the program's stack pointer in place. May the kernel write there?",
    )
    lesson.run_to(ENTRY)
    before = machine.general_registers()
    sp, flags = machine.register("sp"), machine.register("flags")
    lesson.answer(0, "it saves to fixed addresses: no stack, no flag, no branch.")
    lesson.check("the kernel half", machine.register("cs") & 3, 0)
    lesson.backtrace(ENTRY, "main")

    lesson.step(
        "The fence",
        "kernel/core/cpu/alternatives.c; SDM 2B, RDTSC",
        """A processor may execute RDTSC before the instructions before it are done. A fence orders
        it. The code has room for one; the boot has written what this processor has.""",
        "which instruction comes before RDTSC here?",
        ("lfence", "rdtscp", "cpuid", "none"),
        hint="""LFENCE comes with SSE2 and is what the boot prefers. Does this processor have SSE2
        (EDX bit 26 of CPUID.01H)?""",
    )
    seen = ["none"]
    while machine.instruction() not in ("rdtsc", "rdtscp"):
        lesson.stepi()
        seen.append(machine.instruction().split()[0])
    fence = "rdtscp" if seen[-1] == "rdtscp" else seen[-2] if seen[-2] == "lfence" else "none"
    lesson.answer(fence, "the best that this processor has, unless FENCE= says another.")
    lesson.check("it is RDTSC's place", machine.instruction().startswith("rdtsc"), True)

    lesson.step(
        "What it costs",
        "docs/measuring.md",
        """Every stamp is as long as any other, so the cost from one RDTSC to the next with nothing
        between is a constant: it is measured (MP1; MP8; ret) and taken off.""",
        "how many general registers are others when the stamp is over?",
        hint="""The stamp puts four registers by before it uses them. What else would it do that
        for?""",
    )
    while machine.instruction().split()[0] != "cld":
        lesson.stepi()
    lesson.answer(
        sum(before[name] != now for name, now in machine.general_registers().items()),
        "all four are back.",
    )
    lesson.check("registers", machine.general_registers(), before)
    lesson.check("the stack pointer", machine.register("sp"), sp)
    lesson.check("the flags", machine.register("flags"), flags)

    lesson.step(
        "Where it went",
        "kernel/toll.h, toll_register",
        """The kernel half writes through an alias of the program's probe page: a supervisor page,
        so that SMAP has nothing against it.""",
        "at what offset of that page does the stamp of MP2 go? (STAMP_MP2)",
        hint="The stamp of MP1 is at offset 0, and each has eight bytes.",
    )
    stamp = machine.read(numbers["PROBE_ALIAS"] + numbers["STAMP_MP2"], 8)
    lesson.answer(numbers["STAMP_MP2"], "eight bytes for each point.")
    lesson.check("the counter was written there", stamp != 0, True)

    lesson.end(
        "What is measured must not notice: that is why a stamp is moves and nothing else.",
        """`make bench FENCE=none` and FENCE=cpuid: the stamp is taken off, so in instructions no
        row moves; with PLATFORM=qemu-tcg look at the spread.""",
    )
