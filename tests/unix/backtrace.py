"""Run inside gdb by test_vsyscall.py: unwinds to main from each instruction of the image.

`$functions` are the image's, as NAME:ADDRESS:SIZE. The program calls them all from main, then from
a signal handler (user/checks/image.c); `$deep`: gdb checks only there; `$turn`: which of the
programs of that name, from 1 on (the last is the trusted one). Prints a line, `way back: N
instructions, N through a signal frame; lost: [...]; not reached: [...]`.
"""

import gdb

FRAMES = 20


def quiet(command: str) -> str:
    return str(gdb.execute(command, to_string=True))


class Place(gdb.Breakpoint):  # type: ignore[misc]
    """An instruction that has not been reached yet.

    A hardware breakpoint, because gdb handles software breakpoints on adjacent bytes wrongly.
    """

    def __init__(self, address: int) -> None:
        super().__init__(f"*{address:#x}", gdb.BP_HARDWARE_BREAKPOINT, internal=True)
        self.silent = True


def chain() -> list[gdb.Frame]:
    found: list[gdb.Frame] = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < FRAMES:
        found.append(frame)
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


def is_padding(text: str) -> bool:
    """An assembler's padding between functions; newer ones use the LEA with a CS prefix."""
    nothing = ("nop", "xchg   ax,ax", "cs nop", "data16", "lea    esi,[esi+", "lea    esi,cs:[esi+")
    return text.startswith(nothing)


def instructions() -> dict[int, str]:
    """The start of each function."""
    architecture = gdb.selected_inferior().architecture()
    found: dict[int, str] = {}
    for item in gdb.convenience_variable("functions").string().split():
        _, start, size = item.split(":")
        end = int(start) + int(size) - 1
        for one in architecture.disassemble(int(start), end):
            found[one["addr"]] = one["asm"]
    return {at: text for at, text in found.items() if not is_padding(text)}


def program_counter() -> int:
    return int(gdb.parse_and_eval("$pc")) & 0xFFFFFFFFFFFFFFFF


def run_to(place: str) -> None:
    stop = gdb.Breakpoint(place, internal=True, temporary=True)
    stop.silent = True
    quiet("continue")


def walk(places: dict[int, Place], end: Place, lost: list[str]) -> int:
    """Run to the end, stopping at each place; return how many were below a signal frame."""
    through = 0
    while True:
        quiet("continue")
        at = program_counter()
        if at == int(end.location[1:], 16):
            return through
        places.pop(at).delete()
        frames = chain()
        names = [frame.name() or hex(frame.pc()) for frame in frames]
        if "main" not in names:
            lost.append(f"{at:#x} {names}")
        through += any(frame.type() == gdb.SIGTRAMP_FRAME for frame in frames)


run_to("*&main")  # from here on the image is mapped
for _ in range(1, int(gdb.convenience_variable("turn"))):
    run_to("*&call_all")  # main stops twice: before its page is mapped, and again
    run_to("*&main")
wanted = instructions()
missed: set[int] = set(wanted)
lost: list[str] = []
through = looked = 0
end = Place(int(gdb.parse_and_eval("(unsigned long)&check_status")))
passes = ("*&in_handler",) if gdb.convenience_variable("deep") else ("*&call_all", "*&in_handler")
for begin in passes:
    run_to(begin)
    places = {address: Place(address) for address in wanted}
    if begin != passes[-1]:
        end.enabled = False
        turn = Place(int(gdb.parse_and_eval("(unsigned long)&by_function")))
        through += walk(places, turn, lost)
        turn.delete()
        end.enabled = True
    else:
        through += walk(places, end, lost)
    looked += len(wanted) - len(places)
    missed &= set(places)
    for place in places.values():
        place.delete()
shown = [f"{at:#x} {wanted[at]}" for at in sorted(missed)]
print(
    f"way back: {looked} instructions, {through} through a signal frame; "
    f"lost: {lost}; not reached: {shown}"
)
quiet("kill")
