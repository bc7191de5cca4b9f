"""Run inside gdb by test_waits.py: an NMI or #DB (`$way`) at the HLT of each function in `$waits`.

Prints `marked ADDRESS` for each wait that the kernel has marked, and `FUNCTION goes on at ...`.
"""

import gdb

VECTOR = {"debug": 1, "nmi": 2}
WIDE = ("rip", "rsp", "eflags", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
NARROW = ("eip", "esp", "eflags", "eax", "ecx", "edx")


def quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


def run_to(*places: str) -> int:
    """Hardware breakpoints: gdb confuses the byte after a software breakpoint with one."""
    stops = [gdb.Breakpoint(p, gdb.BP_HARDWARE_BREAKPOINT, internal=True) for p in places]
    for stop in stops:
        stop.silent = True
    quiet("continue")
    for stop in stops:
        stop.delete()
    return int(gdb.parse_and_eval("$pc"))


def function(address: int) -> str:
    return quiet(f"info symbol {address:#x}").split()[0].split(".")[0]


def where(halt: int, at: int) -> None:
    print(f"{function(halt)} goes on at {'HLT' if at == halt else 'the instruction behind'}")


def place_nmi(halt: int, behind: int) -> None:
    """Stopped at HLT."""
    quiet("monitor nmi")
    run_to(f"trap_dispatch if vector == {VECTOR['nmi']}")
    where(halt, run_to(f"*{halt:#x}", f"*{behind:#x}"))


def set_breakpoint(at: int) -> None:
    """Make the guest call breakpoint_set(at), before the instruction that it has stopped at."""
    wide = "x86-64" in gdb.selected_inferior().architecture().name()
    names = WIDE if wide else NARROW
    kept = {name: int(gdb.parse_and_eval(f"${name}")) for name in names}
    word, here = (8, kept["rip"]) if wide else (4, kept["eip"])
    stack = (int(gdb.parse_and_eval("$sp")) - 256) & -16  # below a red zone
    for index, value in enumerate((here, at)):
        quiet(f"set {{void *}} {stack + index * word:#x} = (void *) {value:#x}")
    quiet(f"set ${'rdi' if wide else 'ecx'} = {at:#x}")
    quiet(f"set $sp = {stack:#x}")
    quiet(f"set ${names[0]} = &breakpoint_set")
    run_to(f"*{here:#x}")
    for name, value in kept.items():
        quiet(f"set ${name} = {value:#x}")


def place_debug(halt: int, behind: int) -> None:
    """Stopped at STI: the next instruction is HLT."""
    set_breakpoint(halt)
    run_to(f"trap_dispatch if vector == {VECTOR['debug']}")
    assert int(gdb.parse_and_eval("frame->ip")) == halt
    where(halt, run_to(f"*{halt:#x}", f"*{behind:#x}"))


run_to("kernel_main")
mark = gdb.parse_and_eval("(struct fixup *) &waits")
end = gdb.parse_and_eval("(struct fixup *) &waits_end")
marks = {}
while mark < end:
    marks[int(mark["at"])] = int(mark["to"])
    print(f"marked {int(mark['at']):#x}")
    mark += 1

waits = gdb.convenience_variable("waits").string().split()
way = gdb.convenience_variable("way").string()
left = {at - (way == "debug"): at for at in marks if function(at) in waits}  # STI is one byte
while left:
    halt = left.pop(run_to(*(f"*{at:#x}" for at in left)))
    if way == "nmi":
        place_nmi(halt, marks[halt])
    else:
        place_debug(halt, marks[halt])
quiet("detach")
