"""How programs start and end."""

import struct
from string import ascii_letters
from typing import Any

import pytest

from tollgate.machines.outcome import Outcome

from ..elf import (
    GATE_PAGE,
    IDS,
    MACHINES,
    PAGE,
    ROOM,
    TEXT,
    TOP,
    folders,
    pack,
    program,
    said_of,
    shown,
)

# Programs that start and are killed, or exit: the kernel's final message.
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


@pytest.mark.parametrize(("arch", "cpu"), MACHINES, ids=IDS)
def test_registers_and_stack_at_the_first_instruction(
    boot: Any, tree: Any, arch: str, cpu: str
) -> None:
    """A program starts as on Linux: argc, argv, environment, auxiliary vector, registers."""
    abis = ["i386"] if arch == "i386" else ["amd64", "compat"]

    def files(bits: int) -> dict[str, bytes]:
        top = TOP["amd64" if bits == 64 else "i386"]
        return {"start": program(bits, f"%define TOP {top:#x}\n{DUMP}", ROOM)}

    words = "samples=77 only=abc suite=start"
    result = boot(arch, cpu, words, module=pack(tree, arch, files))
    assert result.outcome is Outcome.PASS, result.reason
    dumps = shown(result.text)
    assert len(dumps) == 2 * len(abis)
    for abi, folder, state, stack in zip(abis, folders(arch), dumps[::2], dumps[1::2], strict=True):
        bits = 64 if abi == "amd64" else 32
        word = bits // 8
        form = "<%d" + ("Q" if bits == 64 else "I")
        values = list(struct.unpack(form % (len(state) // word), state))
        names = REGISTERS + (WIDE if bits == 64 else [])
        names += ["xsp", "flags", *SELECTORS, "by AT_SYSINFO", "by int 0x80"]
        at = dict(zip(names, values, strict=True))
        assert {name: at[name] for name in names[: names.index("xsp")] if at[name]} == {}
        assert at["flags"] == 0x202
        segments = [at[s] for s in SELECTORS]
        data = 0x7B if abi == "i386" else 0x2B
        code = {"i386": 0x73, "amd64": 0x33, "compat": 0x23}[abi]
        assert segments == [code, data, data, data, 0, 0]
        assert 0 < at["by AT_SYSINFO"] == at["by int 0x80"]

        sp = at["xsp"]
        assert sp % 16 == 0
        assert sp + len(stack) == TOP[abi]
        count = len(stack) // word
        words_up = list(struct.unpack_from(form % count, stack))
        arguments = [f"{folder}/start", "samples=77", "only=abc", "exact=1"]
        arguments += [f"program={1 + folders(arch).index(folder)}", f"programs={len(abis)}"]
        arguments += ["began=0", "offset=0", "beside="]
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
        assert sp < vector[25] <= TOP[abi] - 16, "AT_RANDOM"
        assert len(set(stack[vector[25] - sp :][:16])) > 4, "AT_RANDOM"
        image = 2 * PAGE + vector[33] if bits == 32 else GATE_PAGE[abi] + 2 * PAGE
        assert 0 < image - vector[32] <= 2 * PAGE, "AT_SYSINFO"


def text_at(memory: bytes, offset: int) -> str:
    assert 0 <= offset < len(memory)
    return memory[offset : memory.index(0, offset)].decode()
