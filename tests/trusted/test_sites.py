"""System calls of unmodified amd64 programs, which become function calls in a trusted program."""

import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run

from ..elf import DATA, EXECUTE, PAGE, READ, TEXT, Segment, program, said_of, symbols
from ..unix.test_linux import COMPILERS, OPTIONS, SOURCES, build

__all__ = ["build"]  # the fixture

Build = Callable[[str, str], bytes]
AREA = 0x050F0000
PREFIXES = rb"\x26\x2e\x36\x3e\x40-\x4f\x64-\x67\xf2\xf3"
SITE = re.compile(
    rb"(?<![" + PREFIXES + rb"])(?:\xb8|\x48\xc7\xc0)(.[\x00\x01])\0\0(?=\x0f\x05)", re.DOTALL
)
PADDED = re.compile(
    rb"(?<![" + PREFIXES + rb"])\x31\xc0(?=\x0f\x05\x48\x3d\x00\xf0\xff\xff\x77[\x0b-\x7f]\xc3"
    rb"[\x66\x2e]{1,3}\x0f\x1f\x84\0{5})"
)
FORM = re.compile(r'\{"((?:\\x..)+)", \d+,\s+(\d+),\s+(\d+)\}')
STUB, STUBS = 32, 512
KERNEL = BUILD / "amd64" / "kernel.elf"
FRAMED = {15, 56, 57, 58, 59, 131}
"""rt_sigreturn, clone, fork, vfork, execve, sigaltstack: they need their caller's frame."""


def executable(program: bytes) -> Iterator[tuple[int, int]]:
    """The offsets and sizes of the text in an ELF file."""
    (at,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    for n in range(count):
        kind, flags, offset, _, _, length = struct.unpack_from("<IIQQQQ", program, at + n * size)
        if kind == 1 and flags & 1:
            yield offset, length


def sites_of(program: bytes) -> dict[int, int]:
    """Sites in the text of an ELF file that can be calls: where each is, and its SYSCALL."""
    found = {}
    forms = FORM.findall((ROOT / "kernel/unix/arch/amd64/site.c").read_text())

    def site(at: int, syscall: int, end: int) -> None:
        if at // PAGE == (end - 1) // PAGE:
            found[at] = syscall

    for first, length in executable(program):
        for match in SITE.finditer(program, first, first + length):
            if int.from_bytes(match[1], "little") not in FRAMED:
                site(match.start(), match.end(), match.end() + 2)
        for match in PADDED.finditer(program, first, first + length):
            site(match.start(), match.end(), match.end() + 22)
        for text, start, syscall in forms:
            code = bytes.fromhex(text.replace("\\x", ""))
            at = program.find(code, first, first + length)
            if at >= 0:
                site(at + int(start), at + int(syscall), at + len(code))
    return found


def getpid_of(program: Path) -> int:
    """The number of instructions in the libc's getpid: some begin with an ENDBR64."""
    first, size = symbols(program)["getpid"]
    command = ["objdump", "-d", f"--start-address={first}", f"--stop-address={first + size}"]
    said = subprocess.run([*command, program], capture_output=True, text=True, check=True).stdout
    return len(re.findall(r"^ *[0-9a-f]+:\t", said.partition("\tret")[0], re.MULTILINE))


def has_padded_read(program: Path) -> bool:
    """Whether the libc's read has the form whose XOR becomes a jump: Debian 12's has it."""
    address, size = symbols(program)["read"]
    with program.open("rb") as file:
        (first,) = ELFFile(file).address_offsets(address)
    return bool(PADDED.search(program.read_bytes(), first, first + size))


def disassembled(first: int, last: int) -> set[int]:
    """The addresses of the kernel's instructions, without padding."""
    command = ["objdump", "-d", f"--start-address={first:#x}", f"--stop-address={last:#x}"]
    said = subprocess.run([*command, KERNEL], capture_output=True, text=True, check=True).stdout
    return {int(at, 16) for at in re.findall(r"(?m)^ *([0-9a-f]+):\t[^\t\n]+\t(?!nop)", said)}


def uninterrupted(log: str) -> set[int]:
    """The instructions of the first stub and of the stubs' shared code before which no hardware
    interrupt arrived, in any stub, by QEMU's log."""
    names = ("site_stubs", "clean_trusted_site_common", "clean_trusted_site_work")
    stubs, common, work = (symbols(KERNEL)[name][0] for name in names)
    assert stubs >= symbols(KERNEL)["any_sites"][0] + 6 * 64, "each has its own code"
    met = {int(at, 16) for at in re.findall(r"v=[2-9a-f][0-9a-f] e=\w+ i=0 .* IP=0010:(\w+)", log)}
    met |= {stubs + (at - stubs) % STUB for at in met if stubs <= at < stubs + STUB * STUBS}
    there = disassembled(stubs, stubs + STUB) | disassembled(common, work)
    assert len(there) == 25
    return there - met


def parts(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.endswith(("right", "WRONG"))]


@pytest.mark.figures
@pytest.mark.parametrize(
    ("arch", "libc", "folder", "words", "entry"),
    [
        ("amd64", "glibc64", "trusted", "", 28),
        pytest.param("amd64", "glibc64", "trusted", "direct=off", 48, marks=pytest.mark.long),
        pytest.param("amd64", "glibc64", "bin", "", 46, marks=pytest.mark.long),
        pytest.param("amd64", "pie64", "trusted", "", 28, marks=pytest.mark.long),
    ],
    ids=["amd64", "amd64-direct=off", "amd64-bin", "amd64-pie"],
)
def test_they_do_what_syscall_does(
    boot: Any,
    tree: Any,
    build: Build,
    tmp_path: Path,
    arch: str,
    libc: str,
    folder: str,
    words: str,
    entry: int,
) -> None:
    """Red zone, jumps, registers, restarts, threads, files, signals, steps; the cost of a getpid.

    With SYSCALL a signal may arrive on the entry's first instruction, which is the kernel's.
    """
    program = build("sites", libc)
    (tmp_path / "program").write_bytes(program)
    module = tree({f"{folder}/sites": program})
    calls = folder == "trusted" and not words
    extra = ("-d", "int,cpu_reset") if calls else ()
    words = f"suite=sites calls=say {words}".strip()
    result = boot(arch, "EPYC", words, module=module, extra=extra)
    said = [line for line in parts(result.text) if calls or not line.startswith("handlers")]
    assert len(said) > 17
    assert [line for line in said if not line.endswith("right")] == []
    assert f"getpid takes {entry + getpid_of(tmp_path / 'program')}\n" in result.text
    takes = re.search(r"read takes (\d+)", result.text)
    assert takes
    assert (int(takes[1]) <= 65) == (calls and has_padded_read(tmp_path / "program"))
    assert f"sites some, calls {'some' if calls else 'none'}\n" in result.text
    areas = re.findall(r"area ([0-9a-f]+)-[0-9a-f]+ r--p 0+ 00:00 0 +\[sites\]", result.text)
    assert areas[:1] == ([f"{AREA:08x}"] if calls else [])
    assert areas[1:] in ([], ["050f8000"]), "of the functions for any number"
    if calls or folder == "bin":
        assert result.outcome.value == "pass", result.reason
    if calls:
        told = re.search(r"sites: (\d+) of its system calls are calls, (\d+) stay", result.text)
        assert told
        assert int(told[1]) == len(sites_of(program))
        hit = re.search(r"at a site (\d+), behind it (\d+), on the way (\d+)", result.text)
        assert hit
        stay = re.search(r"sites2: its (\d+) system calls stay SYSCALL: .* shared\n", result.text)
        written = re.search(r"made writable: (\d+) system calls there stay SYSCALL\n", result.text)
        assert stay and int(stay[1]) == sum(map(int, told.groups())), "the same program"
        assert written and written[1] == "1", "the one of that page"
        assert all(map(int, hit.groups())), "signals came where a stub is on the program's stack"
        log = (result.directory / "emulator.log").read_text()
        assert uninterrupted(log) == set(), "a tick came before each instruction"
        assert "unmapped: status b\n" in result.text, "who takes that away dies alone"
        assert "unmapped under a call: status b\n" in result.text
        more = re.search(r"a signal takes (-?\d+) more\n", result.text)
        assert more
        assert int(more[1]) <= 60, "pending work at a site: the frame, and the record read for it"
    elif folder == "trusted":
        assert re.search(r"its \d+ system calls stay SYSCALL: direct=off\n", result.text)


def test_a_librarys_function_for_any_number_is_a_call(boot: Any, tree: Any, build: Build) -> None:
    """Each form: answers, errors, fork, restarts, steps, and ticks at each of its instructions."""
    module = tree({"trusted/anysites": build("anysites", "glibc64")})
    words = "suite=anysites calls=say"
    result = boot("amd64", "EPYC", words, module=module, extra=("-d", "int,cpu_reset"))
    assert "anysites: 0 failures" in result.text
    told = re.search(r"anysites: (\d+) of its system calls are calls", result.text)
    written = re.search(r"made writable: (\d+) system calls there stay SYSCALL\n", result.text)
    assert told and written and written[1] == told[1]
    assert result.outcome.value == "pass", result.reason
    first = symbols(KERNEL)["any_sites"][0]
    log = (result.directory / "emulator.log").read_text()
    met = {int(at, 16) for at in re.findall(r"v=[2-9a-f][0-9a-f] e=\w+ i=0 .* IP=0010:(\w+)", log)}
    forms = {(at - first) // 64 for at in met if 0 <= at - first < 6 * 64}
    assert forms == {0, 1, 2, 3, 4, 5}, "a tick came in the code of each"


@pytest.mark.long
def test_what_is_expected_is_what_linux_does(host_runs: Any, tmp_path: Path, build: Build) -> None:
    host_runs("amd64")
    program = tmp_path / "sites"
    program.write_bytes(build("sites", "glibc64"))
    program.chmod(0o755)
    done = run([program], 60, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_program_that_lies_where_the_records_would_is_left_alone(
    boot: Any, tree: Any, tmp_path: Path
) -> None:
    out = tmp_path / "threads"
    there = f"-Wl,-Ttext-segment={AREA - 0x10000:#x}"
    source = SOURCES / "threads.c"
    subprocess.run([*COMPILERS["glibc64"], *OPTIONS, there, source, "-o", out], check=True)
    module = tree({"trusted/threads": out.read_bytes()})
    result = boot("amd64", "EPYC", "suite=threads calls=say", module=module)
    assert "stay SYSCALL: it has something at 0x050f0000 itself" in result.text
    assert "threads: 0 failures" in result.text
    assert result.outcome.value == "pass", result.reason


AWAY = 0x100000
TWICE = f"""
main:   mov     rax, second + {AWAY:#x}
        jmp     rax
second: db      0xb8, GETPID, 0, 0, 0, 0x0f, 0x05
here:   lea     rbx, [rel here]
        cmp     rbx, here + {AWAY:#x}
        setne   dil
        movzx   edi, dil
        mov     eax, EXIT
        int     0x80
"""
ONCE = """
main:   db      0xb8, GETPID, 0, 0, 0, 0x0f, 0x05
        CALL    EXIT, 0, 0, 0
"""


def test_text_that_two_segments_share_stays_as_it_is(boot: Any, tree: Any) -> None:
    """A site belongs to one address: it is not rewritten if one page of the file is mapped twice,
    or if the bytes of its page come from two segments."""
    text = READ | EXECUTE
    files = {
        "trusted/a": program(64, TWICE, Segment(TEXT + AWAY, bytes(PAGE), text, offset=0)),
        "trusted/b": program(64, ONCE, Segment(TEXT + PAGE // 2, b"x", READ)),
        "trusted/c": program(64, ONCE, Segment(TEXT + AWAY + 16, bytes(PAGE), text)),
        "trusted/d": program(64, ONCE, Segment(DATA, b"x", READ)),
    }
    result = boot("amd64", "EPYC", "suite=a,b,c,d calls=say", module=tree(files))
    assert result.outcome.value == "pass", result.reason
    why = "a page of its text is shared with another segment, or copied"
    for name, count in zip("abc", (2, 1, 1), strict=True):
        stay = f"its {count} system calls stay SYSCALL: {why}"
        assert said_of(result.text, f"/trusted/{name}") == [stay]
    said = said_of(result.text, "/trusted/d")
    assert said == ["1 of its system calls are calls, 0 stay SYSCALL"]


def test_a_number_that_is_set_earlier_stays(boot: Any, tree: Any) -> None:
    """Two paths lead to the instruction between the number and SYSCALL. If a jump replaced all
    three, one path would enter it in the middle."""
    source = """
main:   mov     ebx, 2
        mov     eax, GETPID
here:   mov     rdi, rbx
        syscall
        mov     ebp, eax
        mov     eax, 110
        dec     ebx
        jnz     here
        cmp     ebp, 0
        setne   dil
        movzx   edi, dil
        mov     eax, EXIT
        int     0x80
"""
    result = boot(
        "amd64", "EPYC", "suite=a calls=say", module=tree({"trusted/a": program(64, source)})
    )
    assert result.outcome.value == "pass", result.reason
    assert said_of(result.text, "/trusted/a") == ["0 of its system calls are calls, 1 stay SYSCALL"]


def at_a_pages_start(before: int) -> bytes:
    """A program whose second page begins with a site; the byte before it is not executed."""
    fill = f"times {PAGE - 121} - ($ - $$) db 0x90\n db {before:#x}\n"
    return program(64, ONCE.replace("main:", f"main: jmp strict near there\n {fill}there:"))


def test_a_site_at_a_pages_start_is_one_unless_a_prefix_comes_before(boot: Any, tree: Any) -> None:
    files = {"trusted/a": at_a_pages_start(0x90), "trusted/b": at_a_pages_start(0x66)}
    result = boot("amd64", "EPYC", "suite=a,b calls=say", module=tree(files))
    assert result.outcome.value == "pass", result.reason
    for name, calls in (("a", 1), ("b", 0)):
        said = [f"{calls} of its system calls are calls, {1 - calls} stay SYSCALL"]
        assert said_of(result.text, f"/trusted/{name}") == said


def test_a_file_may_have_sites_in_more_pages_than_there_is_room_for(boot: Any, tree: Any) -> None:
    """The kernel's table has room for 512 copies of pages. Every call is executed."""
    call = f"mov eax, 110\n syscall\n times {PAGE - 7} nop\n"
    source = f"main:\n%rep 600\n{call}%endrep\n xor edi, edi\n mov eax, 60\n syscall"
    module = tree({"trusted/a": program(64, source)})
    result = boot("amd64", "EPYC", "suite=a calls=say", module=module)
    assert result.outcome.value == "pass", result.reason
    said = said_of(result.text, "/trusted/a")
    assert said == ["512 of its system calls are calls, 89 stay SYSCALL"]


@pytest.mark.figures
def test_a_files_sites_are_found_once(boot: Any, tree: Any, build: Build, busybox: bytes) -> None:
    """The first execve takes 1.7 instructions per byte of text, a second one none."""
    files = {"bin/busybox-takes": build("sites", "glibc64"), "trusted/busybox": busybox}
    took = {}
    for words in ("", " direct=off"):
        text = boot("amd64", "EPYC", f"suite=busybox-takes{words}", module=tree(files)).text
        took[words] = [int(n) for n in re.findall(r"took (\d+)", text)]
        assert len(took[words]) == 4
    text = sum(length for _, length in executable(busybox))
    assert took[""][0] - took[""][1] <= 1.7 * text
    assert took[""][1:] == took[""][1:2] * 3
    assert took[""][1] <= took[" direct=off"][1]
