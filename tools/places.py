"""The words of the kernel that a move of its entries changes (unix/program/align.c), as nasm.

places.py OLD NEW: one kernel linked twice, NEW with its entries 64 bytes later. Their bytes are in
.flat. A word that differs is a place: twice its distance from the first entry, and 1 more if it is
a distance from an entry, which a move makes smaller. The tables that the boot sorts are left out.
"""

import subprocess
import sys
from pathlib import Path

LINE = 64
LOADER = 4096
"""Bytes of an image before the first entry."""

old, new = (Path(f"{name}.flat").read_bytes()[LOADER:] for name in sys.argv[1:])
named = subprocess.run(["nm", sys.argv[1]], check=True, capture_output=True, text=True).stdout
at = {name: int(value, 16) for value, _, name in map(str.split, named.splitlines())}
at = {name: value - at["entry_start"] for name, value in at.items()}
end, own = at["entry_end"], range(at["fault_fixups"], at["program_states_end"])
new = new[LINE : end + LINE] + old[end : end + LINE] + new[end + LINE :]

print("section .symbols alloc noexec nowrite\nglobal entry_places, entry_places_end\nentry_places:")
place = 0
while place < len(old):
    differs = old[place] != new[place] and place not in own
    if differs:
        assert place < at["rodata_end"], "a word of .data has an entry's address: no move finds it"
        print(f"dd {2 * place + ((new[place] - old[place]) % 256 != LINE)}")
    place += 4 if differs else 1
print("entry_places_end:")
