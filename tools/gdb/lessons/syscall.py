"""The lesson `syscall`: SYSCALL, which does not touch the stack, and back by SYSRET. amd64."""

from lesson import Lesson
from vocabulary import machine, msrs, paging, tables, where

ABOUT = {
    "place": (2, 4),
    "title": "SYSCALL, which touches no stack, and back by SYSRET",
    "minutes": 25,
    "kernels": ("amd64",),
    "program": "/bin/walk",
}
ROW = "user/syscall/standard"
TF, IF, DF, NT, AC, ID = 0x100, 0x200, 0x400, 0x4000, 0x40000, 0x200000
SYSCALL = 0x050F  # as a little-endian number: 0F 05
VECTOR_NMI = 2
MASK64 = (1 << 64) - 1


def walk(lesson: Lesson) -> None:
    """Walk from the kernel's preparations to the user half."""
    numbers = machine.constants()

    lesson.step(
        "What the kernel has prepared",
        'SDM 3A, "Fast System Calls in 64-Bit Mode"; AMD APM 2, "SYSCALL and SYSRET"',
        """INT looks its target up in memory: gate, descriptors, TSS. SYSCALL looks nothing up. It
        takes all it needs from model-specific registers, which the kernel fills beforehand:

        LSTAR holds the address to jump to. STAR holds two selectors, and the instruction adds
        constants to them: [47:32] is CS for the kernel, + 8 is SS; [63:48] + 8 is SS for the
        program and + 16 its CS. FMASK names the flags to clear. EFER.SCE permits it all.

        gdb cannot read these registers. The kernel keeps what it writes into them, and the word
        `msrs` shows it. STAR and FMASK were written at the boot, LSTAR is written when another row
        is selected: the machine stops in ways_load(), and we look over its shoulder.""",
        "STAR[47:32] holds the kernel's CS. What is its value? (The word `gdt` shows the table.)",
        hint="`gdt` lists the segments: look for 64-bit code with DPL 0.",
    )
    written = machine.written_msrs("ways_load", "IA32_LSTAR")
    lstar = written[numbers["IA32_LSTAR"]]
    star, fmask = msrs.kept("IA32_STAR"), msrs.kept("IA32_FMASK")
    kernel_cs, base = star >> 32 & 0xFFFF, star >> 48
    user_cs, user_ss = base + 16 | 3, base + 8 | 3
    lesson.answer(
        kernel_cs,
        """two selectors name four segments, because the others follow by fixed distances: the GDT
        must have them in the processor's order.""",
    )
    lesson.look("gdt", "msrs")
    lesson.check("`msrs` knows the same", msrs.kept("IA32_LSTAR"), lstar)
    lesson.check("STAR[47:32] is the kernel's CS", kernel_cs, numbers["KERNEL_CS"])
    lesson.check("STAR[63:48] + 16 is the CS of 64-bit programs", user_cs, numbers["USER_CS"])
    lesson.check("LSTAR", lstar, machine.symbol("clean_user_syscall_standard_entry"))
    dangerous = IF | DF | TF | NT | AC
    lesson.check("FMASK has IF, DF, TF, NT, AC", fmask & dangerous, dangerous)
    lesson.check("EFER.SCE is set", machine.register("efer") & numbers["EFER_SCE"], 1)

    lesson.step(
        "The last instruction of ring 3",
        "kernel/core/entry/syscall.asm, the user half",
        """The program has put its call number in RAX. By Linux's convention arguments are in RDI,
        RSI, RDX, R10, R8 and R9: a C call, but for R10, where C has RCX. Two bytes, 0F 05, are
        next: SYSCALL.""",
        "which argument, from 1 on, has SYSCALL in another register than a C call?",
        hint="""Compare the two lists of six: RDI, RSI, RDX, RCX, R8, R9 are C's.""",
    )
    lesson.run_to("clean_user_syscall_standard_call")
    lesson.answer(4, "SYSCALL puts the way back into RCX: what was there is lost. So it is R10.")
    lesson.look("ring")
    call_number = machine.register("ax")
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    lesson.check("the next bytes are 0F 05", machine.read(machine.register("ip"), 2), SYSCALL)

    lesson.step(
        "Marks, for an experiment",
        'SDM 2B, SYSCALL, "Operation"',
        """An interrupt gate clears a fixed set of flags. SYSCALL clears those that the kernel
        chose, by FMASK. The bench runs with IF = 0; we set IF, DF and AC by hand in ring 3, and ID,
        which does nothing and which this kernel's FMASK leaves alone. And 4 goes into R10, as a
        fourth argument, to see where it arrives.""",
        "how many of the four flags will be set after SYSCALL?",
        hint="""FMASK names the flags to clear, and `msrs` shows it. The story says which of the
        four it leaves alone.""",
    )
    quiet_flags = machine.register("flags")
    planted = IF | DF | AC | ID
    machine.set_register("flags", quiet_flags | planted)
    machine.set_register("r10", 4)
    flags = machine.register("flags")
    lesson.answer(
        bin(planted & ~fmask).count("1"),
        "ID alone: FMASK names the other three. R11 will hold all four.",
    )
    lesson.check("IF, DF, AC and ID are set", flags & planted, planted)

    lesson.step(
        "SYSCALL",
        'SDM 2B, SYSCALL; SDM 3A, "Fast System Calls in 64-Bit Mode"',
        """No memory is read or written. RCX takes the address behind SYSCALL, R11 the flags; RIP
        comes from LSTAR, CS and SS from STAR. The descriptors behind those selectors are not even
        read: their fixed contents (flat, 64-bit, DPL 0) are wired in, and the GDT had better agree.

        A processor keeps the flags that FMASK does not name. QEMU keeps them too, except the
        arithmetic ones (CF to OF), which it drops; R11 has them all.""",
        "what will RSP be?",
        hint="Does SYSCALL take a stack pointer from anywhere? `p/x $rsp` prints RSP as it is.",
    )
    before = machine.general_registers()
    ip, sp = machine.register("ip"), machine.register("sp")
    memory = machine.read_words(sp - 64, 16)
    lesson.stepi()
    lesson.answer(machine.register("sp"), "what it was: the program's. SYSCALL touches no stack.")
    lesson.look("ring")
    lesson.check("CS is STAR[47:32]", machine.register("cs"), kernel_cs)
    lesson.check("SS is STAR[47:32] + 8", machine.register("ss"), kernel_cs + 8)
    lesson.check("RIP is LSTAR", machine.register("ip"), lstar)
    lesson.check("RCX is the address behind SYSCALL", machine.register("cx"), ip + 2)
    lesson.check("R11 is the program's flags", machine.register("r11"), flags)
    entered = machine.register("flags")
    lesson.check("the flags of FMASK are clear", entered & fmask, 0)
    lesson.check("ID, which FMASK lacks, is still set", entered & ID, ID)

    lesson.step(
        "Ring 0, on the program's stack",
        'SDM 3A, "Interrupt Stack Table"',
        """RSP has not moved. This is ring 0 on a stack that the program chose: it may be unmapped,
        or point into the kernel. One push would be enough for a hole. IF = 0 keeps interrupts off,
        but NMI, #DB and machine checks ask for no flag. They are why long mode has the interrupt
        stack table: a gate that names an IST stack switches to it from any ring.""",
        "which IST stack would an NMI, right here, push its frame onto? (0: the program's)",
        hint="`idt 2` decodes the NMI's gate: does it name an IST stack?",
    )
    lesson.look("idt 2", "tss")
    lesson.answer(
        tables.idt_gate(VECTOR_NMI).ist,
        """its gate names an IST stack, so RSP does not matter. Without one it would push wherever
        the program points: into the kernel, if it likes.""",
    )
    lesson.check("RSP is the program's", machine.register("sp"), sp)
    lesson.check("the memory around it is untouched", machine.read_words(sp - 64, 16), memory)
    lesson.check("NMI has a stack of its own", tables.idt_gate(VECTOR_NMI).ist, numbers["IST_NMI"])

    lesson.step(
        "The kernel changes stacks by hand",
        "kernel/core/arch/amd64/frame.inc, FRAME_FROM_SYSCALL",
        """Every general register still belongs to the program, so there is none to hold an
        address. Two moves with absolute addresses do it: RSP to cpu_user_sp, cpu_stack to RSP.
        That works because there is one processor. With more, each needs its own variables: that is
        what SWAPGS and the GS base are for.""",
        "what is RSP after the two instructions? (See cpu_stack.)",
        hint="`p/x cpu_stack` prints what is loaded into RSP.",
    )
    lesson.stepi()
    lesson.check("the program's RSP is saved", machine.evaluate("cpu_user_sp"), sp)
    lesson.stepi()
    stack = machine.evaluate("cpu_stack")
    lesson.answer(machine.register("sp"), "the top of the kernel stack, empty yet.")
    lesson.check("RSP is the top of the kernel stack", machine.register("sp"), stack)

    lesson.step(
        "Five words again",
        'SDM 3A, "64-Bit Mode Stack Frame"; FRAME_FROM_SYSCALL',
        """Now five pushes, and the stack looks as INT would have left it: SS, RSP, flags, CS, RIP.
        Two of them are constants, for SYSCALL comes from one kind of code only; the flags are in
        R11 and RIP in RCX. From here on all ways in are alike.""",
        "the lowest of the five words is RIP. What address is it?",
        hint="RIP is pushed out of RCX: `p/x $rcx` prints it.",
    )
    for _ in range(5):
        lesson.stepi()
    lesson.answer(machine.read_words(machine.register("sp"), 1)[0], "behind SYSCALL, out of RCX.")
    lesson.backtrace("clean_user_syscall_standard_entry", "gate_call", "main")
    lesson.look("entry-frame")
    five = [ip + 2, user_cs, flags, sp, user_ss]
    lesson.check("RIP, CS, flags, RSP, SS", machine.read_words(stack - 40, 5), five)
    lesson.check("RSP is 40 bytes below the top", machine.register("sp"), stack - 40)

    lesson.step(
        "The frame, and the call",
        "kernel/core/arch/amd64/frame.inc, abi.inc: SAVE_FRAME, DISPATCH",
        """The general registers follow, as in the lesson `int`; the number is compared with the
        size of the table; then one move, RCX from R10, turns the system call's arguments into a C
        function's. No CLD and no CLAC: FMASK has done that.""",
        "what does the frame hold in RCX's place?",
        hint="What had SYSCALL put into RCX? Step 7 has asked for the same address.",
    )
    lesson.step_to("call")
    lesson.look("entry-frame")
    frame = {name: value for _, name, value in where.frame_fields(where.frame_address())}
    lesson.answer(frame["cx"], "what SYSCALL has put there, not the program's value: that is gone.")
    lesson.check("the frame's RCX and R11", [frame["cx"], frame["r11"]], [ip + 2, flags])
    kept = {name: value for name, value in before.items() if name not in ("cx", "r11")}
    lesson.check("all others are the program's", {n: frame[n] for n in kept}, kept)
    lesson.check("the number", frame["number"], call_number)
    lesson.check("RCX is what R10 brought", machine.register("cx"), 4)

    lesson.step(
        "The service, and the look for work",
        "kernel/core/entry/service.asm, syscall.asm",
        """The routine runs and its result goes into the frame. If the look at cpu_work finds
        something, the way out is IRETQ, not SYSRET: a frame that a signal or a debugger has changed
        can hold values that SYSRET cannot load.""",
        "a debugger gives a program another CS. What does SYSRET make CS of?",
        ("frame", "STAR"),
        hint="""`msrs` shows STAR. Which way out reads the frame instead?""",
    )
    lesson.stepi()
    lesson.check(
        "the table led to getpid", machine.register("ip"), machine.symbol("clean_user_getpid")
    )
    lesson.step_to("cmp")
    pid = machine.evaluate("cpu_current->pid")
    frame = {name: value for _, name, value in where.frame_fields(where.frame_address())}
    lesson.answer("STAR", "of STAR, and SS too. IRETQ takes them from the frame.")
    lesson.check("the pid is in the frame's RAX", frame["ax"], pid)
    lesson.check("cpu_work is 0", machine.evaluate("cpu_work"), 0)

    lesson.step(
        "Before SYSRET",
        'SDM 2B, SYSRET, "Operation"; AMD APM 3, SYSRET',
        """The registers are popped, RCX and R11 among them, and RSP is loaded from the frame: once
        more ring 0 stands on the program's stack.

        RCX must be a canonical address. If it is not, Intel's processors raise #GP here, at CPL 0,
        on a stack of the program's choice; that has broken many a kernel. A SYSCALL in the last two
        bytes below the hole would do it. This kernel never maps the last page below it.""",
        "RSP is the program's again. What is the CPL before SYSRET?",
        hint="SYSRET itself changes the ring, and it is still to come.",
    )
    lesson.step_to("sysretq")
    lesson.answer(
        machine.register("cs") & 3, "still 0: ring 0, on a stack of the program's choice."
    )
    lesson.look("ring")
    lesson.check("RCX is the way back", machine.register("cx"), ip + 2)
    lesson.check("it is canonical", (ip + 2 >> 47) in (0, MASK64 >> 47), True)
    lesson.check("R11 is the flags", machine.register("r11"), flags)
    lesson.check("RSP is the program's", machine.register("sp"), sp)
    lesson.check("CPL is still 0", machine.register("cs") & 3, 0)
    top = paging.walk((1 << 47) - machine.PAGE)
    lesson.check("the last page below the hole is not mapped", top[-1].present, False)

    lesson.step(
        "SYSRET",
        "SDM 2B, SYSRET; AMD APM 3, SYSRET",
        """The mirror image, again without memory: RIP from RCX, flags from R11, CS and SS from
        STAR[63:48] with RPL 3. The flags, IF included, are loaded by the instruction that
        leaves: there is no moment of ring 0 with interrupts on. RF and VM are cleared, whatever
        R11 has.""",
        "what will CS be?",
        hint="`msrs` shows STAR. Take bits 63 to 48, add 16, and set the RPL to 3.",
    )
    lesson.stepi()
    lesson.answer(machine.register("cs"), "STAR[63:48] + 16, with 3 as the RPL: the program's CPL.")
    lesson.look("ring")
    lesson.check("RIP is behind SYSCALL", machine.register("ip"), ip + 2)
    lesson.check("CS is STAR[63:48] + 16, RPL 3", machine.register("cs"), user_cs)
    lesson.check("SS is STAR[63:48] + 8, RPL 3", machine.register("ss"), user_ss)
    lesson.check("RSP is the program's", machine.register("sp"), sp)
    lesson.check("the flags are back: IF, DF, AC, ID", machine.register("flags"), flags)

    lesson.step(
        "The bill",
        "System V ABI, AMD64 supplement, appendix A.2",
        """The program has its result. What it has lost is what the instructions themselves used,
        and the ABI says so: a compiler counts RCX and R11 as clobbered.""",
        "what does RCX hold now?",
        hint="RCX still holds the address behind SYSCALL.",
    )
    lesson.answer(machine.register("cx"), "where SYSCALL came from, plus its two bytes.")
    after = before | {"ax": pid, "cx": ip + 2, "r11": flags}
    lesson.check("RAX, RCX, R11 changed, and nothing else", machine.general_registers(), after)
    machine.set_register("flags", quiet_flags)

    lesson.step(
        "In other modes",
        'AMD APM 2, "SYSCALL and SYSRET"; AMD APM 3, SYSCALL',
        """Outside 64-bit mode the instruction is AMD's alone; Intel's raise #UD. From a 32-bit
        program under a 64-bit kernel it enters at CSTAR. In legacy mode, under the i386 kernel, it
        is poorer: EIP from STAR[31:0], the way back in ECX, IF, VM and RF cleared, and no flags
        saved anywhere. TF stays set: a program that single-steps takes #DB in ring 0, on its own
        stack, before the kernel's first instruction. Hence #DB is a task on i386, with a stack of
        its own, and EFER.SCE is on only while a row of SYSCALL is armed.""",
        "this program is 64-bit. Whose entry does CSTAR lead to while it runs?",
        ("row", "nobody"),
        hint="""CSTAR is where SYSCALL leads from 32-bit code. A 64-bit program could jump into such
        code by itself.""",
    )
    cstar = written[numbers["IA32_CSTAR"]]
    lesson.answer(
        "nobody", "to syscall_ignore_compat, for it could jump into 32-bit code by itself."
    )
    lesson.check(
        "CSTAR: to code that answers -ENOSYS", cstar, machine.symbol("syscall_ignore_compat")
    )

    lesson.end(
        """Count what the hardware did: two instructions. Everything that INT does besides, the
        stack, the five words, the lookups, was here done by software or not at all.""",
        """leave RFLAGS_DF out of FMASK (syscall_init in kernel/core/arch/amd64/protect.c), and put
        `cld` into syscall_standard_entry instead: user/syscall/standard costs one more, and
        promises the same.""",
        ROW,
    )
