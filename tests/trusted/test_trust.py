"""A trusted program is one whose resolved path begins with /trusted/ (KML's rule)."""

from typing import Any

import pytest

from tollgate.machines.boot import BUILD

from ..elf import ROOM
from ..elf import program as assemble
from ..person import Person

BITS = {"i386": 32, "amd64": 64}
arches = pytest.mark.parametrize("arch", list(BITS))

# The path of the program, and its ring.
PLACES = {
    "bin": ("/bin/ring", 3),
    "copied": ("cp /bin/ring /trusted/a; /trusted/a", 0),
    "copied-back": ("cp /bin/ring /trusted/b; cp /trusted/b b; ./b", 3),
    "moved-in": ("cp /bin/ring m; mv m /trusted/m; /trusted/m", 0),
    "moved-out": ("cp /bin/ring /trusted/n; mv /trusted/n n; ./n", 3),
    "below": ("mkdir /trusted/d; cp /bin/ring /trusted/d; /trusted/d/ring", 0),
    "no-folder-of-that-name": ("mkdir /trustedx; cp /bin/ring /trustedx; /trustedx/ring", 3),
    "elsewhere": ("mkdir trusted; cp /bin/ring trusted; trusted/ring", 3),
    "relative": ("cp /bin/ring /trusted/e; cd /trusted; ./e", 0),
    "by-path": ("cp /bin/ring /trusted/f; PATH=/trusted; f", 0),
    "up-and-out": ("/trusted/../bin/ring", 3),
    "up-and-in": ("cp /bin/ring /trusted/g; cd /bin; ../trusted/./g", 0),
    "slashes": ("cp /bin/ring /trusted/h; //trusted///h", 0),
    "link-in": ("cp /bin/ring /trusted/i; ln -s /trusted/i i; ./i", 0),
    "link-out": ("ln -s /bin/ring /trusted/j; /trusted/j", 3),
    "second-name-in": ("ln /bin/ring /trusted/p; /trusted/p", 0),
    "second-name-out": ("cp /bin/ring /trusted/q; ln /trusted/q q; ./q", 3),
    "link-to-folder": ("cp /bin/ring /trusted/k; ln -s /trusted t; t/k", 0),
    "link-out-of-folder": ("ln -s /bin /trusted/l; /trusted/l/ring", 3),
    "executed-by-a-trusted-one": ("cp /bin/sh /trusted/sh; /trusted/sh -c 'exec ring'", 3),
    "forked-and-executed": ("cp /bin/sh /trusted/o; /trusted/o -c '(ring; true)'", 3),
}


@arches
def test_the_resolved_path_decides(person: Person, arch: str) -> None:
    came = person.tries(arch, {name: script for name, (script, _) in PLACES.items()})
    selector = {
        ("i386", 0): "0060",
        ("i386", 3): "0073",
        ("amd64", 0): "0010",
        ("amd64", 3): "0033",
    }
    wrong = {
        name: came[name]
        for name, (_, ring) in PLACES.items()
        if not came[name].endswith(f" runs in ring {ring} (CS = {selector[arch, ring]})\n")
    }
    assert not wrong


# Ends with 40 + CPL of a child's child.
FORKS = """
%if __BITS__ == 64
 %define FORK 57
 %define WAIT4 61
 %define FOURTH r10
%else
 %define FORK 2
 %define WAIT4 114
 %define FOURTH esi
%endif
main:   CALL    FORK, 0, 0, 0
        test    eax, eax
        jnz     .wait
        CALL    FORK, 0, 0, 0
        test    eax, eax
        jnz     .wait
        mov     eax, cs
        and     eax, 3
        add     eax, 40
        CALL    EXIT, xax, 0, 0
.wait:  xor     FOURTH, FOURTH
        CALL    WAIT4, -1, DATA, 0
        movzx   eax, byte [DATA + 1]
        CALL    EXIT, xax, 0, 0
"""


@arches
def test_a_child_is_trusted_as_its_parent_is(boot: Any, tree: Any, arch: str) -> None:
    code = assemble(BITS[arch], FORKS, ROOM)
    result = boot(arch, cmdline="suite=a", module=tree({"bin/a": code, "trusted/a": code}))
    assert "/bin/a: failed, status 43\n" in result.text
    assert "/trusted/a: failed, status 40\n" in result.text


def test_a_32_bit_program_cannot_be_trusted_under_amd64(person: Person) -> None:
    more = {"trusted/old": (BUILD / "i386" / "console" / "ring").read_bytes()}
    script = "/trusted/old; echo $?; cp /trusted/old old; ./old"
    came = person.tries("amd64", {"old": script}, more)["old"]
    sentence, status, elsewhere = came.splitlines()
    assert sentence.startswith("/trusted/old: not started: a 32-bit program cannot be trusted here")
    assert status == "126"
    assert elsewhere == "./old runs in ring 3 (CS = 0023)"


@arches
def test_a_shell_hands_on_no_right_to_measure(person: Person, arch: str) -> None:
    """init gets it from the kernel; execve() drops it."""
    more = {"bin/toll": (BUILD / arch / "bin" / "toll").read_bytes()}
    came = person.tries(arch, {"toll": "/bin/toll samples=1; echo $?"}, more)["toll"]
    assert came == ("toll: only what the kernel's command line names may measure: suite=toll\n2\n")
