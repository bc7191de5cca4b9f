"""The lesson `signal`: a handler in ring 3, entered and left through the kernel."""

from lesson import Lesson
from vocabulary import machine, where

ABOUT = {
    "place": (3, 7),
    "title": "a signal: the frame on the program's stack, the handler, sigreturn",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/bin/handler",
}
SIGUSR1 = 10


def frame() -> dict[str, int]:
    """The program's registers, as saved by the kernel."""
    return {name: value for _, name, value in where.frame_fields(where.frame_address())}


def walk(lesson: Lesson) -> None:
    """kill(), on_signal(), rt_sigreturn()."""
    lesson.step(
        "Pending",
        "kernel/unix/process/signal.c; kernel/core/entry/int.asm",
        """The program sends itself SIGUSR1. kill() only notes it: a bit, and a byte of work. On
        the way out the look at cpu_work finds it, and the entry leaves by entry_work.""",
        "if the kernel called the program's handler by CALL, in which ring would it run?",
        hint="""Does CALL to a near address change CS?""",
    )
    lesson.run_to("signal_self")
    lesson.run_to("signal_deliver")
    before = frame()
    lesson.look("ring")
    lesson.answer(0, "CALL would run it in ring 0. The kernel changes the frame instead.")
    lesson.check("the frame leads back to the program", before["cs"] & 3, 3)
    lesson.backtrace("signal_deliver", "signal_self", "main")

    lesson.step(
        "Another way back",
        "kernel/unix/process/deliver.c; kernel/unix/arch/sigframe32.c, sigframe64.c",
        """The kernel writes all the program's registers onto the program's own stack, and puts
        into its frame the handler's address, a new stack pointer, and the signal's number. Then
        it leaves as always, by IRET.""",
        "in which ring does the handler run?",
        hint="The handler is code of the program's. What is a program's CPL?",
    )
    lesson.run_to("on_signal")
    lesson.answer(machine.register("cs") & 3, "the program's: it is the program's code.")
    sp = machine.register("sp")
    lesson.check("its stack lies below the interrupted one", sp < before["sp"], True)
    restorer = machine.read_words(sp, 1)[0]
    lesson.check("it will return to the restorer", restorer, machine.symbol("signal_return"))
    number = (
        machine.register("di") if machine.arch() == "amd64" else machine.read_words(sp + 4, 1)[0]
    )
    lesson.check("its argument is the signal", number, SIGUSR1)

    lesson.step(
        "sigreturn",
        "user/lib/*/start.asm, signal_return",
        """The handler returns, to a restorer that the program has named: a system call without
        arguments. The kernel finds the frame at the stack pointer.""",
        "which is the least privileged ring that may change the saved registers before?",
        hint="The registers lie on the program's stack. Who may write there?",
    )
    lesson.run_to("signal_return")
    lesson.answer(
        3,
        """they lie on its stack. So the kernel believes nothing of them: a CS of ring 0 in there is
        refused; the test `sigreturn` tries them all.""",
    )
    lesson.check("still in ring 3", machine.register("cs") & 3, 3)

    lesson.step(
        "As before",
        "kernel/unix/process/deliver.c; kernel/core/arch/exit.asm",
        "The kernel copies the registers back into its frame, checks them, and leaves by IRET.",
        "where does the program go on? (the saved IP of its kill())",
        hint="It is the address behind the INT or SYSCALL of kill(), as after any system call.",
    )
    machine.run_to(before["ip"])
    lesson.answer(machine.register("ip"), "behind the system call that it was interrupted in.")
    lesson.check("the stack pointer is back", machine.register("sp"), before["sp"])
    kept = {name: machine.register(name) for name in ("bx", "bp")}
    lesson.check("registers are back", kept, {name: before[name] for name in kept})
    lesson.check("kill() returns 0", machine.register("ax"), 0)

    lesson.end(
        """Two system calls, two changes of the frame, and a handler that knows nothing of it.
        `make bench SUITE=faults` counts SIGSEGV to a handler and back.""",
        """`make bench SUITE=faults` before and after a register fewer in the signal's frame
        (kernel/unix/arch/sigframe32.c, sigframe64.c): the copy there and back is most of it.""",
    )
