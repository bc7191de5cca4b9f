"""Wrong answers that want to please: each changes a model solution, or what a start has, so that
the exercise's text is broken. None may have full points (tests/test_exercises.py)."""

from __future__ import annotations

import re
from typing import NamedTuple

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own, filled

ENTRY = "kernel/core/entry"
INT, GATE = f"{ENTRY}/int.asm", f"{ENTRY}/callgate.asm"
CLEARED, TRAP = f"{ENTRY}/int_cleared.asm", f"{ENTRY}/inttrap.asm"
DESCRIPTOR, POSTURE = "kernel/core/arch/amd64/descriptor.c", "kernel/core/thread/posture.c"
WHO, MEMORY = "kernel/unix/process/identity.c", "kernel/core/mem/memory.c"
START = ""
"""As the start has it: not the solution's."""


class Wrong(NamedTuple):
    """What is wrong, and the changes: a file, what is there (a regular expression) and instead."""

    exercise: str
    says: str
    changes: tuple[tuple[str, str, str], ...]


def spoil(wrong: Wrong, edits: Edits, first: Edits, own: Own) -> None:
    """Change the solution; `first` is the start."""
    for name, old, new in wrong.changes:
        if old == START:
            edits.put(name, first.text(name))
            continue
        text, count = re.subn(filled(old, own), filled(new, own), edits.text(name), flags=re.S)
        assert count, f"{wrong.says}: {name} has no {old}"
        edits.put(name, text)


def number(returned: str) -> tuple[tuple[str, str, str], ...]:
    """The exercise posture with another number for a thread."""
    return ((POSTURE, r"thread->tid << POSTURE_TID : 0", f"({returned}) << POSTURE_TID : 0"),)


SERVICE = r"(KERNEL callgate_service_entry.*?)"
USER = r"(USER callgate_[^\n]*\n)        PROBE   MP1\n(.*?)        PROBE   MP8\n"
MOVED = r"\g<1>%ifidn ORIGIN, user\n        push    {register}\n        pushfq\n%endif\n"
OTHERS = r"\1%ifnidn ORIGIN, user\n\2%endif\n"
WRONG = (
    Wrong("register", "nothing is left out, and the answer is there", ((INT, START, ""),)),
    Wrong(
        "register", "the program's values stay", ((INT, r"push    {mark:#x}\n", "push    rbx\n"),)
    ),
    Wrong(
        "register",
        "the mark is loaded into a register that the program needs",
        ((INT, r"push    {mark:#x}\n", "mov     r14d, {mark:#x}\n        push    r14\n"),),
    ),
    Wrong(
        "register",
        "nothing is saved where a program runs in ring 0",
        ((INT, r"push    {mark:#x}\n", "push    {mark:#x} * (PROGRAM_CS != KERNEL_CS)\n"),),
    ),
    Wrong(
        "service",
        "the mark is there at the label, and then no more",
        (
            (
                GATE,
                r"(mov     {register}), ({mark:#x}\n%endif\n)(        PROBE   MP3\n)",
                r"\1, \2\3%if KERNEL_BITS == 64\n        xor     {register}, {register}\n%endif\n",
            ),
        ),
    ),
    Wrong(
        "service",
        "the user half saves, outside what is counted",
        (
            (GATE, SERVICE + r"(        pushfx\n.*?%endif\n)", OTHERS),
            (
                GATE,
                SERVICE + r"(PROBE   MP6\n)(%if.*?        popfx\n)",
                r"\1\2%ifnidn ORIGIN, user\n\3%endif\n",
            ),
            (
                GATE,
                USER,
                MOVED + r"        PROBE   MP1\n\2        PROBE   MP8\n%ifidn ORIGIN, user"
                r"\n        popfq\n        pop     {register}\n%endif\n",
            ),
        ),
    ),
    Wrong(
        "service",
        "the program's flags go through",
        ((GATE, SERVICE + r"        push    RFLAGS_FIXED\n        popfx", r"\1        cld"),),
    ),
    Wrong(
        "variant",
        "the program's own registers are loaded again behind the label",
        ((CLEARED, r"PROBE   MP3\n", "PROBE   MP3\n        mov     rdi, [rsp + 9 * WORD]\n"),),
    ),
    Wrong(
        "variant",
        "the user half clears them, before the gate",
        (
            (CLEARED, r"(PUSHES  .*?)(        PROBE   MP3)", r"PROBE   MP3"),
            (CLEARED, r"POPS .*?\n", "nop\n"),
            (
                CLEARED,
                r"(PROBE   MP1\n)(        int .*?\n)(        PROBE   MP8)",
                r"\1        push    rbx\n        xor     ebx, ebx\n\2        pop     rbx\n\3",
            ),
        ),
    ),
    Wrong(
        "variant",
        "the service routine is written again instead of called",
        (
            (
                CLEARED,
                r"CALL_SERVICE INT_SERVICE",
                "mov     rax, [cpu_current]\n        mov     eax, [rax + THREAD_PID]",
            ),
        ),
    ),
    Wrong("leak", "the answers alone", ((GATE, START, ""),)),
    Wrong(
        "leak",
        "what leaks is turned over, so that no check knows it",
        ((GATE, START, ""), (GATE, r"lea     {register} *, \[.*?\n", "not     {register}\n")),
    ),
    Wrong(
        "leak",
        "the user half clears the register",
        (
            (GATE, START, ""),
            (
                GATE,
                r"(PROBE   MP8\n)",
                r"\1%ifidn ORIGIN, user\n        xor     ecx, ecx\n"
                r"        xor     r11d, r11d\n%endif\n",
            ),
        ),
    ),
    Wrong(
        "mechanism",
        "an interrupt gate, and CLI for show",
        ((f"{ENTRY}/select.c", "TYPE_TRAP_GATE, entry_of", "TYPE_INTERRUPT_GATE, entry_of"),),
    ),
    Wrong("mechanism", "no CLI, but something as short", ((TRAP, r" cli\n", " nop\n"),)),
    Wrong(
        "mechanism",
        "the labels are the page's",
        ((f"{ENTRY}/entry.def", r'"{label}(\d)"', r'"int9\1"'),),
    ),
    Wrong(
        "starve",
        "more vectors than were asked for",
        ((DESCRIPTOR, r"vector == VECTOR_PF \|\|", "vector == VECTOR_PF || vector == 0x7f ||"),),
    ),
    Wrong(
        "starve",
        "the others have a stack, of somebody else's",
        ((DESCRIPTOR, r"vector == VECTOR_GP \? IST_GP : IST_TRAP", "IST_GP"),),
    ),
    Wrong(
        "starve",
        "ring 3 loses the stack of the NMI",
        (
            (
                DESCRIPTOR,
                r"ist_of\(vector\) : ist_always\(vector\)",
                "ist_of(vector) : ist_always(vector) & 1",
            ),
        ),
    ),
    Wrong(
        "call",
        "the paths of the grade are known",
        ((WHO, r"= task\(\)->process->path", '= call_narrow() ? "/compat/asks" : "/bin/asks"'),),
    ),
    Wrong("call", "a size has 32 bits", ((WHO, r"\(size_t\)size", "(uint32_t)size"),)),
    Wrong(
        "call",
        "the pointer is used as it is",
        (
            (
                WHO,
                r"user_write\(\(uintptr_t\)to, path, length\)",
                "(size_t)to < cpu_current->limit ? (memcpy((void *)to, path, length), 0) : -EFAULT",
            ),
        ),
    ),
    Wrong(
        "pagefault",
        "the first pages of an area, which are enough for most",
        (
            (
                MEMORY,
                r"if \(\(\*area\)->flags & AREA_STAMPED\)",
                "if ((*area)->flags & AREA_STAMPED && address - (*area)->start < 16 * PAGE_SIZE)",
            ),
        ),
    ),
    Wrong(
        "pagefault",
        "words of eight bytes for everybody",
        ((MEMORY, r"memory->origin == ORIGIN_COMPAT \?", "memory->origin == ORIGINS_MOST ?"),),
    ),
    Wrong(
        "pagefault",
        "what is shared is stamped, too",
        (("kernel/unix/file/map.c", r"type == MAP_SHARED \|\| flags", "flags"),),
    ),
    Wrong("redzone", "the answers alone", ((DESCRIPTOR, START, ""),)),
    Wrong(
        "redzone",
        "the three have the stack of another exception",
        (
            (DESCRIPTOR, START, ""),
            (DESCRIPTOR, r"(if \(is_spared\(vector\)\)\n +return) 0", r"\1 IST_GP"),
        ),
    ),
    Wrong(
        "redzone",
        "all have the same stack",
        ((DESCRIPTOR, r"vector == VECTOR_GP \? IST_GP : IST_TRAP", "IST_TRAP"),),
    ),
    Wrong("posture", "the same number again 2,003 further on", number("thread->tid % 2003 + 1")),
    Wrong("posture", "twenty of the bits", number("thread->tid & 0xfffff")),
    Wrong("posture", "a number that is nearly random", number("thread->tid * 2654435761u >> 10")),
)
