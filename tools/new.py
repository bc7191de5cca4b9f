"""`python3 tools/new.py KIND NAME`: the files of something new, with their headers, and its rows.

What it writes builds, and measures, tries or asks next to nothing: the rest is yours. Which tests
say that a piece is missing is the table of docs/source.md.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tollgate.errors import TollgateError
from tollgate.teach.edits import Edits

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "source.md"
ENTRY = "kernel/core/entry"
LINUX = "kernel/unix/program/linux.def"

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

static void try_nothing(uintptr_t argument)
{
        (void)argument;
}

static unsigned count(void)
{
        return 1;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        (void)i;
        (void)name;
        *attack = (struct attack){"NAME/nothing", LIVES, try_nothing, 0};
}

const struct subject NAME_subject = {"NAME", count, at};
"""
LESSON = '''"""The lesson `NAME`: what it shows, in a sentence."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (LAST_PART, PLACE),
    "title": "what it shows",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}


def walk(lesson: Lesson) -> None:
    """Each step has a question, its answer, and claims that are looked up in the machine."""
    for number in range(1, 5):
        lesson.step(
            f"Step {number}",
            'SDM 3A, "Privilege Levels"',
            "What happens here, and why.",
            "what are the low two bits of CS?",
            hint="What a student can look at to find out.",
        )
        if number == 1:
            lesson.run_to("clean_user_int_standard_call")
        else:
            lesson.stepi()
        lesson.answer(machine.register("cs") & 3, "why it is so.")
        lesson.check("CPL", machine.register("cs") & 3, 3 if number == 1 else 0)
    lesson.end("What it comes to.", "try a change, and say what it shows.")
'''
HALVES = """; NAME.asm - the instruction, and by what it returns
;
; What the processor does, and what it does not do. (The manual's section)
;
;       rax     call number             rax     result
;       arguments as in abi.inc         all other registers and the flags are preserved

%include "asm.inc"

KERNEL NAME_service_entry, INT_GATE
        INT_STACK
        PROBE   MP2
        PROBE   MP3
        CALL_SERVICE INT_SERVICE
        PROBE   MP6
        PROBE   MP7
        iretx

KERNEL NAME_bare_entry, INT_GATE
        INT_STACK
        PROBES_ALL
        iretx

USER NAME_service_call
        PROBE   MP1
        int     VECTOR_NAME_service
        PROBE   MP8
        ret

USER NAME_bare_call
        PROBE   MP1
        int     VECTOR_NAME_bare
        PROBE   MP8
        ret
"""
RAISES = """
; in place of INT n: the instruction that causes it
USER NAME_call
        PROBE   MP1
        int     VECTOR_UPPER
        PROBE   MP8
        ret
"""
FILE = """/* NAME.c - /dev/NAME: what a read of it gives. */
#include "file/file.h"

static long read(struct file *file, uintptr_t to, size_t size)
{
        (void)file, (void)to, (void)size;
        return 0;
}

const struct file_kind NAME_kind = {"NAME", .read = read};
"""
CALL = """/* SHORT.c - what the call SHORT does, and which errors it has. */
#include "calls.h"

long sys_NAME(AFTER_0)
{
        return 0;
}
"""
TEXT = """# What the student does

Say what there is, and what is wanted: the number is {number}, no other student's. Say
what is typed, and what is seen then:

```
$ make show ROW=user/int/nowork
MP8
```

Write the number into `exercises/NAME/answer.txt`.

`make grade X=NAME` says what holds.
"""
START = r'''"""What a seed decides, and what the student begins with."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Dice, Own


def own(dice: Dice) -> Own:
    return {"number": dice.mark()}


def start(edits: Edits, own: Own) -> None:
    edits.put("exercises/NAME/answer.txt", "The number, such as 51:\nnumber:\n")
'''
GRADE = r'''"""What the student has to show."""

from tollgate.teach.claims import Marks

ABOUT = {
    "place": PLACE,
    "title": "what the student does",
    "minutes": 10,
    "points": 2,
    "arch": "amd64",
    "writes": ("exercises/NAME/answer.txt",),
    "lessons": ("int",),
}


def grade(marks: Marks) -> None:
    marks.build(0)
    marks.answer(2, "number", marks.own["number"], r"\d+", "a number, such as 51")
'''
SOLUTION = r'''"""The model solution."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own


def solve(edits: Edits, own: Own) -> None:
    answers = "exercises/NAME/answer.txt"
    edits.replace(answers, "\nnumber:\n", f"\nnumber: {own['number']}\n")
'''
FILES = {
    "mechanism": {f"{ENTRY}/NAME.asm": HALVES},
    "file": {"kernel/unix/file/NAME.c": FILE},
    "suite": {"user/suites/NAME.c": SUITE},
    "lesson": {"tools/gdb/lessons/NAME.py": LESSON},
    "check": {"user/checks/NAME.c": CHECK, "tests/test_NAME.py": TEST},
    "attack": {"user/attack/NAME.c": ATTACK},
    "exercise": {
        "exercises/NAME/README.md": TEXT,
        "exercises/NAME/start.py": START,
        "exercises/NAME/grade.py": GRADE,
        "tests/exercises/NAME.py": SOLUTION,
    },
    "call": {"kernel/unix/process/SHORT.c": CALL},
}
"""The kinds that begin with a file of their own."""
LESSON_ROW = r"\| `\w+` \| \w+ \| \d+ \| "
EXERCISE_ROW = r"\| \[`\w+`\]\("
ROWS = {
    "mechanism": (
        (
            f"{ENTRY}/mechanism.def",
            r"MECHANISM\(int,",
            'MECHANISM(NAME, user, arm_int, "SDM 2A, INT n")\n',
        ),
        (
            f"{ENTRY}/entry.def",
            r"ROW\(int,",
            '\nROW(NAME, service, "intFREE", VECTOR(0xFREE))\n'
            'ROW(NAME, bare, "intNEXT", VECTOR(0xNEXT))\n',
        ),
    ),
    "exception": (
        (
            f"{ENTRY}/exception.def",
            r"EXCEPTION\(exception,",
            'EXCEPTION(exception, NAME, VECTOR_UPPER, "#UPPER", "SDM 3A, Interrupt Reference")\n',
        ),
        (f"{ENTRY}/exception.asm", r"%define FIX_UP_", "%define FIX_UP_NAME(ip, flags)\n"),
        (f"{ENTRY}/exception.asm", r"HALVES ", "HALVES NAME, VECTOR_UPPER\n"),
        (f"{ENTRY}/exception.asm", r"        ret$", RAISES),
    ),
    "file": (
        (
            "kernel/unix/file/file.h",
            r"        pipe_both_kind;",
            "extern const struct file_kind NAME_kind;\n",
        ),
        (
            "kernel/unix/fs/dev.c",
            r'        \{"\w+", S_IFCHR',
            '        {"NAME", S_IFCHR | 0666, DEVICE(240, MINOR), NODE(NAME_kind, NULL)},\n',
        ),
        (
            "user/suites/reads/empty.c",
            r'        \{"zero",',
            '        {"NAME", "/dev/NAME", NULL, NULL},\n',
        ),
    ),
    "suite": (
        (
            "tools/tollgate/suites.py",
            r"    (?:Suite\(.*)?\),$",
            '    Suite("NAME", "what it measures", unit="sample", asks="What is asked?"),\n',
        ),
    ),
    "lesson": (("docs/lessons.md", LESSON_ROW, "| `NAME` | both | 10 | what it shows |\n"),),
    "attack": (("user/attack/attack.h", r"        SUBJECT\(\w+\) +\\", "        SUBJECT(NAME)"),),
    "exercise": (
        (
            "docs/lessons.md",
            EXERCISE_ROW,
            "| [`NAME`](../exercises/NAME/README.md) | 10 | 2 | `int` | what the student does |\n",
        ),
    ),
    "call": (("kernel/unix/sys.def", r"CALL\(reboot,", "CALL(NAME, FIRST, SECOND)\n"),),
}
"""The file of a row, what its last neighbour begins with, and the row."""


def table() -> dict[str, list[str]]:
    """The page's words about each kind: files, rows, and what tells that one is missing."""
    rows = re.findall(r"^\| (\w+) \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.M)
    return {kind: cells for kind, *cells in rows if kind != "kind"}


def free_vectors(entries: str) -> list[str]:
    """The vectors that no row's INT has, in hexadecimal digits."""
    taken = {int(word, 16) for word in re.findall(r"VECTOR\(0x(\w+)\)", entries)}
    return [f"{vector:x}" for vector in range(0xB0, 0xFF) if vector not in taken]


def number(name: str, edits: Edits) -> dict[str, str]:
    """Of a call: Linux's numbers if Linux has it; else it is toll_NAME, and has a free one."""
    linux = re.search(rf"^LINUX(32|64|)\({name}, (.+)\)$", edits.text(LINUX), re.M)
    if linux:
        return {"CALL(NAME": f"CALL{linux[1]}({name}", "FIRST, SECOND": linux[2], "NAME": name}
    tables = edits.text("kernel/unix/sys.def") + edits.text("kernel/toll/toll.def")
    taken = {int(each) for each in re.findall(r"\d+", tables)}
    free = str(max(set(range(512)) - taken))
    return {"FIRST": free, "SECOND": free, "NAME": f"toll_{name}"}


def last(pattern: str, files: str) -> list[int]:
    """The greatest place that one of these files names."""
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob(files)]
    found = [re.findall(r"\d+", place) for text in texts for place in re.findall(pattern, text)]
    return max([int(part) for part in place] for place in found)


def words(kind: str, name: str, edits: Edits) -> dict[str, str]:
    """The words in capitals, and what replaces each."""
    made = {"SHORT": name, "UPPER": name.upper()}
    if kind == "mechanism":
        made["FREE"], made["NEXT"] = free_vectors(edits.text(f"{ENTRY}/entry.def"))[:2]
    if kind == "file":
        minors = re.findall(r"DEVICE\(240, (\d+)\)", edits.text("kernel/unix/fs/dev.c"))
        made["MINOR"] = str(1 + max(map(int, minors)))
    if kind == "lesson":
        part, place = last(r'"place": \(\d+, \d+\)', "tools/gdb/lessons/*.py")
        made |= {"LAST_PART": str(part), "PLACE": str(place + 1)}
    if kind == "exercise":
        made["PLACE"] = str(last(r'"place": \d+', "exercises/*/grade.py")[0] + 1)
    return made | (number(name, edits) if kind == "call" else {"NAME": name})


def filled(text: str, made: dict[str, str]) -> str:
    """A template; a row without an end of its line goes on in the next, as a macro of C does."""
    for word, meant in made.items():
        text = re.sub(rf"(?<!ATTACK_){re.escape(word)}", meant, text)
    return text if text.endswith("\n") else f"{text:99}\\\n"


def behind(edits: Edits, path: str, neighbour: str, row: str) -> None:
    """A row behind the last line that begins so."""
    lines = edits.text(path).splitlines(keepends=True)
    places = [at for at, line in enumerate(lines) if re.match(neighbour, line)]
    if not places:
        raise TollgateError(f"{path} has no line like {neighbour}")
    lines.insert(places[-1] + 1, row)
    edits.put(path, "".join(lines))


def halves(text: str, way: str, short: str) -> str:
    """Those of a mechanism's `service`, for a variant."""
    found = ""
    for word, end in (("KERNEL", "entry"), ("USER", "call")):
        label = rf"\b{way}_service_{end}\b"
        half = re.search(rf"^{word} .*{label}(.*)\n((?:.+\n)*)", text, re.M)
        how = half[1] if half and word == "KERNEL" else ""  # other names behind USER
        found += f"\n{word} {way}_{short}_{end}{how}\n{half[2]}" if half else ""
    return found.replace(f"{way}_service", f"{way}_{short}")


def variant(name: str, edits: Edits) -> None:
    """MECHANISM_NAME: as that mechanism's `service`, under another name."""
    way, _, short = name.partition("_")
    path, entries = f"{ENTRY}/{way}.asm", edits.text(f"{ENTRY}/entry.def")
    row = re.search(rf"^ROW\({way}, service, .*$", entries, re.M)
    if not row:
        raise TollgateError(f"{name}: a variant's name is MECHANISM_NAME, such as int_lean")
    if f"ROW({way}, {short}," in entries:
        raise TollgateError(f"{ENTRY}/entry.def has {name} already")
    edits.put(path, edits.text(path) + halves(edits.text(path), way, short))
    new = re.sub(r'service, "\w+"', f'{short}, "{way}-{short}"', row[0])
    new = re.sub(r"VECTOR\(\w+\)", f"VECTOR(0x{free_vectors(entries)[0]})", new)
    behind(edits, f"{ENTRY}/entry.def", rf"ROW\({way},", f"{new}\n")
    if f"VARIANT({short}," not in edits.text(f"{ENTRY}/mechanism.def"):
        answers = f"{f'VARIANT({short}, service)':31} /* what it does */\n"
        behind(edits, f"{ENTRY}/mechanism.def", r"VARIANT\(bare,", answers)


FORMS = {"variant": r"[a-z0-9]+_[a-z][a-z0-9]*", "call": r"[a-z][a-z0-9_]*"}
"""Names; of the other kinds they are words of small letters."""


def made(kind: str, name: str) -> Edits:
    """The edits for a new thing; TollgateError names a file that exists already."""
    edits = Edits(ROOT)
    meant = words(kind, name, edits)
    for path, text in FILES.get(kind, {}).items():
        place = filled(path + "\n", meant).rstrip()
        if (ROOT / place).exists():
            raise TollgateError(f"{place} is there already")
        edits.put(place, filled(text, meant))
    for path, neighbour, row in ROWS.get(kind, ()):
        new = filled(row, meant)
        if next(line for line in new.splitlines() if name in line) in edits.text(path):
            raise TollgateError(f"{path} has {name} already")
        behind(edits, path, neighbour, new)
    if kind == "variant":
        variant(name, edits)
    return edits


def main(kind: str = "", name: str = "") -> int:
    """Write it; the exit status."""
    known = table()
    if kind not in known or not re.fullmatch(FORMS.get(kind, r"[a-z][a-z0-9]*"), name):
        print(f"tools/new.py KIND NAME (a word of small letters); the kinds: {' '.join(known)}")
        return 2
    try:
        edits = made(kind, name)
    except TollgateError as error:
        print(error)
        return 2
    for path in edits.changed:
        print(f"{'row' if (ROOT / path).exists() else 'new'}: {path}")
    edits.write(ROOT)
    files, rows, missing = (cell.replace("NAME", name) for cell in known[kind])
    print(f"files: {files}\nrows: {rows}\nif one is missing: {missing}\n(docs/source.md)")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
