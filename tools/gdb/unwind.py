"""Steps through every row once, inside gdb, and unwinds at each instruction (machines/debug.py).

Prints a line a row, `ID: N instructions` or `ID: no way back to PROGRAM at SYMBOL...`.  A row may
also be `vector/N`, or `site/FUNCTION`, a function that begins with a rewritten system call.
"""

import gdb

PROGRAM = "gate_batch"  # the program's function that calls the user half
LIMIT = 400
PAGE_FAULT = 14
PAGE_SIZE = 4096
PROGRAM_TOP = 0xC0000000  # every program is below it


def quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


def number(expression: str) -> int:
    return int(gdb.parse_and_eval(expression)) & 0xFFFFFFFFFFFFFFFF


def functions(below: int = 1 << 64) -> list[str]:
    """The names of the frames, innermost first, without the macros that the innermost is in. gdb's
    own limit ends a corrupt chain.

    `below`: without the kernel's frames above it.
    """
    names: list[str] = []
    frame = gdb.newest_frame()
    while frame is not None and len(names) < 12:
        if frame.pc() < below and frame.type() != gdb.INLINE_FRAME:
            names.append(frame.name() or hex(frame.pc()))
        try:
            frame = frame.older()
        except gdb.error:
            break
    return names


def run_to(symbol: str) -> None:
    stop = gdb.Breakpoint(f"*{symbol}", internal=True, temporary=True)
    stop.silent = True
    quiet("continue")


def leads(names: list[str], caller: str) -> bool:
    """Whether they lead to the caller through known functions: gdb guesses unknown ones."""
    found = [name.startswith(caller) for name in names]
    return True in found and not any(name[:2] == "0x" for name in names[: found.index(True)])


def forget_last_entry() -> None:
    """While the program's stack is in use, the kernel's stack is empty: an interrupt overwrites the
    data of the last entry. So the unwinding must not use this data."""
    if number("$sp") < PROGRAM_TOP:
        word = gdb.lookup_type("long").sizeof
        top = number("*(unsigned long *)&cpu_stack")
        gdb.selected_inferior().write_memory(top - 4 * word, bytes(4 * word))
        gdb.invalidate_cached_frames()


def step_through(row: str, half: str, entry: str) -> None:
    """Rows may share a user half: the armed one has been in its own kernel half.

    In a 32-bit program of the 64-bit kernel gdb unwinds only to the user half, which has no call
    frame information: the kernel's caller must be that half.
    """
    compat = row.startswith("compat/")
    caller = f"clean_{'_'.join(row.split('/')[:2])}_" if compat else PROGRAM
    run_to(entry)
    run_to(half)
    program_sp = number("$sp")
    lost = []
    count = 0
    while count < LIMIT and gdb.newest_frame().pc() >= PROGRAM_TOP:
        forget_last_entry()
        names = functions(1 << 32)[:1] if compat else functions()
        if not leads(names, caller):
            lost.append(f"{gdb.newest_frame().pc():#x} {names}")
        quiet("stepi")
        count += 1
    back = number("$sp") - program_sp
    if lost or count == LIMIT:
        print(f"{row}: no way back to {caller} at {len(lost)} of {count}: {lost[:3]}")
    else:
        print(f"{row}: {count} instructions, stack pointer moved {back}")


def site(function: str) -> None:
    """Unwinds from each instruction of the call that replaced a site, to the function's caller.

    A thread of a 64-bit program starts without a caller: the unwinding may end there.
    """
    run_to(function)
    way = functions()
    lost = []
    count = 0
    quiet("stepi")
    while count < LIMIT and gdb.newest_frame().pc() >= PROGRAM_TOP:
        forget_last_entry()
        names = functions()
        if names[-len(way) :] != way or not leads(names, function):
            lost.append(f"{gdb.newest_frame().pc():#x} {names}")
        quiet("stepi")
        count += 1
    verdict = f"no way back to {way} at {len(lost)} of {count}: {lost[:3]}"
    print(f"site/{function}: {verdict if lost or len(way) < 2 else f'{count} instructions'}")


def program_counters() -> list[int]:
    """The program's frames, below the user halves and the kernel."""
    found: list[int] = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < 12:
        found.append(int(frame.pc()))
        try:
            frame = frame.older()
        except gdb.error:
            break
    return [pc for pc in found if 0 < pc < PROGRAM_TOP]


def in_assembly() -> bool:
    """Whether the stub runs, and not the C function that it calls, which promises less."""
    table = gdb.newest_frame().find_sal().symtab
    return table is not None and table.filename.endswith((".asm", ".inc"))


def exception(vector: int) -> None:
    """Unwinds from each instruction of the vector's stub into the program that faulted."""
    stop = gdb.Breakpoint(f"*vector_{vector}", internal=True)
    stop.silent = True
    quiet("continue")
    while vector == PAGE_FAULT and number("$cr2") >= PAGE_SIZE:  # pages come first
        quiet("continue")
    stop.delete()
    culprits = program_counters()
    lost = 0 if len(culprits) >= 2 else LIMIT
    count = 0
    while count < LIMIT and functions()[0] != "trap_dispatch":
        lost += in_assembly() and program_counters() != culprits
        quiet("stepi")
        count += 1
    verdict = f"no way back at {lost} of {count}" if lost else f"{count} instructions"
    print(f"vector/{vector}: {verdict}")


def halves() -> dict[str, tuple[str, str]]:
    """The user half and the kernel half of each id, clean, from the kernel's table."""
    table = gdb.parse_and_eval("'select.c'::rows")
    rows = [table[i] for i in range(table.type.range()[1] + 1)]
    return {r["id"].string(): (hex(int(r["call"][0])), hex(int(r["entry"][0]))) for r in rows}


known: dict[str, tuple[str, str]] = {}
for name in gdb.convenience_variable("rows").string().split():
    if name.startswith("vector/"):
        exception(int(name.split("/")[1]))
        continue
    if name.startswith("site/"):
        site(name.split("/")[1])
        continue
    if not known:
        run_to("ways_load")  # the kernel is at its link address
        known = halves()
    step_through(name, *known[name])
quiet("kill")
