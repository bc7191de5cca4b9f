"""The lesson `tlb`: a cached translation that is no longer in the tables, and INVLPG."""

from lesson import Lesson
from vocabulary import machine, paging

ABOUT = {
    "place": (3, 10),
    "title": "a stale translation, seen; INVLPG; what else makes a processor forget",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/cow",
}
PAGE = "shared_page"
OTHER = 0x77
AC, GLOBAL, PGE = 1 << 18, 1 << 8, 1 << 7


def frame() -> int:
    """The frame that the tables map."""
    return paging.walk(machine.symbol(PAGE))[-1].value & 0xFFFFF000


def load() -> int:
    """The word that the processor reads in the page, by the second instruction of the kernel's
    service routine. Registers are restored."""
    kept = machine.general_registers() | {n: machine.register(n) for n in ("ip", "flags")}
    amd64 = machine.arch() == "amd64"
    machine.set_register("ip", machine.symbol("clean_user_getpid") + (8 if amd64 else 6))
    machine.set_register("ax", machine.symbol(PAGE))
    machine.set_register("flags", kept["flags"] & ~0x200 | AC)  # for SMAP
    machine.stepi()
    found = machine.register("ax") & 0xFF
    for name, value in kept.items():
        machine.set_register(name, value)
    return found


def walk(lesson: Lesson) -> None:
    """Copy-on-write of a page: between the new entry and INVLPG."""
    lesson.step(
        "What the processor keeps",
        'SDM 3A, "Caching Translation Information"',
        """A walk through the tables takes two or four reads, so a processor keeps what it has
        found: in its TLB. A program has written 1 and forked; the child writes, and faults. We lend
        the kernel a load from that page: now its translation is kept.""",
        "what does the load read?",
        hint="The copy is made at the first write. Has the parent or the child written yet?",
    )
    lesson.run_to("store")
    lesson.run_to("vector_14")
    ip = machine.read_words(machine.register("sp"), 2)[1]
    machine.run_to(ip)
    lesson.stepi()
    lesson.run_to("store")
    lesson.run_to("vector_14")
    old, address = frame(), machine.symbol(PAGE)
    lesson.look(f"pages &{PAGE}")
    lesson.answer(load(), "what the parent has written: the frame is one for both.")
    lesson.check("CR2 is in the page", machine.register("cr2"), address)

    lesson.step(
        "The tables say one thing",
        "kernel/core/mem/memory.c, own_page()",
        f"""The kernel has copied the frame and changed the entry: the walk leads to the new one. In
        that we write {OTHER:#x}, so that one can tell them apart. INVLPG is next, and has not been
        executed.""",
        "what does the same load read now?",
        hint="Does a processor look at the tables if it has kept a translation?",
    )
    lesson.run_to("frame_copy")
    machine.run_to(machine.read_words(machine.register("sp"), 1)[0])
    lesson.step_to("invlpg")
    new = (frame() + machine.constants()["KERNEL_BASE"]) & (1 << 8 * machine.word()) - 1
    machine.write(new, OTHER, 1)
    lesson.look(f"pages &{PAGE}")
    lesson.answer(load(), "the old frame's byte: the translation is stale.")
    lesson.check("the walk leads to another frame", frame() != old, True)

    lesson.step(
        "INVLPG",
        "SDM 2A, INVLPG",
        "One instruction, with an address: what is kept of that page is forgotten.",
        "what does the load read behind it?",
        hint="The processor must walk the tables again.",
    )
    lesson.stepi()
    lesson.answer(load(), "the new frame's byte, as the tables say.")
    machine.write(new, 1, 1)

    lesson.step(
        "What else forgets",
        'SDM 3A, "Operations that Invalidate TLBs and Paging-Structure Caches"; CR4.PGE',
        """Where CR4.PCIDE is clear a write to CR3 forgets everything, but for pages whose entry has
        G (bit 8) while CR4.PGE is set: a kernel that is mapped alike in all programs may mark its
        own so.""",
        "how many entries of this kernel's text, on the walk to it, have G?",
        hint="`pages memory_fault` shows the entries. `p/x $cr4`: PGE is bit 7.",
    )
    entries = paging.walk(machine.symbol("memory_fault"))
    lesson.look("pages memory_fault")
    lesson.answer(
        sum(bool(entry.value & GLOBAL) for entry in entries),
        "so a switch to another program forgets the kernel's pages as well.",
    )
    lesson.check("CR4.PGE is clear", machine.register("cr4") & PGE, 0)
    lesson.check("the program's page has none", paging.walk(address)[-1].value & GLOBAL, 0)

    lesson.end(
        """The tables are in memory, and the processor looks at them when it likes. A kernel that
        takes a right away and does not say INVLPG may have taken nothing away yet. On several
        processors each has a TLB: there it must be said to all.""",
        """leave page_forget() out of own_page() in kernel/core/mem/memory.c: `make run
        CMDLINE='suite=torture'` may pass for a while. Say who reads the wrong frame.""",
    )
