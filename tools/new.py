"""`make new KIND=check NAME=mine`: the files of something new, with their headers.

What else a kind needs, and what says that it is missing, is the table of docs/adding.md.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding.md"

CHECK = """/* NAME.c - what it promises */
#include "linux.h"
#include "toll.h"

int main(int argc, char **argv)
{
        (void)argc;
        output_through(toll_call);
        check(true, "NAME", "of %s", argv[0]);
        return check_status();
}
"""
SUITE = """/* NAME.c - what it measures, from where to where: here a getpid and two RDTSCs */
#include "linux.h"
#include "noise.h"
#include "progress.h"
#include "result.h"

static int64_t ticks[SAMPLES_MAX];

int main(int argc, char **argv)
{
        (void)argc;
        char id[40];
        struct statistics s;
        unsigned n = option_number(argv, "samples", 1000);
        n = n && n <= SAMPLES_MAX ? n : SAMPLES_MAX;

        noise_init(argv);
        snprintf(id, sizeof id, "%s/NAME/getpid", program_origin(argv[0]));
        progress_begin(argv, "NAME", 1);
        progress_row(id);
        NOISE_TAKE(ticks, n, system_call(NUMBER_getpid));
        statistics_of(&s, ticks, n);
        print_result("NAME", id, "getpid", &s);
        return check_status();
}
"""
TEST = '''"""What user/checks/NAME.c promises."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_its_promises_hold(boot: Any, arch: str) -> None:
    result = boot(arch, "EPYC", "suite=NAME")
    assert [c for c in result.checks if not c["ok"]] == []
    assert result.outcome.value == "pass", result.reason
'''
ATTACK = """/* NAME.c - what is tried here, and which end it must have */
#include "attack.h"
"""
LESSON = '''"""NAME: what it shows, in a sentence."""

from vocabulary import machine

ABOUT = {"place": (1, 1), "title": "", "minutes": 10, "kernels": ("i386", "amd64")}


def walk(lesson):
    """Each step has a question, its answer, and a claim that is looked up in the machine."""
    machine.run_to(machine.symbol("clean_user_int_standard_call"))
'''
ENTRY = """; NAME.asm - the instruction, and by what it returns
;
; What the processor does, and what it does not do. (The manual's section)
;
;       rax     call number             rax     result
;       arguments as in abi.inc         all other registers and the flags are preserved

%include "asm.inc"
"""
MUTANT = """drops: what is gone
caught by: tests/test_NAME.py::test_that_must_fail

"""
FILES = {
    "mechanism": {"kernel/core/entry/NAME.asm": ENTRY},
    "suite": {"user/suites/NAME.c": SUITE},
    "lesson": {"tools/gdb/lessons/NAME.py": LESSON},
    "check": {"user/checks/NAME.c": CHECK, "tests/test_NAME.py": TEST},
    "attack": {"user/attack/NAME.c": ATTACK},
    "mutant": {"tests/mutants/NAME.patch": MUTANT},
}
"""What begins with a file of its own. The other kinds begin with a row."""


def table() -> dict[str, list[str]]:
    """What the page says of each kind: files, rows, and what tells that one is missing."""
    rows = re.findall(r"^\| (\w+) \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.M)
    return {kind: cells for kind, *cells in rows if kind != "kind"}


def main(kind: str = "", name: str = "") -> int:
    """Write what there is to write; the exit status."""
    known = table()
    if kind not in known or not re.fullmatch(r"[a-z][a-z0-9]*", name):
        print(f"make new KIND=... NAME=... (a word of small letters); the kinds: {' '.join(known)}")
        return 2
    places = {path.replace("NAME", name): text for path, text in FILES.get(kind, {}).items()}
    there = [path for path in places if (ROOT / path).exists()]
    if there:
        print(f"{there[0]} is there already")
        return 2
    for path, text in places.items():
        (ROOT / path).write_text(text.replace("NAME", name))
        print(f"new: {path}")
    files, rows, missing = (cell.replace("NAME", name) for cell in known[kind])
    print(f"files: {files}\nrows: {rows}\nif one is missing: {missing}\n(docs/adding.md)")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
