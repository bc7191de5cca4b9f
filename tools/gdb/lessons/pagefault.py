"""The lesson `pagefault`: a page that is allocated when it is touched."""

from lesson import Lesson
from vocabulary import machine, paging

ABOUT = {
    "place": (3, 8),
    "title": "a page fault resolved: a page of zeros, made when it is touched",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/pages",
}


def walk(lesson: Lesson) -> None:
    """mmap() promises it; touch() allocates it."""
    numbers, amd64 = machine.constants(), machine.arch() == "amd64"

    lesson.step(
        "A promise",
        "kernel/core/mem/area.c",
        """mmap() has returned an address and made an entry in a tree: an area, readable and
        writable. No page of memory was taken. The program is about to write a byte there.""",
        "what is P, the lowest bit, of the entry that the walk ends at?",
        hint="mmap() has made an entry in a tree, and has taken no memory.",
    )
    lesson.run_to("touch")
    address = (
        machine.register("di") if amd64 else machine.read_words(machine.register("sp") + 4, 1)[0]
    )
    lesson.look(f"pages {address:#x}")
    entries = paging.walk(address)
    lesson.answer(int(entries[-1].present), "the walk ends at an entry that is not present.")
    lesson.check("the address is a page's first", address % machine.PAGE, 0)
    lesson.backtrace("touch", "guarded_call", "main")

    lesson.step(
        "The fault",
        'SDM 3A, "Page-Fault Exceptions"',
        "The write. Bits of the error code: 0, the page is there; 1, a write; 2, in ring 3.",
        "what is the error code?",
        hint="Bit 0 is clear if there is no page. Then add 2 for a write, 4 for ring 3.",
    )
    lesson.run_to("vector_14")
    error = machine.read_words(machine.register("sp"), 1)[0]
    culprit = machine.read_words(machine.register("sp") + machine.word(), 1)[0]
    lesson.look("why")
    lesson.answer(error, "no page, a write, in ring 3.")
    lesson.check("CR2 is the address", machine.register("cr2"), address)
    lesson.backtrace("vector_14", "touch", "guarded_call", "main")

    lesson.step(
        "Is there an area?",
        "kernel/core/arch/*/vectors.asm; kernel/core/mem/memory.c, memory_fault()",
        """The kernel asks the program's memory first: is the address in an area, and may it be
        written? Then a frame is taken, filled with zeros, and entered into the page table.""",
        "which argument of memory_fault() has the address that CR2 has: 1, 2 or 3?",
        hint="kernel/core/mem/memory.h declares it: memory_fault(memory, address, access).",
    )
    lesson.run_to("memory_fault")
    asked = (
        machine.register("si") if amd64 else machine.read_words(machine.register("sp") + 8, 1)[0]
    )
    lesson.answer(2, "behind the program's memory, and before what was tried.")
    lesson.check("it is CR2's", asked, address)
    lesson.backtrace("memory_fault", "touch", "guarded_call", "main")

    lesson.step(
        "Again",
        'SDM 3A, "Exception Classifications"',
        """IRET goes back to the instruction that has faulted: it is executed a second time.""",
        "what byte is at the address now, before the instruction is executed again?",
        hint="The page may have been another program's before. What has the kernel filled it with?",
    )
    machine.run_to(culprit)
    lesson.look(f"pages {address:#x}")
    lesson.answer(machine.read(address, 1), "the page was cleared, or it would show another's.")
    entries = paging.walk(address)
    lesson.check("the page is present", entries[-1].present, True)
    lesson.check("user, at every level", all(entry.user for entry in entries), True)
    lesson.check("writable", all(entry.writable for entry in entries), True)
    lesson.stepi()
    lesson.check("the byte is written", machine.read(address, 1), 1)
    lesson.check("ring 3 has noticed nothing", machine.register("cs") & 3, 3)

    lesson.end(
        f"""`make bench SUITE=faults` has this as a row: a page of zeros, of which
        {numbers["PAGE_SIZE"]} bytes of clearing are the most.""",
        """let clear_lines() in kernel/core/mem/frame.c clear two lines a round: on EPYC the row of
        a page of zeros moves, and those that make no page do not.""",
    )
