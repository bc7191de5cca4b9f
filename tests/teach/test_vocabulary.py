"""gdb's vocabulary on running kernels: each word prints the right answer."""

import re
from pathlib import Path

import pytest

from tollgate.machines.debug import session

from .test_lessons import USER_HALF, machine, run_gdb


def speak(tmp_path: Path, arch: str, words: list[str]) -> str:
    """gdb's output for `words` at the last instruction of ring 3 before INT 80h."""
    script = tmp_path / "words.py"
    lines = [f"tbreak *&{USER_HALF}", "continue", *words, "detach"]
    script.write_text(
        f"import gdb\nfor line in {lines}:\n    try:\n        gdb.execute(line)\n"
        "    except gdb.error as error:\n        print(error)\n"
    )
    with session(machine(arch, "EPYC")) as started:
        _, said = run_gdb(started, script)
    return "\n".join(said)


pytestmark = pytest.mark.patient
COMMON = {
    "ring": ["CPL 3   gate page", "the program's", "int 0x80"],
    "table user/int": ["int80  user/int/standard            armed: clean"],
    "pages 0": ["not mapped: #PF"],
    "pages main": ["page   user, read-only"],
    "idt 0x0e": ["interrupt gate, DPL 0", "<vector_14>"],
    "entry-frame": ["No entry has pushed anything: the stack pointer is the program's."],
    "entry-frame cpu_stack-168": ["number", "ss"],
    "context": ["-- CPL 3   gate page", "int 0x80"],
    "stacks": ["ring 0, from TSS.sp0", "guard page at", "on none of them"],
    "watch *(long*)(cpu_stack-8)": ["a gate pushes there", "QEMU would abort"],
    "watch -l cpu_work": ["watchpoint 2: {uint8_t} 0x"],
    "watch *(long*)(cpu_stack+0x20000)": ["a gate pushes there (a kernel stack)"],
    "why": ["emulator keeps no log"],
    "lesson": ["an interrupt gate, and back by IRET (25 minutes)"],
    "program": ["symbols of /bin/toll"],
    "points user/int/standard": ["clean_user_int_standard_entry", "clean_user_getpid"],
    "tbreak clean_user_int_standard_entry.MP3": ["Temporary breakpoint "],
}
OWN = {
    "i386": {
        "gdt": ["0x60  code, DPL 0, 32-bit", "base 0x0, 4 GiB", "0x80  TSS, busy"],
        "idt 8": ["task gate, DPL 0, to TSS 0xf8"],
        "tss": ["ss0   0x68"],
        "msrs": [
            "0x174  IA32_SYSENTER_CS",
            "<clean_user_sysenter_standard_entry, MP2>",
            "not written",
        ],
        "gate": ["0x93  call gate, DPL 3, to 0x60:", "<clean_user_callgate_standard_entry, MP2>"],
    },
    "amd64": {
        "gdt 0x10": ["selector 0x10: code, DPL 0, 64-bit"],
        "gdt": ["0x10  code, DPL 0, 64-bit", "0x40  TSS, busy", "0x80  call gate"],
        "idt 8": ["interrupt gate, DPL 0, IST 1"],
        "tss": ["ist6", "ist7"],
        "msrs": ["<clean_user_syscall_standard_entry, MP2>", "SYSCALL clears IF DF TF NT AC"],
        "gate": ["0x83  call gate, DPL 3, to 0x10:", "<clean_user_callgate_standard_entry, MP2>"],
    },
}


WRONG = {
    "idt 300": "The IDT ends before vector 0x12c.",
    "ring 3": "`ring` takes no argument; see `help ring`.",
    "points user/int": "There is no row user/int; `table` lists them.",
    "pages nowhere": 'No symbol "nowhere" in current context.',
}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_the_vocabulary_speaks(tmp_path: Path, arch: str) -> None:
    """Every word prints the right answer just before INT 80h, and an error message for a wrong
    argument."""
    expected = COMMON | OWN[arch]
    said = speak(tmp_path, arch, [*expected, *WRONG])
    missing = [text for texts in expected.values() for text in texts if text not in said]
    assert not missing, said
    assert [says for says in WRONG.values() if says not in said] == []
    assert "Traceback" not in said
    call, entry, service = ["MP1", "MP8"], ["MP2", "MP3", "MP6", "MP7"], ["MP4", "MP5"]
    assert re.findall(r"^  (MP\d)", said, re.MULTILINE) == call + entry + service
