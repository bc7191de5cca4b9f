"""The lesson `sysenter`: SYSENTER, which saves nothing at all, and back by SYSEXIT."""

from lesson import Lesson
from vocabulary import machine, msrs, rows

ABOUT = {
    "place": (2, 3),
    "title": "SYSENTER, which saves nothing at all, and back by SYSEXIT",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
ROW = "user/sysenter/standard"
CALL = "clean_user_sysenter_standard_call"
ENTRY = "clean_user_sysenter_standard_entry"


def walk(lesson: Lesson) -> None:
    """Walk from the kernel's preparations to the user half."""
    numbers, word, amd64 = machine.constants(), machine.word(), machine.arch() == "amd64"
    carrier = "cx" if amd64 else "bp"
    watched = numbers["RFLAGS_DF"] | numbers["RFLAGS_AC"] | numbers["RFLAGS_IF"]

    lesson.step(
        "Three registers",
        "SDM 2B, SYSENTER",
        """SYSENTER looks up neither gate nor TSS. CS, the stack pointer and IP come from three
        model-specific registers; SS is CS + 8. gdb cannot read them: the machine stops in
        ways_load(), and we look over its shoulder. (The stack pointer's register is written at each
        switch: it is the top of the current thread's kernel stack.)""",
        "SYSENTER_CS holds the kernel's CS. What is its value?",
        hint="""`gdt` lists the segments: look for the kernel's code, DPL 0 (the 64-bit one on
        amd64).""",
    )
    lesson.run_to("_start")
    written = machine.written_msrs("ways_load", "IA32_SYSENTER_CS")
    cs, ip = (written[numbers[f"IA32_SYSENTER_{name}"]] for name in ("CS", "EIP"))
    lesson.answer(
        cs, "SYSEXIT will find its own CS and SS at fixed distances from it: the GDT obeys."
    )
    lesson.look("gdt", "msrs")
    kept = [msrs.kept(f"IA32_SYSENTER_{name}") for name in ("CS", "EIP")]
    lesson.check("`msrs` knows the same", kept, [cs, ip])
    lesson.check("SYSENTER_EIP is the kernel half", ip, machine.symbol(ENTRY))

    lesson.step(
        "What the program must bring",
        f"kernel/core/arch/{'amd64/' if amd64 else ''}user.inc, SYSENTER_SAVE",
        """Nothing will be saved: not the return address, not the stack pointer. So the user half
        brings its stack pointer in a register; the return address need not be brought, because
        the kernel knows the place behind this one SYSENTER: the landing.""",
        "how many general registers are free to carry the stack pointer?",
        hint="""Six carry arguments, one the number, and one is the stack pointer. amd64 has 16,
        i386 8.""",
    )
    lesson.run_to(CALL)
    lesson.step_to("sysenter")
    lesson.answer(
        8 if amd64 else 0,
        """64-bit calls take no argument in RCX, so it carries RSP."""
        if amd64
        else "all six carry arguments: EBP, the sixth, goes to the stack and carries ESP.",
    )
    user_sp, sp = machine.register("sp"), machine.evaluate("cpu_stack")
    lesson.check("the stack pointer is in a register", machine.register(carrier), user_sp)
    landing = machine.behind()
    lesson.check("the kernel knows the landing", machine.evaluate("cpu_landing"), landing)
    lesson.backtrace(CALL, "gate_call", "main")

    lesson.step(
        "SYSENTER",
        "SDM 2B, SYSENTER",
        """One instruction: CPL 0, the kernel's stack, and no memory touched. Of the flags it
        clears IF and VM. We set IF, DF and AC in ring 3 to see.""",
        "how many of the three flags will be set after SYSENTER?",
        hint="The story names the flags that SYSENTER clears. Which of our three is among them?",
    )
    quiet = machine.register("flags")
    machine.set_register("flags", quiet | watched)
    flags = machine.register("flags")
    memory = machine.read_words(user_sp - 64, 16)
    below = machine.read_words(sp - 8 * word, 8)
    lesson.stepi()
    entered = machine.register("flags") & watched
    lesson.answer(bin(entered).count("1"), "IF is cleared; DF and AC stay, until POPF mends them.")
    lesson.check("CS is SYSENTER_CS", machine.register("cs"), cs)
    lesson.check("SS is SYSENTER_CS + 8", machine.register("ss"), cs + 8)
    lesson.check("the stack pointer is SYSENTER_ESP", machine.register("sp"), sp)
    lesson.check("IP is SYSENTER_EIP", machine.register("ip"), ip)
    lesson.check("no word of the program's stack", machine.read_words(user_sp - 64, 16), memory)
    lesson.check("and none of the kernel's", machine.read_words(sp - 8 * word, 8), below)
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "Five words by hand",
        "kernel/core/entry/sysenter.asm, FRAME_FROM_SYSENTER",
        """The entry pushes what INT would have pushed: SS and CS are constants, the stack pointer
        is in a register, IP is the landing. IF was lost: ring 3 cannot clear it, so the entry
        takes it to have been set, and sets it in the word. Then POPF loads a clean one.""",
        "the lowest of the five words is IP. What address is it?",
        hint="It is the landing, the place behind SYSENTER: `p/x cpu_landing` prints it.",
    )
    lesson.step_to("popf", "popfq", "popfd")
    lesson.stepi()
    five = machine.read_words(sp - 5 * word, 5)
    lesson.answer(five[0], "the landing, behind SYSENTER: cpu_landing.")
    lesson.look("entry-frame")
    lesson.check("IP and CS", five[:2], [landing, numbers["USER_CS"]])
    lesson.check("the flags have IF, DF and AC", five[2] & watched, watched)
    lesson.check("SP and SS", five[3:], [user_sp, numbers["USER_DS"]])
    lesson.check("DF and AC are clear in ring 0", machine.register("flags") & watched, 0)

    lesson.step(
        "STI, SYSEXIT",
        "SDM 2B, SYSEXIT, STI",
        """SYSEXIT takes IP from DX and SP from CX, and sets no flag. So POPF has loaded the
        program's but for IF, and STI sets that one instruction ahead: no interrupt comes before
        the instruction behind STI is done, and that is SYSEXIT.""",
        "what address is in the register CX before SYSEXIT?",
        hint="""SYSEXIT takes SP from CX, so it is the program's stack pointer: `entry-frame` has it
        as sp.""",
    )
    lesson.step_to("sysexit", "sysexitq", "rex.W")
    lesson.answer(machine.register("cx"), "the program's stack pointer; DX has the landing.")
    lesson.check("DX is the landing", machine.register("dx"), landing)
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.stepi()
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    lesson.check("CS", machine.register("cs"), numbers["USER_CS"])
    lesson.check("at the landing", machine.register("ip"), landing)
    lesson.check("the stack pointer is back", machine.register("sp"), user_sp)
    lesson.check("and the flags", machine.register("flags") & watched, flags & watched)
    machine.set_register("flags", machine.register("flags") & ~watched)
    lesson.step_out(rows.point(CALL, "MP8"))

    lesson.end(
        """The instruction does nearly nothing: no gate is read, and no word is pushed. All that it
        leaves out the entry does in software, and the ABI must know of it.""",
        """put `sti` in front of RESTORE_BUT in sysenter_standard_entry: the count stays. Say
        what an interrupt may then find on its way; `make test PART=torture` looks for it.""",
        ROW,
    )
