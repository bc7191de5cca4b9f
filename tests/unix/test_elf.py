"""The files that the kernel starts: a bad one gets a message, and no memory is lost."""

from collections.abc import Callable
from string import ascii_letters
from typing import Any

import pytest

from tollgate.machines.outcome import Outcome

from ..elf import (
    DATA,
    ENOEXEC,
    EXECUTE,
    KERNEL,
    PAGE,
    READ,
    ROOM,
    TEXT,
    TOP,
    Segment,
    elf,
    exits,
    folders,
    pack,
    program,
    said_of,
)

# Bad files: the message, and the file. None of these programs may start. tests/unit/elf.c tests the
# reader's own refusals, field by field.
BAD: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "empty": ("it is no ELF file", lambda bits: b""),
    "a script": ("it is no ELF file", lambda bits: b"echo hello\n" + bytes(64)),
    "page 0": ("a segment lies in page 0", lambda bits: elf(bits, Segment(0, b"x"))),
    "the end of page 0": ("a segment lies in page 0",
        lambda bits: elf(bits, Segment(PAGE - 1, b"xx"))),
    "what virtual-8086 code can reach": (
        "a segment lies below 0x110000, where programs have no memory",
        lambda bits: elf(bits, Segment(0x10FFFF, b"x"))),
    "the kernel": ("a segment lies outside the program's half of memory",
        lambda bits: elf(bits, Segment(KERNEL[bits], b"x"))),
    "from its half into the kernel": ("a segment lies outside the program's half of memory",
        lambda bits: elf(bits, Segment(DATA, size=KERNEL[bits] - DATA + PAGE, filed=0))),
    "no canonical address": ("a segment lies outside the program's half of memory",
        lambda bits: elf(
            bits, Segment(2 ** (bits - 1) - (bits == 64) * PAGE + (bits == 32) * 2**30, b"x"))),
    "the stack": ("a segment lies outside the program's half of memory",
        lambda bits: elf(bits, Segment(TOP["i386" if bits == 32 else "amd64"] - 65536, b"x"))),
    # A sum as wide as a pointer overflows; a narrower one exceeds the program's half.
    "up to the end of addresses": ("",
        lambda bits: elf(bits, Segment(2**bits - PAGE, b"x", size=2 * PAGE))),
    "larger than all memory": ("it is larger than the memory that is free",
        lambda bits: elf(bits, Segment(DATA, size=1 << 30, filed=0))),
    "larger in sum": ("it is larger than the memory that is free",
        lambda bits: elf(
            bits, *(Segment(DATA + (i << 25), size=1 << 25, filed=0) for i in range(2)))),
    "code and data on one page": ("a writable and an executable segment share a page",
        lambda bits: elf(bits, Segment(TEXT + PAGE - 1, b"x"))),
    "code over data": ("a writable and an executable segment share a page",
        lambda bits: elf(bits, ROOM, Segment(DATA + PAGE, b"x", READ | EXECUTE))),
    "entry 0": ("its entry lies outside the program's code", lambda bits: elf(bits, entry=0)),
    "entry in the kernel": ("its entry lies outside the program's code",
        lambda bits: elf(bits, entry=KERNEL[bits])),
    "entry in no segment": ("its entry lies outside the program's code",
        lambda bits: elf(bits, entry=DATA)),
    "entry behind the code": ("its entry lies outside the program's code",
        lambda bits: elf(bits, entry=TEXT + PAGE - 1)),
    "entry in data": ("its entry lies outside the program's code",
        lambda bits: elf(bits, ROOM, entry=DATA)),
}  # fmt: skip


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_bad_files_are_refused_in_words(boot: Any, tree: Any, arch: str) -> None:
    """Each bad file gets its message and ENOEXEC; the next program runs; no memory is lost."""
    letters = dict(zip(BAD, ascii_letters, strict=False))
    last = ascii_letters[len(BAD)]

    def files(bits: int) -> dict[str, bytes]:
        most = exits(bits, 0, Segment(DATA, size=50 << 20, filed=0))
        return {letters[name]: build(bits) for name, (_, build) in BAD.items()} | {last: most}

    suite = ",".join([*letters.values(), last])
    result = boot(arch, "EPYC", f"suite={suite}", memory=64, module=pack(tree, arch, files))
    assert result.outcome is Outcome.FAIL, result.reason
    for folder in folders(arch):
        wrong = {}
        for name, (sentence, _) in BAD.items():
            said = said_of(result.text, f"{folder}/{letters[name]}")
            right = len(said) == 2 and said[1] == f"failed, status {-ENOEXEC}"
            if not right or not said[0].startswith(f"not started: {sentence}"):
                wrong[name] = said
        assert not wrong
        assert said_of(result.text, f"{folder}/{last}") == []
    assert result.end["failed"] == len(BAD) * len(folders(arch))


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_memory_that_runs_out_is_given_back(boot: Any, tree: Any, arch: str) -> None:
    """Wherever it runs out (pages, page tables): a message, and no memory is lost."""
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
    """Each of the amd64 kernel's folders accepts programs of either width."""
    module = tree({"bin/a": exits(32, 5), "compat/a": exits(64, 6)})
    result = boot("amd64", "EPYC", "suite=a", module=module)
    assert said_of(result.text, "/bin/a") == ["failed, status 5"]
    assert said_of(result.text, "/compat/a") == ["failed, status 6"]
