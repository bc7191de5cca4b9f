"""The tables of rows (kernel/core/entry/entry.def and exception.def) in the running kernel."""

from __future__ import annotations

from collections.abc import Iterator

import gdb
from vocabulary import machine
from vocabulary.machine import Word

COPIES = ("clean", "probed")


def all_rows() -> list[gdb.Value]:
    """Every `struct row`."""
    table = gdb.parse_and_eval("'select.c'::rows")
    return [table[i] for i in range(table.type.range()[1] + 1)]


def row_id(row: gdb.Value) -> str:
    """`origin/mechanism/variant`."""
    return str(row["id"].string())


def _armed() -> dict[str, str]:
    """The id of each row that the current program has armed, and its flavour."""
    armed = {}
    thread = gdb.parse_and_eval("cpu_current").dereference()
    origin = thread["origin"]
    for row in all_rows():
        chosen = thread["armed"][int(row["mechanism"])]
        if int(chosen["row"]) == int(row.address):
            armed[row_id(row)] = str(chosen["flavour"]).removeprefix("FLAVOUR_")
        elif (
            not int(chosen["row"]) and row["origin"] == origin and row_id(row).endswith("/standard")
        ):
            armed[row_id(row)] = "default"
    return armed


def table(text: str = "") -> Iterator[str]:
    """table [TEXT]: the rows whose id contains TEXT, and which the current program has armed.

    A program arms one row for each mechanism (toll_select); `default` is the standard row. The
    processor may lack the mechanism.
    """
    armed = _armed() if machine.evaluate("cpu_current") else {}
    for row in all_rows():
        name = row_id(row)
        if text in name:
            state = f"armed: {armed[name]}" if name in armed else ""
            yield f"  {row['label'].string():6} {name:28} {state}".rstrip()


def points(identity: str, copy: str = "clean") -> Iterator[str]:
    """points ID [clean|probed]: the measurement points of a row, such as user/int/standard.

    Each is a label in the row's user half (call) or kernel half (entry); the distance is in bytes.
    MP4 and MP5 are in the service routine, which the standard rows reach through a table.
    """
    if copy not in COPIES:
        raise gdb.GdbError("A copy is clean or probed.")
    row = next((row for row in all_rows() if row_id(row) == identity), None)
    if row is None:
        raise gdb.GdbError(f"There is no row {identity}; `table` lists them.")
    stem, number = f"{copy}_{identity.replace('/', '_')}", COPIES.index(copy)
    halves = [
        _name(int(row["call"][number]), f"{stem}_call"),
        _name(int(row["entry"][number]), f"{stem}_entry"),
        *([f"{copy}_user_getpid"] if row["suite"].string() == "toll" else []),
    ]
    for half in halves:
        start = machine.symbol(half)
        yield f"{half}  {start:#x}"
        for address, label in labels(half):
            yield f"  {label:4} + {address - start}"


def _name(address: int, preferred: str) -> str:
    """The symbol at an address; rows that share a half have several names for it, or none."""
    names = [name for at, name in machine.kernel_symbols() if at == address and "." not in name]
    return preferred if preferred in names else names[0]


def labels(symbol: str) -> list[tuple[int, str]]:
    """The local labels of an assembly symbol, in order: [(address, "MP2"), ...].

    If rows share a user half, the labels are under the last of its names.
    """
    symbols = list(machine.kernel_symbols())
    start = machine.symbol(symbol)
    names = {name for address, name in symbols if address == start}
    split = ((address, name.partition(".")) for address, name in symbols)
    return sorted(
        (address, label) for address, (name, dot, label) in split if dot and name in names
    )


def point(symbol: str, label: str) -> int:
    """The address of a half's measurement point, such as MP8."""
    return next(address for address, name in labels(symbol) if name == label)


WORDS = [Word(table, alone=True), Word(points, alone=True)]
