"""Run inside gdb by test_waits.py: an NMI exactly at the HLT of each function in `$waits`.

Prints `marked ADDRESS` for each wait that the kernel has marked, and `FUNCTION goes on at ...`.
"""

import gdb

VECTOR_NMI = 2


def quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


def run_to(*places: str) -> int:
    """Hardware breakpoints: gdb takes one behind a software breakpoint's byte for that one."""
    stops = [gdb.Breakpoint(p, gdb.BP_HARDWARE_BREAKPOINT, internal=True) for p in places]
    for stop in stops:
        stop.silent = True
    quiet("continue")
    for stop in stops:
        stop.delete()
    return int(gdb.parse_and_eval("$pc"))


def function(address: int) -> str:
    return quiet(f"info symbol {address:#x}").split()[0].split(".")[0]


def place_nmi(halt: int, behind: int) -> None:
    quiet("monitor nmi")
    run_to(f"trap_dispatch if vector == {VECTOR_NMI}")
    awake = run_to(f"*{halt:#x}", f"*{behind:#x}") == behind
    print(f"{function(halt)} goes on at {'the instruction behind' if awake else 'HLT'}")


run_to("kernel_main")
mark = gdb.parse_and_eval("(struct fixup *) &waits")
end = gdb.parse_and_eval("(struct fixup *) &waits_end")
marks = {}
while mark < end:
    marks[int(mark["at"])] = int(mark["to"])
    print(f"marked {int(mark['at']):#x}")
    mark += 1

waits = gdb.convenience_variable("waits").string().split()
left = [at for at in marks if function(at) in waits]
while left:
    halt = run_to(*(f"*{at:#x}" for at in left))
    left.remove(halt)
    place_nmi(halt, marks[halt])
quiet("detach")
