"""The lesson `legacy`: SYSCALL outside long mode, which saves no flags. i386."""

from lesson import Lesson
from vocabulary import machine, msrs, rows

ABOUT = {
    "place": (2, 8),
    "title": "SYSCALL outside long mode, which saves no flags",
    "minutes": 12,
    "kernels": ("i386",),
    "cpu": {"i386": "EPYC"},
    "wide": ("i386",),
    "program": "/bin/walk",
}
ROW = "user/syscall/standard"
CALL = "clean_user_syscall_standard_call"
ENTRY = "clean_user_syscall_standard_entry"


def walk(lesson: Lesson) -> None:
    """Walk from the kernel's preparations to the user half."""
    numbers = machine.constants()
    watched = numbers["RFLAGS_DF"] | numbers["RFLAGS_AC"] | numbers["RFLAGS_IF"]

    lesson.step(
        "One register",
        'AMD APM 2, "SYSCALL and SYSRET"; AMD APM 3, SYSCALL',
        """In legacy mode there is no LSTAR and no FMASK: STAR has it all. Bits 31 to 0 are EIP,
        47 to 32 the kernel's CS, 63 to 48 the program's. Intel's processors raise #UD here.""",
        "how many bits of STAR hold the address?",
        hint="They are bits 31 to 0.",
    )
    written = machine.written_msrs("syscall_point", "IA32_STAR")
    star = written[numbers["IA32_STAR"]]
    lesson.answer(32, "the lower half of STAR is EIP.")
    lesson.check("STAR[31:0] is the kernel half", star & 0xFFFFFFFF, machine.symbol(ENTRY))
    lesson.check("STAR[47:32] is the kernel's CS", star >> 32 & 0xFFFF, numbers["KERNEL_CS"])
    lesson.check("STAR[63:48] is the program's", star >> 48, numbers["USER_CS"])
    lesson.check("and the word `msrs` knows it", msrs.kept("IA32_STAR"), star)
    lesson.look("msrs")

    lesson.step(
        "What the program puts by",
        "kernel/core/arch/user.inc, SYSCALL_SAVE",
        """SYSCALL will put the return address into ECX, where a second argument lies. So the user
        half moves that to EBP, and EBP, the sixth, to the stack.""",
        "we put 2 into ECX. What does EBP hold before SYSCALL?",
        hint="EBP takes what the program had in ECX.",
    )
    lesson.run_to(CALL)
    machine.set_register("cx", 2)
    lesson.step_to("syscall")
    lesson.answer(machine.register("bp"), "what was in ECX, the second argument.")
    lesson.backtrace(CALL, "gate_call", "main")

    lesson.step(
        "SYSCALL",
        "AMD APM 3, SYSCALL",
        """ECX takes the return address; IF, VM and RF are cleared; nothing else is. The flags are
        saved nowhere, and the stack is the program's, in ring 0.""",
        "we set IF, DF and AC. How many of them are set after SYSCALL?",
        hint="The story names the flags that SYSCALL clears. Which of our three is among them?",
    )
    quiet, sp, behind = machine.register("flags"), machine.register("sp"), machine.behind()
    machine.set_register("flags", quiet | watched)
    lesson.stepi()
    entered = machine.register("flags") & watched
    lesson.answer(bin(entered).count("1"), "DF and AC. In long mode FMASK would have cleared them.")
    lesson.check("ECX is the return address", machine.register("cx"), behind)
    lesson.check("ESP is the program's", machine.register("sp"), sp)
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.check("SS is CS + 8", machine.register("ss"), numbers["KERNEL_CS"] + 8)
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "A stack, and clean flags",
        "kernel/core/arch/i386/frame.inc, FRAME_FROM_SYSCALL",
        """DS is the program's still, so the kernel's words are read through SS. The stack pointer
        is put by, five words are pushed, the flags among them with IF set, for SYSCALL has lost
        it; then a clean word is loaded.""",
        "TF is set. At which CPL does #DB come, before the stack is changed?",
        hint="Step 3 names the flags that this SYSCALL clears. Is TF among them?",
    )
    lesson.step_to("popf", "popfd")
    lesson.stepi()
    lesson.answer(
        0,
        """legacy SYSCALL keeps TF: #DB comes at CPL 0 on the program's stack, in front of the first
        instruction. So #DB is a task on i386, with a stack of its own.""",
    )
    lesson.check("the program's ESP is put by", machine.evaluate("cpu_user_sp"), sp)
    five = machine.read_words(machine.evaluate("cpu_stack") - 20, 5)
    lesson.check("EIP, CS", five[:2], [behind, numbers["USER_CS"]])
    lesson.check("flags with IF, DF, AC", five[2] & watched, watched)
    lesson.check("clean flags now", machine.register("flags") & watched, 0)

    lesson.step(
        "SYSRET",
        "AMD APM 3, SYSRET",
        """EIP from ECX, CS and SS from STAR[63:48], IF set to 1 whatever it was. The other flags
        were loaded by POPF before, with IF taken out: an interrupt there would meet the program's
        stack at CPL 0.""",
        "what is IF in front of SYSRET?",
        hint="""An interrupt with IF = 1 would meet the program's stack at CPL 0. So how does the
        kernel leave IF for SYSRET?""",
    )
    lesson.step_to("sysret", "sysretd", "sysretl")
    lesson.answer(
        int(bool(machine.register("flags") & numbers["RFLAGS_IF"])),
        "SYSRET itself sets it, in the instruction that leaves ring 0.",
    )
    lesson.check("ESP is the program's already", machine.register("sp"), sp)
    lesson.stepi()
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    lesson.check("EIP behind SYSCALL", machine.register("ip"), behind)
    lesson.check("IF is set", bool(machine.register("flags") & numbers["RFLAGS_IF"]), True)
    machine.set_register("flags", quiet)
    lesson.step_out(rows.point(CALL, "MP8"))

    lesson.end(
        """Two instructions again, and everything else by hand; what is missing here, a place for
        the flags and a mask, is what long mode added.""",
        """let SYSRET_FROM_FRAME (kernel/core/arch/i386/origin.inc) keep IF in the word for POPF:
        one instruction less, and the machine dies under `make test PART=torture`.""",
        ROW,
    )
