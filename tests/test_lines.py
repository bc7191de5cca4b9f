"""Plain gdb, with nothing of ours, knows the line of every instruction of every entry half: where
it stands, and, of one that a macro has made, the macro's line and the line that uses it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tollgate.machines.boot import BUILD, ROOT, SYMBOLS, Boot
from tollgate.machines.child import run
from tollgate.machines.debug import session

LIMIT = 60.0
HALVES = """
import gdb, json
halves = {}
for name, at in PLACES.items():
    block = gdb.block_for_pc(at)
    while block.function is None or block.is_static or block.function.name != name:
        if block.is_static or block.is_global:
            break
        block = block.superblock
    lines = []
    for pc in range(at, block.end if block.function else at + 1):
        sal = gdb.find_pc_line(pc)
        lines.append([pc - at, sal.symtab.filename if sal.symtab else "", sal.line])
    halves[name] = lines
print("HALVES " + json.dumps(halves))
"""
STEPS = """
import gdb, json
seen = []
gdb.execute(f"tbreak *&{NAME}", to_string=True)
gdb.execute("continue", to_string=True)
while int(gdb.parse_and_eval("$cs")) & 3 != 3 and len(seen) < 99:
    frame = gdb.newest_frame()
    outer = frame.older() if frame.type() == gdb.INLINE_FRAME else frame
    sals = [each.find_sal() for each in (frame, outer)]
    macro = frame.name() if outer is not frame else ""
    if frame.type() == gdb.SIGTRAMP_FRAME:  # shown as `<signal handler called>`, with no line
        macro = "nameless"
    seen.append([macro, *([sal.symtab and sal.symtab.filename, sal.line] for sal in sals)])
    gdb.execute("stepi", to_string=True)
print("STEPS " + json.dumps(seen))
"""


def plain_gdb(arch: str, script: str, folder: Path, *before: str) -> str:
    """What a gdb says that reads no file of anybody's, but this script."""
    file = folder / "script.py"
    file.write_text(script)
    commands = [word for text in (*before, f"source {file}") for word in ("-ex", text)]
    command = ["gdb", "-nx", "-q", "-batch", *commands, str(BUILD / SYMBOLS[arch])]
    return run(command, LIMIT, cwd=ROOT, merge=True).stdout


def places(arch: str, copies: str) -> dict[str, int]:
    """The halves of every origin: each place by its first name."""
    said = subprocess.run(
        ["nm", "-n", BUILD / SYMBOLS[arch]], capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(rf"^(\w+) T ((?:{copies})_[a-z]+_\w+_(?:entry|call))$", said, re.M)
    by_place: dict[int, str] = {}
    for address, name in found:
        by_place.setdefault(int(address, 16), name)
    return {name: at for at, name in by_place.items()}


@pytest.mark.parametrize(
    ("arch", "copies"),
    [
        ("amd64", "clean"),
        pytest.param("amd64", "probed", marks=pytest.mark.long),
        pytest.param("i386", "clean|probed", marks=pytest.mark.long),
    ],
)
def test_every_instruction_of_every_half_has_a_line(arch: str, copies: str, tmp_path: Path) -> None:
    """The line is there, and it is one with an instruction or a macro's name, or what aligns."""
    halves = places(arch, copies)
    said = plain_gdb(arch, f"PLACES = {halves}\n{HALVES}", tmp_path)
    found = re.search(r"^HALVES (.*)$", said, re.M)
    assert found, said
    known = json.loads(found[1])
    assert known.keys() == halves.keys()
    assert len(known) > 100
    for name, lines in known.items():
        for offset, file, line in lines:
            assert line and (ROOT / file).is_file(), f"{name}+{offset}: {file}:{line}"
            text = (ROOT / file).read_text().splitlines()[line - 1]
            padding = re.match(r"(KERNEL|USER) ", text)
            assert padding or re.match(r"([.%\w]+:)?\s+\w", text), f"{name}+{offset}: {text}"
    long = [lines for lines in known.values() if len(lines) > 40]
    assert len(long) > 20


WALKS = [("i386", "int"), ("i386", "callgate"), ("i386", "sysenter")]
WALKS += [("amd64", "int"), ("amd64", "callgate"), ("amd64", "syscall")]


@pytest.mark.parametrize(
    ("arch", "mechanism"),
    [pytest.param(*walk, marks=[pytest.mark.long] * (walk[1] != "callgate")) for walk in WALKS],
)
def test_a_step_is_shown_in_the_macro_and_where_it_is_used(
    arch: str, mechanism: str, tmp_path: Path
) -> None:
    """On a running machine, by instructions: the frame above a macro is the half that uses it."""
    name = f"clean_user_{mechanism}_standard_entry"
    with session(Boot(arch, cpu="Skylake-Client", words=("suite=walk",))) as started:
        connect = f"target remote {started.socket}"
        said = plain_gdb(arch, f"NAME = {name!r}\n{STEPS}", tmp_path, connect)
    found = re.search(r"^STEPS (.*)$", said, re.M)
    assert found, said
    steps = json.loads(found[1])
    file = f"kernel/core/entry/{mechanism}.asm"
    own = [step for step in steps if step[2][0] == file]
    assert len(own) > 15
    assert not [step for step in steps if not step[1][0]], "an instruction without a line"
    text = (ROOT / file).read_text().splitlines()
    for macro, (inside, line), (_, using) in own:
        assert line and using
        assert macro != "nameless", steps
        if macro and macro != f"user_{mechanism}_standard_entry":
            assert re.search(rf"\b{macro}\b", text[using - 1])
            assert (inside, line) != (file, using)
    assert {"SAVE_FRAME", "DISPATCH"} <= {step[0] for step in own}
