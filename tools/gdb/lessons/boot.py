"""The lesson `boot`: from the loader's flat mode to the kernel's first line."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (1, 1),
    "title": "from the loader's flat mode to paging, and the first line",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "",
}
CR0_PE, CR0_PG = 1, 1 << 31
EFER_LME, EFER_LMA = 0x100, 0x400


def walk(lesson: Lesson) -> None:
    """Walk from reset to kernel_main()."""
    numbers, amd64 = machine.constants(), machine.arch() == "amd64"

    lesson.step(
        "Reset",
        'SDM 3A, "First Instruction Executed"',
        """The machine has just been switched on; nothing has run. The first instruction is the
        firmware's, 16 bytes below 4 GiB, and gdb shows its offset in CS.""",
        "what is bit 0 of $cr0, PE (protected mode)?",
        hint="""Which mode does a processor start in after reset? Bit 0 of CR0 is PE, protected
        mode.""",
    )
    lesson.answer(machine.register("cr0") & CR0_PE, "a processor begins in real mode.")
    lesson.check("IP is FFF0h", machine.register("ip") & 0xFFFF, 0xFFF0)
    lesson.check("paging is off", machine.register("cr0") & CR0_PG, 0)

    lesson.step(
        "The loader's gift",
        'Multiboot Specification 0.6.96, "Machine state"',
        """A loader that knows Multiboot leaves real mode for us: 32-bit code, flat segments, paging
        and interrupts off; EAX holds a magic number, EBX where its information lies.""",
        "what is the magic number of Multiboot 1?",
        hint="Its eight hexadecimal digits can be read aloud. MULTIBOOT1_MAGIC, kernel/const.h.",
    )
    lesson.run_to("start")
    lesson.answer(
        machine.register("ax") & 0xFFFFFFFF, "a kernel that is started by something else notices."
    )
    lesson.check("protected mode", bool(machine.register("cr0") & CR0_PE), True)
    lesson.check("paging is off", machine.register("cr0") & CR0_PG, 0)
    lesson.check("IF is off", machine.register("flags") & numbers["RFLAGS_IF"], 0)
    linked = machine.symbol("start_paging")
    lesson.check("this code runs where it is linked, low", linked < 0x200000, True)

    lesson.step(
        "A map with two views",
        "kernel/core/arch/*/start.asm",
        """The kernel is linked high, at KERNEL_BASE, and loaded at 1 MiB. The first page tables map
        memory twice: where it is, so that the next instruction is still there once paging is on,
        and at KERNEL_BASE, where the jump behind it leads.""",
        "at which address will the kernel find the byte that now lies at 1 MiB? (KERNEL_BASE is "
        f"{numbers['KERNEL_BASE']:#x})",
        hint="1 MiB is 100000h. Add it to KERNEL_BASE.",
    )
    lesson.run_to("start_paging")
    step_to_write(lesson, "cr3")
    lesson.stepi()
    lesson.answer(
        numbers["KERNEL_BASE"] + 0x100000, "KERNEL_BASE more: the direct map begins there."
    )
    lesson.check("CR3 leads to the first tables", machine.register("cr3") & ~0xFFF != 0, True)

    lesson.step(
        "Paging on",
        'SDM 3A, "Paging", "Initializing IA-32e Mode"',
        """One MOV to CR0, with PG. """
        + (
            """ EFER.LME was set before it: with both, the processor is in long mode, and sets LMA.
        The code segment is still a 32-bit one: compatibility mode."""
            if amd64
            else " The instruction behind it is fetched through the tables."
        ),
        "by how many bytes does that MOV move the instruction pointer?",
        hint="""A MOV is not a jump. `x/4xb $pc`, in front of it, shows its bytes.""",
    )
    step_to_write(lesson, "cr0")
    at, here = machine.register("ip"), machine.behind()
    lesson.stepi()
    lesson.answer(
        here - at,
        "its own length: it goes on where it was, in the low view. That is why there is one.",
    )
    lesson.check("the next instruction", machine.register("ip"), here)
    lesson.check("CR0.PG is set", bool(machine.register("cr0") & CR0_PG), True)
    if amd64:
        efer = machine.register("efer")
        lesson.check("EFER has LME and LMA", efer & (EFER_LME | EFER_LMA), EFER_LME | EFER_LMA)

    lesson.step(
        "Up",
        "kernel/core/arch/*/start.asm, kernel/main.c",
        """A jump leads into the high view"""
        + (", and through a new code segment with L = 1: 64-bit code. " if amd64 else ". ")
        + """The stack changes, EBP is cleared, for the backtrace to end there, and C begins.""",
        "what will BP be in kernel_main's caller?",
        hint="""A backtrace follows the saved BPs until it meets this value, which can be no
        address.""",
    )
    lesson.run_to("kernel_main")
    lesson.answer(machine.register("bp"), "the end of every backtrace.")
    lesson.check("high", machine.register("ip") >= numbers["KERNEL_BASE"], True)
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.look("bt")

    lesson.step(
        "The first line",
        "kernel/main.c: the boot, as a list of steps",
        """kernel_main() opens the serial line first: whatever goes wrong from here on is said.
        Frames, page tables, descriptors, timer; then it says what machine this is.""",
        "how many entries of 8 bytes has the GDT when the kernel prints its first line?",
        hint="""descriptor_init() comes before say_machine() and loads the GDT of
        kernel/core/arch/*/descriptor.c: GDT_ENTRIES, in layout.h.""",
    )
    lesson.run_to("descriptor_init")
    _, before = machine.table_register("GDT")
    lesson.run_to("console_record")
    _, limit = machine.table_register("GDT")
    lesson.answer((limit + 1) // 8, "the final ones: descriptor_init() comes before say_machine().")
    lesson.check("the boot's was smaller", before < limit, True)
    lesson.look("gdt", "bt")

    lesson.end(
        """Firmware and loader are the machine's: another one has others, and this kernel begins
        after them in one state.""",
        """compare `make bench` with PLATFORM=bochs, where the firmware is another: no figure of the
        bench moves, because none is taken from there.""",
    )


def step_to_write(lesson: Lesson, register: str) -> None:
    """Step until the next instruction is a MOV to this control register."""
    for _ in range(20000):
        if machine.instruction().startswith(f"mov {register},"):
            return
        machine.run_to(machine.behind()) if loops() else lesson.stepi()
    raise machine.gdb.error(f"nothing is written to {register}")


def loops() -> bool:
    """Whether the next instruction jumps backwards: then run the loop to its end."""
    words = machine.instruction().split()
    if not words[0].startswith("j") or len(words) < 2 or not words[1].startswith("0x"):
        return False
    return int(words[1], 16) < machine.register("ip")
