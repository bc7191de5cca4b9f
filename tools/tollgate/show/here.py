"""`tollgate show ROW --here`: the time of a row's plain instructions on this machine, in ring 3.

The instructions are those that the built kernel executes, in the same order, with memory of our
own. The gate's are left out: those that enter or leave ring 0, and those that only ring 0 has. So
it is a lower bound of the path's cost. What the gate costs only a boot of the machine shows.
"""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tollgate.errors import TollgateError, UsageError
from tollgate.machines.row_path import Step
from tollgate.records import parts

GATE = re.compile(
    r"(syscall|sysret|sysenter|sysexit|int |iret|(rex\.W )?l?ret[fq]|lcall|lret|clac|stac|cli|sti"
    r"|hlt|swapgs|rdmsr|wrmsr)|.*\b(cr\d|[FT]WORD PTR)\b"
)
"""Instructions that cross a boundary, or that need ring 0, as objdump writes them."""
NUMBER = 39
"""getpid's, in rax at the start."""
LIMIT = 60
"""Seconds for the compiler, and for the run."""
MAIN = r"""
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

enum { ROUNDS = 1000, TRIES = 500 };
uint64_t rounds, saved_sp;
void whole(void), empty(void);
static int counter;

static uint64_t now(void)
{
        uint64_t value = 0;
        if (counter < 0)
                return __rdtsc();
        return read(counter, &value, sizeof value) == sizeof value ? value : 0;
}

static uint64_t least(void (*loop)(void))
{
        uint64_t best = UINT64_MAX;
        for (int i = 0; i < TRIES; i++) {
                rounds = ROUNDS;
                uint64_t start = now();
                loop();
                uint64_t took = now() - start;
                best = took < best ? took : best;
        }
        return best;
}

int main(void)
{
        struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE, .size = sizeof a,
                                    .config = PERF_COUNT_HW_CPU_CYCLES,
                                    .exclude_kernel = 1, .exclude_hv = 1};
        counter = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
        if (counter >= 0 && !now())
                counter = -1;
        uint64_t with = least(whole), without = least(empty);
        printf("%s %.1f\n", counter < 0 ? "TSC" : "cycles",
               with > without ? (double)(with - without) / ROUNDS : 0.0);
        return 0;
}
"""
LOOP = """
        .globl  {name}
{name}: push rbx; push rbp; push r12; push r13; push r14; push r15
        mov     [saved_sp], rsp
0:      mov     rsp, [saved_sp]
        sub     rsp, 256
        mov     eax, {number}
{body}
        sub     qword ptr [rounds], 1
        jnz     0b
        mov     rsp, [saved_sp]
        pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx
        ret
"""


def plain(steps: Sequence[Step]) -> list[str]:
    """The instructions of a path that are not its gate's."""
    return [step.text for step in steps if not GATE.match(step.text)]


def assembly(texts: Sequence[str]) -> str:
    """A loop of these instructions, and an empty one.

    A jump leads to the next instruction. A called routine is apart, as in the kernel's text.
    """
    pieces: list[list[str]] = [[]]
    data = {"cpu_work": ".quad 0", "cpu_stack": ".quad stack_top"}
    around = [0]
    for i, text in enumerate(texts):
        word, _, operands = text.partition(" ")
        to = f"at_{i + 1}"
        here = pieces[around[-1]]
        here.append(f"at_{i}:")
        if word == "call":
            if symbol := re.search(r"[A-Za-z_][\w.]*(?=[\]+])(?!\*)", operands.partition("[")[2]):
                data[f"to_{i}"] = f".rept 512; .quad {to}; .endr"
                text = text.replace(symbol[0], f"to_{i}")
            else:
                text = f"call {to}"
            pieces.append([])
            around.append(len(pieces) - 1)
        elif word == "ret" and len(around) > 1:
            around.pop()
        elif word[0] == "j":
            text = f"{word} {to}"
        for name in re.findall(r"[A-Za-z_][\w.]{3,}", text.partition("[")[2]):
            data.setdefault(name, ".quad block")
        here.append(f"        {text}")
    if len(around) > 1:
        raise TollgateError("A routine of this path does not return, so it cannot be run here.")
    body = "\n".join([*pieces[0], f"at_{len(texts)}:"])
    apart = "\n".join(line for piece in pieces[1:] for line in piece)
    loops = LOOP.format(name="whole", number=NUMBER, body=body)
    loops += LOOP.format(name="empty", number=NUMBER, body="")
    words = "\n".join(f"{name}: {value}" for name, value in data.items() if name[:3] != "at_")
    return f"""        .intel_syntax noprefix
        .text
{loops}
{apart}
        .data
        .balign 64
{words}
        .balign 64
block:  .zero 8192
        .zero 8192
stack_top:
        .section .note.GNU-stack
"""


def run(texts: Sequence[str]) -> tuple[str, float]:
    """The unit, and the least time of these instructions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "path.s").write_text(assembly(texts))
        (folder / "main.c").write_text(MAIN)
        command = ["gcc", "-O1", "-no-pie", "main.c", "path.s", "-o", "path"]
        for each in (command, [folder / "path"]):
            done = subprocess.run(
                each, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT
            )
            if done.returncode:
                raise TollgateError(f"{each[0]} ended with {done.returncode}: {done.stderr[-500:]}")
        unit, value = done.stdout.split()
        return unit, float(value)


def check(row: str, arch: str) -> None:
    """UsageError if this machine cannot run the row."""
    if arch != "amd64" or row.startswith("compat/") or parts.around(row):
        raise UsageError("--here runs rows of 64-bit programs, without parts.")


def lines(steps: Sequence[Step]) -> list[str]:
    """What `--here` adds to a listing."""
    texts = plain(steps)
    unit, value = run(texts)
    said = (
        f"{value:g} core cycles"
        if unit == "cycles"
        else f"{value:g} ticks of the TSC, not core cycles (this host gives no perf_event)"
    )
    gate = sum(step.counted for step in steps) - len(texts)
    return [
        f"On this machine, in ring 3: the {len(texts)} plain instructions take {said}, at least.",
        f"That is a lower bound of the path. Its gate ({gate} instructions) is not in it.",
    ]
