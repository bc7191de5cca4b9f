"""The lesson `taskgate`: an exception that is a task. i386."""

from lesson import Lesson
from vocabulary import machine, tables

ABOUT = {
    "place": (3, 4),
    "title": "an exception that is a task of its own",
    "minutes": 12,
    "kernels": ("i386",),
    "program": "/bin/walk",
}
CR0_TS = 8
ENTRY = "clean_user_ud_task_entry"
UD = 6


def walk(lesson: Lesson) -> None:
    """#UD through a task gate, there and back."""
    numbers = machine.constants()

    lesson.run_to("clean_user_ud_call")
    while tables.idt_gate(UD).kind != "task gate":
        lesson.run_to("clean_user_ud_call")
    lesson.step(
        "A gate without an address",
        'SDM 3A, "Task-Gate Descriptor", "Task Switching"',
        """A task gate names a TSS, and nothing else: where to go, and on which stack, that TSS
        says, with every other register. What the processor does now is saved in the TSS that TR
        names.""",
        "what selector does the gate of #UD name? (`idt 6`)",
        hint="`idt 6` decodes the gate of #UD: it names a TSS.",
    )
    lesson.look("idt 6", "gdt")
    gate = tables.idt_gate(UD)
    lesson.answer(gate.selector, "the TSS that the kernel keeps for these rows.")
    lesson.check("it is", gate.selector, numbers["TSS_EXCEPTION_SELECTOR"])

    lesson.step(
        "The switch",
        'SDM 3A, "Task Switching"',
        """UD2. The processor writes its registers but CR3 into the old TSS, marks the new one busy,
        loads all from that, sets NT in the flags, the back link in the TSS, and TS in CR0.""",
        "how many words are pushed on the process's kernel stack?",
        hint="Where does the processor put the registers at a task switch?",
    )
    before = machine.general_registers() | {n: machine.register(n) for n in ("ip", "sp", "cs")}
    top = machine.evaluate("cpu_stack")
    memory = machine.read_words(top - 32, 8)
    lesson.stepi()
    lesson.answer(
        sum(a != b for a, b in zip(machine.read_words(top - 32, 8), memory, strict=True)),
        "the registers went to the TSS instead.",
    )
    selector, _ = machine.task_register()
    lesson.check("TR names the other task", selector, numbers["TSS_EXCEPTION_SELECTOR"])
    saved = {name: machine.evaluate(f"tss_main.{name}") for name in ("ip", "sp", "cs")}
    lesson.check("the program's registers are in tss_main", saved, {n: before[n] for n in saved})
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.check("NT is set", bool(machine.register("flags") & numbers["RFLAGS_NT"]), True)
    lesson.check("CR0.TS is set", bool(machine.register("cr0") & CR0_TS), True)
    lesson.backtrace(ENTRY, "gate_call", "main")

    lesson.step(
        "The other's IP",
        "kernel/core/arch/i386/exception.inc",
        """There is no frame to change: the handler adds the length of UD2 to the IP in the other
        task's TSS.""",
        "by how much does tss_main.ip grow?",
        hint="The bytes of UD2 are 0F 0B. The handler skips it.",
    )
    lesson.step_to("iret", "iretd")
    grown = machine.evaluate("tss_main.ip") - before["ip"]
    lesson.answer(grown, "UD2 is two bytes long: 0F 0B.")
    lesson.check("the link leads back", machine.evaluate("tss_main.ip"), before["ip"] + 2)

    lesson.step(
        "IRET with NT",
        "SDM 2A, IRET/IRETD/IRETQ",
        """With NT set IRET pops nothing: it switches to the task of the back link. The handler's
        task keeps its own IP, behind this IRET: that is where it goes on the next time.""",
        "what is CR0.TS after the return?",
        hint="Each task switch sets CR0.TS. Is this IRET one?",
    )
    lesson.stepi()
    lesson.answer(
        int(bool(machine.register("cr0") & CR0_TS)),
        "a task switch sets it, this one too: the next FPU instruction is #NM, once.",
    )
    lesson.check("behind UD2, in ring 3", machine.register("ip"), before["ip"] + 2)
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    after = machine.general_registers()
    lesson.check("all registers are back", after, {name: before[name] for name in after})
    selector, _ = machine.task_register()
    lesson.check("TR is the kernel's again", selector, numbers["TSS_SELECTOR"])

    lesson.end(
        """Two instructions, as an interrupt gate; what they cost in cycles, only silicon says. It
        is the only gate of i386 that brings a stack whatever the privilege: so #DF, NMI and #DB are
        tasks here.""",
        """`make bench SUITE=exceptions` has the row user/ud/task beside user/ud/plain: in
        instructions it takes one more, a jump. Compare their ticks with PLATFORM=qemu-tcg.""",
    )
