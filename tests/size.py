"""Lines of each room of the tree: tests/host/test_size.py holds them to tests/size.toml.

    .venv/bin/python -m tests.size      writes the table as the tree is

A change that makes a room larger changes its line, and says in its message what the lines buy.
"""

from __future__ import annotations

from pathlib import Path

from tollgate.boot import ROOT

TABLE = ROOT / "tests" / "size.toml"
STEP = 100
SOURCES = {
    *(".c", ".h", ".asm", ".inc", ".def", ".S", ".py", ".sh", ".awk", ".mk", ".ld"),
    *(".toml", ".md", ".cfg", ".patch", ".js", ".css", ".html"),
}
APART = ("kernel", "user", "tests", "tools")
"""Folders whose folders are rooms of their own."""
CORE_MOST, CORE_ROWS, OF_A_ROW = 12_000, 24, 25
"""Lines of the core, which alone enters and leaves ring 0, with so many rows of ways in: it can be
held in the head.  A row above that number may bring its two halves, so many lines."""
TREES = ("boot", "docs", "exercises", *APART)


def lines(folder: Path, deep: bool = True) -> int:
    """Of all sources below a folder, or in it alone."""
    files = folder.rglob("*") if deep else folder.glob("*")
    return sum(
        len(file.read_bytes().splitlines())
        for file in files
        if file.suffix in SOURCES and "__pycache__" not in file.parts and file != TABLE
    )


def core() -> int:
    """Lines of kernel/core and boot, every file but GRUB's menu; not rounded."""
    folders = (ROOT / "kernel" / "core", ROOT / "boot")
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return sum(len(file.read_bytes().splitlines()) for file in files if file.name != "grub.cfg")


def rows_more() -> int:
    """How many rows entry.def has above those that sizes were chosen with."""
    table = ROOT / "kernel" / "core" / "entry" / "entry.def"
    rows = sum(line.startswith("ROW(") for line in table.read_text().splitlines())
    return max(0, rows - CORE_ROWS)


def core_most() -> int:
    """How many lines the core may have, with the rows that entry.def has now."""
    return CORE_MOST + OF_A_ROW * rows_more()


def rooms() -> dict[str, int]:
    """Each room's lines, rounded up to whole hundreds."""
    found = {}
    for name in TREES:
        folder = ROOT / name
        found[name] = lines(folder, name not in APART)
        inner = [each for each in sorted(folder.iterdir()) if each.is_dir()]
        for each in inner if name in APART else ():
            found[f"{name}/{each.name}"] = lines(each)
    return {name: -(-count // STEP) * STEP for name, count in found.items() if count}


def text() -> str:
    """The table, as the tree is."""
    width = max(len(name) for name in rooms()) + 2
    head = "# Lines of each room, in whole hundreds, rounded up (tests/size.py).\n"
    quoted = {f'"{name}"': count for name, count in rooms().items()}
    return head + "".join(f"{name:{width}} = {count}\n" for name, count in quoted.items())


if __name__ == "__main__":
    TABLE.write_text(text())
