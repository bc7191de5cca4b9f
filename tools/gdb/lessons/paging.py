"""The lesson `paging`: page walks, and the bits that decide: U/S, W, NX, SMEP, SMAP."""

from lesson import Lesson
from vocabulary import machine, paging, why

ABOUT = {
    "place": (1, 4),
    "title": "a page walk, and the bits that decide: U/S, W, NX, SMEP, SMAP",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/bin/pages",
}


def walk(lesson: Lesson) -> None:
    """Pages of the program, each touched in a forbidden way."""
    numbers, amd64 = machine.constants(), machine.arch() == "amd64"

    lesson.run_to("guarded_call")  # main has already run: its page is mapped
    lesson.step(
        "A walk",
        'SDM 3A, "4-Level Paging and 5-Level Paging", "32-Bit Paging"',
        """CR3 leads to the top table; each level takes some bits of the address for its index, and
        the entry leads on. A right must be granted at every level.""",
        "how many tables does the walk of `main` go through? (`pages main`)",
        hint="`pages main` prints a line for each table, and one for the page.",
    )
    entries = paging.walk(machine.symbol("main"))
    lesson.look("pages main", "pages $sp")
    lesson.answer(
        len(entries), "nine bits at each of four." if amd64 else "ten bits at each of two."
    )
    lesson.check("ring 3 may use the page", all(entry.user for entry in entries), True)
    lesson.check("and not write it", all(entry.writable for entry in entries), False)
    lesson.check("it is no NX page", any(entry.no_execute for entry in entries), False)

    lesson.step(
        "W",
        'SDM 3A, "Page-Fault Exceptions"',
        "The program writes to its own text. Error code: bit 0, forbidden; 1, a write; 2, ring 3.",
        "what is the error code?",
        hint="Each of the three bits has the value 1, 2 or 4. Add those that apply to this write.",
    )
    lesson.run_to("overwrite")
    lesson.run_to("vector_14")
    error = machine.read_words(machine.register("sp"), 1)[0]
    lesson.look("why")
    lesson.answer(error, "there, a write, in ring 3: all three bits.")
    lesson.check("CR2 is main", machine.register("cr2"), machine.symbol("main"))
    lesson.backtrace("vector_14", "overwrite", "guarded_call", "main")

    lesson.step(
        "NX",
        'SDM 3A, "Determination of Access Rights", "Page-Fault Exceptions"',
        """The program jumps to a page of data. """
        + (
            "Bit 63 of an entry, NX, forbids fetches: then bit 4 of the error code is set."
            if amd64
            else """Two-level page tables have no such bit: what can be read can be executed. So the
        fetch is no fault."""
        ),
        "how many page faults does that fetch take?",
        hint="""NX is bit 63 of an entry. How many bits have the entries of this kernel's page
        tables?""",
    )
    lesson.run_to("run")
    target = machine.symbol("code")
    data = paging.walk(target)
    if amd64:
        lesson.run_to("vector_14")
        lesson.look("why")
        lesson.check("the error code has bit 4", why.taken()[-1].error & 16, 16)
    else:
        machine.run_to(target)
        lesson.check("RET is executed there", machine.instruction().startswith("ret"), True)
    lesson.answer(int(amd64), "NX is set." if amd64 else "no entry of 32 bits has a place for NX.")
    lesson.check("NX in its walk", any(entry.no_execute for entry in data), amd64)

    lesson.step(
        "The kernel's own guard",
        'SDM 3A, "Determination of Access Rights"; CR4.SMEP, CR4.SMAP',
        """CPL 0 may use any page, unless it has told the processor otherwise. SMEP in CR4: no fetch
        from user pages. SMAP: no read or write of them, but while AC is set; so user_copy() sets it
        (STAC), copies, and clears it (CLAC). The program prints a line: the kernel copies it.""",
        "what is AC while user_copy() copies, on this processor?",
        hint="""`p/x $cr4` prints CR4: SMAP is bit 21. Where there is no SMAP the boot leaves STAC
        out.""",
    )
    smap = bool(machine.register("cr4") & numbers["CR4_SMAP"])
    lesson.run_to("user_copy")
    outside = machine.register("flags") & numbers["RFLAGS_AC"]
    lesson.step_to("cmp")  # the size of the copy
    inside = bool(machine.register("flags") & numbers["RFLAGS_AC"])
    lesson.answer(
        int(inside), "STAC has set it." if smap else "there is no SMAP, so no STAC either."
    )
    lesson.check("AC was clear before", outside, 0)
    lesson.check("as the processor has SMAP", inside, smap)
    lesson.check("the kernel runs", machine.register("cs") & 3, 0)
    source = paging.walk(machine.register("si"))
    lesson.check("and reads a user page", all(entry.user for entry in source), True)

    lesson.end(
        """One walk decides all of it. What a page allows is the AND of all levels, and CR0.WP,
        CR4.SMEP and CR4.SMAP say whether ring 0 must obey.""",
        """`make bench CPU=qemu64`, which has no SMAP: three bytes of NOP stand for each CLAC, and
        the count is the same; `make show ROW=user/int/standard CPU=qemu64` shows them.""",
    )
