"""The suites that a bench can measure: one table.

A suite is a program of `user/suites/`. All other lists of suites are generated from this table:
both menus and the kernel's default at build time, the help of make on request, and the table of
README.md by `make docs` (tools/tollgate/suite_lists.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """A suite: `says` is what it measures, `unit` what its figures count, `asks` the question that
    they answer, `note` the limits of its measurement.

    `key`: its key in the two menus; empty: not in them. `default`: a bench without a named suite
    runs it. `disk`: it needs a disk. `budgeted`: its rows are in tests/budgets.toml. `worst`: the
    maximum of a row counts. `apart`: it has an initrd of its own. `minutes`: left out of the menus'
    "everything". `bench`: a bench can run it.
    """

    name: str
    says: str
    unit: str = ""
    asks: str = ""
    key: str = ""
    default: bool = False
    disk: bool = False
    budgeted: bool = False
    worst: bool = False
    apart: bool = False
    minutes: bool = False
    bench: bool = True
    note: str = ""


TABLE = (
    Suite(
        "toll",
        "a system call by every way in",
        unit="round trip",
        asks="What does a gate cost, and what the work around it?",
        key="t",
        default=True,
        budgeted=True,
    ),
    Suite(
        "exceptions",
        "exceptions by every kind of gate; page faults; signals",
        unit="exception and back",
        asks="What do an IST stack, a fault, a signal add?",
        key="x",
        default=True,
        budgeted=True,
        note="From the instruction that raises the exception to the one behind it, through each "
        "kind of gate: plain is an interrupt gate, ist the same with an IST stack, move the same "
        "and the way off that stack, task a task gate. QEMU does not count an instruction that "
        "memory or a selector stops; Bochs counts one for each exception that is not an INT n. "
        "fault is a page fault that is resolved: a page of zeros, one copied after a fork, one of "
        "the stack; signal is the way to a handler and back by sigreturn: of a write to nowhere "
        "(segv), of kill (self).",
    ),
    Suite(
        "faults",
        "more page faults that are resolved, and more signals",
        unit="exception and back",
        asks="What do an IST stack, a fault, a signal add?",
        key="f",
        default=True,
        budgeted=True,
    ),
    Suite(
        "usystime",
        "Rubini's best of N, without fences",
        unit="C call",
        asks="What does a program see?",
        key="u",
        default=True,
        budgeted=True,
    ),
    Suite(
        "calls",
        "getpid, getppid, empty reads, by Linux's ways in",
        unit="call",
        asks="What does Linux take for the same?",
        key="g",
        budgeted=True,
        note="The gate alone, there and back, as programs of Linux take it: INT 80h, SYSCALL in "
        "64-bit mode, the direct call of a trusted program. Interrupts are on; Linux runs the same "
        "program (make linux).",
    ),
    Suite(
        "switch",
        "messages, task switches, loads of CR3",
        unit="round trip",
        asks="What does another process cost?",
        key="w",
        budgeted=True,
        note="From one program to another and back: ipc/pipe is a byte through two pipes, ipc/hand "
        "a word handed over, ipc/direct the same by a trusted program\u2019s call. cr3 is what a "
        "load of CR3 costs, with reads of 16 pages behind it (touch); task a change of task, by "
        "the processor or by hand. turn/futex is a word to another process and back, turn/yield a "
        "turn of another process, and yield-alone a yield with nobody to take it.",
    ),
    Suite(
        "spawn",
        "fork, exec, vfork",
        unit="process, to the end of `wait`",
        asks="What does a new process cost?",
        key="q",
        budgeted=True,
        note="From fork to the return of wait4: a process that ends at once, with few areas of "
        "memory, with 1,000 (fork/areas) or with 5,000 touched pages more (fork/touched), and one "
        "that executes this program, which ends at once. vfork is the latter as posix_spawn does "
        "it: in the parent\u2019s memory until execve. It depends on which frames are free.",
    ),
    Suite(
        "around",
        "headline paths under other conditions",
        unit="worst path",
        asks="How bad can it get?",
        key="z",
        budgeted=True,
        worst=True,
        note="Rows of around: the least and the most that a path has cost, each condition alone, "
        "and what the most was under; plain is the same path under none. together has the worst "
        "condition of each kind at once, pairs two that a seed has drawn. Of each condition the "
        "median of 20 samples counts. A message of more than 64 bytes counts without its copying, "
        "of more than a page for each page; a page of zeros without clearing it.",
    ),
    Suite(
        "starve",
        "stacks taken away in ring 0",
        unit="recovery",
        asks="Does the kernel survive?",
        key="r",
        budgeted=True,
        note="A push that needs a page of the stack, above the same push when the page is there. "
        "In a trusted program that is stack starvation and the recovery from it, at CPL 3 an "
        "ordinary page fault.",
    ),
    Suite(
        "ladder",
        "an empty read with fewer and fewer layers",
        unit="read",
        asks="What does each layer cost?",
        key="l",
        disk=True,
        budgeted=True,
    ),
    Suite(
        "files",
        "an empty read of every kind of file",
        unit="read",
        asks="What does each layer cost?",
        key="d",
        disk=True,
        budgeted=True,
    ),
    Suite(
        "kinds",
        "reads and writes of the other kinds of file",
        key="j",
        bench=False,
        note="Linux runs this program, too (make linux).",
    ),
    Suite(
        "copy",
        "reads of up to 64 KiB",
        unit="byte",
        asks="How many bytes is a crossing worth?",
        key="o",
    ),
    Suite(
        "html",
        "a page stripped to its text, in and outside the kernel",
        unit="page",
        asks="Does work get cheaper in the kernel?",
        key="m",
        budgeted=True,
    ),
    Suite(
        "web",
        "a web server in each ring",
        unit="request",
        asks="Does a server gain from ring 0?",
        budgeted=True,
        note="From the client\u2019s write of a request to the last byte of the answer, over a "
        "stream socket. A row is client, server, bytes of the file; new is with a connection of "
        "its own. The servers: user, compat and trusted make system calls; call is a trusted "
        "program whose system calls have become calls; function calls the kernel\u2019s own "
        "functions by name with the address limit lifted; file calls those below them, and sends a "
        "file\u2019s bytes from where they lie.",
    ),
    Suite(
        "share",
        "a busy program beside another",
        unit="percent; a kill",
        asks="Can a program in ring 0 hog the processor or ignore ^C?",
        key="h",
        minutes=True,
        note="turn is how long a program had the processor before another got it, away how long "
        "the others had it; death is from kill(SIGINT) to the end of wait4(), key the same from "
        "a C typed beside Ctrl.",
    ),
    Suite(
        "latency",
        "time with interrupts off",
        unit="longest stretch",
        asks="How late can an interrupt be?",
        key="y",
        worst=True,
        minutes=True,
        note="How long interrupts were off: the longest stretch of each call, of faults, "
        "exceptions and interrupts, of the ends of threads and of the kernel\u2019s own loop, over "
        "work in sizes that are doubled until the longest stretch grows no more, the attacks and "
        "torture. None may be longer than 50,000 instructions, but for quiet, where a program has "
        "asked for no interrupts; what an entry and its way out do themselves is not in it.",
    ),
    Suite(
        "vsyscall",
        "the time by function and by system call",
        unit="call",
        asks="What does avoiding the kernel save?",
        key="v",
        budgeted=True,
        note="The time by a function of the image, from the instruction that calls it to the one "
        "behind it; by its twin that returns -EFAULT; and by system call through every gate, as "
        "the toll\u2019s standard rows. retry counts the instructions of a gettimeofday that meets "
        "half an update so often. bad is a pointer that leads nowhere: SIGSEGV to a handler and "
        "back, -EFAULT by a fix-up, -EFAULT. rdtsc is the stamp alone, without and with LFENCE; "
        "writer is what the timer\u2019s interrupt does about the time.",
    ),
    Suite(
        "wisconsin",
        "a database in both rings",
        unit="benchmark run",
        asks="Does a real program gain from ring 0?",
        apart=True,
        note="sql-bench\u2019s test-wisconsin on Debian\u2019s SQLite, whose program is one of "
        "Linux\u2019s: with the default cache, with one of ten pages, and with ten pages of 512 "
        "bytes; and as a client and a server. Each system call is timed. The suites toll, faults "
        "and files run before it: by their rows its difference between the rings is explained.",
    ),
)

NAMES = tuple(suite.name for suite in TABLE if suite.bench)
BUDGETED = tuple(suite.name for suite in TABLE if suite.budgeted)


def find(name: str) -> Suite | None:
    """A suite by its name; None for a program that is not in the table."""
    return next((suite for suite in TABLE if suite.name == name), None)
