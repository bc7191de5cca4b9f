"""Programs of the tests' own making: bad ELF files, how good ones begin, and what write() refuses.

A suite's word holds 63 characters, so the files of one boot are named a, b, c and so on; the tables
below give them their meaning.
"""

from __future__ import annotations

import json
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters
from typing import Any

import pytest

from tollgate.outcome import Outcome

MACHINES = [("i386", "EPYC"), ("i386", "pentium"), ("amd64", "Skylake-Client"), ("amd64", "EPYC")]
IDS = [f"{arch}-{cpu}" for arch, cpu in MACHINES]

PAGE = 4096
TEXT = 0x08048000
DATA = 0x10000000
TOP = {"i386": 0xBFFFF000, "compat": 0xBFFFF000, "amd64": 0x7FFFFFFFE000}
KERNEL = {32: 0xC0000000, 64: 0xFFFFFFFF80000000}
GATE_PAGE = {"i386": 0xFFFFE000, "compat": 0xFFFFE000, "amd64": 0xFFFFFFFFFF600000}
EXECUTE, WRITE, READ = 1, 2, 4
ET_DYN = 3
PT_INTERP = 3
EM = {32: 3, 64: 62}
ENOEXEC, EBADF, EFAULT, EINVAL = 8, 9, 14, 22


@dataclass(frozen=True)
class Segment:
    """A program header; `size`, `offset` and `filed` replace what follows from `data`."""

    address: int
    data: bytes = b""
    flags: int = READ | WRITE
    size: int | None = None
    offset: int | None = None
    filed: int | None = None
    kind: int = 1


def elf(bits: int, *more: Segment, code: bytes = b"\xcc", text: int = TEXT, **header: int) -> bytes:
    """An executable whose first segment holds the headers and `code`, where it starts.

    `header` replaces fields of the ELF header by their names without e_ (and class_).
    """
    head, entry_size = (52, 32) if bits == 32 else (64, 56)
    start = head + entry_size * (1 + len(more))
    first = Segment(text, flags=READ | EXECUTE, offset=0, filed=start + len(code))
    table, content = b"", b""
    for segment in (first, *more):
        offset = start + len(code) + len(content) if segment.offset is None else segment.offset
        filed = len(segment.data) if segment.filed is None else segment.filed
        size = filed if segment.size is None else segment.size
        content += segment.data
        at, flags = segment.address, segment.flags
        if bits == 32:
            fields = (segment.kind, offset, at, at, filed, size, flags, PAGE)
            table += struct.pack("<8I", *fields)
        else:
            fields = (segment.kind, flags, offset, at, at, filed, size, PAGE)
            table += struct.pack("<2I6Q", *fields)
    fields_of_header = {
        "class_": bits // 32,
        "data": 1,
        "type": 2,
        "machine": EM[bits],
        "entry": text + start,
        "phoff": head,
        "phentsize": entry_size,
        "phnum": 1 + len(more),
    }
    assert header.keys() <= fields_of_header.keys()
    e = fields_of_header | header
    word = "I" if bits == 32 else "Q"
    ident = struct.pack("<4s12B", b"\x7fELF", e["class_"], e["data"], 1, *[0] * 9)
    rest = (e["type"], e["machine"], 1, e["entry"], e["phoff"], 0, 0)
    sizes = (head, e["phentsize"], e["phnum"], 0, 0, 0)
    return ident + struct.pack(f"<2HI3{word}I6H", *rest, *sizes) + table + code + content


MACROS = """
%if __BITS__ == 64
 %define WORD 8
 %define WRITE 1
 %define EXIT 60
 %define GETPID 39
 %define xax rax
 %define xbx rbx
 %define xcx rcx
 %define xdx rdx
 %define xsi rsi
 %define xdi rdi
 %define xbp rbp
 %define xsp rsp
 %define FIRST rdi
 %define SECOND rsi
 %define THIRD rdx
%else
 %define WORD 4
 %define WRITE 4
 %define EXIT 1
 %define GETPID 20
 %define xax eax
 %define xbx ebx
 %define xcx ecx
 %define xdx edx
 %define xsi esi
 %define xdi edi
 %define xbp ebp
 %define xsp esp
 %define FIRST ebx
 %define SECOND ecx
 %define THIRD edx
%endif
%define LINE (DATA + 0x4000)
%macro CALL 4
        mov     THIRD, %4
        mov     SECOND, %3
        mov     FIRST, %2
        mov     eax, %1
        int     0x80
%endmacro
%macro SHOW 2                           ; %2 bytes at %1, as a line of "=" and hexadecimal digits
        mov     xsi, %1
        mov     xcx, %2
        call    show
%endmacro
        jmp     main
show:   mov     xdi, LINE
        mov     al, '='
        stosb
.next:  mov     al, [xsi]
        shr     al, 4
        call    .digit
        lodsb
        and     al, 15
        call    .digit
        dec     xcx
        jnz     .next
        mov     al, 10
        stosb
        sub     xdi, LINE
        CALL    WRITE, 1, LINE, xdi
        ret
.digit: add     al, '0'
        cmp     al, '9'
        jbe     .store
        add     al, 'a' - '9' - 1
.store: stosb
        ret
"""


def program(bits: int, source: str, *more: Segment) -> bytes:
    """An executable from nasm's language: MACROS, then `source` with the label main."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "program.asm"
        # The code's address depends on how many headers stand before it.
        start = len(elf(bits, *more, code=b"")) - sum(len(s.data) for s in more)
        lines = [
            f"bits {bits}",
            f"org {TEXT + start:#x}",
            f"%define DATA {DATA:#x}",
            MACROS,
            source,
        ]
        path.write_text("\n".join(lines) + "\n")
        binary = path.with_suffix("")
        subprocess.run(["nasm", "-f", "bin", path, "-o", binary], check=True)
        return elf(bits, *more, code=binary.read_bytes())


ROOM = Segment(DATA, size=0x8000, filed=0)
"""Zeroed memory for a program's own use."""

EXITS = "main:   CALL    EXIT, {status}, 0, 0"


def exits(bits: int, status: int = 0, *more: Segment) -> bytes:
    """The smallest program: it leaves with `status`."""
    return program(bits, EXITS.format(status=status), *more)


def pack(tree: Any, arch: str, files: Callable[[int], Mapping[str, bytes]]) -> bytes:
    """A file tree with `files(bits)` for every width that the kernel runs."""
    folders = {"bin": 32} if arch == "i386" else {"bin": 64, "compat": 32}
    content = {
        f"{f}/{name}": data for f, bits in folders.items() for name, data in files(bits).items()
    }
    return bytes(tree(content))


def folders(arch: str) -> list[str]:
    return ["/bin"] if arch == "i386" else ["/bin", "/compat"]


def said_of(text: str, path: str) -> list[str]:
    """What the kernel said of one program, without its name."""
    return [line[len(path) + 2 :] for line in text.splitlines() if line.startswith(path + ": ")]


# What is wrong with a file: the sentence, and the file. None of these programs may start.
BAD: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "empty": ("it is no ELF file", lambda bits: b""),
    "a script": ("it is no ELF file", lambda bits: b"#!/bin/sh\necho hello\n" + bytes(64)),
    "cut in its header": ("it is no ELF file", lambda bits: elf(bits)[:51]),
    "another machine": ("it is for another machine", lambda bits: elf(bits, machine=40)),
    "class and machine disagree": (
        "it is for another machine",
        lambda bits: elf(bits, machine=EM[96 - bits]),
    ),
    "no class": ("its class or byte order is unknown", lambda bits: elf(bits, class_=0)),
    "big-endian": ("its class or byte order is unknown", lambda bits: elf(bits, data=2)),
    "position-independent": (
        "it is no static executable (ET_EXEC)",
        lambda bits: elf(bits, type=ET_DYN),
    ),
    "dynamic": (
        "it wants a dynamic linker",
        lambda bits: elf(bits, Segment(0, b"/lib/ld.so\0", kind=PT_INTERP)),
    ),
    "no headers": ("its program headers have a strange size", lambda bits: elf(bits, phnum=0)),
    "headers of the other class": (
        "its program headers have a strange size",
        lambda bits: elf(bits, phentsize=32 if bits == 64 else 56),
    ),
    "headers outside": (
        "its program headers lie outside the file",
        lambda bits: elf(bits, phoff=PAGE),
    ),
    "headers wrapping": (
        "its program headers lie outside the file",
        lambda bits: elf(bits, phoff=2**bits - 1),
    ),
    "65535 headers": (
        "its program headers lie outside the file",
        lambda bits: elf(bits, phnum=65535),
    ),
    "nothing to load": (
        "it has nothing to load",
        lambda bits: elf(
            bits, Segment(DATA, kind=4), phnum=1, phoff=52 + 32 if bits == 32 else 120
        ),
    ),
    "too many segments": (
        "it has more than 16 segments",
        lambda bits: elf(bits, *(Segment(DATA + i * PAGE, b"x") for i in range(16))),
    ),
    "data outside the file": (
        "a segment lies outside the file",
        lambda bits: elf(bits, Segment(DATA, filed=PAGE)),
    ),
    "data far outside the file": (
        "a segment lies outside the file",
        lambda bits: elf(bits, Segment(DATA, b"x", offset=2**bits - 1)),
    ),
    "file larger than memory": (
        "a segment is larger in the file than in memory",
        lambda bits: elf(bits, Segment(DATA, b"1234", size=3)),
    ),
    "writable code": (
        "a segment is writable and executable",
        lambda bits: elf(bits, Segment(DATA, b"x", READ | WRITE | EXECUTE)),
    ),
    "page 0": ("a segment lies in page 0", lambda bits: elf(bits, Segment(0, b"x"))),
    "the end of page 0": (
        "a segment lies in page 0",
        lambda bits: elf(bits, Segment(PAGE - 1, b"xx")),
    ),
    "what virtual-8086 code can reach": (
        "a segment lies below 0x110000, where programs have no memory",
        lambda bits: elf(bits, Segment(0x10FFFF, b"x")),
    ),
    "the kernel": (
        "a segment lies outside the program's half of memory",
        lambda bits: elf(bits, Segment(KERNEL[bits], b"x")),
    ),
    "from its half into the kernel": (
        "a segment lies outside the program's half of memory",
        lambda bits: elf(bits, Segment(DATA, size=KERNEL[bits] - DATA + PAGE, filed=0)),
    ),
    "no canonical address": (
        "a segment lies outside the program's half of memory",
        lambda bits: elf(
            bits, Segment(2 ** (bits - 1) - (bits == 64) * PAGE + (bits == 32) * 2**30, b"x")
        ),
    ),
    "the stack": (
        "a segment lies outside the program's half of memory",
        lambda bits: elf(bits, Segment(TOP["i386" if bits == 32 else "amd64"] - 65536, b"x")),
    ),
    "up to the end of addresses": (
        # As wide as a pointer, the sum wraps; narrower, it leaves the program's half.
        "",
        lambda bits: elf(bits, Segment(2**bits - PAGE, b"x", size=2 * PAGE)),
    ),
    "larger than all memory": (
        "it is larger than the memory that is free",
        lambda bits: elf(bits, Segment(DATA, size=1 << 30, filed=0)),
    ),
    "larger in sum": (
        "it is larger than the memory that is free",
        lambda bits: elf(
            bits, *(Segment(DATA + (i << 25), size=1 << 25, filed=0) for i in range(2))
        ),
    ),
    "code and data on one page": (
        "a writable and an executable segment share a page",
        lambda bits: elf(bits, Segment(TEXT + PAGE - 1, b"x")),
    ),
    "code over data": (
        "a writable and an executable segment share a page",
        lambda bits: elf(bits, ROOM, Segment(DATA + PAGE, b"x", READ | EXECUTE)),
    ),
    "entry 0": ("its entry lies outside the program's code", lambda bits: elf(bits, entry=0)),
    "entry in the kernel": (
        "its entry lies outside the program's code",
        lambda bits: elf(bits, entry=KERNEL[bits]),
    ),
    "entry in no segment": (
        "its entry lies outside the program's code",
        lambda bits: elf(bits, entry=DATA),
    ),
    "entry behind the code": (
        "its entry lies outside the program's code",
        lambda bits: elf(bits, entry=TEXT + PAGE - 1),
    ),
    "entry in data": (
        "its entry lies outside the program's code",
        lambda bits: elf(bits, ROOM, entry=DATA),
    ),
}
HALVES = (dict(list(BAD.items())[::2]), dict(list(BAD.items())[1::2]))


@pytest.mark.parametrize("cases", HALVES, ids=["even", "odd"])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_bad_files_are_refused_in_words(
    boot: Any, tree: Any, arch: str, cases: dict[str, tuple[str, Callable[[int], bytes]]]
) -> None:
    """Each bad file gets its sentence and ENOEXEC; the next program runs; no memory is lost."""
    letters = dict(zip(cases, ascii_letters, strict=False))
    last = ascii_letters[len(cases)]

    def files(bits: int) -> dict[str, bytes]:
        most = exits(bits, 0, Segment(DATA, size=50 << 20, filed=0))
        return {letters[name]: build(bits) for name, (_, build) in cases.items()} | {last: most}

    suite = ",".join([*letters.values(), last])
    result = boot(arch, "EPYC", f"suite={suite}", memory=64, module=pack(tree, arch, files))
    assert result.outcome is Outcome.FAIL, result.reason
    for folder in folders(arch):
        wrong = {}
        for name, (sentence, _) in cases.items():
            said = said_of(result.text, f"{folder}/{letters[name]}")
            right = len(said) == 2 and said[1] == f"failed, status {-ENOEXEC}"
            if not right or not said[0].startswith(f"not started: {sentence}"):
                wrong[name] = said
        assert not wrong
        assert said_of(result.text, f"{folder}/{last}") == []
    assert result.end["failed"] == len(cases) * len(folders(arch))


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_memory_that_runs_out_is_given_back(boot: Any, tree: Any, arch: str) -> None:
    """Wherever it runs out (pages, page tables): a sentence, and nothing is lost."""
    bits = 32 if arch == "i386" else 64
    touch = """main:   mov     xdi, DATA
.next:  mov     [xdi], al
        add     xdi, 4096
        cmp     xdi, DATA + SIZE
        jb      .next
        CALL    EXIT, 0, 0, 0"""
    letters = ascii_letters[:26]

    def outcomes(sizes: list[int]) -> dict[int, str]:
        files = {
            f"bin/{name}": program(
                bits, f"%define SIZE {size}\n{touch}", Segment(DATA, size=size, filed=0)
            )
            for name, size in zip(letters, sizes, strict=True)
        }
        suite = ",".join(letters)
        result = boot(arch, "EPYC", f"suite={suite}", memory=8, module=tree(files))
        assert result.end, result.reason
        said = [(said_of(result.text, f"/bin/{name}") or [""])[0] for name in letters]
        return dict(zip(sizes, said, strict=True))

    coarse = outcomes([step << 18 for step in range(32, 6, -1)])
    most = max(size for size, said in coarse.items() if not said)
    fine = outcomes([most + step * 16384 for step in range(25, -1, -1)])
    assert set(fine.values()) == {
        "",
        "killed: out of memory",
        "not started: it is larger than the memory that is free",
    }
    assert list(fine.values()) == sorted(fine.values(), key=len, reverse=True)


def test_a_64_bit_program_needs_the_amd64_kernel(boot: Any, tree: Any) -> None:
    module = tree({"bin/a": exits(64), "bin/b": exits(32, 7)})
    result = boot("i386", "EPYC", "suite=a,b", module=module)
    assert result.outcome is Outcome.FAIL
    (sentence, _) = said_of(result.text, "/bin/a")
    assert sentence == "not started: a 64-bit program needs the amd64 kernel"
    assert said_of(result.text, "/bin/b") == ["failed, status 7"]


def test_folders_do_not_decide_the_width(boot: Any, tree: Any) -> None:
    """Each of the amd64 kernel's folders takes programs of either width."""
    module = tree({"bin/a": exits(32, 5), "compat/a": exits(64, 6)})
    result = boot("amd64", "EPYC", "suite=a", module=module)
    assert said_of(result.text, "/bin/a") == ["failed, status 5"]
    assert said_of(result.text, "/compat/a") == ["failed, status 6"]


# Programs that start and are killed, or leave: what the kernel says in the end.
ENDS: dict[str, tuple[str, str]] = {
    "status 0": ("main: CALL EXIT, 0, 0, 0", ""),
    "status 7": ("main: CALL EXIT, 7, 0, 0", "failed, status 7"),
    "status 255": ("main: CALL EXIT, -1, 0, 0", "failed, status 255"),
    "status 256 + 3": ("main: CALL EXIT, 259, 0, 0", "failed, status 3"),
    "breakpoint": ("main: int3", "killed by SIGTRAP: #BP"),
    "undefined": ("main: ud2", "killed by SIGILL: #UD"),
    "halt": ("main: hlt", "killed by SIGSEGV: #GP"),
    "below the stack": ("main: sub xsp, 9 << 20\n push xax", "killed by SIGSEGV: #PF"),
    "write to code": ("main: mov byte [main], 0", "killed by SIGSEGV: #PF"),
    "off the end of its page": ("main: jmp main + 4096", "killed by SIGSEGV: #PF"),
}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_how_programs_end(boot: Any, tree: Any, arch: str) -> None:
    letters = dict(zip(ENDS, ascii_letters, strict=False))

    def files(bits: int) -> dict[str, bytes]:
        return {letters[name]: program(bits, source) for name, (source, _) in ENDS.items()}

    module = pack(tree, arch, files)
    result = boot(arch, "EPYC", f"suite={','.join(letters.values())}", module=module)
    assert result.outcome is Outcome.FAIL
    for folder in folders(arch):
        for name, (_, sentence) in ENDS.items():
            said = said_of(result.text, f"{folder}/{letters[name]}")
            assert (said[0] if said else "").startswith(sentence), name
            assert bool(said) == bool(sentence), name


REGISTERS = "xax xbx xcx xdx xbp xsi xdi".split()
WIDE = [f"r{i}" for i in range(8, 16)]
SELECTORS = "cs ss ds es fs gs".split()
DUMP = f"""
main:
%assign n 0
%macro KEEP 1
        mov     [DATA + n * WORD], %1
 %assign n n + 1
%endmacro
{"".join(f" KEEP {r}" + chr(10) for r in REGISTERS)}
%if __BITS__ == 64
{"".join(f" KEEP {r}" + chr(10) for r in WIDE)}
%endif
        KEEP    xsp
        pushf
        pop     xax
        KEEP    xax
{"".join(f" mov eax, {s}" + chr(10) + " KEEP xax" + chr(10) for s in SELECTORS)}
        mov     xax, [xsp]              ; argc; then argv, NULL, no environment, NULL
        lea     xsi, [xsp + xax * WORD + 3 * WORD]
.next:  mov     xax, [xsi]
        mov     xdi, [xsi + WORD]
        add     xsi, 2 * WORD
        cmp     xax, 32                 ; AT_SYSINFO
        jne     .next
        mov     eax, GETPID
        call    xdi
        KEEP    xax
        mov     eax, GETPID
        int     0x80
        KEEP    xax
        SHOW    DATA, n * WORD
        mov     xcx, TOP
        sub     xcx, xsp
        mov     xsi, xsp
        call    show
        CALL    EXIT, 0, 0, 0
"""


def shown(text: str) -> list[bytes]:
    """What programs showed by SHOW, in order."""
    return [bytes.fromhex(line[1:]) for line in text.splitlines() if line.startswith("=")]


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_registers_and_stack_at_the_first_instruction(
    boot: Any, tree: Any, arch: str, cpu: str
) -> None:
    """As Linux's: argc, argv, an empty environment, the auxiliary vector; all registers zero."""
    worlds = ["i386"] if arch == "i386" else ["amd64", "compat"]

    def files(bits: int) -> dict[str, bytes]:
        top = TOP["amd64" if bits == 64 else "i386"]
        return {"start": program(bits, f"%define TOP {top:#x}\n{DUMP}", ROOM)}

    words = "samples=77 only=abc suite=start"
    result = boot(arch, cpu, words, module=pack(tree, arch, files))
    assert result.outcome is Outcome.PASS, result.reason
    dumps = shown(result.text)
    assert len(dumps) == 2 * len(worlds)
    for world, folder, state, stack in zip(
        worlds, folders(arch), dumps[::2], dumps[1::2], strict=True
    ):
        bits = 64 if world == "amd64" else 32
        word = bits // 8
        form = "<%d" + ("Q" if bits == 64 else "I")
        values = list(struct.unpack(form % (len(state) // word), state))
        names = REGISTERS + (WIDE if bits == 64 else [])
        names += ["xsp", "flags", *SELECTORS, "by AT_SYSINFO", "by int 0x80"]
        at = dict(zip(names, values, strict=True))
        assert {name: at[name] for name in names[: names.index("xsp")] if at[name]} == {}
        assert at["flags"] == 0x202
        segments = [at[s] for s in SELECTORS]
        data = 0x7B if world == "i386" else 0x2B
        code = {"i386": 0x73, "amd64": 0x33, "compat": 0x23}[world]
        assert segments == [code, data, data, data, 0, 0]
        assert 0 < at["by AT_SYSINFO"] == at["by int 0x80"]

        sp = at["xsp"]
        assert sp % 16 == 0
        assert sp + len(stack) == TOP[world]
        count = len(stack) // word
        words_up = list(struct.unpack_from(form % count, stack))
        arguments = [f"{folder}/start", "samples=77", "only=abc", "exact=1"]
        assert words_up[0] == len(arguments)
        pointers = words_up[1 : 1 + len(arguments)]
        assert [text_at(stack, p - sp) for p in pointers] == arguments
        assert words_up[1 + len(arguments)] == 0, "argv does not end"
        assert words_up[2 + len(arguments)] == 0, "there is an environment"
        pairs = words_up[3 + len(arguments) :]
        vector: dict[int, int] = {}
        for key, value in zip(pairs[::2], pairs[1::2], strict=False):
            if key == 0:
                break
            assert key not in vector
            vector[key] = value
        head = 64 if bits == 64 else 52
        entry = TEXT + head + 2 * (56 if bits == 64 else 32)
        assert vector[3] == TEXT + head, "AT_PHDR"
        assert vector[4] == (56 if bits == 64 else 32), "AT_PHENT"
        assert vector[5] == 2, "AT_PHNUM"
        assert vector[6] == PAGE, "AT_PAGESZ"
        assert vector[9] == entry, "AT_ENTRY"
        assert sp < vector[25] <= TOP[world] - 16, "AT_RANDOM"
        assert len(set(stack[vector[25] - sp :][:16])) > 4, "AT_RANDOM"
        assert 0 <= vector[32] - GATE_PAGE[world] < 8 * PAGE, "AT_SYSINFO"


def text_at(memory: bytes, offset: int) -> str:
    assert 0 <= offset < len(memory)
    return memory[offset : memory.index(0, offset)].decode()


def line_of(kind: str, **fields: Any) -> bytes:
    """A record as the kernel or a program writes it."""
    text = json.dumps({"v": 1, "type": kind} | fields, separators=(",", ":")).encode()
    return b"@" + text + b" *%08x\n" % zlib.crc32(text)


CHECK = line_of("check", name="good", ok=True, detail="")
END = line_of("end", records=2, failed=0)
RUN = line_of("run", arch="i386")
LONG = line_of("check", name="long", ok=True, detail="x" * 4096)
FULL = line_of("check", name="full", ok=True, detail="x" * (4096 - len(CHECK)))
DOTS = 0x20000000
"""Two pages of text, and nothing behind them."""


@dataclass(frozen=True)
class Write:
    """One write(): of `text`, or of `size` bytes at an address; `result` is what it must return."""

    name: str
    result: int
    text: bytes = b""
    at: Callable[[int], int] | None = None
    size: int | None = None
    fd: int = 1


WRITES = [
    Write("text", 6, b"hello\n"),
    Write("text to standard error", 4, b"err\n", fd=2),
    Write("nothing", 0),
    Write("nothing from nowhere", 0, at=lambda bits: 0, size=0),
    Write("to standard input", -EBADF, b"lost\n", fd=0),
    Write("to 3", -EBADF, b"lost\n", fd=3),
    Write("to -1", -EBADF, b"lost\n", fd=-1),
    Write("to 3 from nowhere", -EBADF, at=lambda bits: 0, size=9, fd=3),
    Write("from 0", -EFAULT, at=lambda bits: 0, size=1),
    Write("from the kernel", -EFAULT, at=lambda bits: KERNEL[bits], size=16),
    Write("from the kernel's code", -EFAULT, at=lambda bits: KERNEL[bits] + 0x100000, size=16),
    Write("from the last byte", -EFAULT, at=lambda bits: 2**bits - 1, size=2),
    Write("from no canonical address", -EFAULT, at=lambda bits: 2 ** (bits - 1), size=8),
    Write("from nowhere", -EFAULT, at=lambda bits: DOTS + 2 * PAGE, size=8),
    Write("to the end of what is there", 8, at=lambda bits: DOTS + 2 * PAGE - 8, size=8),
    Write("over the end", -EFAULT, at=lambda bits: DOTS + 2 * PAGE - 8, size=9),
    Write("first part there, second not", PAGE, at=lambda bits: DOTS + 8, size=2 * PAGE),
    Write("the stack's last bytes", 4, at=lambda bits: 0, size=4),  # at: see write_program
    Write("over the stack's end", -EFAULT, at=lambda bits: 0, size=5),
    Write("all of memory", -EFAULT, at=lambda bits: DOTS, size=-1),
    Write("a record", len(CHECK), CHECK),
    Write("the kernel's run record", -EINVAL, RUN),
    Write("the kernel's end record", -EINVAL, END),
    Write("a record of no known type", -EINVAL, line_of("verdict", ok=True)),
    Write("a record cut short", -EINVAL, CHECK[:-1]),
    Write("the first half of a record", -EINVAL, CHECK[:30]),
    Write("the start of a record", -EINVAL, b"@"),
    Write("a record that is too long", -EINVAL, LONG),
    Write("text behind the longest record", -EINVAL, FULL + b"text\n"),
    Write("an end record behind text", -EINVAL, b"text " + END),
    Write("an end record on the next line", -EINVAL, b"text\n" + END),
    Write("an end record behind a good one", -EINVAL, CHECK + END),
    Write("an end record behind half of a good one", -EINVAL, CHECK[:40] + END),
    Write("the start of a record behind text", -EINVAL, b"text @"),
    Write("an @ in text", 18, b"mail you@home.org\n"),
    Write("an @ where the second part begins", PAGE, b"-" * PAGE + b"@home\n"),
]


def write_program(bits: int) -> bytes:
    """A program that makes every call of WRITES and shows what each returned."""
    texts = b"".join(w.text for w in WRITES)
    source, offset = "main:\n", 0
    for w in WRITES:
        at = DATA + 0x10000 + offset if w.at is None else w.at(bits)
        if "stack's" in w.name:
            at = TOP["amd64" if bits == 64 else "i386"] - 4
        size = len(w.text) if w.size is None else w.size
        offset += len(w.text)
        source += f" CALL WRITE, {w.fd}, {at:#x}, {size}\n mov [DATA], xax\n SHOW DATA, WORD\n"
    source += " CALL EXIT, 0, 0, 0\n"
    dots = b"." * (2 * PAGE)
    return program(bits, source, ROOM, Segment(DATA + 0x10000, texts), Segment(DOTS, dots, READ))


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_write_takes_what_it_may_and_names_what_it_may_not(
    boot: Any, tree: Any, arch: str, cpu: str
) -> None:
    module = pack(tree, arch, lambda bits: {"w": write_program(bits)})
    result = boot(arch, cpu, "suite=w", module=module)
    text = result.text.replace("\0", "")
    returned = [
        int.from_bytes(bytes.fromhex(line.rpartition("=")[2]), "little", signed=True)
        for line in text.splitlines()
        if "=" in line and not line.startswith("@")
    ]
    names = [w.name for w in WRITES]
    for number in range(len(folders(arch))):
        mine = returned[number * len(names) : (number + 1) * len(names)]
        wrong = {
            w.name: (value, w.result)
            for w, value in zip(WRITES, mine, strict=True)
            if value != w.result
        }
        assert not wrong, "(returned, expected)"
    assert "hello" in text
    assert "err" in text
    assert "lost" not in text
    assert [c["name"] for c in result.checks] == ["good"] * len(folders(arch))
    assert result.outcome is Outcome.PASS, result.reason
    assert not result.problems
