"""Run inside gdb by test_contract.py: an NMI before each instruction of each row's two halves.

Meanwhile contract.c's try_own() checks all of the program's state.

Prints a line a row, `ID: N NMIs`.
"""

import gdb

LIMIT = 400
NMI = 2
PROGRAM_TOP = 0xC0000000  # every program is below it; the user halves are above


def quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


def counter() -> int:
    return int(gdb.newest_frame().pc())


def run_to(place: str) -> None:
    """A hardware breakpoint: a software one may be on a byte that another one has changed."""
    stop = gdb.Breakpoint(place, gdb.BP_HARDWARE_BREAKPOINT, internal=True)
    stop.silent = True
    quiet("continue")
    stop.delete()


def interrupt() -> None:
    """gdb's own step would block the NMI, so the machine continues to the handler and back."""
    here = counter()
    quiet("monitor nmi")
    run_to(f"trap_dispatch if vector == {NMI}")
    run_to(f"*{here:#x}")


def interrupt_each(half: str, entry: str) -> int:
    """Interrupts the row's second call, after the first one: rows may share a user half."""
    run_to(f"*{entry}")
    run_to(f"*{half}")
    count = 0
    while count < LIMIT and counter() >= PROGRAM_TOP:
        interrupt()
        quiet("stepi")
        count += 1
    return count


run_to("ways_load")  # now the kernel is at its link address
table = gdb.parse_and_eval("'select.c'::rows")
rows = {table[i]["id"].string(): table[i] for i in range(table.type.range()[1] + 1)}
for name in gdb.convenience_variable("rows").string().split():
    halves = hex(int(rows[name]["call"][0])), hex(int(rows[name]["entry"][0]))
    print(f"{name}: {interrupt_each(*halves)} NMIs")
quiet("detach")
