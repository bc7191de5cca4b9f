"""Grades consist of claims with points, about a kernel that is built and booted here.

`python -m tollgate.teach.claims NAME SEED FILE` runs exercises/NAME/grade.py on its own tree, a
copy that grade.py made, and writes the claims into FILE.
"""

import contextlib
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tollgate.errors import Exit, TollgateError
from tollgate.machines.boot import ROOT, Boot, BootResult
from tollgate.machines.child import run
from tollgate.machines.cleanup import folder
from tollgate.machines.debug import Session, session, unwound
from tollgate.machines.emulator import run_boot
from tollgate.machines.gdb_stub import Stub
from tollgate.machines.row_path import Kernel, walk
from tollgate.printable import printable
from tollgate.records import budgets
from tollgate.teach.exercises import ANSWER, FOLDER, Exercise, Own, find, module, own
from tollgate.teach.grade import BEGUN, BUILD_LIMIT, TARGETS

WIDTH = 100
ERROR = re.compile(r"error:|\*\*\*|Error \d")
LONGEST = 300
SELECTS, SERVICE = "sys_toll_select", "{}_{}_getpid"
"""Symbols of the kernel that no exercise changes; the service routine of a copy and an origin."""
COPIES = {"clean": 0, "probed": 2}
"""And their flavours (kernel/toll.h)."""
GATES, IST, PORTS = 256, 36, 102
"""The number of vectors, and where a TSS has its seven IST stacks (SDM 3A, "64-Bit TSS Format"),
and where its map of ports begins."""
SHORT = {"rbx", "rcx", "rdx", "rsi", "rdi", "rbp"}
FAR_WAY = 2000
"""Instructions: a longer round trip counts as endless."""
GATE_PAGES = (1 << 64) - (1 << 24)
"""amd64: from here on are the rows' user halves."""
FLAGS_IF = 1 << 9
CPU, ARCH, OTHER = "EPYC", "amd64", "i386"
"""The processor in every boot, the kernel that the exercises are for, and the other one."""


TYPES = "bool|char|int|long|short|unsigned|signed|u?int(?:8|16|32|64|ptr)_t|size_t"
WORDS = "if|else|for|while|do|switch|case|default|break|continue|return|const|static|inline|true"
WORDS += "|false|define|void|enum|u|ul|ull|x[0-9a-f]+"
"""The types and words of C that a place may always use."""


MOVES = "mov|xor|sub|add|lea|cld|cli|push|pop|pushfx|popfx|PUSHES|POPS|iretx|retfx|int|ret|nop"
MOVES += r"|[re]?(?:[abcd]x|[sd]i|[bs]p)|r\d+d?|[dq]?word|rel|KERNEL|USER|PROBE|MP\d|KERNEL_BITS"
MOVES += "|RFLAGS_FIXED|include|asm|inc|i?macro|endmacro|endif|rep|endrep|rotate|nolist|h"
"""What an entry that only moves may have, as nasm and asm.inc name it."""
OTHERS = r"\[(?!(?:rel )?[re]sp\b|cpu_work\])|^(?:xor|sub|add|lea|cmp) "
OTHERS += r"(?![re]sp\b|byte \[cpu_work\]|(\S+), ?\1$)"
"""Memory that is not on the stack, and arithmetic with what a program has chosen."""
ELSEWHERE = r"\b_*(?:(?:push)?section|segment|asm(?!\.inc)|incbin)_*\b"
"""What may put something into a place of the kernel's other than where it stands."""


ASM_DEFINED = r"(?m)^%\w*(?:def\w*|macro|assign) +(\w+)"
ASM_OWN = ASM_DEFINED.replace(r"\w+)", r"\w*_\w*)")
"""Macros; with `_` they are no instructions."""
DECLARED = rf"(?:#define|struct \w+|void|(?:(?:{TYPES})\b *)+) *\**(\w+)"
BIG = r"\*\)|\b0x\w{7,}|\d{8}|[=(,!|<>]\s*[&*]\s*\w"
"""Pointers, and the numbers that may be addresses."""


FAR_NUMBER = r"\b(?:0x\w{5,}|\d{5,})\b"
"""More than a page has: a special case far away."""


class StopError(Exception):
    """A required claim failed: the following ones are not checked."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a grade: `got` of `of` points, and its text."""

    got: int
    of: int
    says: str
    holds: bool


@dataclass(frozen=True)
class Trip:
    """The registers before each instruction of a round trip, and after the last."""

    states: list[dict[str, int]]
    again: list[dict[str, int]]
    """The same with every bit inverted that the program had in its registers."""
    code: bytes
    """The first bytes of its code."""

    @property
    def took(self) -> int:
        """Instructions, without the RET to the program."""
        return len(self.states) - 2

    @property
    def changed(self) -> list[str]:
        """Registers that changed, except the result and the pointers."""
        first, last = self.states[0], self.states[-1]
        left = ("ax", "ip", "sp", "flags")
        return [name for name in first if name not in left and first[name] != last[name]]


def _trip(stub: Stub, numbers: bool) -> Trip:
    """Two trips from a stop in the program's system call, which is followed by its next row's two
    CALLs. Of any `numbers`: the row answers all alike."""
    made: list[list[dict[str, int]]] = []
    given: dict[str, int] = {}
    for _ in range(2):
        while (here := stub.registers())["ip"] < GATE_PAGES:
            stub.step()
        fixed = ("sp", "ip") if numbers else ("ax", "sp", "ip")
        kept = {name: here[name] for name in here if name not in fixed}
        for name in kept:
            given[name] = ~given[name] % 2**64 if made else int.from_bytes(os.urandom(8), "little")
        stub.load(given | {"flags": here["flags"] | FLAGS_IF})
        end, code = int.from_bytes(stub.read(here["sp"], 8), "little"), stub.read(here["ip"], 3)
        states = [stub.registers()]
        while states[-1]["ip"] != end and len(states) < FAR_WAY:
            stub.step()
            states.append(stub.registers())
        stub.load(kept)
        made.append(states)
        if states[-1]["ip"] != end:
            break
    return Trip(made[0], made[-1], code)


def short(register: str) -> str:
    """A register's name in the stub: rbx is bx, r12 is r12."""
    return register[1:] if register in SHORT else register


class Marks:
    """The points of one grade."""

    def __init__(self, exercise: Exercise, words: Own) -> None:
        self.exercise = exercise
        self.own = words
        """The values chosen by the student's seed (exercises/NAME/start.py)."""
        self.claims: list[Claim] = []
        self.machine: dict[str, Any] = {"cpu": CPU}
        """The processor and memory for looks by single steps."""
        self._nonce = os.urandom(2).hex()

    @property
    def got(self) -> int:
        return sum(claim.got for claim in self.claims)

    def claim(self, points: int, holds: bool, says: str, but: str = "") -> bool:
        """A claim; if it is false, `but` describes the actual state."""
        text = says if holds else f"NOT SO: {says}{': ' if but else ''}{printable(but, LONGEST)}"
        self._note(points, holds, text + ".")
        return holds

    def need(self, points: int, holds: bool, says: str, but: str = "") -> None:
        """A required claim: if it fails the following ones are not checked, and get no points."""
        if not self.claim(points, holds, says, but):
            left = self.exercise.points - sum(claim.of for claim in self.claims)
            self._note(left, False, "not looked at before that holds.")
            raise StopError

    def _note(self, points: int, holds: bool, text: str) -> None:
        got = points if holds else 0
        mark = f"  {got} of {points}  " if points else "  must    "
        indent = " " * len(mark)
        print(textwrap.fill(text, WIDTH, initial_indent=mark, subsequent_indent=indent))
        self.claims.append(Claim(got, points, text, holds))

    def named(self, program: str) -> str:
        """The current name of one of the grade's programs, which cannot be known before."""
        return f"{program}{self._nonce}"

    def begun(self, file: str) -> str:
        """The text that a file of the student's had at the start."""
        return (ROOT / BEGUN / file).read_text(encoding="utf-8")

    def whole(self, file: str, part: str = r"(?s).*") -> str:
        """The student's text, or what matches `part`, without comments and needless spaces."""
        return "\n".join(_lines(file, "".join(re.findall(part, _bare(file, _text(file))))))

    def alone(self, file: str, place: str = r"\Z", but: str = "(?!)", gone: bool = False) -> str:
        """A required claim: outside a place, which must be `gone`, this file is as at the start.

        Comments, spaces and what matches `but` do not count. Returns what is in that place.
        """
        now = _lines(file, _text(file), but)
        parts = re.split(f"(?s:{place})", self.begun(file), maxsplit=1)
        first, last = (_lines(file, part, but) for part in parts)
        end = len(now) - len(last)
        here = now[len(first) : end]
        pairs = zip(now[: len(first)] + now[end:], first + last, strict=False)
        wrong = [f"{new} in place of {old}" for new, old in pairs if new != old]
        wrong += [f"{len(here)} lines more"] * (bool(here) and (gone or place == r"\Z"))
        kept = _kept("\n".join(here)) if file.endswith("c") else []
        wrong += [f"{name} keeps something from one call to the next" for name in kept]
        wrong += ["lines are missing"] * (end < len(first))
        wrong += _reaching(file, here, first + last)
        says = f"nothing else of {file} has changed"
        self.need(0, not wrong, says, "; ".join(wrong[:1]))
        return "\n".join(here)

    def added(self, files: str, but: str = "(?!)") -> list[str]:
        """A required claim: one of the files has a piece more than at the start. Returns its lines.

        Comments, spaces and what matches `but` do not count.
        """
        wrong, more, piece = [], [], []
        tops = ROOT, ROOT / BEGUN
        for file in sorted({str(p.relative_to(top)) for top in tops for p in top.glob(files)}):
            old = self.begun(file) if (ROOT / BEGUN / file).is_file() else ""
            texts = (old, _text(file))
            begun, now = (_lines(file, text, but) for text in texts)
            differs = (n for n, (a, b) in enumerate(zip(begun, now, strict=False)) if a != b)
            same = next(differs, len(begun))
            rest = begun[same:]
            if len(now) < len(begun) or now[len(now) - len(rest) :] != rest:
                wrong.append(f"{file}: {' '.join(now[same : same + 1])}")
            more += [file] * (now != begun)
            piece += now[same : len(now) - len(rest)]
            wrong += _reaching(file, piece, begun)
        wrong += [f"{len(more)} files have: {' '.join(more)}"] * (len(more) > 1)
        self.need(0, not wrong, f"nothing of {files} has changed but one piece", "; ".join(wrong))
        return piece

    def uses(
        self, here: str, begun: str, known: str, odd: str = BIG, declared: str = DECLARED
    ) -> None:
        """A required claim: the place has words of its start, its own and known ones, no others,
        and nothing `odd`: no pointer. Its own are no functions of the kernel's."""
        words = {*re.findall(r"[A-Za-z_]\w*", here)} - {*re.findall(r"[A-Za-z_]\w*", begun)}
        strange = {word for word in re.findall(odd, here) if word not in begun}
        other = sorted(strange) + sorted(
            word
            for word in words - ({*re.findall(declared, here), *_more(here)} - _taken("h"))
            if not re.fullmatch(f"{WORDS}|{TYPES}|{known}", word)
        )
        self.need(0, not other, "it depends on nothing else", ", ".join(other[:3]))

    def fresh(self, but: str) -> None:
        """A required claim: new lines of C have the words of their files and known ones, not `but`.
        So what they do depends on what they are given, and on nothing else of the machine."""
        begun, new = "", ""
        for path in {path for files in self.exercise.writes for path in ROOT.glob(files)}:
            file = str(path.relative_to(ROOT))
            old = self.begun(file) if (ROOT / BEGUN / file).is_file() else ""
            lines = [line for line in _lines(file, _text(file)) if line not in _lines(file, old)]
            begun, new = begun + re.sub(but, "", old), "\n".join([new, *lines])
        kept = re.findall(r"\bstatic\b(?:[^(){}]*|[\w ]*\(\w+\) *)[;=]", new)
        kept += re.findall(r"(?m)^# *undef.*", new)
        kept += [of for of in re.findall(r"(?m)^# *define +(\w+)", new) if of in begun]
        self.need(0, not kept, "nothing is kept from one call to the next", " ".join(kept))
        self.uses(new, begun, r"ORIGIN_\w+|call_narrow|program_word|memcpy", FAR_NUMBER)

    def plain(self, here: str, begun: str = "", known: str = "(?!)") -> None:
        """A required claim: instructions of an entry that move registers, constants and what lies
        on their stack. So no call takes another way than the one before."""
        self.uses(here, begun, f"{MOVES}|{known}", r"(?!)", ASM_OWN)
        odd = [line for line in here.splitlines() if re.search(OTHERS, line)]
        defined, *own = ({*re.findall(ASM_DEFINED, text)} for text in (here, begun))
        others = _taken("inc") | {*re.findall(r"\w+", begun)}
        odd += [n for n in defined.difference(*own) if n in others or re.fullmatch(MOVES, n)]
        self.need(0, not odd, "and moves registers, constants and its stack", "; ".join(odd[:3]))

    def build(
        self,
        points: int,
        defines: Mapping[str, object] | None = None,
        says: str = "both kernels build",
    ) -> None:
        """Both kernels build, with the grade's own programs, which begin with these definitions. If
        not, the grade ends here."""
        wrong = []
        for path in {path for files in self.exercise.writes for path in ROOT.glob(files)}:
            file = str(path.relative_to(ROOT))
            begun = self.begun(file) if (ROOT / BEGUN / file).is_file() else ""
            texts = [" ".join(_lines(file, text)) for text in (_text(file), begun)]
            more = [len(re.findall(ELSEWHERE, text)) for text in texts]
            wrong += [file] * (file.endswith((".asm", ".c", ".h", ".def")) and more[0] > more[1])
        self.need(0, not wrong, "all lies in the sections of the start", " ".join(wrong))
        some = {"RANDOM": f"{int.from_bytes(os.urandom(3), 'little') + 1}u", **(defines or {})}
        head = "".join(f"#define {name} {value}\n" for name, value in some.items())
        own = (ROOT / FOLDER / self.exercise.name).glob("*.c")
        for program in (*own, *(ROOT / FOLDER).glob("*.c")):
            text = program.read_text(encoding="utf-8")
            to = ROOT / "user" / "checks" / f"{self.named(program.stem)}.c"
            to.write_text(head + text, encoding="utf-8")
        make = ["make", "-s", f"-j{os.cpu_count()}", *TARGETS]
        made = run(make, BUILD_LIMIT, cwd=ROOT, merge=True)
        lines = [line for line in made.stdout.splitlines() if ERROR.search(line)]
        self.need(points, made.returncode == 0, says, "; ".join(lines[:2]))

    def boot(
        self, words: str, arch: str = ARCH, resets: bool = False, cpu: str = CPU, memory: int = 64
    ) -> BootResult:
        """The result of a boot of the exercise's kernel, or another."""
        request = Boot(arch, cpu=cpu, words=tuple(words.split()), resets=resets, memory=memory)
        with folder() as directory:
            return run_boot(request, directory)

    def costs(self) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
        """The results of the toll by row, and the rows that differ from their budgets; of the other
        kernel all, and what it promises."""
        result = self.boot("suite=toll samples=10")
        found = {r["id"]: r for r in result.results if r["suite"] == "toll"}
        other = self.boot("suite=toll,contract samples=10", OTHER)
        wrong = {f"{OTHER} {row}": says for row, says in budgets.differences(other, "toll").items()}
        if broken := failed(other):
            wrong[f"{OTHER} {broken}"] = broken
        return found, budgets.differences(result, "toll") | wrong

    def counted(self, trip: Trip, result: Mapping[str, Any]) -> None:
        """The bench's figure is the trip's, and so is the sum of the sections, which it takes from
        the copy with stamps."""
        took, *sections = budgets.figures(result)
        same, but = took == sum(sections) == trip.took, f"{took}, by sections {sum(sections)}"
        self.need(0, same, "the bench counts all of it, from MP1 to MP8", but)

    @contextmanager
    def stopped(self, words: str, arch: str = ARCH) -> Iterator[tuple[Stub, Session]]:
        """A machine before its start; the grade can access its registers and memory."""
        boot = Boot(arch, words=(*words.split(), "samples=1"), **self.machine)
        with session(boot, as_measured=True) as machine:
            stub = Stub(machine.socket, machine.pid, wide=True)  # QEMU's, for both kernels
            try:
                yield stub, machine
            finally:
                stub.close()

    def _selections(self, arch: str = ARCH, flavour: int = 0) -> Iterator[tuple[str, bool, Stub]]:
        """Yield the machine whenever the program `walk` selects a row, at the kernel's symbol, or
        deselects it: False. Of amd64 it can be the other flavour."""
        before = ""
        with self.stopped("suite=walk", arch) as (stub, machine):
            stub.set_breaks([Kernel(arch).symbols[SELECTS]])
            while stub.go():
                said = machine.serial.read_text("utf-8", "replace")
                row = (re.findall(r"^walk (\S+)", said, re.M) or [""])[-1]
                if row != before and flavour:
                    stub.load({"si": flavour})
                yield row, row != before, stub
                before = row
                stub.step()

    def trips(self, *rows: str, copy: str = "clean", numbers: bool = False) -> dict[str, Trip]:
        """A round trip of each existing row, or its other copy, with unpredictable numbers in the
        registers.

        It begins after the program's CALL and ends where the program continues.
        """
        found: dict[str, Trip] = {}
        for row, _, stub in self._selections(flavour=COPIES[copy]):
            if row in rows and row not in found:
                found[row] = _trip(stub, numbers)
            if len(found) == len(rows):
                break
        return found

    def trip(self, row: str, numbers: bool = False) -> Trip:
        """One row's round trip; it is required for the following claims."""
        found = self.trips(row, numbers=numbers).get(row)
        self.need(0, found is not None, f"a program comes back from {row}", "it is never called")
        assert found
        return found

    def at_service(self, states: list[dict[str, int]], copy: str = "clean") -> dict[str, int]:
        """The registers at the first instruction of the service routine, which is the kernel's own
        and called once; {} if it is not."""
        service = Kernel(ARCH).symbols[SERVICE.format(copy, "user")]
        found = [state for state in states if state["ip"] == service]
        return found[0] if len(found) == 1 else {}

    def served(self, part: str, arch: str = ARCH) -> dict[str, list[dict[str, int]]]:
        """The registers whenever the service routine begins, for each copy of each row whose id has
        this part: `probed user/int/standard`. (Of i386 the clean copies.)"""
        found: dict[str, list[dict[str, int]]] = {}
        symbols = Kernel(arch).symbols
        for copy, flavour in COPIES.items() if arch == ARCH else [("clean", 0)]:
            names = (SERVICE.format(copy, origin) for origin in ("user", "compat", "trusted"))
            routines = [symbols[name] for name in names if name in symbols]
            for row, first, stub in self._selections(arch, flavour):
                here = stub.registers()
                if here["ip"] in routines:
                    found[f"{copy} {row}"].append(here)
                elif part in row:
                    found.setdefault(f"{copy} {row}", [])
                    stub.set_breaks(routines, first)
        return found

    def armed(
        self, begin: str | tuple[str, ...], arch: str = ARCH, flavour: int = 0
    ) -> Iterator[tuple[str, list[int]]]:
        """The processor's IDT while a program has a row armed whose id begins so. For each vector:
        the lower two of the gate's second four bytes, which are IST and type. An IST whose stack
        begins where a lower one's does is replaced by it. Last, the TSS's map of ports."""
        words = 4 if arch == OTHER else 8
        for row, first, stub in self._selections(arch, flavour):
            if not first and row.startswith(begin):
                said = stub.monitor("info registers")
                state, table = re.findall(r"(?m)^(?:TR =\w+|IDT=) *([0-9a-f]+)", said)
                gates = memoryview(stub.read(int(table, 16), GATES * 2 * words)).cast("H")[2::words]
                stacks = [0, *memoryview(stub.read(int(state, 16) + IST, 56)).cast("Q")]
                ports = int.from_bytes(stub.read(int(state, 16) + PORTS, 2), "little")
                each = [gate - gate % 8 + stacks.index(stacks[gate % 8]) for gate in gates]
                yield row, [*each, ports]

    def steps(self, part: str) -> dict[str, list[str]]:
        """The instructions of each row with this part in its id, as `tollgate show` lists them."""
        rows = walk(Boot(ARCH, cpu=CPU, words=(f"only={part}",))).rows
        return {row: [step.text for step in steps] for row, steps in rows.items()}

    def lost(self, row: str) -> str:
        """Where gdb does not find the way back to the program from an instruction of a row; ""."""
        boot = Boot(ARCH, cpu=CPU, words=("suite=toll", "samples=1"))
        said = unwound(boot, ["program toll"], [row])
        return "" if len(said) == 1 and " instructions, " in said[0] else (said or ["nowhere"])[0]

    def answers(self) -> dict[str, str]:
        """The student's text after each `word:` in his answers, in lower case."""
        path = ROOT / FOLDER / self.exercise.name / ANSWER
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
        found = re.findall(r"(?m)^(\w+):[ \t]*(.*)$", text)
        return {word: " ".join(said.lower().split()) for word, said in found}

    def answer(self, points: int, word: str, right: str | int, form: str, like: str) -> bool:
        """The answer after `word:` is right. Its form is `form`, a regular expression; `like`
        describes it to a person whose answer has another form."""
        said = self.answers().get(word, "")
        if not said:
            but = f"there is none yet; it is {like}"
        elif not re.fullmatch(form, said):
            but = f"it says `{said}`, and the answer is {like}"
        else:
            but = f"it says `{said}`"
        holds = said == right if isinstance(right, str) else _number(said) == right
        return self.claim(points, holds, f"the answer to `{word}` is right", but)


def _text(file: str) -> str:
    """The student's, if it is there; bytes that are no text are seen as such."""
    path = ROOT / file
    return path.read_text("utf-8", "backslashreplace") if path.is_file() else ""


def _lines(file: str, text: str, but: str = "(?!)") -> list[str]:
    """The lines of a source without comments, needless spaces, and then what matches `but`."""
    text = re.sub(but, "", _bare(file, text))
    return [line for line in (" ".join(each.split()) for each in text.splitlines()) if line]


def _bare(file: str, text: str) -> str:
    """A source without comments."""
    quoted, comments = r"""(["'])(?:\\.|(?!\2)[^\\\n])*\2""", r"/\*[\s\S]*?\*/|//[^\n]*"
    if file.endswith("asm"):
        quoted, comments = r"""(["'])(?:(?!\2).)*\2|`(?:\\.|[^`\n])*`""", r";.*"
    return re.sub(rf"({quoted})|{comments}", r"\1", text.replace("\\\n", ""))


def _reaching(file: str, here: list[str], others: list[str]) -> list[str]:
    """What changes more than its place: other sections, and macros of others' words."""
    text, words = "\n".join(here), {*re.findall(r"\w+", " ".join(others))}
    odd = re.findall(rf"{ELSEWHERE}|\btimes\b", text)
    if not file.endswith("asm"):
        macros = re.findall(r"(?m)^# *(\w+) *(\w*)", text)
        odd += [f"#{how} {of}" for how, of in macros if how != "define" or of in words]
    return [f"{word} reaches other places" for word in odd]


def _taken(kind: str) -> set[str]:
    """Words in files of the kernel that no student writes: `inc`, or functions of `h`."""
    call = r"\(" if kind == "h" else ""
    texts = (path.read_text(encoding="utf-8") for path in ROOT.glob(f"kernel/**/*.{kind}"))
    return {word for text in texts for word in re.findall(rf"[A-Za-z_]\w*(?={call})", text)}


def _more(text: str) -> list[str]:
    """What declarations of C declare behind the first name."""
    while (flat := re.sub(r"\([^()]*\)", "", text)) != text:
        text = flat
    return [
        name
        for each in re.split("[;{}]", text)
        if re.match(rf"\s*(?:const |static )*(?:{TYPES})\b", each)
        for name in re.findall(r", *\**(\w+)(?= *(?:[=,[]|$))", each)
    ]


def _kept(text: str) -> list[str]:
    """What C keeps from one call to the next: static variables, and those outside functions."""
    inside = re.compile(r"\{[^{}]*\}")
    bodies = text
    while inside.search(bodies):
        bodies = inside.sub("@", bodies)
    outside = re.sub(r"(?m)^#.*$", "", bodies).replace("@", "\n")
    return [
        *re.findall(r"\bstatic\b(?![^;={]*\)\s*\{)[^;{]*", text),
        *re.findall(r"(?m)^.*;", outside.partition("{")[0]),
    ]


def _number(said: str) -> int | None:
    try:
        return int(said, 0)
    except ValueError:
        return None


def failed(result: BootResult) -> str:
    """The first failed check, or another fault of a boot; "" without one."""
    for check in result.checks:
        if not check["ok"]:
            return f"{check['name']}: {check['detail']}"
    if result.outcome is not result.outcome.PASS:
        return f"{result.outcome.value}: {result.reason}"
    return "" if result.checks else "it checked nothing"


def main(name: str, seed: str, file: Path) -> Exit:
    """Grade this tree."""
    exercise = find(name)
    print(f"{name}: {exercise.title}")
    marks = Marks(exercise, own(exercise, seed))
    with contextlib.suppress(StopError):
        module(ROOT / FOLDER / name / "grade.py").grade(marks)
    whole = marks.got == exercise.points
    print(
        f"{marks.got} of {exercise.points} points{'.' if whole else ', and there is more to do.'}"
    )
    file.write_text(json.dumps([asdict(claim) for claim in marks.claims]), encoding="utf-8")
    return Exit.PASS if whole else Exit.FAIL


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
    except TollgateError as error:
        print(f"tollgate: {error}", file=sys.stderr)
        sys.exit(error.code)
