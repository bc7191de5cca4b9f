"""Tollgate's vocabulary for gdb: source this once the machine is connected.

    gdb build/amd64/kernel.elf -ex 'target remote SOCKET' -x tools/gdb/tollgate.py

Preceded by `set $headless = 1` it omits output for people.
"""

import sys
from pathlib import Path

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parent))

import course
import screen
from vocabulary import (
    context,
    frames,
    machine,
    msrs,
    paging,
    rows,
    stacks,
    tables,
    watch,
    where,
    why,
)

for setting in ("pagination off", "confirm off", "disassembly-flavor intel", "step-mode on"):
    gdb.execute(f"set {setting}")

MODULES = (where, context, tables, msrs, stacks, paging, why, rows, course)
WORDS = [word for module in MODULES for word in module.WORDS]
for word in [*WORDS, *watch.WORDS]:
    word.register()
frames.register()
where.load_program("toll")

if not machine.headless():
    where.follow_programs()
    names = ", ".join(word.name for word in WORDS)
    print("\n".join(screen.fit(f"Tollgate, {machine.arch()}. Words: {names}.")))
    print("`help WORD` explains one; `lesson` lists the lessons.")
