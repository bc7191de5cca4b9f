"""The lesson `int`: through an interrupt gate into ring 0, and back by IRET. i386 and amd64."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine, tables, where

ABOUT = {
    "place": (2, 1),
    "title": "an interrupt gate, and back by IRET",
    "minutes": 25,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
ROW = "user/int/standard"
IF, TF, DF, AC = 0x200, 0x100, 0x400, 0x40000
CR4_SMAP = 0x200000
INT_80H = 0x80CD  # as a little-endian number: CD 80


def walk(lesson: Lesson) -> None:
    """Walk from the user half to the user half."""
    numbers, word, amd64 = machine.constants(), machine.word(), machine.arch() == "amd64"
    ip, sp, ax = (machine.register_name(name).upper() for name in ("ip", "sp", "ax"))
    frame_at, frame_size = where.frame_address, numbers["FRAME_SIZE"]

    lesson.step(
        "The last instruction of ring 3",
        'SDM 3A, "Privilege Levels"',
        f"""The current privilege level, CPL, is the low two bits of CS. A program runs at CPL 3
        and cannot raise itself: every road to CPL 0 is one that the kernel has built.

        The program is `walk`, which calls every way in there is. It has put the number of getpid
        in {ax} and called its user half in the gate page, a page of code that the kernel maps into
        every program. The machine stops there, before two bytes, CD 80: INT 80h.""",
        "CS will be the program's. What are the low two bits of CS?",
        hint="The program has called its user half by CALL. Does CALL change the ring?",
    )
    lesson.run_to("clean_user_int_standard_call")
    lesson.answer(
        machine.register("cs") & 3,
        "the low two bits of CS are the CPL, and code in the gate page is the program's code.",
    )
    lesson.backtrace("clean_user_int_standard_call", "gate_call", "main")
    lesson.look("ring")
    call_number = machine.register("ax")
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    lesson.check("the code is in the gate page", where.place(machine.register("ip")), "gate page")
    lesson.check("the next bytes are CD 80", machine.read(machine.register("ip"), 2), INT_80H)
    lesson.check(
        "the stack is the program's", where.owner_of_stack(machine.register("sp")), "the program's"
    )

    lesson.step(
        "The gate",
        'SDM 3A, "IDT Descriptors", "Protection of Exception- and Interrupt-Handler Procedures"',
        """INT n reads entry n of the interrupt descriptor table. An interrupt gate says where to
        go, a selector and an offset; a program cannot choose another place. The gate's DPL says
        who may knock by INT: CPL must not be above it. Hardware interrupts are not asked.""",
        "vector 0Eh is the page fault's. What is its gate's DPL?",
        hint="With which DPL would INT 0Eh of ring 3 be refused? `idt 0x0e` decodes the gate.",
    )
    lesson.answer(
        tables.idt_gate(0x0E).dpl,
        """a program that executes INT 0Eh gets #GP instead: else it could feign a page fault, with
        a stack that lacks the error code.""",
    )
    lesson.look("idt 0x80", "idt 0x0e")
    gate = tables.idt_gate(0x80)
    lesson.check("entry 80h is present", gate.present, True)
    lesson.check("it is an interrupt gate", gate.kind, "interrupt gate")
    lesson.check("DPL 3: programs may use it", gate.dpl, 3)
    lesson.check("it leads to the kernel's code segment", gate.selector, numbers["KERNEL_CS"])
    lesson.check(
        "and to the kernel half", gate.offset, machine.symbol("clean_user_int_standard_entry")
    )
    lesson.check("entry 0Eh has DPL 0: INT 0Eh in ring 3 is #GP", tables.idt_gate(0x0E).dpl, 0)

    lesson.step(
        "The other stack",
        'SDM 3A, "Stack Switching", "Stack Switching in IA-32e Mode"',
        f"""The program may hold anything in {sp}: the kernel must not push there. So a gate that
        raises privilege brings a stack along. The processor finds it in the task-state segment
        that TR leads to, and the kernel writes it there at every process switch.

        """
        + (
            """Long mode takes RSP0 from the TSS and loads SS with NULL: at CPL 0 in 64-bit mode
        nothing needs it. A gate could also name one of seven IST stacks; this one does not."""
            if amd64
            else "The TSS holds ESP0 and SS0, for ring 0."
        ),
        f"INT pushes five words. What will {sp} be? (The word `tss` says where the stack ends.)",
        hint="`tss` shows sp0. Subtract five words: of 4 bytes each on i386, of 8 on amd64.",
    )
    state = tables.task_state()
    stack = int(state["sp0"])
    lesson.look("tss")
    lesson.answer(stack - 5 * word, f"sp0 is {stack:#x}; five words of {word} bytes go below it.")
    lesson.check("sp0 is the top of the kernel stack", stack, machine.evaluate("cpu_stack"))
    lesson.check("the gate names no IST stack", gate.ist, 0)

    lesson.step(
        "Three flags, for an experiment",
        'SDM 3A, "Flag Usage By Exception- or Interrupt-Handler Procedure"; SDM 2A, INT n',
        """Flags are state, too, and a gate treats them one by one. An interrupt gate clears IF, so
        that nothing interrupts the first instructions; TF, so that a debugger's trap stays in
        ring 3; NT, RF and VM. It keeps all others: a kernel meets the program's DF and AC.

        The bench runs quietly, with IF = 0. We set IF, DF and AC by hand, in ring 3, as a program
        with a backward string copy might leave them.""",
        "how many of the three flags will still be set after INT?",
        hint="""The story names the flags that an interrupt gate clears. Which of our three is
        among them?""",
    )
    quiet_flags = machine.register("flags")
    machine.set_register("flags", quiet_flags | IF | DF | AC)
    flags = machine.register("flags")
    lesson.answer(2, "DF and AC stay; IF is cleared. The next step shows it.")
    lesson.check("IF, DF and AC are set", flags & (IF | DF | AC), IF | DF | AC)

    lesson.step(
        "INT 80h",
        'SDM 3A, "Exception- or Interrupt-Handler Procedures"; SDM 2A, INT n',
        f"""One instruction. It checks the gate, takes the stack from the TSS, saves SS, {sp}, the
        flags, CS and {ip} of the program on the new stack, clears the five and jumps.""",
        "what will CS be?",
        hint="CS comes from the gate: `idt 0x80` shows its selector.",
    )
    before, segments = machine.general_registers(), {n: machine.register(n) for n in ("ds", "es")}
    program = {name: machine.register(name) for name in ("ip", "cs", "sp", "ss")}
    space = machine.register("cr3")
    lesson.stepi(INT_FRAME)
    lesson.answer(
        machine.register("cs"), "the gate's selector. Its low two bits, now the CPL, are 0."
    )
    lesson.look("ring")
    entered = machine.register("flags")
    lesson.check("CS is the gate's selector", machine.register("cs"), gate.selector)
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.check(f"{ip} is the gate's offset", machine.register("ip"), gate.offset)
    lesson.check(f"{sp} is sp0 less five words", machine.register("sp"), stack - 5 * word)
    lesson.check(
        "SS is NULL" if amd64 else "SS is ss0 of the TSS",
        machine.register("ss"),
        0 if amd64 else int(state["ss0"]),
    )
    lesson.check("IF and TF are clear", entered & (IF | TF), 0)
    lesson.check("DF and AC are still the program's", entered & (DF | AC), DF | AC)

    lesson.step(
        "The five words",
        'SDM 3A, "Exception- or Interrupt-Handler Procedures", "64-Bit Mode Stack Frame"',
        f"""What the processor has saved is exactly what it has overwritten, no more: from the top
        of the stack down SS, {sp}, flags, CS, {ip}. IRET will want the same five. In 64-bit mode
        all five are always there; i386 leaves SS and ESP out when the ring does not change.""",
        f"INT 80h is two bytes long. Is the saved {ip} that of INT, or the one behind it?",
        ("of INT", "behind"),
        hint="""After a fault the instruction is executed again, so its own address is saved; a CALL
        saves the address behind it. Should INT 80h be executed again?""",
    )
    lesson.look("entry-frame")
    words = machine.read_words(machine.register("sp"), 5)
    lesson.answer(
        "behind" if words[0] == program["ip"] + 2 else "of INT",
        "INT is finished, as a CALL would be. A fault saves its own address, to be tried again.",
    )
    lesson.backtrace("clean_user_int_standard_entry", "gate_call", "main")
    lesson.check(f"word 0: {ip} behind INT", words[0], program["ip"] + 2)
    lesson.check("word 1: CS of the program", words[1] & 0xFFFF, program["cs"])
    lesson.check("word 2: its flags, IF still set", words[2], flags)
    lesson.check(f"word 3: its {sp}", words[3], program["sp"])
    lesson.check("word 4: its SS", words[4] & 0xFFFF, program["ss"])

    lesson.step(
        "What was not saved",
        'SDM 2A, INT n, "Operation"',
        f"""Nothing else has moved. The general registers hold the program's values: {ax} still
        carries the call number, which is how arguments get in, and why the kernel must save what
        it wants to use. DS and ES are the program's. The page tables are the same: the kernel was
        mapped all along, out of ring 3's reach.""",
        "how many general registers does IRET load, beside the stack pointer?",
        hint="""IRET loads five words. Which are they?""",
    )
    lesson.answer(
        0,
        """IRET knows five words. A register that the kernel half forgets holds the kernel's value:
        a wrong result, and a leak. The test `contract` asks for each of them.""",
    )
    lesson.look("pages $pc")
    lesson.check("every general register is the program's", machine.general_registers(), before)
    lesson.check("DS and ES too", {n: machine.register(n) for n in ("ds", "es")}, segments)
    lesson.check("CR3 is unchanged", machine.register("cr3"), space)

    smap = bool(machine.register("cr4") & CR4_SMAP)
    lesson.step(
        "Flags that C relies on",
        'SDM 2A, CLD, CLAC; SDM 3A, "Determination of Access Rights"',
        """The first two instructions mend what the gate has kept. Compiled code expects DF = 0:
        with the program's DF, a copy in the kernel would run backwards. AC = 1 in ring 0 switches
        SMAP off, the guard against reaching into user pages by mistake: CLAC, where there is SMAP,
        and three bytes that do nothing where there is none.""",
        "which bit of the flags does the first of the two clear, counted from 0?",
        hint="""`info registers eflags` before and after. DF is 400h.""",
    )
    lesson.stepi()
    lesson.answer(DF.bit_length() - 1, "CLD: clear the direction flag.")
    lesson.check("DF is clear", machine.register("flags") & DF, 0)
    lesson.stepi()
    lesson.check(
        "AC is clear: SMAP holds" if smap else "no SMAP here: AC stays",
        machine.register("flags") & AC,
        0 if smap else AC,
    )

    lesson.step(
        "The full frame",
        "kernel/core/arch/*/frame.inc, SAVE_FRAME",
        """The kernel half pushes the number and every general register below the five words. The
        whole is `struct frame`: C can read and change all that the program will get back, which is
        what signals, fork and debuggers live on. Then the number is compared with the size of the
        table, unsigned, so that -1 is too large as well.""",
        f"the frame has {frame_size // word} words, and ends where the stack does, at {stack:#x}. "
        "Where does it begin?",
        hint="""Multiply the number of words by 4 (i386) or 8 (amd64) bytes, and subtract that from
        where the stack ends.""",
    )
    lesson.step_to("call")
    lesson.answer(machine.register("sp"), f"{frame_size} bytes below {stack:#x}: {sp} is there.")
    lesson.look("entry-frame")
    frame = {name: value for _, name, value in where.frame_fields(frame_at())}
    lesson.check("it ends at the top of the stack", frame_at() + frame_size, stack)
    lesson.check("its registers are the program's", {n: frame[n] for n in before}, before)
    lesson.check("its number is the call's", frame["number"], call_number)
    lesson.check("the number is in the table", call_number < numbers["CALLS"], True)
    if not amd64:
        lesson.check("DS is the kernel's now", machine.register("ds"), numbers["KERNEL_DS"])

    lesson.step(
        "The service",
        "kernel/core/entry/service.asm; the measurement points MP3 to MP6",
        f"""`call [table + number * {word}]`: an ordinary near call in ring 0. The routine is the
        smallest there is, getpid, so that what remains is the price of the way. Its result comes
        back in {ax} and goes into the frame, in the place where {ax} will be popped from.""",
        f"what will {ax} be when it returns? (cpu_current->pid)",
        hint="`p cpu_current->pid` prints what getpid will find.",
    )
    lesson.stepi()
    lesson.check(
        "the table led to getpid", machine.register("ip"), machine.symbol("clean_user_getpid")
    )
    lesson.step_to("ret")
    pid = machine.evaluate("cpu_current->pid")
    lesson.answer(machine.register("ax"), "the process's number, which the kernel had in memory.")
    lesson.check(f"{ax} is the pid", machine.register("ax"), pid)
    lesson.step_to("cmp")
    frame = {name: value for _, name, value in where.frame_fields(frame_at())}
    lesson.check(f"and in the frame's {ax}", frame["ax"], pid)

    lesson.step(
        "Is there anything else to do?",
        "kernel/core/entry/int.asm",
        """A kernel that is about to leave looks for pending work: a signal, a process that must
        yield. Here that is one byte in memory and a branch that is not taken. Leave the look out
        and you have the row `nowork`.""",
        "the kernel compares cpu_work with 0. What will ZF be?",
        hint="CMP sets ZF if both operands are equal. `p cpu_work` prints the byte.",
    )
    lesson.check("cpu_work is 0", machine.evaluate("cpu_work"), 0)
    lesson.stepi()
    lesson.answer(int(bool(machine.register("flags") & 0x40)), "no work is pending: cpu_work is 0.")
    lesson.check("ZF is set: the branch is not taken", bool(machine.register("flags") & 0x40), True)

    leave = "iretq" if amd64 else "iret"
    lesson.step(
        "Everything back",
        "kernel/core/arch/*/frame.inc, RESTORE_FRAME",
        f"""The pops mirror the pushes. When they are done, {sp} points at the five words again, and
        the registers are the program's but for the result.""",
        f"what is {sp} before IRET?",
        hint="""After the pops only the five words of INT are left: step 3 has asked for the same
        place.""",
    )
    lesson.step_to(leave)
    lesson.answer(machine.register("sp"), "at the five words again, where INT had left it.")
    lesson.look("ring", "entry-frame")
    lesson.check(f"{sp} is at the five words", machine.register("sp"), stack - 5 * word)
    lesson.check("the five words are untouched", machine.read_words(stack - 5 * word, 5), words)
    after = before | {"ax": pid}
    lesson.check(f"registers as before, {ax} the result", machine.general_registers(), after)

    lesson.step(
        "IRET",
        'SDM 2A, IRET/IRETD/IRETQ; SDM 3A, "IRET in IA-32e Mode"',
        f"""IRET pops {ip}, CS and the flags, and then {sp} and SS: i386 does so because the RPL of
        the popped CS, 3, is an outer ring's; 64-bit mode always does. At CPL 0 it loads IF and
        IOPL, too: a kernel must not leave by a frame that it has neither made nor checked.""",
        "we had set IF, DF and AC in ring 3. How many of them are set after IRET?",
        hint="""IRET loads the word of flags that INT has saved, and INT saved it before it cleared
        any.""",
    )
    lesson.stepi()
    lesson.answer(
        bin(machine.register("flags") & (IF | DF | AC)).count("1"),
        "IRET loads the word that INT has saved: the program's flags, whole.",
    )
    lesson.look("ring")
    back = {name: machine.register(name) for name in program}
    lesson.check(
        f"CS, {sp}, SS as before, {ip} behind INT", back, program | {"ip": program["ip"] + 2}
    )
    lesson.check("the flags are the program's: IF, DF, AC", machine.register("flags"), flags)
    lesson.check(f"{ax} is the pid", machine.register("ax"), pid)
    machine.set_register("flags", quiet_flags)

    lesson.end(
        """Two of them, INT and IRET, are the gate itself: the row `bare`. The rest is software,
        and the lesson `syscall` shows what happens when the hardware does still less.""",
        """take `cld` out of int_standard_entry in kernel/core/entry/int.asm: `make bench
        SUITE=toll` says one less of user/int/standard, section 2-3, and
        `make test TESTS=tests/core/test_contract.py` names what was lost.""",
        ROW,
    )
