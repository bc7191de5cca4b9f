"""The lesson `cow`: fork, one frame for two programs, one write, two frames."""

from lesson import Lesson
from vocabulary import machine, paging

ABOUT = {
    "place": (3, 9),
    "title": "copy-on-write: one frame for two programs, until one of them writes",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/cow",
}
PAGE = "shared_page"


def entry() -> int:
    """The page's entry in the current process's tables."""
    return paging.walk(machine.symbol(PAGE))[-1].value


def frame() -> int:
    return entry() & 0xFFFFF000


def faulted(lesson: Lesson) -> tuple[int, int]:
    """The error code and IP of the next page fault."""
    lesson.run_to("vector_14")
    error, ip = machine.read_words(machine.register("sp"), 2)
    return error, ip


def walk(lesson: Lesson) -> None:
    """The child writes; then the parent, when it is alone."""
    lesson.step(
        "One frame",
        "kernel/core/mem/space.c; kernel/unix/process/copy.c, memory_copy()",
        """A program has written a byte into a page and forks. The child has the same bytes at the
        same addresses. fork() copies page tables, not pages: both entries lead to one frame.""",
        "what is W, bit 1 of the entry, after fork()?",
        hint="Both may write the page, and neither may see what the other writes.",
    )
    lesson.run_to("store")
    _, ip = faulted(lesson)
    machine.run_to(ip)
    lesson.stepi()
    alone, young = entry(), machine.evaluate("cpu_current->pid")
    lesson.run_to("store")
    lesson.look(f"pages &{PAGE}")
    lesson.answer(entry() >> 1 & 1, "in both: so the first write of either is a fault.")
    lesson.check("before fork() it was set", alone >> 1 & 1, 1)
    lesson.check("another process", machine.evaluate("cpu_current->pid") != young, True)
    lesson.check("the frame is the parent's", frame(), alone & 0xFFFFF000)

    lesson.step(
        "The write",
        'SDM 3A, "Page-Fault Exceptions"',
        "The child writes. Bits of the error code: 0, the page is there; 1, a write; 2, in ring 3.",
        "what is the error code?",
        hint="All three hold.",
    )
    error, ip = faulted(lesson)
    lesson.look("why")
    lesson.answer(error, "it is there, and this is a write, in ring 3.")
    lesson.check("CR2 is in the page", machine.register("cr2"), machine.symbol(PAGE))

    lesson.step(
        "Two frames",
        "kernel/core/mem/memory.c, own_page()",
        """The area says that the program may write, so this is no mistake: the frame has two users.
        The kernel copies it, and changes the child's entry alone.""",
        "how many bytes are copied for this write of one?",
        hint="What does an entry of the lowest level lead to?",
    )
    lesson.run_to("frame_copy")
    machine.run_to(ip)
    lesson.look(f"pages &{PAGE}")
    lesson.answer(machine.PAGE, "the whole page: an entry has no smaller part.")
    lesson.check("another frame", frame() != alone & 0xFFFFF000, True)
    lesson.check("W is set", entry() >> 1 & 1, 1)
    lesson.check("its bytes are the old ones", machine.read(machine.symbol(PAGE), 1), 1)
    lesson.stepi()
    lesson.check("and then the child's", machine.read(machine.symbol(PAGE), 1), 2)

    lesson.step(
        "The last user",
        "kernel/core/mem/frame.c, frame_users()",
        """The child has ended. The parent writes 3 into its page, whose entry has W clear still:
        nobody has told it.""",
        "how many frames are copied for this write?",
        hint="How many users has the parent's frame now?",
    )
    lesson.run_to("store")
    _, ip = faulted(lesson)
    machine.run_to(ip)
    lesson.answer(
        int(frame() != alone & 0xFFFFF000), "it is the only user: W is set, and that is all."
    )
    lesson.check("the same process as at first", machine.evaluate("cpu_current->pid"), young)
    lesson.check("its byte is its own", machine.read(machine.symbol(PAGE), 1), 1)
    lesson.check("W is set", entry() >> 1 & 1, 1)

    lesson.end(
        """fork() costs page tables, and each page that is written later a fault and a copy. Most
        children execute another program, and write few.""",
        """let own_page() in kernel/core/mem/memory.c copy a frame that has one user, too: `make
        bench SUITE=faults` moves, and this lesson's last claims do not hold.""",
    )
